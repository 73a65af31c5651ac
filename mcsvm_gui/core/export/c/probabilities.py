"""Probabilities in C, and predictions that minimise expected costs."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

from mcsvm.solvers.uncertainty.costs import NEAR
from mcsvm.solvers.uncertainty.probability import LEAST
from mcsvm_gui.core.export.c.literals import array
from mcsvm_gui.core.export.flat_model import FlatModel

ON_STACK = 16384  # numbers that a function may put on the stack

CLASS_SCORES = {  # input of temperatures and of sigmoids of single classes; `chosen` is the predicted class
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

CHEAPEST = {  # keyed by whether all errors cost the same: the class that a rule chooses before it may reject
    True: """
static int cheapest(const double *p)
{
    int c, best = 0;
    for (c = 1; c < MCSVM_CLASSES; ++c)
        if (p[c] > p[best]) best = c;
    return best;
}
""",
    False: """
/* The first class whose expected cost is within COST_SLACK of the smallest. */
static int cheapest(const double *p)
{
    double expected[MCSVM_CLASSES], least;
    int c, t, best = 0;
    for (c = 0; c < MCSVM_CLASSES; ++c) {
        expected[c] = 0.0;
        for (t = 0; t < MCSVM_CLASSES; ++t) expected[c] += p[t] * costs[t * MCSVM_CLASSES + c];
    }
    least = expected[0];
    for (c = 1; c < MCSVM_CLASSES; ++c)
        if (expected[c] < least) least = expected[c];
    while (expected[best] > least + COST_SLACK) ++best;
    return best;
}
""",
}

DECIDED = {  # keyed by whether the model has a rule of costs
    True: """
static int decided(const double *scores)
{
    double p[MCSVM_CLASSES];
    int best;
    shares(scores, winner(scores), p);
    best = cheapest(p);
    return p[best] < REJECTED_BELOW ? -2 : best;
}
""",
    False: "\nstatic int decided(const double *scores) { return winner(scores); }\n",
}


def sizes(plain: FlatModel) -> dict[str, int | str]:
    found, rule = plain.calibration, plain.rule
    if found is None:
        return {}
    sizes: dict[str, int | str] = {"MCSVM_CALIBRATED": 1}
    if found.temperature is not None:
        sizes["TEMPERATURE"] = repr(found.temperature)
    if rule is not None:
        sizes |= {"REJECTED_BELOW": repr(rule.reject), "COST_SLACK": repr(NEAR * float(rule.table.max()))}
    return sizes


def tables(plain: FlatModel) -> Iterable[str]:
    if plain.calibration is not None and plain.calibration.sigmoids is not None:
        yield array("double sigmoids", plain.calibration.sigmoids.ravel())
    if plain.rule is not None and not plain.rule.equal:
        yield array("double costs", plain.rule.table.ravel())


def code(plain: FlatModel) -> str:
    rule = "" if plain.rule is None else CHEAPEST[plain.rule.equal]
    return _shares(plain) + rule + DECIDED[plain.rule is not None]


def _shares(plain: FlatModel) -> str:
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
    return "".join([CLASS_SCORES[scores] if needs_scores else "", "" if found.sigmoids is None else SIGMOID, shares])
