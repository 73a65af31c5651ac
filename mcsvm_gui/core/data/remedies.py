"""Options as parts of sentences: named as on the command line, or as controls with titles for a window."""

from __future__ import annotations

from typing import Self

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.options import Option, options_of
from mcsvm_gui.core.data.lists import Names
from mcsvm_gui.core.data.options import ReadOptions, Rules

_DEEDS = {
    ("scale", "minmax"): Sentence("Scale to -1 … 1"),
    ("scale", "standard"): Sentence("Scale by the deviation"),
    ("missing", "mean"): Sentence("Fill with the mean"),
    ("missing", "drop"): Sentence("Leave rows out"),
    ("spellings", "join"): Sentence("Join spellings"),
    ("names", "none"): Sentence("Learn from it"),
    ("spellings", "join-case"): Sentence("Join upper and lower case"),
    ("class_weight", "balanced"): Sentence("Balance class weights"),
    ("split", "order"): Sentence("Split in row order"),
    ("split", "stratified"): Sentence("Split at random"),
    ("split", "auto"): Sentence("Keep groups together"),
    ("kernel", "linear"): Sentence("Use the linear kernel"),
    ("calibrate", "temperature"): Sentence("Calibrate"),
    ("score", "balanced-accuracy"): Sentence("Choose by balanced accuracy"),
}
_DEEDS_OF_COLUMNS = {
    "text": Sentence("Read as text"),
    "dates": Sentence("Read as dates"),
    "names": Sentence("Use as row names"),
    "groups": Sentence("Keep its rows together"),
    "drop": Sentence("Leave column out"),
}


def _deed(option: str, value: str | None) -> Sentence | None:
    return _DEEDS.get((option, value or "")) or (None if value is None else _DEEDS_OF_COLUMNS.get(option))


class OptionWords(Sentence):
    """`--missing drop`, or “Leave rows out”."""

    option: str
    value: str | None  # None: the choice is the user's
    control: Sentence

    def __new__(cls, option: str | Option, value: str | None = None, *, verb: str = "") -> Self:
        """Create the words. `verb`: "say" if the sentence has no other.

        If `option` is a name, it is that of an option of reading or preparation.
        """
        known = option if isinstance(option, Option) else (options_of(ReadOptions) | options_of(Rules))[option]
        option, control = known.name, Sentence(known.title)
        made = str.__new__(cls, " ".join(filter(None, [verb, known.argument, value])))
        title = Sentence("“{control}”", control=control)
        if deed := _deed(option, value):
            title = Sentence("“{deed}”", deed=deed)
        elif value is not None:
            title = Sentence("{title} = {value}", title=title, value=value)
        shown = Sentence("use {title}", title=title) if verb else title
        vars(made).update(vars(shown), option=option, value=value, control=control)
        return made


class Remedy(OptionWords):
    """A remedy for the problem that the sentence reports."""

    @property
    def invitation(self) -> Sentence:
        """The text of a button."""
        change = Sentence("Change “{control}”", control=self.control)
        return _deed(self.option, self.value) or change


def for_column(option: str, name: str, *, verb: str = "") -> Remedy:
    """Return a remedy by an option that lists columns; a name that is not printable is left to the user."""
    return Remedy(option, Names().written((name,)) if name.isprintable() else None, verb=verb)


def remedies(said: Sentence) -> tuple[Remedy, ...]:
    """Return the distinct remedies in the order of the sentence."""
    return tuple(dict.fromkeys(part for part in said.parts() if isinstance(part, Remedy)))
