"""The command that searches what the Tune page asks for, to be copied into a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcsvm_gui.core.base.options import written
from mcsvm_gui.core.machine.command_line import quoted, words

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import TuneRequest
    from solvers.selection.grid import Range


def tune_command(request: Request, wanted: TuneRequest) -> str:
    """`mcsvm tune ...`, quoted for the shell of this system; InputError where it cannot be said."""
    return quoted(tune_words(request, wanted))


def tune_words(request: Request, wanted: TuneRequest) -> list[str]:
    """The request's part as for a training, and every range in full."""
    program, _, *rest = words(request)
    options = {"--machine": ",".join(wanted.machines), "--C": _range(wanted.costs)}
    if wanted.gammas is not None:
        options["--gamma"] = _range(wanted.gammas)
    options |= {"--step": written(wanted.costs.step), **_validation(wanted), "--search": wanted.search}
    if wanted.jobs is not None:
        options["--jobs"] = str(wanted.jobs)
    if wanted.scheduler is not None:
        options["--scheduler"] = wanted.scheduler
    said = [word for pair in options.items() for word in pair] + ["--nested"] * wanted.nested
    return [program, "tune", *said, *rest] if rest[0].startswith("-") else [program, "tune", rest[0], *said, *rest[1:]]


def _validation(wanted: TuneRequest) -> dict[str, str]:
    if wanted.holdout is not None:
        return {"--holdout": written(wanted.holdout)}
    return {"--folds": str(wanted.folds)} | ({"--repeats": str(wanted.repeats)} if wanted.repeats > 1 else {})


def _range(values: Range) -> str:
    return f"{_end(values.low)}:{_end(values.high)}"


def _end(exponent: float) -> str:
    """With all digits; a power of two as one."""
    from solvers.selection.grid import as_written

    return f"2^{int(exponent)}" if float(exponent).is_integer() else repr(as_written(2.0**exponent))
