"""Which part of the tests runs: the fast one, unless somebody names files or says otherwise."""

FAST, WHOLE = "not large and not slow", "not large"  # the first stands in pyproject.toml, the second in .ci/run


def part(expression: str, *, named: bool) -> str:
    """Who names files means all of them but what takes minutes."""
    return WHOLE if named and expression == FAST else expression
