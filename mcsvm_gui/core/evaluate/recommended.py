"""The measure that suits the class shares: accuracy, unless one class makes guessing look good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MAJORITY = 0.8  # share of the rows in one class from which guessing it looks good
UNEQUAL = 10.0  # ratio of the largest to the smallest class from which accuracy hides the smallest


def are_unequal(counts: Sequence[int]) -> bool:
    """Whether accuracy says little for classes of these sizes."""
    if len(counts) < 2:
        return False
    return max(counts) >= MAJORITY * sum(counts) or max(counts) >= UNEQUAL * min(counts)


def recommended_score(counts: Sequence[int]) -> str:
    """Return the name of the measure, as `mcsvm tune --score` knows it."""
    return "balanced-accuracy" if are_unequal(counts) else "accuracy"


def measure_to_judge_by(chosen: Mapping[int, str], counts: Sequence[int]) -> str:
    """Return the measure of the newest run that a search chose, by run number; without one the recommended measure."""
    return chosen[max(chosen)] if chosen else recommended_score(counts)
