"""Probabilities in PMML as a chain of models: PMML's support vector machines do not have them.

Each output of the machine is a regression. The last model turns outputs into scores and probabilities by derived
fields, and predicts by a softmax of the scores. Under temperature that softmax gives the probabilities; otherwise they
are further outputs, and may disagree with the predicted class.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree as ET

from mcsvm.solvers.uncertainty.probability import LEAST, Calibration
from mcsvm_gui.core.export.flat_model import FlatModel

Unused = Callable[[str], str]  # returns a name that no other field has, from the proposed one
MOST_COUPLED = 30  # classes: coupling their pairs takes k^3 / 6 derived fields
Term = ET.Element


def holds(plain: FlatModel) -> bool:
    found = plain.calibration
    return found is not None and not (found.method == "pairwise" and plain.classes > MOST_COUPLED)


class Fields:
    """Derived fields of one model, each under a name that no other field has."""

    def __init__(self, parent: ET.Element, unused: Unused) -> None:
        self._parent, self._unused = parent, unused

    def add(self, name: str, term: Term) -> Term:
        """Add a field and return a reference to it."""
        named = self._unused(name)
        field = ET.SubElement(self._parent, "DerivedField", name=named, optype="continuous", dataType="double")
        field.append(term)
        return reference(named)

    def all(self, name: str, terms: list[Term]) -> list[Term]:
        return [self.add(f"{name}_{number}", term) for number, term in enumerate(terms, 1)]


def reference(name: str) -> Term:
    return ET.Element("FieldRef", field=name)


def number(value: float) -> Term:
    constant = ET.Element("Constant", dataType="double")
    constant.text = repr(float(value))
    return constant


def apply(function: str, *terms: Term) -> Term:
    found = ET.Element("Apply", function=function)
    found.extend(terms)
    return found


# -- the last model of the chain ------------------------------------------------------------------


def last_model(parent: ET.Element, plain: FlatModel, outputs: list[str], target: str, unused: Unused) -> None:
    found = plain.calibration
    assert found is not None
    model = ET.SubElement(parent, "RegressionModel", functionName="classification", normalizationMethod="softmax")
    schema, output = ET.SubElement(model, "MiningSchema"), ET.SubElement(model, "Output")
    for name in outputs:
        ET.SubElement(schema, "MiningField", name=name, usageType="active")
    ET.SubElement(schema, "MiningField", name=target, usageType="target")
    fields = Fields(ET.SubElement(model, "LocalTransformations"), unused)
    values = [reference(name) for name in outputs]
    scores = class_scores(fields, plain, values)
    exponents = _exponents(fields, scores, found.temperature or 1.0)
    by_softmax = found.temperature is not None
    _name(output, plain, [] if by_softmax else shares(fields, plain, found, values, scores), unused)
    for name, exponent in zip(plain.class_names, exponents, strict=True):
        table = ET.SubElement(model, "RegressionTable", intercept="0", targetCategory=name)
        ET.SubElement(table, "NumericPredictor", name=exponent.attrib["field"], coefficient="1")


def _exponents(fields: Fields, scores: list[Term], temperature: float) -> list[Term]:
    """Return the exponents, none above 0: readers differ in the range of their exponential."""
    largest = fields.add("largest", apply("max", *scores))
    behind = [apply("/", apply("-", score, largest), number(temperature)) for score in scores]
    return fields.all("exponent", behind)


def _name(output: ET.Element, plain: FlatModel, found: list[Term], unused: Unused) -> None:
    """Add the outputs: the predicted class, and for each class its probability, or else its share of the softmax."""
    decision = {"name": unused("decision"), "optype": "categorical", "dataType": "string"}
    ET.SubElement(output, "OutputField", {**decision, "feature": "predictedValue"})
    for place, name in enumerate(plain.class_names):
        said = {"name": unused(f"probability({name})"), "optype": "continuous", "dataType": "double"}
        if found:
            ET.SubElement(output, "OutputField", {**said, "feature": "transformedValue"}).append(found[place])
        else:
            ET.SubElement(output, "OutputField", {**said, "feature": "probability", "value": name})


# -- scores ---------------------------------------------------------------------------------------


def class_scores(fields: Fields, plain: FlatModel, values: list[Term]) -> list[Term]:
    """Return the values that temperatures and sigmoids of single classes transform; the predicted class has the
    largest."""
    if plain.decides == "argmax":
        return values
    if plain.classes == 2:
        return fields.all("score", [apply("*", values[0], number(half)) for half in (0.5, -0.5)])
    of_class: list[list[tuple[Term, bool]]] = [[] for _ in range(plain.classes)]
    for (a, b), value in zip(plain.pairs, values, strict=True):
        of_class[a].append((value, True))
        of_class[b].append((value, False))
    votes = fields.all("votes", [apply("sum", *(_vote(*one) for one in mine)) for mine in of_class])
    clarity = fields.all("clarity", [apply("sum", *(_signed(*one) for one in mine)) for mine in of_class])
    given = fields.all("given", [apply("+", vote, _within(clear)) for vote, clear in zip(votes, clarity, strict=True)])
    winner = _first_largest(fields, votes) if plain.decides == "votes" else _walk(fields, plain, values)
    return _exchanged(fields, given, fields.add("winner", winner))


def _vote(value: Term, first: bool) -> Term:
    return apply("if", apply("greaterThan", value, number(0.0)), number(first), number(not first))


def _signed(value: Term, first: bool) -> Term:
    return value if first else apply("-", number(0.0), value)


def _within(clear: Term) -> Term:
    """Return clarity / (3 (|clarity| + 1))."""
    return apply("/", clear, apply("*", number(3.0), apply("+", apply("abs", clear), number(1.0))))


def _first_largest(fields: Fields, of: list[Term]) -> Term:
    largest = fields.add("most", apply("max", *of))
    found = number(len(of) - 1)
    for place in reversed(range(len(of) - 1)):
        found = apply("if", apply("equal", of[place], largest), number(place), found)
    return found


def _walk(fields: Fields, plain: FlatModel, values: list[Term]) -> Term:
    """Return the winner of the graph.

    For the classes a to b it drops the first or the last, depending on the function of this pair.
    """
    of_pair = dict(zip(plain.pairs, values, strict=True))
    left = [number(c) for c in range(plain.classes)]
    for apart in range(1, plain.classes):
        for a in range(plain.classes - apart):
            first = apply("greaterThan", of_pair[a, a + apart], number(0.0))
            left[a] = fields.add(f"left_{a}_{a + apart}", apply("if", first, left[a], left[a + 1]))
    return left[0]


def _exchanged(fields: Fields, given: list[Term], winner: Term) -> list[Term]:
    """Exchange two scores: the winner gets the largest, and the class that had the largest gets the winner's."""
    first = fields.add("first", _first_largest(fields, given))
    largest, own = (fields.add("held", apply("sum", *_only(place, given))) for place in (first, winner))
    scores = [
        apply("if", _is(winner, c), largest, apply("if", _is(first, c), own, score)) for c, score in enumerate(given)
    ]
    return fields.all("score", scores)


def _only(place: Term, of: list[Term]) -> list[Term]:
    return [apply("if", _is(place, c), score, number(0.0)) for c, score in enumerate(of)]


def _is(place: Term, value: int) -> Term:
    return apply("equal", place, number(value))


# -- sigmoids -------------------------------------------------------------------------------------


def shares(fields: Fields, plain: FlatModel, found: Calibration, values: list[Term], scores: list[Term]) -> list[Term]:
    if found.method == "pairwise" or plain.classes == 2:
        pairs = values
        if plain.decides == "argmax":
            pairs = fields.all("pair", [apply("-", values[a], values[b]) for a, b in plain.pairs])
        shares = _sigmoids(fields, found, pairs)
        if plain.classes == 2:
            return fields.all("share", [shares[0], apply("-", number(1.0), shares[0])])
        return _coupled(fields, plain.classes, shares)
    shares = _sigmoids(fields, found, scores)
    total, even = fields.add("total", apply("sum", *shares)), number(1.0 / plain.classes)
    positive = apply("greaterThan", total, number(0.0))
    return fields.all("share", [apply("if", positive, apply("/", one, total), even) for one in shares])


def _sigmoids(fields: Fields, found: Calibration, values: list[Term]) -> list[Term]:
    assert found.sigmoids is not None
    lines = [
        apply("+", apply("*", value, number(a)), number(b))
        for value, (a, b) in zip(values, found.sigmoids.tolist(), strict=True)
    ]
    return fields.all("sigmoid", [apply("/", number(1.0), apply("+", number(1.0), apply("exp", one))) for one in lines])


def _coupled(fields: Fields, k: int, pairs: list[Term]) -> list[Term]:
    """Return the p of sum 1 that minimises p' Q p: (Q + 1) p is a multiple of 1; by symmetric elimination."""
    held = [apply("max", apply("min", one, number(1.0 - LEAST)), number(LEAST)) for one in pairs]
    r = dict(zip(combinations(range(k), 2), fields.all("pair_share", held), strict=True))
    rest = {pair: apply("-", number(1.0), one) for pair, one in r.items()}
    m: dict[tuple[int, int], Term] = {}
    for a in range(k):
        own = [rest[a, b] if a < b else r[b, a] for b in range(k) if b != a]
        m[a, a] = fields.add(f"m_{a}_{a}", apply("sum", number(1.0), *(apply("*", one, one) for one in own)))
        for b in range(a + 1, k):
            m[a, b] = fields.add(f"m_{a}_{b}", apply("-", number(1.0), apply("*", r[a, b], rest[a, b])))
    right = [number(1.0)] * k
    for a in range(k):
        for b in range(a + 1, k):
            factor = fields.add("factor", apply("/", m[a, b], m[a, a]))
            for c in range(b, k):
                m[b, c] = fields.add(f"m_{b}_{c}", apply("-", m[b, c], apply("*", factor, m[a, c])))
            right[b] = fields.add(f"right_{b}", apply("-", right[b], apply("*", factor, right[a])))
    p: dict[int, Term] = {}
    for a in reversed(range(k)):
        known = [apply("*", m[a, c], p[c]) for c in range(a + 1, k)]
        left = apply("-", right[a], apply("sum", *known)) if known else right[a]
        p[a] = fields.add(f"p_{a}", apply("/", left, m[a, a]))
    found = fields.all("positive", [apply("max", p[a], number(0.0)) for a in range(k)])
    total = fields.add("total", apply("sum", *found))
    return fields.all("share", [apply("/", one, total) for one in found])
