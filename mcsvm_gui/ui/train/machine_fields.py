"""The fields of the machine form: names, words and hints, in the order they stand."""

from __future__ import annotations

from dataclasses import dataclass

from mcsvm_gui.ui.kit.i18n import tr


@dataclass(frozen=True)
class Field:
    """`key` is the name in a request, `name` that of the widget."""

    key: str
    name: str
    title: str
    tip: str
    hint: str = ""  # shown where nothing is entered
    unit: str = ""


def fields() -> tuple[Field, ...]:
    return (
        Field("C", "costEdit", "C", tr("The cost of errors; 2^-3 is understood"), "1"),
        Field("gamma", "gammaEdit", tr("Gamma"), tr("Width of the kernel: a number, 2^-3, or scale"), "scale"),
        Field("degree", "degreeEdit", tr("Degree"), tr("Of the polynomial, a whole number"), "3"),
        Field("coef0", "coef0Edit", tr("Constant"), tr("Added to the inner product before the kernel"), "0"),
        Field("tol", "toleranceEdit", tr("Tolerance"), tr("The largest violation of optimality allowed"), "1e-3"),
    )


def more_fields() -> tuple[Field, ...]:
    weights = tr("balanced, or a factor on C per class such as {example}", example='{"a": 2, "b": 1}')
    return (
        Field("margin", "marginEdit", tr("Margin"), tr("That the machine asks for"), tr("the machine's own")),
        Field("class_weight", "classWeightEdit", tr("Class weights"), weights, tr("none")),
        Field(
            "gap_tol",
            "gapToleranceEdit",
            tr("Gap tolerance"),
            tr("The relative gap to end at instead"),
            tr("none"),
        ),
        Field("max_iter", "stepLimitEdit", tr("Step limit"), tr("End after so many steps"), tr("none")),
        Field("time_limit", "timeLimitEdit", tr("Time limit"), tr("End after so many seconds"), tr("none"), tr("s")),
        Field("cache_mb", "cacheEdit", tr("Kernel cache"), tr("Memory for kernel rows"), "500", tr("MB")),
        Field("threads", "threadsEdit", tr("Threads"), tr("Of matrix products"), "1"),
    )
