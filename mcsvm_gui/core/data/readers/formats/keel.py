"""KEEL's .dat files: a header like that of ARFF, with ranges, @inputs and @outputs, and <null> for a missing value.

Format: https://sci2s.ugr.es/keel/dataFiles.php. Without @outputs the last attribute is the output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.declared import OUTPUT, UNUSED, Declared
from mcsvm_gui.core.data.readers.formats import arff
from mcsvm_gui.core.data.readers.formats.arff import Attribute, Content
from mcsvm_gui.core.data.readers.formats.arff_rows import Broken, bare
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import beginning, decode
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "keel"
OPTIONS = *roles.OPTIONS, "format", "encoding"
_START = re.compile(rb"\s*(?:%[^\n\r]*\s+)*@(?:relation|attribute)\b", re.IGNORECASE)
_OWN = re.compile(
    rb"^[ \t]*@(?:(?:inputs?|outputs?)\b|attribute[^\n\r]*\b(?:integer|real)\s*\[)", re.IGNORECASE | re.MULTILINE
)
_DATA = re.compile(rb"^[ \t]*@data\b", re.IGNORECASE | re.MULTILINE)
_RANGE = re.compile(r"(integer|real)\s*(?:\[.*\])?", re.IGNORECASE)


@dataclass
class _Content(Content):
    nothing: str = "<null>"  # "?" is missing too, as in ARFF
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


def recognizes(source: Source, options: ReadOptions) -> bool:
    start = beginning(source)
    if _START.match(start) is None:
        return False
    data = _DATA.search(start)
    return _OWN.search(start, 0, len(start) if data is None else data.start()) is not None


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    text = decode(source, options)
    if _START.match(text.data) is None:
        raise FileError(
            source.path,
            "this is no KEEL file, which begins with @relation; leave {format} out, or name the right one",
            format=OptionWords("format"),
            line=1,
        )
    content = _Content()
    arff.content_of(text, content, lambda _, number, line: _take_declaration(content, number, line))
    return arff.dataset_of(text, NAME, content, _declared(content), options, needs_label=needs_label)


def _take_declaration(content: _Content, number: int, line: str) -> bool:
    """Read one line of the header. Return whether the data begin below it."""
    word, _, rest = line.partition(" ")
    word = word.lower()
    if word == "@attribute":
        content.attributes.append(_attribute(number, line))
    elif word in ("@input", "@inputs"):
        content.inputs = _known(content, rest)
    elif word in ("@output", "@outputs"):
        content.outputs = _known(content, rest)
    elif word == "@data":
        if not content.attributes:
            raise Broken("there is no @attribute before @data")
        return True
    elif word != "@relation":
        raise Broken(
            Sentence("{word} is neither @relation, @attribute, @inputs, @outputs nor @data", word=quoted(word))
        )
    return False


def _attribute(number: int, line: str) -> Attribute:
    name, kind = arff.name_and_kind(line)
    if kind.startswith("{"):
        return arff.nominal(number, name, kind)
    if _RANGE.fullmatch(kind):
        return Attribute(name, "number", (), number)
    raise Broken(
        Sentence(
            "attribute {name} is of kind {kind}; integer, real and {{a,b,c}} are read",
            name=quoted(name),
            kind=quoted(kind),
        )
    )


def _known(content: _Content, words: str) -> list[str]:
    wanted = [bare(word) for word in words.split(",") if word.strip()]
    declared = [attribute.name for attribute in content.attributes]
    strange = [name for name in wanted if name not in declared]
    if strange:
        raise Broken(Sentence("{names} is not declared by an @attribute above", names=names(strange)))
    return wanted


def _declared(content: _Content) -> Declared:
    declared = [attribute.name for attribute in content.attributes]
    outputs = content.outputs or _left_over(declared, content.inputs)[-1:]
    label = declared.index(outputs[0]) if outputs else None
    unused = _left_over(declared, [*content.inputs, *outputs]) if content.inputs else []
    marked = dict.fromkeys(outputs[1:], OUTPUT) | dict.fromkeys(unused, UNUSED)
    left_out = {j: marked[name] for j, name in enumerate(declared) if name in marked and j != label}
    return Declared(label, left_out)


def _left_over(declared: Sequence[str], named: Sequence[str]) -> list[str]:
    return [name for name in declared if name not in named]
