"""One paragraph of honest conclusions: only claims that the numbers support, with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT, RankTests, rank_tests, wilcoxon
from mcsvm_gui.core.experiment import Results, TrialResult
from mcsvm_gui.core.experiment.results import beside_published

NAMED = 20  # runs that one sentence lists
POINT = 0.01
SHARES = {"accuracy": "accuracies", "validation": "accuracies of the best cell"}
RATIOS = {"iterations": "Iterations", "seconds": "Training times", "n_support": "Numbers of support vectors"}
RATIOS |= {"search_seconds": "Times of searches"}
Row = tuple[str, str, str, float, float | None]


def sentences(results: Results) -> list[str]:
    rows = beside_published(results)
    return [
        *_machines(results.ranks, "Average ranks by accuracy"),
        *_machines(_published_ranks(results), "The published accuracies alone give the ranks"),
        *_solvers(results, rows),
        *_shares(results, rows),
        *_ratios(results, rows),
        *_searches(results),
        *_endings(results),
    ]


# -- machines over data sets ----------------------------------------------------------------------


def _machines(ranks: RankTests | None, what: str) -> Iterator[str]:
    if ranks is None:
        return
    order = np.argsort(ranks.ranks, kind="stable")
    listed = ", ".join(f"{ranks.names[place]} {ranks.ranks[place]:.2f}" for place in order)
    yield f"{what} over {ranks.data_sets} data sets, 1 being the best: {listed}."
    overall = {result.name: f"{result.p:.2g}" for result in ranks.overall}
    together = f"Friedman p = {overall['friedman']}, Iman-Davenport p = {overall['iman-davenport']}"
    way = "bergmann-hommel" if "bergmann-hommel" in ranks.pairs[0].adjusted else "shaffer"
    differing = [pair for pair in ranks.pairs if pair.adjusted[way] < SIGNIFICANT]
    if differing:
        found = "; ".join(f"{' and '.join(pair.between)} (p = {pair.adjusted[way]:.2g})" for pair in differing)
        yield f"These pairs differ at {SIGNIFICANT:g}, adjusted after {way}: {found} ({together})."
    else:
        yield f"No pair differs at {SIGNIFICANT:g}, adjusted after {way} ({together})."


def _published_ranks(results: Results) -> RankTests | None:
    """Return the ranks of the published accuracies, if they are known for every run that is ranked here."""
    if results.ranks is None:
        return None
    known = {(trial.spec.data, trial.spec.label): trial.spec.published.get("accuracy") for trial in results.trials}
    names = results.ranks.names
    table = [[known.get((spec.name, name)) for name in names] for spec in results.experiment.data]
    whole = [row for row in table if None not in row]
    return rank_tests(np.array(whole, dtype=float), names) if len(whole) == len(table) else None


# -- solvers of the same machine ------------------------------------------------------------------


def _solvers(results: Results, rows: Sequence[Row]) -> Iterator[str]:
    """Compare iterations and seconds of two solvers of one machine, and say whether the literature agrees."""
    solvers: dict[str, dict[str, str]] = {}
    for trial in results.done:
        solvers.setdefault(trial.spec.request.machine, {}).setdefault(trial.spec.request.solver, trial.spec.label)
    for measure in ("iterations", "seconds"):
        published = {(data, label): theirs for data, label, name, theirs, _ in rows if name == measure}
        for labels in solvers.values():
            names = sorted(labels.values())
            if len(names) == 2:
                yield from _duel(results, measure, names[0], names[1], published)


def _duel(results: Results, measure: str, a: str, b: str, published: dict[tuple[str, str], float]) -> Iterator[str]:
    both = [(results.trial(spec.name, a), results.trial(spec.name, b), spec.name) for spec in results.experiment.data]
    solved = [(one, other, data) for one, other, data in both if one and other and one.converged and other.converged]
    pairs = [(one.summary(measure, results.way), other.summary(measure, results.way)) for one, other, _ in solved]
    numbers = np.array(pairs, dtype=float)
    if len(numbers) < 2 or not np.isfinite(numbers).all() or (numbers <= 0.0).any():
        return
    fewer = int((numbers[:, 0] < numbers[:, 1]).sum())
    chance = wilcoxon(np.log(numbers[:, 0]), np.log(numbers[:, 1])).p
    ratio = float(np.median(numbers[:, 0] / numbers[:, 1]))
    theirs = [(published.get((data, a)), published.get((data, b))) for *_, data in solved]
    known = [(one, other) for one, other in theirs if one is not None and other is not None]
    said = f", in the literature on {sum(one < other for one, other in known)} of {len(known)}" if known else ""
    what = {"iterations": "fewer iterations", "seconds": "less time"}[measure]
    yield (
        f"{a} takes {what} than {b} on {fewer} of the {len(numbers)} data sets where both reach their tolerance"
        f"{said} (median ratio {ratio:.2g}, Wilcoxon p = {chance:.2g})."
    )


# -- comparison with the literature ---------------------------------------------------------------


def _shares(results: Results, rows: Sequence[Row]) -> Iterator[str]:
    for measure, what in SHARES.items():
        known = [(data, label, theirs, ours) for data, label, name, theirs, ours in rows if name == measure]
        done = [(data, label, theirs, ours) for data, label, theirs, ours in known if ours is not None]
        if not done:
            continue
        near = sum(round(abs(theirs - ours), 9) <= POINT for *_, theirs, ours in done)
        data, label, theirs, ours = max(done, key=lambda row: abs(row[2] - row[3]))
        yield (
            f"{near} of {len(done)} {what} are within 1 point of the published ones; the largest difference is"
            f" {figures.points(abs(theirs - ours))} points, on {data} with {label} ({figures.accuracy(ours)} here,"
            f" {figures.accuracy(theirs)} published), and the mean difference {_signed(done)} points."
        )
        if measure == "accuracy":
            yield from _within_spread(results, [(data, label, theirs) for data, label, theirs, _ in done])


def _signed(done: Sequence[tuple[str, str, float, float]]) -> str:
    return figures.points(float(np.mean([ours - theirs for *_, theirs, ours in done])), signed=True, decimals=2)


def _within_spread(results: Results, published: Sequence[tuple[str, str, float]]) -> Iterator[str]:
    """Say how much an accuracy varies between splits: a smaller difference means nothing."""
    trials = [(results.trial(data, label), theirs) for data, label, theirs in published]
    several = [
        (trial.accuracies, theirs) for trial, theirs in trials if trial is not None and len(trial.accuracies) > 2
    ]
    if several and results.experiment.plan.splits == "shares":
        inside = sum(min(values) <= theirs <= max(values) for values, theirs in several)
        spread = float(np.median([max(values) - min(values) for values, _ in several]))
        yield (
            f"From the worst to the best of its splits an accuracy here moves by {figures.points(spread)} points"
            f" (median); {inside} of {len(several)} published accuracies lie inside that range of their row."
        )


def _ratios(results: Results, rows: Sequence[Row]) -> Iterator[str]:
    """Compare published and own numbers, without rows that ended before their tolerance."""
    for measure, what in RATIOS.items():
        pairs = [
            (theirs, ours)
            for data, label, name, theirs, ours in rows
            if name == measure and (trial := results.trial(data, label)) is not None and trial.converged
        ]
        known = [ours / theirs for theirs, ours in pairs if ours is not None and theirs]
        if known:
            yield (
                f"{what} here are {float(np.median(known)):.2g} times the published ones (median of {len(known)} rows"
                f" that reached their tolerance; from {min(known):.2g} to {max(known):.2g})."
            )


# -- certainty ------------------------------------------------------------------------------------


def _searches(results: Results) -> Iterator[str]:
    found = [part.document["search"] for trial in results.done for part in trial.finished if "search" in part.document]
    if not found:
        return
    cells, unsolved = (sum(search[name] for search in found) for name in ("cells", "unsolved"))
    edge = sum(bool(search["edges"]) for search in found)
    equal = sum(search["equal"] > 1 for search in found)
    yield (
        f"In {len(found)} searches over {figures.count(cells)} cells the best cell lies on an edge of its grid {edge}"
        f" times and shares its accuracy with others {equal} times; {figures.count(unsolved)} cells did not reach"
        " their tolerance."
    )


def _endings(results: Results) -> Iterator[str]:
    unsolved = [trial for trial in results.done if not trial.converged]
    if unsolved:
        more = f" and {len(unsolved) - NAMED} more" if len(unsolved) > NAMED else ""
        named = "; ".join(f"{data}: {', '.join(map(_off, trials))}" for data, trials in _by_data(unsolved[:NAMED]))
        yield (
            f"{len(unsolved)} of {len(results.done)} rows did not reach their tolerance and count with what they had:"
            f" {named}{more}."
        )
    elif results.done:
        worst = figures.gap(max(trial.worst_gap or 0.0 for trial in results.done))
        yield f"All {len(results.done)} rows reached their tolerance; the worst relative gap is {worst}."


def _by_data(trials: Sequence[TrialResult]) -> Iterator[tuple[str, list[TrialResult]]]:
    return ((data, list(of)) for data, of in groupby(trials, key=lambda trial: trial.spec.data))


def _off(trial: TrialResult) -> str:
    """Return the largest gap of a part, and the number of parts that ended early."""
    early = sum(part.document["ending"] != "converged" for part in trial.finished)
    count = f" in {early} of {len(trial.finished)} parts" if len(trial.finished) > 1 else ""
    return f"{trial.spec.label} (gap up to {figures.gap(max(trial.worst_gap or 0.0, 0.0))}{count})"
