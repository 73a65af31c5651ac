"""Draw a conclusion from runs on the same test rows: which model is best, how good it is, and what to do next.

Cross-validation chooses the best model if there was a search, so that the test rows choose nothing. Without a search
the test rows choose it, and the answer says so. Three questions are answered separately: how accurate the model is, how
certain the ranking is, and how close the model is to its optimum.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.baselines import BaselineResult
from mcsvm_gui.core.compare.quality import balanced_guess, beats_guessing, guess, is_leak, missed_classes
from mcsvm_gui.core.compare.standings import (
    Confused,
    RunScores,
    ScoreInterval,
    differing_from,
    most_confused,
)
from mcsvm_gui.core.evaluate.recommended import measure_to_judge_by
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT
from mcsvm_gui.core.evaluate.statistics.adjustment import holm
from mcsvm_gui.core.machine.state import claim_of

CONFUSED = 0.3, 5.0  # smallest share and smallest number of errors between two classes that are named
STOPPED = "stopped", "step limit", "time limit"  # endings after which a run can be continued
AIMED_GAP = 0.01  # relative gap that a smaller tolerance aims at
LEAST_TOLERANCE = 1e-9
OVERFIT = 0.03  # least excess of the training accuracy over the upper end of the test interval
NAMED = 3  # runs or classes listed by name in a sentence

Quality = Literal["good", "doubtful", "useless", "untested"]


@dataclass(frozen=True)
class FinalModel:
    """A run on all rows with the settings of a tested run."""

    label: str
    rows: int


@dataclass(frozen=True)
class Candidate:
    """A run that has ended."""

    run: int
    label: str
    document: Mapping[str, Any]  # as `mcsvm train --json` prints it
    scores: RunScores | None = None
    validation: float | None = None  # mean of the cross-validation that chose its C and gamma
    chosen: bool = False  # the search chose it among all machines
    cut: bool = False  # the search ended before it had tried everything
    edges: Collection[str] = ()  # edges of the ranges, beyond which better cells may lie; as Grid.edges names them
    share: float = 1.0  # share of the training rows used for validation
    ranges: tuple[str, ...] = ()  # ranges with which the search can be extended, as core/tune/best.py writes them
    measure: str = "accuracy"  # the measure by which the search chose
    seen: bool = False  # whether the search used the rows that test this run
    held_out: bool = False  # it was tested on a part of its data, so that a final model can be trained on all rows
    final: FinalModel | None = None  # the run on all rows with the same settings
    grouped: bool = False  # whether its rows were split by groups or by a fold column
    resumable: bool = False  # the project contains a checkpoint of it
    preprocessing: str = ""  # a short text that distinguishes it from other candidates


@dataclass(frozen=True)
class NextStep:
    """A recommended next step: `sentence` gives the reason, `text` is the label of its button."""

    code: str
    sentence: str
    text: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    """`text` is short; `accurate`, `ranking` and `optimum` answer the three questions in full."""

    run: int
    quality: Quality
    text: str
    accurate: str
    ranking: str
    optimum: str
    steps: tuple[NextStep, ...]  # the most useful first
    measure: str = "accuracy"
    warnings: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> str:
        """Return the quality in a few words, for its badge."""
        return {
            "good": tr("Better than guessing"),
            "doubtful": tr("Check this result"),
            "useless": tr("No better than guessing"),
            "untested": tr("Not tested"),
        }[self.quality]

    def document(self) -> dict[str, Any]:
        names = "quality", "measure", "accurate", "ranking", "optimum"
        return {**{name: getattr(self, name) for name in names}, "warnings": list(self.warnings)}


def conclude(
    candidates: Sequence[Candidate],
    p: Mapping[tuple[int, int], float],
    baselines: Sequence[BaselineResult] = (),
) -> Conclusion | None:
    """Return the answer, or None if there is no candidate.

    `p`: as `told_apart` gives it. `baselines`: their scores on the same rows.
    """
    if not candidates:
        return None
    measure = measure_of(candidates)
    best = best_of(candidates, measure)
    answer = _Answer(best, candidates, measure, p, baselines)
    return answer.conclusion()


def measure_of(candidates: Sequence[Candidate]) -> str:
    searched = {one.run: one.measure for one in candidates if one.chosen}
    return measure_to_judge_by(searched, candidates[0].document["class_counts"])


def best_of(candidates: Sequence[Candidate], measure: str) -> Candidate:
    """Return the best choice of the searches by this measure; without one, the run with the best test score."""
    chosen = [one for one in candidates if one.chosen and one.measure == measure]
    if chosen:
        return max(chosen, key=lambda one: (one.validation or 0.0, one.run))

    def worth(one: Candidate) -> tuple[float, int, int]:
        score = -1.0 if one.scores is None else one.scores.score(measure)[0]
        return score, -int(one.document["n_support"]), -one.run

    return max(candidates, key=worth)


def write_score(measure: str, value: float, interval: ScoreInterval | None = None, rows: int | None = None) -> str:
    """Write a test score with its measure and interval."""
    templates = {
        "accuracy": tr("{score} test accuracy"),
        "balanced-accuracy": tr("{score} balanced test accuracy"),
        "macro-f1": tr("{score} test macro F1"),
    }
    said = templates[measure].format(score=figures.accuracy(value, rows))
    return said if interval is None else f"{said} ({interval_text(interval, rows)})"


def interval_text(interval: ScoreInterval, rows: int | None = None) -> str:
    return tr("95% CI {interval}", interval=figures.interval(*interval, rows))


@dataclass(frozen=True)
class _Answer:
    best: Candidate
    candidates: Sequence[Candidate]
    measure: str
    p: Mapping[tuple[int, int], float]
    baselines: Sequence[BaselineResult]

    def conclusion(self) -> Conclusion:
        best, warnings = self.best, self._warnings()
        optimum = claim_of(best.document)
        ranking, origin, preprocessing = self._ranking(), self._origin(), self._preprocessing()
        shown = [self._accurate(), *warnings[:2], *([] if warnings or self._useless else [ranking]), origin]
        shown.append(preprocessing)
        optimum_text = optimum.sentences
        shown += [] if optimum.kind == "solved" else [optimum_text]
        shown.append(self._final())
        return Conclusion(
            run=best.run,
            quality=self._quality(warnings),
            text=" ".join(filter(None, shown)),
            accurate=" ".join(filter(None, [self._accurate(), *warnings, self._simple_methods()])),
            ranking=" ".join(filter(None, [ranking, origin, preprocessing])),
            optimum=optimum_text,
            steps=tuple(step for step in _steps(best) if step.code != "refit" or not self._useless),
            measure=self.measure,
            warnings=tuple(warnings),
        )

    def _quality(self, warnings: Sequence[str]) -> Quality:
        if self.best.scores is None:
            return "untested"
        if self._useless:
            return "useless"
        return "doubtful" if warnings else "good"

    # -- how accurate -----------------------------------------------------------------------------

    def _accurate(self) -> str:
        best = self.best
        if best.scores is None:
            return self._untested_sentence()
        value, interval = best.scores.score(self.measure)
        rows = best.scores.rows
        score = write_score(self.measure, value, interval, rows)
        if self._useless:
            none = all(not self._beats(one) for one in self.candidates)
            first = tr("No model is better than guessing.") if none else tr("This model is no better than guessing.")
            second = tr(
                "{model} has {score}; {guess}.", model=self._title_of(best), score=score, guess=self._guessing()
            )
            return " ".join(filter(None, [first, second, self._insignificant(value)]))
        interval_words = interval_text(interval, rows)
        with_guess = score.replace(interval_words, f"{interval_words}; {self._guessing()}")
        return tr("Best model: {model}, {score}.", model=self._title_of(best), score=with_guess)

    def _guessing(self) -> str:
        assert self.best.scores is not None
        if self.measure == "accuracy":
            guessing = guess(self.best.document, self.best.scores)
            return tr(
                "always predicting {name} gives {share}", name=quoted_class(guessing.name), share=_share(guessing.share)
            )
        share = _share(balanced_guess(self.best.scores))
        if self.measure == "balanced-accuracy":
            return tr("guessing gives {share}", share=share)
        return tr("guessing gives a balanced accuracy of {share}", share=share)

    def _insignificant(self, value: float) -> str:
        """Give the reason if the accuracy is above that of guessing: the interval alone may exclude guessing."""
        assert self.best.scores is not None
        if self.measure != "accuracy" or value <= guess(self.best.document, self.best.scores).share:
            return ""
        tested = sum(one.scores is not None for one in self.candidates)
        p = figures.number(self._guess_p()[self.best.run], 2)
        return tr(
            "The difference is not significant (p = {p}).",
            "The difference is not significant (p = {p}, Holm-adjusted for {count} models).",
            count=tested,
            p=p,
        )

    def _untested_sentence(self) -> str:
        best = self.best
        if best.validation is not None:
            return tr(
                "Best model: {model}, {score} in cross-validation. It was not tested on rows of its own.",
                model=self._title_of(best),
                score=figures.accuracy(best.validation),
            )
        return tr(
            "Best model: {model}, {share} of its training rows correct. Training rows say nothing about new rows.",
            model=self._title_of(best),
            share=figures.accuracy(best.document["train_accuracy"], best.document["n_train"]),
        )

    @property
    def _useless(self) -> bool:
        return self.best.scores is not None and not self._beats(self.best)

    def _beats(self, one: Candidate) -> bool:
        if one.scores is None:
            return False
        return beats_guessing(self.measure, one.scores, self._guess_p()[one.run])

    def _guess_p(self) -> dict[int, float]:
        """Return p against guessing, Holm-adjusted: the best of many random models looks good by chance."""
        tested = [one for one in self.candidates if one.scores is not None]
        plain = np.array([guess(one.document, one.scores).p for one in tested if one.scores is not None])
        return dict(zip([one.run for one in tested], holm(plain, len(tested)).tolist(), strict=True))

    def _warnings(self) -> list[str]:
        """Return the reasons why the model may be worse than its score suggests, the most serious first."""
        if self.best.scores is None:
            return []
        sentences = [
            self._missed_warning(self.best.scores),
            self._leak_warning(self.best.scores) or self._group_warning(self.best.scores),
            self._behind_baselines(self.best.scores),
        ]
        return [sentence for sentence in sentences if sentence]

    def _missed_warning(self, scores: RunScores) -> str:
        missed = missed_classes(scores)
        if not missed or self._useless:
            return ""
        if len(missed) > NAMED:
            return tr(
                "{count} class is never predicted correctly, {first} among them.",
                "{count} classes are never predicted correctly, {first} among them.",
                count=len(missed),
                first=_join_names([quoted_class(one.name) for one in missed[:NAMED]]),
            )
        sentences = []
        for one in missed:
            known = {"name": quoted_class(one.name), "rows": figures.count(one.rows)}
            sentences.append(
                tr("Class {name} is never predicted correctly (0 of {rows} test rows).", **known)
                if one.ever
                else tr("Class {name} is never predicted (0 of {rows} test rows correct).", **known)
            )
        return " ".join(sentences)

    def _leak_warning(self, scores: RunScores) -> str:
        best = self.best
        if best.validation is None or not is_leak(best.validation, best.measure, scores):
            return ""
        known = {
            "validation": figures.accuracy(best.validation),
            "test": figures.accuracy(scores.score(best.measure)[0], scores.rows),
        }
        said = tr("Cross-validation promised {validation}, but the test shows {test}.", **known)
        if best.grouped:
            return f"{said} {tr('The test rows may come from another source than the training rows.')}"
        advice = tr(
            "If rows belong together (one speaker, batch or patient), give that column the role “group” and search"
            " again."
        )
        return f"{said} {advice}"

    def _group_warning(self, scores: RunScores) -> str:
        if not scores.shared_groups or self._useless:
            return ""
        name = quoted_class(scores.shared_groups[0])
        doubt = tr(
            "The score may be too optimistic: column {name} looks like groups of rows, and most test rows belong to"
            " groups that were also trained on.",
            name=name,
        )
        return f"{doubt} {tr('To test on new groups, give that column the role “group” and search again.')}"

    def _behind_baselines(self, scores: RunScores) -> str:
        value = scores.score(self.measure)[0]
        ahead = [one for one in self.baselines if one.score(self.measure)[0] > value]
        if not ahead or self._useless:
            return ""
        leader = max(ahead, key=lambda one: one.score(self.measure)[0])
        known = {"method": leader.title, "score": write_score(self.measure, *leader.score(self.measure), leader.rows)}
        if leader.run == self.best.run and leader.p < SIGNIFICANT and leader.accuracy > scores.accuracy:
            return tr("A baseline is significantly better on the same rows: {method}, {score}.", **known)
        return tr("A baseline scores higher on the same rows: {method}, {score}.", **known)

    def _simple_methods(self) -> str:
        """List all baselines with their scores."""
        if not self.baselines or self.best.scores is None:
            return ""
        listed = (
            f"{one.title} {write_score(self.measure, *one.score(self.measure), one.rows)}" for one in self.baselines
        )
        return tr("Baselines on the same rows: {methods}.", methods="; ".join(listed))

    # -- how certain the ranking is ---------------------------------------------------------------

    def _ranking(self) -> str:
        others = [one for one in self.candidates if one is not self.best and one.scores is not None]
        if not others or self.best.scores is None:
            return ""
        said = self._order(others, self.best.scores)
        return said if self.measure == "accuracy" else tr("{ranking} This comparison is of accuracies.", ranking=said)

    def _order(self, others: Sequence[Candidate], scores: RunScores) -> str:
        apart = set(differing_from(self.best.run, [one.run for one in others], self.p))
        worse = [one for one in others if one.run in apart and _accuracy(one) < scores.accuracy]
        better = [one for one in others if one.run in apart and _accuracy(one) >= scores.accuracy]
        tied = [one for one in others if one.run not in apart]
        if better:
            return tr(
                "On the test rows {runs} scored significantly higher, but cross-validation chose this model.",
                runs=self._list_runs(better),
            )
        if not worse:
            return tr(
                "It is statistically tied with {runs}.",
                runs=self._list_runs(tied) if len(tied) <= NAMED else tr("all {count} others", count=len(tied)),
            )
        if not tied:
            return tr("The lead over every other model is significant.")
        lead = tr("The lead over {runs} is significant", runs=self._list_runs(worse))
        rest = tr(
            "the other one is statistically tied",
            "the other {count} are statistically tied",
            count=len(tied),
        )
        return f"{lead}; {rest}."

    def _origin(self) -> str:
        """Explain how the model was chosen, which decides how far its test score can be trusted."""
        best = self.best
        if best.validation is None:
            tested = sum(one.scores is not None for one in self.candidates)
            by_test = tr("It was chosen by the test rows, so its score is optimistic.") if tested > 1 else ""
            return f"{by_test} {tr('C and gamma were not tuned.')}".strip()
        if best.scores is None or self._leak_warning(best.scores):  # the warning shows its score
            return ""
        known = {"score": figures.accuracy(best.validation)}
        said = (
            tr("It was chosen by cross-validation ({score}).", **known)
            if best.share == 1.0
            else tr(
                "It was chosen by cross-validation ({score} on {share} of the training rows).",
                share=figures.percent(best.share),
                **known,
            )
        )
        seen = tr("The search also used the test rows, so the test score is optimistic.") if best.seen else ""
        return f"{said} {seen}".strip()

    def _preprocessing(self) -> str:
        """Name the preprocessing of the best model if other models had another one."""
        if len({one.preprocessing for one in self.candidates}) < 2:
            return ""
        return tr(
            "The models differ in preprocessing; this one: {preprocessing}.", preprocessing=self.best.preprocessing
        )

    def _final(self) -> str:
        final = self.best.final
        if final is None:
            return ""
        return tr(
            "The final model, {run}, is trained on all {rows} rows with the same settings.",
            run=final.label,
            rows=figures.count(final.rows),
        )

    # -- names ------------------------------------------------------------------------------------

    def _title_of(self, one: Candidate) -> str:
        """Return the machine's title if no other candidate has it, with the run's own name if that is more specific."""
        from mcsvm.solvers.machines import MACHINES

        name = one.document["machine"]
        if Counter(other.document["machine"] for other in self.candidates)[name] > 1 or name not in MACHINES:
            return one.label
        machine = MACHINES[name]
        title = tr(machine.title)
        return title if one.label == name or one is not self.best else f"{title} ({one.label})"

    def _list_runs(self, runs: Sequence[Candidate]) -> str:
        names = [self._title_of(one) for one in runs]
        if len(names) <= NAMED:
            return _join_names(names)
        return tr("{some} and {count} more", some=", ".join(names[: NAMED - 1]), count=len(names) - NAMED + 1)


def quoted_class(name: str) -> str:
    return tr("“{name}”", name=name if len(name) <= 40 else f"{name[:39]}…")


def _join_names(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return tr("{some} and {last}", some=", ".join(names[:-1]), last=names[-1])


def _share(value: float) -> str:
    return figures.accuracy(value)


def _accuracy(one: Candidate) -> float:
    assert one.scores is not None
    return one.scores.accuracy


# -- what to do next ------------------------------------------------------------------------------


def _steps(best: Candidate) -> list[NextStep]:
    found = (
        *(_hold_out(best), _solve(best), _search(best), _search_on(best), _train_final(best)),
        *(_extend(best), _tell_apart(best), _more_rows(best)),
    )
    return [step for step in found if step is not None]


def _hold_out(best: Candidate) -> NextStep | None:
    if best.scores is not None or best.document["test_accuracy"] is not None:
        return None
    return NextStep("hold-out", tr("The model was not tested on new rows."), tr("Hold out 30% and train again"))


def _solve(best: Candidate) -> NextStep | None:
    """Suggest to continue a stopped run, or a smaller tolerance for a run that converged far from its optimum."""
    document = best.document
    gap, ending = float(document["certificate"]["relative_gap"]), document["ending"]
    if claim_of(document).kind == "solved":
        return None
    if best.resumable or ending in STOPPED:
        return NextStep("unsolved", tr("The training was stopped before the optimum."), tr("Train to the end"))
    tolerance = smaller_tolerance(float(document["tol"]), gap)
    if ending != "converged" or tolerance is None:
        return None
    shown = figures.parameter(tolerance)
    return NextStep(
        "tolerance",
        tr("A smaller tolerance brings the model closer to the optimum."),
        tr("Train on to tolerance {tolerance}", tolerance=shown),
        (repr(tolerance),),
    )


def smaller_tolerance(tolerance: float, gap: float) -> float | None:
    """Return a power of ten at which the gap is likely to be small: it shrinks about as the violation does.

    Return None if floating-point arithmetic cannot reach it.
    """
    if not math.isfinite(gap) or gap <= 0.0:
        return None
    target = tolerance * min(0.1, 0.5 * AIMED_GAP / gap)
    rounded = 10.0 ** math.floor(math.log10(target) + 1e-9)
    return rounded if rounded >= LEAST_TOLERANCE else None


def _search(best: Candidate) -> NextStep | None:
    if best.validation is not None:
        return None
    return NextStep("guessed", tr("C and gamma were not tuned."), tr("Find the best model"))


def _search_on(best: Candidate) -> NextStep | None:
    if not best.cut:
        return None
    sentence = tr("The search ended before it had tried everything.")
    return NextStep("cut", sentence, tr("Continue the search"), best.ranges)


def _train_final(best: Candidate) -> NextStep | None:
    if not best.held_out or best.scores is None or best.final is not None:
        return None
    sentence = tr("The held-out rows tested the model. Now they can help to train it.")
    return NextStep("refit", sentence, tr("Train the final model on all rows"))


def _extend(best: Candidate) -> NextStep | None:
    """Suggest a larger range of C before one of gamma, because C changes more."""
    ends = {
        "C low": tr("Its C is the smallest value searched."),
        "C high": tr("Its C is the largest value searched."),
        "gamma low": tr("Its gamma is the smallest value searched."),
        "gamma high": tr("Its gamma is the largest value searched."),
    }
    edge = next((edge for edge in ends if edge in best.edges), None)
    return None if edge is None else NextStep("edge", ends[edge], tr("Extend the search"), best.ranges)


def _tell_apart(best: Candidate) -> NextStep | None:
    found = None if best.scores is None else most_confused(best.scores)
    if found is None or not _stands_out(found):
        return None
    sentence = tr(
        "{share} of the errors are between {first} and {second}.",
        share=figures.percent(found.share),
        first=quoted_class(found.names[0]),
        second=quoted_class(found.names[1]),
    )
    return NextStep("confused", sentence, tr("Show the errors"), found.names)


def _stands_out(found: Confused) -> bool:
    share, least = CONFUSED
    return found.share >= share and found.errors >= least


def _more_rows(best: Candidate) -> NextStep | None:
    """Suggest more rows if the training accuracy is far above the test accuracy."""
    right = best.document["train_accuracy"]
    if best.scores is None or right is None or right < best.scores.interval[1] + OVERFIT:
        return None
    known = figures.accuracy(best.document["train_accuracy"], best.document["n_train"])
    sentence = tr("More rows may help: {share} of the training rows are correct.", share=known)
    return NextStep("rows", sentence, tr("Open the learning curve"))
