"""Sentence: a message for users that can be translated later; InputError: the exception that carries one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class Sentence(str):
    """An English sentence that keeps its template and the value of each {place}, for translation.

    `template` must be a literal, so that it can be collected for translation. `many` replaces it if the value `count`
    is not one. Values may be sentences themselves. A message without values is used as it is.
    """

    template: str
    many: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, many: str = "", /, **values: Any) -> Sentence:
        values = {name: _sayable(value) for name, value in values.items()}
        english = filled(many if many and values.get("count") != 1 else template, values)
        return _made(cls, english, {"template": template, "many": many, "values": values})

    @property
    def code(self) -> str:
        """Return an identifier of the template, independent of values and language."""
        return "-".join(re.findall(r"\w+", re.sub(r"{[^}]*}", " ", self.template).lower())[:8])

    def parts(self) -> Iterator[Sentence]:
        """Yield this sentence and all sentences that it contains."""
        yield self
        for value in self.values.values():
            if isinstance(value, Sentence):
                yield from value.parts()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), str(self), vars(self))


def any_of(choices: Sequence[str]) -> Sentence:
    """Join the choices to a sentence: a; a, or b; a, or b, or c."""
    rest = [*choices[1:]]
    return Sentence("{first}, or {rest}", first=choices[0], rest=any_of(rest)) if rest else Sentence(choices[0])


# Names of other programs, each with the name that this package uses.
OTHER_NAMES = {
    "binary-relevance": "ova",
    "crammer-singer": "cs",
    "ddag": "dag",
    "gaussian": "rbf",
    "interior-point": "ipm",
    "lee-lin-wahba": "llw",
    "libsvm": "smo",
    "liblinear": "linear",
    "one-against-all": "ova",
    "one-against-one": "ovo",
    "one-vs-all": "ova",
    "one-vs-one": "ovo",
    "one-vs-rest": "ova",
    "ovr": "ova",
    "oaa": "ova",
    "oao": "ovo",
    "poly": "polynomial",
    "svc": "ovo",
    "weston-watkins": "ww",
}


def choices_for(given: Any, names: Iterable[str]) -> str:
    """List the names to choose from, for a sentence that refuses `given`, with the name that was probably meant."""
    known = list(names)
    listed, near = ", ".join(known), closest_name(given, known)
    return listed if near is None else Sentence("{names} (did you mean {near}?)", names=listed, near=near)


def closest_name(given: Any, names: Sequence[str]) -> str | None:
    """Return the name that `given` is most likely a misspelling of, or another program's word for."""
    if not isinstance(given, str):
        return None
    spelled = given.strip().lower().replace("_", "-").replace(" ", "-")
    if OTHER_NAMES.get(spelled) in names:
        return OTHER_NAMES[spelled]
    from difflib import get_close_matches  # only errors need it

    found = get_close_matches(spelled, names, n=1) or [name for name in names if name.startswith(spelled)]
    return found[0] if found and spelled else None


def filled(template: str, values: Mapping[str, Any]) -> str:
    return template.format(**values) if values else template


def _made(kind: type[Sentence], english: str, facts: Mapping[str, Any]) -> Sentence:
    made = str.__new__(kind, english)
    vars(made).update(facts)
    return made


def _sayable(value: Any) -> Any:
    """Replace an exception by its text, because some exceptions cannot be pickled and none is translated.

    An InputError is replaced by its sentence.
    """
    if isinstance(value, InputError):
        return value.sentence
    return str(value) if isinstance(value, BaseException) else value


class InputError(ValueError):
    """The only exception for bad input. Its sentence says what is wrong, where, and what would work."""

    sentence: Sentence

    def __init__(self, template: str, /, **values: Any) -> None:
        known = isinstance(template, Sentence) and not values
        self.sentence = template if known else Sentence(template, **values)  # type: ignore[assignment]
        super().__init__(self.sentence)

    @property
    def brief(self) -> Sentence:
        """Return the sentence for a reader who already sees the name of the file."""
        return self.sentence

    @property
    def code(self) -> str:
        return self.sentence.code
