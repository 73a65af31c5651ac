"""What comes of several runs on the same rows, in one sentence: the best, by how much, how sure, what to do next.

The best is what a search chose by cross-validation, where there was one, so that the rows tested on choose nothing;
elsewhere the most accurate on those rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.standings import Confused, RunScores, better_than_chance, most_confused
from mcsvm_gui.core.machine.state import claim_of

CONFUSED = 0.3, 5.0  # of all errors, and errors at least: from here on a pair of classes is named
OVERFIT = 0.03  # by which training rows are decided better than the upper end of the interval of test rows


@dataclass(frozen=True)
class Candidate:
    """A run that has ended."""

    run: int
    label: str
    document: Mapping[str, Any]  # as `mcsvm train --json` prints it
    scores: RunScores | None = None
    validation: float | None = None  # mean of the cross-validation that chose its C and gamma
    chosen: bool = False  # it is what that search chose of all machines
    cut: bool = False  # that search ended before it had tried all
    edges: Collection[str] = ()  # of the ranges, beyond which better cells may lie; as Grid.edges names them
    share: float = 1.0  # of the training rows that it was validated on
    ranges: tuple[str, ...] = ()  # of a search that goes on, as core/tune/best.py writes them


@dataclass(frozen=True)
class NextStep:
    """What can be done about what was found: `sentence` says why, `text` stands on its button."""

    code: str
    sentence: str
    text: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    run: int
    sentence: str
    steps: tuple[NextStep, ...]  # the most useful first

    @property
    def text(self) -> str:
        """One sentence, with the next step in it."""
        if not self.steps:
            return f"{self.sentence}."
        return tr("{found}; {next}.", found=self.sentence, next=self.steps[0].sentence)


def conclude(candidates: Sequence[Candidate], p: Mapping[tuple[int, int], float]) -> Conclusion | None:
    """`p` as `told_apart` gives it. None where there is nothing to conclude from."""
    if not candidates:
        return None
    best = _best(candidates)
    said = _untested(best) if best.scores is None else _tested(best, best.scores, candidates, p)
    return Conclusion(best.run, said, tuple(_steps(best)))


def _best(candidates: Sequence[Candidate]) -> Candidate:
    """Of several searches the choice of the best one; else among equals the run with the fewest support vectors."""
    chosen = [one for one in candidates if one.chosen]
    if chosen:
        return max(chosen, key=lambda one: (one.validation or 0.0, one.run))

    def worth(one: Candidate) -> tuple[float, int, int]:
        return (-1.0 if one.scores is None else one.scores.accuracy, -int(one.document["n_support"]), -one.run)

    return max(candidates, key=worth)


def _untested(best: Candidate) -> str:
    right = figures.accuracy(best.document["train_accuracy"], best.document["n_train"])
    return tr(
        "{run} decides {share} of the rows it was trained on rightly, which says nothing of new rows",
        run=best.label,
        share=right,
    )


def _tested(
    best: Candidate, scores: RunScores, candidates: Sequence[Candidate], p: Mapping[tuple[int, int], float]
) -> str:
    rows = scores.rows
    ends = (figures.accuracy(end, rows) for end in scores.interval)
    said = tr(
        "{run} decides {share} of {rows} test rows rightly (95%: {low} to {high})",
        run=best.label,
        share=figures.accuracy(scores.accuracy, rows),
        rows=figures.count(rows),
        **dict(zip(("low", "high"), ends, strict=True)),
    )
    if best.validation is not None:
        chosen, part = figures.accuracy(best.validation), figures.percent(best.share)
        said = tr("{said}, chosen by its cross-validation of {chosen}", said=said, chosen=chosen)
        said = said if best.share == 1.0 else tr("{said} on {share} of the rows", said=said, share=part)
    others = [one for one in candidates if one is not best and one.scores is not None]
    parts = [said, *_against(best, scores, others, p), _certain(best)]
    return "; ".join(parts)


def _against(
    best: Candidate, scores: RunScores, others: Sequence[Candidate], p: Mapping[tuple[int, int], float]
) -> list[str]:
    if not others:
        return []
    apart = set(better_than_chance(best.run, [one.run for one in others], dict(p)))
    worse = [one for one in others if one.run in apart and _accuracy(one) < scores.accuracy]
    better = [one for one in others if one.run in apart and one not in worse]
    alike = [one for one in others if one.run not in apart]
    difference = scores.accuracy - max(map(_accuracy, others))
    if difference == 0.0:
        return [_level(worse)]
    lead = _lead(difference)
    if better:
        return [tr("{lead}; {runs} did better on them by more than chance", lead=lead, runs=_named(better))]
    if not worse:
        return [tr("{lead}, which is not more than chance against any other", lead=lead)]
    if not alike:
        return [tr("{lead}, which is more than chance against every other", lead=lead)]
    names = {"worse": _named(worse), "alike": _named(alike)}
    return [tr("{lead}, which is more than chance against {worse}, not against {alike}", lead=lead, **names)]


def _level(worse: Sequence[Candidate]) -> str:
    if not worse:
        return tr("the next is as good, and no other differs by more than chance")
    return tr("the next is as good; {runs} did worse by more than chance", runs=_named(worse))


def _lead(lead: float) -> str:
    """Before the best of the others; after it where cross-validation chose another than the test rows would."""
    shown = figures.points(abs(lead))
    if lead > 0.0:
        return tr("{points} points before the next", points=shown)
    return tr("{points} points behind the most accurate", points=shown)


def _accuracy(one: Candidate) -> float:
    assert one.scores is not None
    return one.scores.accuracy


def _named(runs: Sequence[Candidate]) -> str:
    """The first few; the table has them all."""
    names = [one.label for one in runs]
    return ", ".join(names) if len(names) <= 3 else tr("{count} other", "{count} others", count=len(names))


def _certain(best: Candidate) -> str:
    document = best.document
    certificate = document["certificate"]
    gap = figures.gap(max(float(certificate["relative_gap"]), 0.0))
    if claim_of(document).kind == "solved":
        return tr("its optimum is certain to {gap}", gap=gap)
    return tr("it may be off its optimum by {gap}", gap=gap)


# -- what to do next ------------------------------------------------------------------------------


def _steps(best: Candidate) -> list[NextStep]:
    found = (
        *(_hold_out(best), _solve(best), _search(best), _search_on(best)),
        *(_extend(best), _tell_apart(best), _more_rows(best)),
    )
    return [step for step in found if step is not None]


def _hold_out(best: Candidate) -> NextStep | None:
    if best.scores is not None or best.document["test_accuracy"] is not None:
        return None
    return NextStep("hold-out", tr("hold rows out to test it on"), tr("Hold out 30% and train again"))


def _solve(best: Candidate) -> NextStep | None:
    if claim_of(best.document).kind == "solved":
        return None
    return NextStep("unsolved", tr("it ended early and can go on"), tr("Train it to the end"))


def _search(best: Candidate) -> NextStep | None:
    if best.validation is not None:
        return None
    return NextStep("guessed", tr("its C and gamma were not searched"), tr("Find the best model"))


def _search_on(best: Candidate) -> NextStep | None:
    if not best.cut:
        return None
    return NextStep("cut", tr("the search ended before it had tried all"), tr("Search on"), best.ranges)


def _extend(best: Candidate) -> NextStep | None:
    """The edge of C is named first: it moves more."""
    ends = {
        "C low": tr("its C is the smallest that was searched"),
        "C high": tr("its C is the largest that was searched"),
        "gamma low": tr("its gamma is the smallest that was searched"),
        "gamma high": tr("its gamma is the largest that was searched"),
    }
    edge = next((edge for edge in ends if edge in best.edges), None)
    return None if edge is None else NextStep("edge", ends[edge], tr("Search beyond"), best.ranges)


def _tell_apart(best: Candidate) -> NextStep | None:
    found = None if best.scores is None else most_confused(best.scores)
    if found is None or not _stands_out(found):
        return None
    share = figures.percent(found.share)
    sentence = tr("{share} of its errors are between {first} and {second}", share=share, **_pair(found))
    return NextStep("confused", sentence, tr("See the errors"), found.names)


def _stands_out(found: Confused) -> bool:
    share, least = CONFUSED
    return found.share >= share and found.errors >= least


def _pair(found: Confused) -> dict[str, str]:
    return {"first": found.names[0], "second": found.names[1]}


def _more_rows(best: Candidate) -> NextStep | None:
    """Training rows decided far better than new ones: what is learnt of single rows, more of them would correct."""
    if best.scores is None or best.document["train_accuracy"] < best.scores.interval[1] + OVERFIT:
        return None
    known = figures.accuracy(best.document["train_accuracy"], best.document["n_train"])
    sentence = tr("more rows may help, as {share} of the training rows are right", share=known)
    return NextStep("rows", sentence, tr("Open the learning curve"))
