"""A Request: everything needed to train the same model again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from mcsvm_gui.core.data.preparation.rules import Rules
from mcsvm_gui.core.data.readers.options import ReadOptions
from solvers.errors import InputError


@dataclass(frozen=True)
class Request:
    """The words and numbers of the command line; None means the machine's own, or no limit."""

    machine: str = "ww"
    solver: str = "auto"
    kernel: str = "rbf"
    C: float = 1.0
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    margin: float | None = None
    bias: str | None = None
    class_weight: str | tuple[tuple[str, float], ...] | None = None  # "balanced", or pairs of class and weight
    tol: float = 1e-3
    gap_tol: float | None = None
    max_iter: int | None = None
    time_limit: float | None = None
    cache_mb: float = 500.0
    threads: int | None = None
    seed: int = 0
    holdout: float | None = None
    rules: Rules = field(default_factory=Rules)
    read: ReadOptions = field(default_factory=ReadOptions)
    data: str | None = None  # the training file as it was named
    test: str | None = None
    digest: str | None = None  # of the training file, once it was read
    test_digest: str | None = None  # of the file to test on, likewise

    def __post_init__(self) -> None:
        if self.kernel == "precomputed":
            raise InputError(
                "kernel precomputed works on kernel values instead of features, which data files do not hold;"
                " use MultiClassSVC(kernel='precomputed') in Python"
            )
        if isinstance(self.gamma, str) and self.gamma != "scale":
            raise InputError("gamma must be a positive number or 'scale', not {gamma!r}", gamma=self.gamma)
        if isinstance(self.class_weight, str) and self.class_weight != "balanced":
            raise InputError(
                "class_weight must be balanced or a mapping of classes, not {class_weight!r}",
                class_weight=self.class_weight,
            )
        if type(self.seed) is not int or not 0 <= self.seed < 2**63:
            raise InputError("seed must be a whole number of at least 0, not {seed!r}", seed=self.seed)
        if self.holdout is not None and not 0.0 < self.holdout < 1.0:
            raise InputError(
                "holdout must be a share between 0 and 1, such as 0.3, not {holdout!r}", holdout=self.holdout
            )

    def document(self) -> dict[str, Any]:
        """Plain JSON."""
        plain = asdict(self)
        if isinstance(self.class_weight, tuple):
            plain["class_weight"] = dict(self.class_weight)
        return plain

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Request:
        """Raises InputError where that is no request."""
        try:
            given = dict(document)
            for name, value in given.items():
                _check_type(name, value)
            given["rules"] = Rules(**given.get("rules", {}))
            given["read"] = ReadOptions(**given.get("read", {}))
            if isinstance(given.get("class_weight"), Mapping):
                given["class_weight"] = weights_of(given["class_weight"])
            return cls(**given)
        except InputError:
            raise
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise InputError("this is no request: {reason}", reason=" ".join(str(error).split())) from error


_NUMBERS = {item.name for item in fields(Request) if "float" in str(item.type)} - {"class_weight"}
_REQUIRED = {item.name for item in fields(Request) if "None" not in str(item.type)}
_TEXTS = {item.name for item in fields(Request) if "str" in str(item.type)}


def _check_type(name: str, value: Any) -> None:
    """Types only; what values mean is said by those who use them."""
    if value is None and name in _REQUIRED:
        raise InputError("{name} is missing", name=name)
    if name in _NUMBERS and type(value) in (int, float):
        if not math.isfinite(value):
            raise InputError("{name} must be finite", name=name)
    elif name in _NUMBERS and name not in _TEXTS and value is not None:
        raise InputError("{name} must be a number, not {value!r}", name=name, value=value)
    elif name in _TEXTS - _NUMBERS - {"class_weight"} and not isinstance(value, str | None):
        raise InputError("{name} must be text, not {value!r}", name=name, value=value)
    elif name == "class_weight" and not isinstance(value, str | Mapping | None):
        raise InputError("class_weight must be balanced or a mapping of classes, not {value!r}", value=value)
    elif name in ("max_iter", "threads") and not (value is None or type(value) is int):
        raise InputError("{name} must be a whole number, not {value!r}", name=name, value=value)


# -- what people type -----------------------------------------------------------------------------


def number(text: str) -> float:
    """0.125, 1e-3, or a power such as 2^-3."""
    base, power, exponent = text.partition("^")
    try:
        value = _plain(base) ** _plain(exponent) if power else _plain(base)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise InputError("{text!r} is no number; write 0.125, 1e-3 or 2^-3", text=text) from None
    if isinstance(value, complex) or not math.isfinite(value):
        raise InputError("{text!r} is no finite number", text=text)
    return value


def _plain(text: str) -> float:
    if "_" in text:
        raise ValueError(text)
    return float(text)


def whole_number(text: str) -> int:
    value = number(text)
    if not value.is_integer():
        raise InputError("{text!r} is no whole number", text=text)
    return int(value)


def gamma(text: str) -> float | str:
    return text if text == "scale" else number(text)


def class_weight(text: str) -> str | tuple[tuple[str, float], ...]:
    """balanced, or JSON such as {"a": 2, "b": 1}."""
    if text == "balanced":
        return text
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InputError('{text!r} is neither balanced nor JSON such as {{"a": 2, "b": 1}}', text=text)
    return weights_of(given)


def weights_of(given: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    for name, weight in given.items():
        if type(weight) not in (int, float) or not (math.isfinite(weight) and weight > 0.0):
            raise InputError(
                "the class weight of {name!r} must be a positive number, not {weight!r}", name=name, weight=weight
            )
    return tuple((str(name), float(weight)) for name, weight in given.items())
