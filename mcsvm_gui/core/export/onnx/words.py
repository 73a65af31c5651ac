"""Texts in ONNX: tf-idf by counting strings of letters.

ONNX has no regular expressions, and its StringNormalizer lowers letters by locales that do not exist everywhere. So a
text is cut into letters (Tokenizer of onnxruntime, as in sklearn-onnx), LabelEncoder lowers each and turns characters
other than letters into blanks, and the word corn is the string of six " corn ", which TfIdfVectorizer counts. Sequences
of words cannot be counted in this way: scikit-learn ignores one-letter words between them.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.data.preparation.words import Words
from mcsvm_gui.core.export.onnx.graph import Graph

_WORD = re.compile(r"\w")
_OTHER = "??"  # a letter of no known word; a letter itself is one character


def refusal(words: Words) -> Sentence | None:
    if words.rules.analyzer == "word" and words.rules.ngrams == "1":
        return None
    return Sentence("ONNX can count single words only, not several in a row or letters; use python or json.")


def word_weights(graph: Graph, words: Words, texts: str) -> str:
    """Add the (rows, words) weights, each row of length 1, of texts (rows, 1)."""
    double = graph.onnx.TensorProto.DOUBLE
    letters = graph.add(
        *("Tokenizer", texts), domain="com.microsoft", mark=0, mincharnum=1, pad_value="", tokenexp="(?s)."
    )
    letters = graph.add("Squeeze", letters, graph.integers(1))
    keys, values = _alphabet(words)
    lowered = graph.add(
        *("LabelEncoder", letters),
        domain="ai.onnx.ml",
        keys_strings=keys,
        values_strings=values,
        default_string=_OTHER,
    )
    zeros = graph.add("Expand", graph.integers(0), graph.add("Shape", texts))
    edge = graph.add("Gather", graph.strings((" ",)), zeros, axis=0)
    counts = graph.cast(_counted(graph, words, graph.add("Concat", edge, lowered, edge, axis=1)), double)
    weighed = graph.add("Mul", counts, graph.constant(words.idf[None, :]))
    squares = graph.add("ReduceSum", graph.add("Mul", weighed, weighed), graph.integers(1), keepdims=1)
    empty = graph.add("Equal", squares, graph.constant(np.zeros((1, 1))))
    return graph.add(
        "Div", weighed, graph.add("Sqrt", graph.add("Where", empty, graph.constant(np.ones((1, 1))), squares))
    )


def _counted(graph: Graph, words: Words, letters: str) -> str:
    order = sorted(range(len(words.vocabulary)), key=lambda place: len(words.vocabulary[place]))
    strings = [[" ", *words.vocabulary[place], " "] for place in order]
    shortest, longest = len(strings[0]), len(strings[-1])
    starts: list[int] = []
    pool: list[bytes] = []
    for length in range(1, longest + 1):
        starts.append(len(pool))
        pool += [letter.encode("utf-8") for string in strings if len(string) == length for letter in string]
    return graph.add(
        *("TfIdfVectorizer", letters),
        mode="TF",
        min_gram_length=shortest,
        max_gram_length=longest,
        max_skip_count=0,
        ngram_counts=starts,
        ngram_indexes=order,
        pool_strings=pool,
    )


def _alphabet(words: Words) -> tuple[list[bytes], list[bytes]]:
    """Return a map of letters: those of the words, in either case, to lower case; other characters to a blank."""
    known = set("".join(words.vocabulary))
    lowered = {chr(code): chr(code).lower() for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000}
    pairs = {letter: low for letter, low in lowered.items() if low in known}
    pairs |= dict.fromkeys((*_between(), ""), " ")
    return [letter.encode("utf-8") for letter in pairs], [low.encode("utf-8") for low in pairs.values()]


@cache
def _between() -> tuple[str, ...]:
    """Return the 11 000 assigned characters that separate words."""
    every = (chr(code) for code in range(sys.maxunicode + 1))
    return tuple(one for one in every if unicodedata.category(one) not in ("Cs", "Co", "Cn") and not _WORD.match(one))
