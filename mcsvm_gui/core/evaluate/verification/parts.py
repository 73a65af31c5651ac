"""The parts of a model that `verify` checks one by one, and the result of a check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mcsvm.solvers.errors import Sentence


class Status(StrEnum):
    VERIFIED = "verified"
    NOT_VERIFIABLE = "not verifiable"
    DIFFERS = "differs"

    @property
    def label(self) -> Sentence:
        return {
            Status.VERIFIED: Sentence("verified"),
            Status.NOT_VERIFIABLE: Sentence("not verifiable"),
            Status.DIFFERS: Sentence("differs"),
        }[self]


class ModelPart(StrEnum):
    """The parts of a model, in the order of the table."""

    DATA = "training data"
    CLASSES = "classes"
    PREPROCESSING = "preprocessing"
    KERNEL = "machine and kernel"
    DUALS = "dual variables"
    VECTORS = "support vectors"
    FUNCTIONS = "class functions"
    SCORES = "scores"
    PREDICTIONS = "predictions"
    PROBABILITIES = "probabilities"
    SETS = "prediction sets"
    RULE = "cost rule"
    COUNTS = "counts"
    CERTIFICATE = "certificate"
    ENDING = "ending"
    OTHER = "other entries"
    REQUEST = "request"
    HISTORY = "history"

    @property
    def label(self) -> Sentence:
        return {
            ModelPart.DATA: Sentence("Training data"),
            ModelPart.CLASSES: Sentence("Classes"),
            ModelPart.PREPROCESSING: Sentence("Preprocessing"),
            ModelPart.KERNEL: Sentence("Machine and kernel"),
            ModelPart.DUALS: Sentence("Dual variables"),
            ModelPart.VECTORS: Sentence("Support vectors"),
            ModelPart.FUNCTIONS: Sentence("Class functions"),
            ModelPart.SCORES: Sentence("Scores"),
            ModelPart.PREDICTIONS: Sentence("Predictions"),
            ModelPart.PROBABILITIES: Sentence("Probabilities"),
            ModelPart.SETS: Sentence("Prediction sets"),
            ModelPart.RULE: Sentence("Cost rule"),
            ModelPart.COUNTS: Sentence("Counts"),
            ModelPart.CERTIFICATE: Sentence("Certificate"),
            ModelPart.ENDING: Sentence("Ending"),
            ModelPart.OTHER: Sentence("Other entries"),
            ModelPart.REQUEST: Sentence("Request"),
            ModelPart.HISTORY: Sentence("History"),
        }[self]


@dataclass(frozen=True)
class PartCheck:
    """The result for one part of the model."""

    part: ModelPart
    status: Status
    detail: Sentence

    def document(self) -> dict[str, Any]:
        return {"part": self.part.value, "result": self.status.value, "detail": self.detail}


def in_order(checks: Iterable[PartCheck]) -> tuple[PartCheck, ...]:
    order = list(ModelPart)
    return tuple(sorted(checks, key=lambda check: order.index(check.part)))
