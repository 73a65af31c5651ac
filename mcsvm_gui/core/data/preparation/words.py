"""A column of text as tf-idf: the count of each word times its inverse document frequency; each text has length 1.

This is scikit-learn's TfidfVectorizer with its defaults (smooth idf, l2), fitted on the training part. A model stores
only the words and their idf, and rebuilds the vectorizer from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.remedies import Remedy

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

# The rows of the texts of the latest fit, until they are requested: computing them takes as long as finding the words.
_FITTED: WeakKeyDictionary[Words, tuple[ref[Dataset], sp.csr_array]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Words:
    source: str
    vocabulary: tuple[str, ...]
    idf: np.ndarray
    rules: Rules

    @cached_property
    def _vectorizer(self) -> TfidfVectorizer:
        made = vectorizer(self.rules, vocabulary={word: place for place, word in enumerate(self.vocabulary)})
        made.idf_ = self.idf
        return made

    def rows(self, texts: np.ndarray, dataset: Dataset | None) -> sp.csr_array:
        """Return the rows of texts. `texts`: from `dataset`, if that is given, all or a part of its rows."""
        fitted = _FITTED.pop(self, None)
        if fitted is not None and fitted[0]() is dataset and fitted[1].shape[0] == len(texts):
            return fitted[1]
        if not len(texts):
            return sp.csr_array((0, len(self.vocabulary)))
        found = self._vectorizer.transform(["" if text is None else text for text in texts])
        return sp.csr_array(found)

    def document(self) -> dict[str, Any]:
        """Return the JSON part; idf is an array."""
        return {"source": self.source, "vocabulary": list(self.vocabulary)}

    def but(self, rules: Rules) -> Words:
        return replace(self, rules=rules)

    @classmethod
    def read(cls, document: dict[str, Any], idf: np.ndarray, rules: Rules) -> Words:
        source, words = document["source"], tuple(document["vocabulary"])
        if not isinstance(source, str) or not all(isinstance(word, str) for word in words):
            raise ValueError("words that are no text")
        if not words or len(set(words)) != len(words) or idf.shape != (len(words),) or not (idf > 0.0).all():
            raise ValueError("words that are not distinct, or without their idf")
        return cls(source, words, idf, rules)


def vectorizer(rules: Rules, vocabulary: dict[str, int] | None = None) -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    low, _, high = rules.ngrams.partition(":")
    return TfidfVectorizer(
        analyzer=rules.analyzer,
        ngram_range=(int(low), int(high or low)),
        stop_words="english" if rules.stop_words == "english" and rules.analyzer == "word" else None,
        min_df=1 if vocabulary is not None else rules.min_df,
        vocabulary=vocabulary,
    )


def fit_words(rules: Rules, dataset: Dataset, source: str, texts: np.ndarray) -> Words:
    """Fit the words. `texts`: those of the data set that are used for training."""
    made = vectorizer(replace(rules, min_df=min(rules.min_df, len(texts))))
    try:
        rows = made.fit_transform(["" if text is None else text for text in texts])
    except ValueError:  # its only cause: no word remains
        raise FileError(
            dataset.name,
            "the column {name} holds no word that could be learned from; {drop}, or change {fewest}",
            name=source,
            drop=Remedy("drop", source, verb="say"),
            fewest=Remedy("min_df"),
        ) from None
    found = sorted(made.vocabulary_, key=made.vocabulary_.__getitem__)
    fitted = Words(source, tuple(found), np.asarray(made.idf_, dtype=np.float64), rules)
    if len(texts) == dataset.rows:
        _FITTED[fitted] = ref(dataset), sp.csr_array(rows)
    return fitted
