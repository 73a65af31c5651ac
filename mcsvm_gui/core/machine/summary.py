"""Summarise a training in words, from its document alone, so that all versions of the program give the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.state import JobState, OptimalityClaim, claim_of

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.time_left import TrainingProgress


@dataclass(frozen=True)
class Badge:
    """A word or two on how close a model is to the optimum; `kind` determines colour and sign."""

    kind: str  # solved, close, not solved, running, waiting, failed
    text: str
    tip: str = ""


def badge(document: Mapping[str, Any]) -> Badge:
    """Return the badge of a training that has ended."""
    return badge_of_claim(claim_of(document), document["certificate"], document["tol"])


def badge_of_claim(claim: OptimalityClaim, certificate: Mapping[str, float], tol: float) -> Badge:
    """Return the badge of a claim; `certificate` is in document form."""
    tip = f"{claim.advice} {certificate_text(certificate, tol)}".lstrip()
    return Badge(claim.kind, claim.text, tip)


def badge_of_state(state: JobState, relative: float | None) -> Badge:
    """Return the badge of a training that has no certificate yet, or never will."""
    gap = figures.gap(None if relative is None else max(relative, 0.0))
    texts = {
        JobState.RUNNING: tr("Beginning") if relative is None else tr("Gap {gap}", gap=gap),
        JobState.PAUSED: tr("Paused at gap {gap}", gap=gap),
    }
    tip = tr("The certificate is recomputed from the model.") if state is JobState.CERTIFYING else ""
    return Badge(state.sign, texts.get(state, state.label), tip)


def state_sentence(state: JobState) -> str:
    """Return further information on a state."""
    sentences = {
        JobState.QUEUED: tr("It starts when another job ends. The settings limit how many jobs run at once."),
        JobState.PREPARING: tr("The data and the solver are being prepared."),
        JobState.RUNNING: tr("The first steps are under way."),
        JobState.CALIBRATING: tr("The machine is trained; calibration trains it again without each fold in turn."),
        JobState.INTERRUPTED: tr("The program ended while this training was running."),
        JobState.DISCARDED: tr("Only its curves were kept."),
    }
    return sentences.get(state, "")


def certificate_text(certificate: Mapping[str, float], tol: float) -> str:
    return tr(
        "Recomputed from the model itself: primal {primal}, dual {dual}, largest violation {violation}"
        " (tolerance {tolerance}).",
        primal=figures.objective(certificate["primal"]),
        dual=figures.objective(certificate["dual"]),
        violation=figures.violation(certificate["violation"]),
        tolerance=figures.parameter(tol),
    )


def title(document: Mapping[str, Any]) -> str:
    from mcsvm.solvers.machines import MACHINES

    machine = MACHINES[document["machine"]]
    return f"{tr(machine.title)} ({machine.name})"


def sentences(document: Mapping[str, Any]) -> list[str]:
    """Say how the machine predicts, how the training ended, and how accurate the model is."""
    from mcsvm.solvers.machines import MACHINES
    from mcsvm.solvers.run.ending import Ending

    decides = tr(MACHINES[document["machine"]].decides)
    return [
        f"{decides[:1].upper()}{decides[1:]}.",
        tr(Ending(document["ending"]).sentence),
        _cost(document),
        *_choice(document),
        *weight_lines(document.get("weights")),
        _scores(document),
        *_calibration(document),
    ]


def weight_lines(weights: Mapping[str, Any] | None) -> list[str]:
    """Return the lines on row weights from a train document; empty if all rows have equal weight."""
    if weights is None:
        return []
    known = {"column": weights["column"], "total": figures.amount(weights["total"])}
    if not weights["left_out"]:
        return [tr("Rows count by the column {column}: {total} in all.", **known)]
    return [
        tr(
            "Rows count by the column {column}: {total} in all; {count} row of weight 0 left out.",
            "Rows count by the column {column}: {total} in all; {count} rows of weight 0 left out.",
            count=weights["left_out"],
            **known,
        )
    ]


def _choice(document: Mapping[str, Any]) -> list[str]:
    """Explain why `auto` chose its solver; empty for runs from before this was stored."""
    from mcsvm.solvers.decision import Decision, final_reasons

    if document["solver"] != "auto":
        return []
    decisions = [Decision(**plain) for plain in document.get("decisions", [])]
    if len({decision.part for decision in decisions}) > 1:
        return [tr(reason) for reason in final_reasons("auto", decisions)]
    told = [tr(decision.reason) for decision in decisions[:1]]
    later = [(figures.count(decision.step), tr(decision.reason)) for decision in decisions[1:]]
    return told + [tr("From step {step} on: {reason}", step=step, reason=reason) for step, reason in later]


def _cost(document: Mapping[str, Any]) -> str:
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
    if "refit" in document:
        return refit_sentence(document["refit"])
    if document["test_accuracy"] is None:
        return tr("Training accuracy {train}; not tested on other rows.", train=train)
    return tr(
        "Test accuracy {test} on {rows} rows; training accuracy {train}.",
        test=figures.accuracy(document["test_accuracy"], document["n_test"]),
        rows=figures.count(document["n_test"]),
        train=train,
    )


def refit_sentence(refit: Mapping[str, Any]) -> str:
    """Say which model was tested, and which one is delivered."""
    tested = refit["tested"]
    low, high = tested["interval"]
    return tr(
        "The delivered model is trained on all {rows} rows and was not tested itself. The same settings, trained on"
        " {n_train} rows, reached {accuracy} on {n_test} test rows (95% CI {interval}).",
        rows=figures.count(refit["delivered"]["n_train"]),
        n_train=figures.count(tested["n_train"]),
        accuracy=figures.accuracy(tested["test_accuracy"], tested["n_test"]),
        n_test=figures.count(tested["n_test"]),
        interval=figures.interval(low, high, tested["n_test"]),
    )


def _calibration(document: Mapping[str, Any]) -> list[str]:
    """Return the sentence on the calibration; empty for runs from before calibrations existed."""
    found = document.get("calibration")
    return [] if found is None else [calibration_sentence(found)]


def calibration_sentence(found: Mapping[str, Any]) -> str:
    return tr(
        "{how}, fitted on the scores of {folds} folds: log loss {after}, before {before}.",
        how=calibration_text(found["method"], found["temperature"]),
        folds=figures.count(found["folds"]),
        **{name: loss_text(found["log_loss"][name]) for name in ("before", "after")},
    )


def calibration_text(method: str, temperature: float | None) -> str:
    if temperature is not None:
        return tr("Probabilities by temperature {temperature}", temperature=figures.number(temperature, 4))
    return (
        tr("Probabilities coupled from pairs of classes") if method == "pairwise" else tr("Probabilities by sigmoids")
    )


def loss_text(loss: float | None) -> str:
    """Format a log loss; None stands for a true class with probability 0."""
    return tr("infinite") if loss is None else figures.rating(loss)


def progress_text(progress: TrainingProgress) -> str:
    """Describe how far a running training is, its speed, and its time left."""
    last = progress.last
    return tr(
        "{time}, {steps} steps, {rate}. Gap {gap}, violation {violation}, {left}.",
        time=figures.seconds(last.seconds),
        steps=figures.count(int(last.iteration)),
        rate=figures.rate(progress.rate),
        gap=figures.gap(max(last.relative_gap, 0.0)),
        violation=figures.violation(last.violation),
        left=time_left_text(progress.seconds_left) or tr("time left not known yet"),
    )


def folds_text(done: int, folds: int) -> str:
    """Describe how far a calibration is."""
    return tr("{done} of {folds} folds", done=figures.count(done), folds=figures.count(folds))


def time_left_text(seconds: float | None) -> str:
    """Format the time left of any job; empty if it is unknown."""
    if seconds is None:
        return ""
    return tr("a moment left") if seconds < 1.0 else tr("about {time} left", time=figures.remaining(seconds))
