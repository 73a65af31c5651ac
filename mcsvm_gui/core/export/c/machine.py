"""The machine in C: kernel, sums over support vectors, and the winning class."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

import scipy.sparse as sp

from mcsvm_gui.core.export.c.literals import array, sparse
from mcsvm_gui.core.export.flat_model import FlatModel

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

EVALUATION = Template("""
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


def tables(plain: FlatModel) -> Iterable[str]:
    yield array("double bias", plain.bias)
    yield array("double squares", plain.squares) if plain.kernel == "rbf" else ""
    if plain.sparse:
        yield from sparse("vector", sp.csr_array(plain.vectors), "vectors")
    else:
        yield array("double vectors", plain.dense.ravel())
    yield from sparse("expansion", sp.csr_array(plain.expansion))


def code(plain: FlatModel) -> str:
    evaluation = EVALUATION.substitute(products=PRODUCTS[plain.sparse], kernel=KERNELS[plain.kernel])
    return evaluation + DECISIONS[plain.decides]
