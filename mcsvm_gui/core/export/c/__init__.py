"""C source: one file, C99, includes only math.h; double arithmetic, loops over constant arrays, no recursion."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from string import Template

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.c import machine, preparation, probabilities
from mcsvm_gui.core.export.c.literals import strings
from mcsvm_gui.core.export.c.probabilities import ON_STACK
from mcsvm_gui.core.export.c.trial import predictor
from mcsvm_gui.core.export.checked import Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.machine.trained import TrainedModel

FRACTION = re.compile(rb"(?<![\w.])-?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])")  # a literal
PREDICTORS = (predictor,)

HEAD = Template("""/* A multi-class support vector machine, written by mcsvm. C99; link with -lm.

   int         mcsvm_predict(numbers, texts, scores)   the number of the class, or -1 for a row that the model refuses
   const char *mcsvm_label(numbers, texts)             its name, UTF-8; NULL for such a row
   numbers: the columns of mcsvm_number_names in that order, NAN where missing (NULL if there are none)
   texts:   the columns of mcsvm_text_names, UTF-8, NULL or "" where missing (NULL if there are none)
   scores:  room for MCSVM_OUTPUTS values: class functions, or the functions of the pairs (0, 1), (0, 2), ...
$probabilities
   Refused: a missing cell that nothing fills, a number that is not finite$unknown.$ruled */

#include <math.h>
#include <stddef.h>

""")
UNKNOWN = {
    True: ", a text that training did not know",
    False: ".\n   A text that training did not know counts as none of the known ones",
}

PROBABILITIES = """   int         mcsvm_probabilities(numbers, texts, probabilities)   the number of the class, or -1
   probabilities: room for MCSVM_CLASSES values; they may disagree with the decision, unless by temperature
"""

RULED = """
   Decided for: the class of the smallest expected cost under the probabilities; -2, and NULL for its name, where that
   class is too improbable"""

ENTRANCES = Template("""
int mcsvm_predict(const double *numbers, const char *const *texts, double *scores)
{
    ${storage}double x[FEATURES];
    if (!prepare(numbers, texts, x)) return -1;
    evaluate(x, scores);
    return decided(scores);
}

const char *mcsvm_label(const double *numbers, const char *const *texts)
{
    double scores[MCSVM_OUTPUTS];
    const int number = mcsvm_predict(numbers, texts, scores);
    return number < 0 ? NULL : mcsvm_class_names[number];
}
""")

OF_PROBABILITIES = """
int mcsvm_probabilities(const double *numbers, const char *const *texts, double *probabilities)
{
    double scores[MCSVM_OUTPUTS];
    const int number = mcsvm_predict(numbers, texts, scores);
    if (number != -1) shares(scores, winner(scores), probabilities);
    return number;
}
"""


def refusal(trained: TrainedModel) -> str | None:
    if trained.model.kernel.name == "precomputed":
        return "a precomputed kernel has no support vectors to write; use json or libsvm."
    plain = flat_model(trained)
    if any("\0" in text for text in plain.texts):
        return "a class or category contains the character NUL, which ends a text in C; use python, json or onnx."
    return None


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained)


def has_own_code(text: bytes, plain: FlatModel) -> bool:
    """Return whether the file differs from the output of this version only in fractions; then it is safe to run.

    Whole numbers are sizes and indices, and strings could end early for a compiler that knows trigraphs.
    """
    return FRACTION.sub(b"0.0", text) == FRACTION.sub(b"0.0", written(plain)[""])


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain), PREDICTORS)


def written(plain: FlatModel) -> Files:
    calibrated = plain.calibration is not None
    head = HEAD.substitute(
        unknown=UNKNOWN[plain.strict],
        probabilities=PROBABILITIES if calibrated else "",
        ruled="" if plain.rule is None else RULED,
    )
    storage = "static " if plain.features > ON_STACK else ""  # too large for a stack; not thread-safe
    parts = [head, *_tables(plain), preparation.CODE, machine.code(plain), probabilities.code(plain)]
    parts += [ENTRANCES.substitute(storage=storage), OF_PROBABILITIES if calibrated else ""]
    return {"": "".join(parts).encode("ascii")}


def _tables(plain: FlatModel) -> Iterable[str]:
    numbers, texts = preparation.sides(plain)
    sizes: dict[str, int | str] = {
        "MCSVM_CLASSES": plain.classes,
        "MCSVM_OUTPUTS": plain.outputs,
        "MCSVM_NUMBERS": len(numbers),
        "MCSVM_TEXTS": len(texts),
        "FEATURES": plain.features,
        "VECTORS": len(plain.owners),
        "STRICT": int(plain.strict),
        **probabilities.sizes(plain),
        **{key.upper(): repr(float(value)) for key, value in plain.parameters.items()},
    }
    yield "".join(f"#define {key} {value}\n" for key, value in sizes.items())
    yield strings("const char *const mcsvm_class_names", plain.class_names)
    for part in (preparation, probabilities, machine):
        yield from part.tables(plain)
