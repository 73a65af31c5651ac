"""Options: fields of a frozen dataclass, each declared in one place for the command line and the window.

    C: float = option(1.0, Number(positive=True), "C", "The cost of errors", train="first")

`options_of(Request)` is the table. It provides arguments and their help, forms, copied commands, keys of experiment
files, and the checks of the dataclass itself. The import is fast, because the command line imports this module before a
command is chosen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, NoReturn

from mcsvm.solvers.errors import InputError, choices_for

Place = Literal["", "first", "more"]  # place in a form: not shown, shown directly, or shown under More


USES = {  # in their order under More
    "": "",
    "errors": "Margin, classes and errors",
    "rows": "Which rows test",
    "chances": "Probabilities",
    "end": "When to end",
    "computer": "Computer and chance",
}


# -- kinds of values ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """Text. `parse` converts typed text; `check` refuses impossible values of any origin."""

    placeholder: str = "TEXT"

    @property
    def metavar(self) -> str:
        """The placeholder for a value in help."""
        return self.placeholder

    def parse(self, text: str) -> Any:
        """Convert typed text to a value. Raises InputError if this is impossible."""
        return text

    def check(self, name: str, value: Any) -> None:
        """Raise InputError, with the option's name, if the value is not allowed."""
        if not isinstance(value, str):
            raise InputError("{name} must be text, not {value!r}", name=name, value=value)

    def written(self, value: Any) -> str:
        """Write a value as a user types it, with all digits."""
        return written(value)

    def plain(self, value: Any) -> Any:
        """Convert a value for JSON."""
        return value

    def loaded(self, value: Any) -> Any:
        """Convert a value from JSON, without a check."""
        return value


@dataclass(frozen=True)
class ColumnName(Kind):
    """A name, or a number: 1 is the first column, -1 the last."""

    placeholder: str = "NAME|INDEX"

    def check(self, name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError("{name} must be the name or the number of a column, not {value!r}", name=name, value=value)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words, each with its title; `known` returns the words if they are not known in advance."""

    placeholder: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    known: Callable[[], Mapping[str, str]] | None = None

    @property
    def entries(self) -> Mapping[str, str]:
        return self.titles if self.known is None else self.known()

    @property
    def metavar(self) -> str:
        return self.placeholder or "|".join(self.entries)

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in self.entries:
            raise InputError(
                "{name} must be one of {choices}, not {value!r}",
                name=name,
                choices=choices_for(value, self.entries),
                value=value,
            )


@dataclass(frozen=True)
class Number(Kind):
    placeholder: str = "X"
    positive: bool = False
    powers: bool = False  # users think of it as a power of two
    words: tuple[str, ...] = ()  # words that are allowed instead of a number

    def parse(self, text: str) -> float | str:
        return text if text in self.words else number(text)

    def check(self, name: str, value: Any) -> None:
        if isinstance(value, str) and value in self.words:
            return
        if not _is_number(value) or (self.positive and value <= 0.0):
            self._refuse(name, value)
        if not math.isfinite(value):
            raise InputError("{name} must be finite", name=name)

    def _refuse(self, name: str, value: Any) -> NoReturn:
        if self.words:
            words = " or ".join(map(repr, self.words))
            raise InputError(
                "{name} must be a positive number or {words}, not {value!r}.", name=name, words=words, value=value
            )
        if self.positive:
            raise InputError("{name} must be a positive number, not {value!r}.", name=name, value=value)
        raise InputError("{name} must be a number, not {value!r}.", name=name, value=value)

    def written(self, value: Any) -> str:
        return written(value, powers=self.powers)


@dataclass(frozen=True)
class Whole(Kind):
    placeholder: str = "N"
    lowest: int = 1
    below: int | None = None

    def parse(self, text: str) -> int:
        return whole_number(text)

    def check(self, name: str, value: Any) -> None:
        if type(value) is not int or value < self.lowest or (self.below is not None and value >= self.below):
            raise InputError(
                "{name} must be a whole number of at least {lowest}, not {value!r}.",
                name=name,
                lowest=self.lowest,
                value=value,
            )


@dataclass(frozen=True)
class Share(Kind):
    placeholder: str = "SHARE"

    def parse(self, text: str) -> float:
        return number(text)

    def check(self, name: str, value: Any) -> None:
        if not _is_number(value) or not 0.0 < value < 1.0:
            raise InputError(
                "{name} must be a share between 0 and 1, such as 0.3, not {value!r}", name=name, value=value
            )


@dataclass(frozen=True)
class Flag(Kind):
    """True if it is given."""

    placeholder: str = ""

    def parse(self, text: str) -> bool:
        return bool(text)

    def written(self, value: bool) -> str:
        return "yes" if value else ""

    def check(self, name: str, value: Any) -> None:
        if type(value) is not bool:
            raise InputError("{name} must be true or false, not {value!r}", name=name, value=value)


@dataclass(frozen=True)
class Weights(Kind):
    """`balanced`, or pairs of a class and its factor; JSON in text, a mapping in documents."""

    placeholder: str = "balanced|JSON"

    def parse(self, text: str) -> str | tuple[tuple[str, float], ...]:
        if text == "balanced":
            return text
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise InputError('{text!r} is neither balanced nor JSON such as {{"a": 2, "b": 1}}', text=text)
        return _weights_of(given)

    def check(self, name: str, value: Any) -> None:
        if value != "balanced" and not isinstance(value, tuple):
            raise InputError("{name} must be balanced or a mapping of classes, not {value!r}", name=name, value=value)

    def written(self, value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(dict(value), ensure_ascii=False)

    def plain(self, value: Any) -> Any:
        return dict(value) if isinstance(value, tuple) else value

    def loaded(self, value: Any) -> Any:
        return _weights_of(value) if isinstance(value, Mapping) else value


def _weights_of(given: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    for name, weight in given.items():
        if type(weight) not in (int, float) or not (math.isfinite(weight) and weight > 0.0):
            raise InputError(
                "the class weight of {name!r} must be a positive number, not {weight!r}", name=name, weight=weight
            )
    return tuple((str(name), float(weight)) for name, weight in given.items())


# -- numbers as users type them -------------------------------------------------------------------


def number(text: str) -> float:
    """Parse 0.125, 1e-3, or a power such as 2^-3."""
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def written(value: Any, *, powers: bool = False) -> str:
    """Write a number as a user types it, with all digits: 0.1, 2^-3, 1000."""
    if not isinstance(value, float):
        return str(value)
    mantissa, exponent = math.frexp(value)
    if powers and mantissa == 0.5 and value not in (1.0, 2.0):
        return f"2^{exponent - 1}"
    return repr(value).removesuffix(".0")


# -- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """`title` and `help` are English with a capital, for windows to translate; a default of None means no value."""

    name: str
    default: Any
    kind: Kind
    title: str
    help: str = ""
    unsaid: str = ""  # describes the behaviour without a value: "the machine's own"
    unit: str = ""
    note: str = ""  # for the command line only, instead of the default
    group: str = ""  # group of arguments
    commands: tuple[str, ...] = ()  # commands that have it as an argument of their own
    unlisted: tuple[str, ...] = ()  # commands among these whose help omits it, because the model decides it
    of_kernel: bool = False  # shown only if the kernel declares it
    searched: str = ""  # the range of a search
    several: bool = False  # a search takes several values
    spin: tuple[int, int] | None = None  # the limits of a spin box in windows
    train: Place = ""  # place in the form of the Train page
    tune: Place = ""  # place in the form of the Tune page
    use: str = ""  # its purpose under More, a key of USES

    @property
    def argument(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def default_text(self) -> str:
        return "" if self.default is None else self.kind.written(self.default)

    def arguments(self, value: Any) -> list[str]:
        """Return the arguments of a command line for a value."""
        if value is None or value is False:
            return []
        text = self.kind.written(value)
        if value is True:
            return [self.argument]
        joined = text.startswith("-")  # otherwise it would be read as an option
        return [f"{self.argument}={text}"] if joined else [self.argument, text]

    def read(self, text: str) -> Any:
        """Convert and check typed text; raises InputError."""
        value = self.kind.parse(text)
        self.check(value)
        return value

    def read_argument(self, text: str) -> Any:
        """Convert and check text from a command line; the error names the argument."""
        try:
            value = self.kind.parse(text)
        except InputError as error:
            raise InputError("{argument}: {error}", argument=self.argument, error=error) from None
        if value is not None:
            self.kind.check(self.argument, value)
        return value

    def check(self, value: Any) -> None:
        """Check a value. None is allowed only if it is the default."""
        if value is None and self.default is not None:
            raise InputError("{name} is missing", name=self.name)
        if value is not None:
            self.kind.check(self.name, value)


def option(default: Any, kind: Kind, title: str, help: str = "", **more: Any) -> Any:
    """Return a dataclass field that holds an `Option`; its name is set later."""
    return field(default=default, metadata={Option: Option("", default, kind, title, help, **more)})


@cache
def options_of(table: Any) -> dict[str, Option]:
    """Return the options by name, in the order of the fields."""
    known = ((item, item.metadata.get(Option)) for item in fields(table))
    return {item.name: replace(found, name=item.name) for item, found in known if found is not None}


def check_loaded(values: Any) -> None:
    """Convert and check the values of a frozen dataclass that may come from a document, where a tuple is a list."""
    for name, one in options_of(values.__class__).items():
        object.__setattr__(values, name, one.kind.loaded(getattr(values, name)))
    check(values)


def check(values: Any) -> None:
    """Raise InputError if an option of this dataclass has an invalid value."""
    for name, option in options_of(values.__class__).items():
        option.check(getattr(values, name))


def plain(values: Any) -> dict[str, Any]:
    """Return all options of this dataclass, for JSON."""
    given = {name: (one, getattr(values, name)) for name, one in options_of(values.__class__).items()}
    return {name: value if value is None else one.kind.plain(value) for name, (one, value) in given.items()}


def differing(values: Any) -> list[tuple[Option, Any]]:
    """Return the options that differ from their default, with their values."""
    given = [(option, getattr(values, name)) for name, option in options_of(values.__class__).items()]
    return [(option, value) for option, value in given if value != option.default]
