"""What came of a training, in words, from its document alone: today's runs and those of last year read the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import verdict

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request
    from solvers.run.trace import Trace

TREND = 200  # samples that say how fast a training goes


@dataclass(frozen=True)
class Badge:
    """A word or two on how near the optimum a model is; `kind` decides colour and sign."""

    kind: str  # solved, nearly, not solved, running, waiting, failed
    text: str
    tip: str = ""


def badge(document: Mapping[str, Any]) -> Badge:
    """Of a training that has ended."""
    relative = float(document["certificate"]["relative_gap"])
    gap = figures.gap(max(relative, 0.0))
    kind = verdict(document["ending"], relative, document["kernel"]["name"])
    texts = {
        "solved": tr("Solved to {gap}", gap=gap),
        "nearly": tr("Nearly solved: up to {gap} off", gap=gap),
        "not solved": tr("Not solved: up to {gap} off", gap=gap),
    }
    return Badge(kind, texts[kind], certificate_words(document))


def badge_of_state(state: str, relative: float | None) -> Badge:
    """Of a training that has no certificate yet, or never will."""
    gap = figures.gap(None if relative is None else max(relative, 0.0))
    badges = {
        "queued": Badge("waiting", tr("Waiting")),
        "preparing": Badge("waiting", tr("Preparing")),
        "running": Badge("running", tr("Beginning") if relative is None else tr("Gap {gap}", gap=gap)),
        "paused": Badge("waiting", tr("Paused at gap {gap}", gap=gap)),
        "stopping": Badge("waiting", tr("Stopping")),
        "certifying": Badge("waiting", tr("Being verified"), tr("The certificate is recomputed from the model.")),
        "failed": Badge("failed", tr("Failed")),
        "interrupted": Badge("waiting", tr("Interrupted")),
        "discarded": Badge("waiting", tr("Discarded")),
    }
    return badges.get(state, Badge("waiting", state))


def state_words(state: str) -> str:
    """What more there is to say."""
    words = {
        "queued": tr("It begins when another training ends; Settings say how many run at once."),
        "preparing": tr("The data are prepared and the solver is made ready."),
        "running": tr("The first steps are under way."),
        "interrupted": tr("The program ended while this run went on."),
        "discarded": tr("Nothing of it was kept but its curves."),
    }
    return words.get(state, "")


def certificate_words(document: Mapping[str, Any]) -> str:
    found = document["certificate"]
    return tr(
        "Recomputed from the model itself: primal {primal}, dual {dual}, largest violation {violation}"
        " (tolerance {tolerance}).",
        primal=figures.objective(found["primal"]),
        dual=figures.objective(found["dual"]),
        violation=figures.violation(found["violation"]),
        tolerance=figures.parameter(document["tol"]),
    )


def title(document: Mapping[str, Any]) -> str:
    from solvers.machines import MACHINES

    machine = MACHINES[document["machine"]]
    return f"{tr(machine.title)} ({machine.name})"


def sentences(document: Mapping[str, Any]) -> list[str]:
    """How it decides, how it ended, and how well it does."""
    from solvers.machines import MACHINES
    from solvers.run.ending import Ending

    decides = tr(MACHINES[document["machine"]].decides)
    return [
        f"{decides[:1].upper()}{decides[1:]}.",
        tr(Ending(document["ending"]).sentence),
        _effort(document),
        *_choice(document),
        _scores(document),
    ]


def _choice(document: Mapping[str, Any]) -> list[str]:
    """Why `auto` took the solver it took; of runs from before this was kept, nothing."""
    from solvers.decision import Decision
    from solvers.run.decisions import final_reasons

    if document["solver"] != "auto":
        return []
    decisions = [Decision(**plain) for plain in document.get("decisions", [])]
    if len({decision.part for decision in decisions}) > 1:
        return [tr(reason) for reason in final_reasons("auto", decisions)]
    told = [tr(decision.reason) for decision in decisions[:1]]
    later = [(figures.count(decision.step), tr(decision.reason)) for decision in decisions[1:]]
    return told + [tr("From step {step} on: {reason}", step=step, reason=reason) for step, reason in later]


def _effort(document: Mapping[str, Any]) -> str:
    return tr(
        "{steps} steps of {solver} in {time}; {support} of {rows} rows are support vectors, {bounded} at their bound.",
        steps=figures.count(document["iterations"]),
        solver=document["solver_used"],
        time=figures.seconds(document["seconds"]),
        support=figures.count(document["n_support"]),
        rows=figures.count(document["n_train"]),
        bounded=figures.count(document["n_bounded"]),
    )


def _scores(document: Mapping[str, Any]) -> str:
    train = figures.accuracy(document["train_accuracy"], document["n_train"])
    if document["test_accuracy"] is None:
        return tr("Right on {train} of the training rows; not tested on others.", train=train)
    return tr(
        "Right on {test} of {rows} test rows, and on {train} of the training rows.",
        test=figures.accuracy(document["test_accuracy"], document["n_test"]),
        rows=figures.count(document["n_test"]),
        train=train,
    )


def progress(trace: Trace, request: Request, classes: int) -> str:
    """How far, how fast, how long: of a training that goes on."""
    from mcsvm_gui.core.machine.time_left import seconds_left
    from solvers.run.loop import find_method
    from solvers.run.trace import Sample

    if not len(trace):
        return ""
    samples = [Sample(*row) for row in trace.rows[-TREND:].tolist()]
    goal = find_method(request.solver).natural_gap if request.gap_tol is None else request.gap_tol
    left = seconds_left(samples, request.tol, goal, parts=parts_of(request.machine, classes))
    last = samples[-1]
    return tr(
        "{time}, {steps} steps, {rate}. Gap {gap}, violation {violation}, {left}.",
        time=figures.seconds(last.seconds),
        steps=figures.count(int(last.iteration)),
        rate=figures.rate(last.iteration / last.seconds if last.seconds > 0.0 else None),
        gap=figures.gap(max(last.relative_gap, 0.0)),
        violation=figures.violation(last.violation),
        left=tr("time left not known yet") if left is None else tr("about {left} left", left=figures.remaining(left)),
    )


def parts_of(machine: str, classes: int) -> int:
    """How many independent problems are solved one after another."""
    from solvers.machines import MACHINES

    return {"joint": 1, "one-vs-rest": classes, "pairs": classes * (classes - 1) // 2}[MACHINES[machine].split]
