"""C source: one file, C99, nothing but math.h; double arithmetic, loops over constant arrays, no recursion."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm_gui.core.base import programs
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.errors import InputError
from solvers.probability import LEAST

ON_STACK = 16384  # features that a function may keep on the stack
COMPILERS = ("cc", "gcc", "clang")
CHUNK = 400  # bytes of a string literal before the next begins; they join again

HEAD = """/* A multi-class support vector machine, written by mcsvm. C99; link with -lm.

   int         mcsvm_predict(numbers, texts, scores)   the number of the class, or -1 for a row that the model refuses
   const char *mcsvm_label(numbers, texts)             its name, UTF-8; NULL for such a row
   numbers: the columns of mcsvm_number_names in that order, NAN where missing (NULL if there are none)
   texts:   the columns of mcsvm_text_names, UTF-8, NULL or "" where missing (NULL if there are none)
   scores:  room for MCSVM_OUTPUTS values: class functions, or the functions of the pairs (0, 1), (0, 2), ...
$probabilities
   Refused: a missing cell that nothing fills, a number that is not finite$unknown. */

#include <math.h>
#include <stddef.h>

"""
UNKNOWN = {
    True: ", a text that training did not know",
    False: ".\n   A text that training did not know counts as none of the known ones",
}

PROBABILITIES = """   int         mcsvm_probabilities(numbers, texts, probabilities)   the number of the class, or -1
   probabilities: room for MCSVM_CLASSES values; they may disagree with the decision, unless by temperature
"""

KERNELS = {
    "rbf": "distance = square + squares[s] - 2.0 * product;\n        "
    "value = exp(-GAMMA * (distance > 0.0 ? distance : 0.0));",
    "linear": "value = product;",
    "polynomial": "value = pow(GAMMA * product + COEF0, DEGREE);",
    "sigmoid": "value = tanh(GAMMA * product + COEF0);",
}
PRODUCTS = {
    True: "for (e = vector_starts[s]; e < vector_starts[s + 1]; ++e)\n"
    "            product += x[vector_columns[e]] * vectors[e];",
    False: "for (e = 0; e < FEATURES; ++e)\n            product += x[e] * vectors[s * FEATURES + e];",
}

BODY = Template("""
static int same_text(const char *a, const char *b)
{
    while (*a && *a == *b) { ++a; ++b; }
    return *a == *b;
}

static const char *text_of(int column, const char *const *texts)
{
    return texts[column] && *texts[column] ? texts[column] : text_fills[column];
}

static double value_of(long feature, const double *numbers, const char *const *texts)
{
    const int column = sources[feature];
    if (levels[feature]) return same_text(text_of(column, texts), levels[feature]) ? 1.0 : 0.0;
    return isnan(numbers[column]) && number_filled[column] ? number_fills[column] : numbers[column];
}

static int is_known(int column, const char *text)
{
    long f;
    for (f = 0; f < FEATURES; ++f)
        if (levels[f] && sources[f] == column && same_text(text, levels[f])) return 1;
    return 0;
}

/* The features that the kernel sees; 0 where the model refuses the row. */
static int prepare(const double *numbers, const char *const *texts, double *x)
{
    int column;
    long f;
    for (column = 0; column < MCSVM_TEXTS; ++column)
        if (!text_of(column, texts) || (STRICT && !is_known(column, text_of(column, texts)))) return 0;
    for (f = 0; f < FEATURES; ++f) {
        x[f] = (value_of(f, numbers, texts) - shift[f]) * scale[f];
        if (!isfinite(x[f])) return 0;
    }
    return 1;
}

static void evaluate(const double *x, double *scores)
{
    double square = 0.0, product, value, distance;
    long s, e;
    for (e = 0; e < FEATURES; ++e) square += x[e] * x[e];
    for (e = 0; e < MCSVM_OUTPUTS; ++e) scores[e] = bias[e];
    for (s = 0; s < VECTORS; ++s) {
        product = 0.0;
        ${products}
        ${kernel}
        for (e = expansion_starts[s]; e < expansion_starts[s + 1]; ++e)
            scores[expansion_columns[e]] += expansion[e] * value;
    }
    (void)square; (void)distance;
}
${decision}
int mcsvm_predict(const double *numbers, const char *const *texts, double *scores)
{
    ${storage}double x[FEATURES];
    if (!prepare(numbers, texts, x)) return -1;
    evaluate(x, scores);
    return winner(scores);
}

const char *mcsvm_label(const double *numbers, const char *const *texts)
{
    double scores[MCSVM_OUTPUTS];
    const int winner_number = mcsvm_predict(numbers, texts, scores);
    return winner_number < 0 ? NULL : mcsvm_class_names[winner_number];
}
""")

LARGEST = """
static int largest(const double *values)
{
    int c, best = 0;
    for (c = 1; c < MCSVM_CLASSES; ++c)
        if (values[c] > values[best]) best = c;
    return best;
}
"""

DECISIONS = {
    "argmax": LARGEST + "\nstatic int winner(const double *scores) { return largest(scores); }\n",
    "votes": LARGEST
    + """
static int winner(const double *scores)
{
    double votes[MCSVM_CLASSES] = {0.0};
    int a, b, pair = 0;
    for (a = 0; a < MCSVM_CLASSES; ++a)
        for (b = a + 1; b < MCSVM_CLASSES; ++b, ++pair)
            votes[scores[pair] > 0.0 ? a : b] += 1.0;
    return largest(votes);
}
""",
    "graph": """
static int winner(const double *scores)
{
    int first = 0, last = MCSVM_CLASSES - 1;
    while (first < last) {
        if (scores[first * (2 * MCSVM_CLASSES - first - 1) / 2 + last - first - 1] > 0.0) --last;
        else ++first;
    }
    return first;
}
""",
}

CLASS_SCORES = {  # what temperatures and sigmoids of single classes are applied to; `chosen` is the class decided for
    "argmax": """
static void class_scores(const double *scores, int chosen, double *found)
{
    int c;
    for (c = 0; c < MCSVM_CLASSES; ++c) found[c] = scores[c];
    (void)chosen;
}
""",
    "one pair": """
static void class_scores(const double *scores, int chosen, double *found)
{
    found[0] = 0.5 * scores[0];
    found[1] = -0.5 * scores[0];
    (void)chosen;
}
""",
    "pairs": """
/* Votes, and what tells ties apart; the largest is that of the class decided for. */
static void class_scores(const double *scores, int chosen, double *found)
{
    double clarity[MCSVM_CLASSES] = {0.0}, most;
    int a, b, best = 0, pair = 0;
    for (a = 0; a < MCSVM_CLASSES; ++a) found[a] = 0.0;
    for (a = 0; a < MCSVM_CLASSES; ++a)
        for (b = a + 1; b < MCSVM_CLASSES; ++b, ++pair) {
            found[scores[pair] > 0.0 ? a : b] += 1.0;
            clarity[a] += scores[pair];
            clarity[b] -= scores[pair];
        }
    for (a = 0; a < MCSVM_CLASSES; ++a) found[a] += clarity[a] / (3.0 * (fabs(clarity[a]) + 1.0));
    for (a = 1; a < MCSVM_CLASSES; ++a)
        if (found[a] > found[best]) best = a;
    most = found[best];
    found[best] = found[chosen];
    found[chosen] = most;
}
""",
}

PAIR_VALUE = {True: "scores[a] - scores[b]", False: "scores[pair]"}

SIGMOID = """
static double sigmoid(double value, long f)
{
    return 1.0 / (1.0 + exp(sigmoids[2 * f] * value + sigmoids[2 * f + 1]));
}
"""

SHARES = {
    "temperature": """
static void shares(const double *scores, int chosen, double *p)
{
    double largest, sum = 0.0;
    int c;
    class_scores(scores, chosen, p);
    largest = p[0];
    for (c = 1; c < MCSVM_CLASSES; ++c)
        if (p[c] > largest) largest = p[c];
    for (c = 0; c < MCSVM_CLASSES; ++c) sum += p[c] = exp((p[c] - largest) / TEMPERATURE);
    for (c = 0; c < MCSVM_CLASSES; ++c) p[c] /= sum;
}
""",
    "one sigmoid": """
static void shares(const double *scores, int chosen, double *p)
{
    const int a = 0, b = 1, pair = 0;
    p[0] = sigmoid($pair_value, 0);
    p[1] = 1.0 - p[0];
    (void)a; (void)b; (void)pair; (void)chosen;
}
""",
    "sigmoid": """
static void shares(const double *scores, int chosen, double *p)
{
    double sum = 0.0;
    int c;
    class_scores(scores, chosen, p);
    for (c = 0; c < MCSVM_CLASSES; ++c) sum += p[c] = sigmoid(p[c], c);
    for (c = 0; c < MCSVM_CLASSES; ++c) p[c] = sum > 0.0 ? p[c] / sum : 1.0 / MCSVM_CLASSES;
}
""",
    "pairwise": """
/* Minimises the sum of (r_ba p_a - r_ab p_b)^2 over p of sum 1: (Q + 1) p is a multiple of 1. */
static void shares(const double *scores, int chosen, double *p)
{
    ${storage}double m[MCSVM_CLASSES][MCSVM_CLASSES];
    double r, factor, sum = 0.0;
    int a, b, c, pair = 0;
    for (a = 0; a < MCSVM_CLASSES; ++a) {
        p[a] = 1.0;
        for (b = 0; b < MCSVM_CLASSES; ++b) m[a][b] = 1.0;
    }
    for (a = 0; a < MCSVM_CLASSES; ++a)
        for (b = a + 1; b < MCSVM_CLASSES; ++b, ++pair) {
            r = sigmoid($pair_value, pair);
            r = r < $least ? $least : r > 1.0 - $least ? 1.0 - $least : r;
            m[a][a] += (1.0 - r) * (1.0 - r);
            m[b][b] += r * r;
            m[a][b] -= r * (1.0 - r);
            m[b][a] = m[a][b];
        }
    for (a = 0; a < MCSVM_CLASSES; ++a)
        for (b = a + 1; b < MCSVM_CLASSES; ++b) {
            factor = m[b][a] / m[a][a];
            for (c = a; c < MCSVM_CLASSES; ++c) m[b][c] -= factor * m[a][c];
            p[b] -= factor * p[a];
        }
    for (a = MCSVM_CLASSES - 1; a >= 0; --a) {
        for (c = a + 1; c < MCSVM_CLASSES; ++c) p[a] -= m[a][c] * p[c];
        p[a] /= m[a][a];
    }
    for (c = 0; c < MCSVM_CLASSES; ++c) sum += p[c] = p[c] > 0.0 ? p[c] : 0.0;
    for (c = 0; c < MCSVM_CLASSES; ++c) p[c] /= sum;
    (void)chosen;
}
""",
}

CALIBRATED = """
int mcsvm_probabilities(const double *numbers, const char *const *texts, double *probabilities)
{
    double scores[MCSVM_OUTPUTS];
    const int winner_number = mcsvm_predict(numbers, texts, scores);
    if (winner_number >= 0) shares(scores, winner_number, probabilities);
    return winner_number;
}
"""

DRIVER = """
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static double numbers[MCSVM_NUMBERS + 1];
#ifdef MCSVM_CALIBRATED
    static double probabilities[MCSVM_CLASSES];
#else
    static double scores[MCSVM_OUTPUTS];
#endif
    static char *texts[MCSVM_TEXTS + 1];
    FILE *in = fopen(argv[argc - 1], "rb");
    int i, size;
    if (!in) return 1;
    for (;;) {
        if (fread(&size, sizeof size, 1, in) != 1) return 0;
        if (fread(numbers, sizeof(double), MCSVM_NUMBERS, in) != MCSVM_NUMBERS) return 2;
        for (i = 0; i < MCSVM_TEXTS; ++i) {
            if (fread(&size, sizeof size, 1, in) != 1) return 3;
            texts[i] = realloc(texts[i], size + 1);
            if (fread(texts[i], 1, size, in) != (size_t)size) return 4;
            texts[i][size] = 0;
        }
#ifdef MCSVM_CALIBRATED
        printf("%d", mcsvm_probabilities(numbers, (const char *const *)texts, probabilities));
        for (i = 0; i < MCSVM_CLASSES; ++i) printf(" %.17g", probabilities[i]);
        printf("\\n");
#else
        printf("%d\\n", mcsvm_predict(numbers, (const char *const *)texts, scores));
#endif
    }
}
"""


def refusal(trained: TrainedModel) -> str | None:
    if trained.model.kernel.name == "precomputed":
        return "a precomputed kernel has no support vectors to write; use json or libsvm."
    plain = flat_model(trained)
    if any("\0" in text for text in plain.texts):
        return "a class or category contains the character NUL, which ends a text in C; use python, json or onnx."
    return None


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = flat_model(trained)
    return write_checked(trained, plain, path, check, written(plain), [_predictor])


def written(plain: FlatModel) -> Files:
    body = BODY.substitute(
        storage="static " if plain.features > ON_STACK else "",  # too large for a stack, so not for several threads
        products=PRODUCTS[plain.sparse],
        kernel=KERNELS[plain.kernel],
        decision=DECISIONS[plain.decides],
    )
    head = HEAD.replace("$unknown", UNKNOWN[plain.strict])
    head = head.replace("$probabilities", "" if plain.calibration is None else PROBABILITIES)
    return {"": (head + "".join(_tables(plain)) + body + _calibrated(plain)).encode("ascii")}


def _calibrated(plain: FlatModel) -> str:
    found = plain.calibration
    if found is None:
        return ""
    one = plain.classes == 2 and found.method != "temperature"
    shares = Template(SHARES["one sigmoid" if one else found.method]).substitute(
        storage="static " if plain.classes**2 > ON_STACK else "",
        pair_value=PAIR_VALUE[plain.decides == "argmax"],
        least=repr(LEAST) if found.method == "pairwise" else "",
    )
    scores = "argmax" if plain.decides == "argmax" else "one pair" if plain.classes == 2 else "pairs"
    needs_scores = not one and found.method != "pairwise"
    return "".join(
        [
            CLASS_SCORES[scores] if needs_scores else "",
            "" if found.sigmoids is None else SIGMOID,
            shares,
            CALIBRATED,
        ]
    )


def _sides(plain: FlatModel) -> tuple[list[int], list[int]]:
    """The columns that are numbers, and those that are texts."""
    sides: tuple[list[int], list[int]] = ([], [])
    for number, column in enumerate(plain.columns):
        sides[column.levels is not None].append(number)
    return sides


def _tables(plain: FlatModel) -> Iterable[str]:
    numbers, texts = _sides(plain)
    sizes: dict[str, int | str] = {
        "MCSVM_CLASSES": plain.classes,
        "MCSVM_OUTPUTS": plain.outputs,
        "MCSVM_NUMBERS": len(numbers),
    }
    sizes |= {"MCSVM_TEXTS": len(texts), "FEATURES": plain.features, "VECTORS": len(plain.owners)}
    sizes |= {"STRICT": int(plain.strict)}
    if plain.calibration is not None:
        sizes |= {"MCSVM_CALIBRATED": 1}
        sizes |= {} if plain.calibration.temperature is None else {"TEMPERATURE": repr(plain.calibration.temperature)}
    sizes |= {key.upper(): repr(float(value)) for key, value in plain.parameters.items()}
    yield "".join(f"#define {key} {value}\n" for key, value in sizes.items())
    yield _strings("const char *const mcsvm_class_names", plain.class_names)
    yield _strings("const char *const mcsvm_number_names", [plain.columns[i].name for i in numbers])
    yield _strings("const char *const mcsvm_text_names", [plain.columns[i].name for i in texts])
    yield from _preparation(plain, numbers, texts)
    yield _array("double bias", plain.bias)
    if plain.calibration is not None and plain.calibration.sigmoids is not None:
        yield _array("double sigmoids", plain.calibration.sigmoids.ravel())
    yield _array("double squares", plain.squares) if plain.kernel == "rbf" else ""
    yield from _vectors(plain)
    yield from _sparse("expansion", sp.csr_array(plain.expansion))


def _preparation(plain: FlatModel, numbers: list[int], texts: list[int]) -> Iterable[str]:
    place = {column: position for side in (numbers, texts) for position, column in enumerate(side)}
    fills = [plain.columns[i].fill for i in numbers]
    yield _array("int sources", np.array([place[source] for source in plain.sources.tolist()]))
    yield _strings("static const char *const levels", plain.levels)
    yield _strings("static const char *const text_fills", [plain.columns[i].fill for i in texts])
    yield _array("char number_filled", np.array([fill is not None for fill in fills], dtype=np.int64))
    yield _array("double number_fills", np.array([0.0 if fill is None else float(fill) for fill in fills]))
    yield _array("double shift", plain.shift)
    yield _array("double scale", plain.scale)


def _vectors(plain: FlatModel) -> Iterable[str]:
    if plain.sparse:
        yield from _sparse("vector", sp.csr_array(plain.vectors), "vectors")
    else:
        yield _array("double vectors", plain.dense.ravel())


def _sparse(name: str, rows: sp.csr_array, values: str = "expansion") -> Iterable[str]:
    yield _array(f"int {name}_starts", rows.indptr)
    yield _array(f"int {name}_columns", rows.indices)
    yield _array(f"double {values}", rows.data)


def _array(declaration: str, values: np.ndarray) -> str:
    """C has no empty arrays, so an empty one holds a zero."""
    texts = list(map(repr, values.tolist())) or ["0"]
    lines = [", ".join(texts[start : start + 8]) for start in range(0, len(texts), 8)]
    return f"static const {declaration}[] = {{\n" + ",\n".join(lines) + "\n};\n"


def _strings(declaration: str, texts: Iterable[Any]) -> str:
    items = ",\n    ".join("0" if text is None else literal(text) for text in texts) or "0"
    return f"{declaration}[] = {{\n    {items}\n}};\n"


def literal(text: str) -> str:
    """A C string: letters, digits and the harmless stand for themselves, all else is three octal digits."""
    safe = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:;()=<>")
    bytes_ = [chr(byte) if byte in safe else f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass")]
    chunks = ["".join(bytes_[start : start + CHUNK]) for start in range(0, len(bytes_), CHUNK)]
    return " ".join(f'"{chunk}"' for chunk in chunks or [""])


def compiler() -> str | None:
    return programs.found(*COMPILERS)


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    command, probe = compiler(), probe.in_full()
    if command is None:
        return FilePrediction(None, "there is no C compiler here", probe)
    driver, program, rows = (path.with_name(name) for name in ("driver.c", "predict", "rows.bin"))
    driver.write_text(f'#include "{path.name}"\n{DRIVER}', "ascii")
    rows.write_bytes(_packed(plain, probe))
    built = programs.run([command, "-std=c99", "-O1", "-o", str(program), str(driver), "-lm"])
    if built.status:
        raise InputError(
            "The export was not written: {command} stops at it: {reason}",
            command=command,
            reason=built.errors.strip().splitlines()[0],
        )
    lines = [line.split() for line in programs.run([str(program), str(rows)]).output.splitlines()]
    labels = np.array([line[0] for line in lines], dtype=np.int64)
    shares = None if plain.calibration is None else np.array([line[1:] for line in lines], dtype=np.float64)
    return FilePrediction(labels, f"the C compiler {command}", probe, shares)


def _packed(plain: FlatModel, probe: Probe) -> bytes:
    """Per row: a mark, the numbers, and every text after its length."""
    numbers, texts = _sides(plain)
    columns = {i: probe.column(i) for i in texts}
    if texts:
        table = np.column_stack([np.empty((len(probe), 0)), *(probe.column(i) for i in numbers)])
    else:
        table = probe.numbers()
    parts = []
    for row in range(len(probe)):
        encoded = [columns[i][row].encode("utf-8", "surrogatepass") for i in texts]
        parts += [np.int32(0).tobytes(), table[row].astype(np.float64).tobytes()]
        parts += [np.int32(len(text)).tobytes() + text for text in encoded]
    return b"".join(parts)
