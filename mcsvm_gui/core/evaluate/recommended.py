"""Recommend a measure for the class shares: accuracy, unless one class makes guessing look good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MAJORITY = 0.8  # if one class has at least this share of the rows, guessing it looks good
UNEQUAL = 10.0  # from this ratio of the largest to the smallest class, accuracy hides the smallest


def are_unequal(counts: Sequence[int]) -> bool:
    """Return whether accuracy says little for classes of these sizes."""
    if len(counts) < 2:
        return False
    return max(counts) >= MAJORITY * sum(counts) or max(counts) >= UNEQUAL * min(counts)


def recommended_score(counts: Sequence[int]) -> str:
    """Return the name of the measure, as `mcsvm tune --score` knows it."""
    return "balanced-accuracy" if are_unequal(counts) else "accuracy"


def measure_to_judge_by(chosen: Mapping[int, str], counts: Sequence[int]) -> str:
    """Return the measure by which a search chose the newest run; without one, the recommended measure."""
    return chosen[max(chosen)] if chosen else recommended_score(counts)
