"""Three short tours: each step has a text and sets up the playground for it."""

from __future__ import annotations

from dataclasses import dataclass

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.playground.fit_options import SIX, FitOptions


@dataclass(frozen=True)
class Stop:
    """One step of a tour. `steps`: None shows machines; a number shows solvers after that many steps, -1 at their
    end."""

    text: str
    points: str  # name of a random set
    setting: FitOptions
    count: int = 120
    steps: int | None = None


@dataclass(frozen=True)
class Tour:
    name: str
    title: str
    stops: tuple[Stop, ...]


def tours() -> dict[str, Tour]:
    return {tour.name: tour for tour in (_margins(), _solvers(), _cost())}


def _margins() -> Tour:
    linear = FitOptions(machines=("ww",), kernel="linear", log_cost=4.0)
    pair = FitOptions(machines=("ww", "llw"), log_cost=6.0, log_gamma=0.0)
    lonely = FitOptions(machines=("ww", "cs", "llw", "ova"), log_cost=0.0, log_gamma=0.0)
    return Tour(
        "margins",
        tr("What the machines maximise"),
        (
            Stop(
                tr(
                    "The solid line is where the decision changes; a class is safe beyond its dashed margin line."
                    " The machine makes the strip between as wide as it can. Only points with a ring or a frame hold it"
                    " in place: drag one of them, then drag one without."
                ),
                "gaussians",
                linear,
                60,
            ),
            Stop(
                tr(
                    "Two ideas of a margin. Weston-Watkins compares the class functions with each other; Lee-Lin-Wahba"
                    " asks each wrong one to be below a fixed value, whatever the others say. Compare the pale strips."
                ),
                "rings",
                pair,
            ),
            Stop(
                tr(
                    "All six on the same points. They agree if the classes are well separated. If classes"
                    " overlap, each weighs errors differently. The badge above each machine shows how close it"
                    " is to its own optimum."
                ),
                "gaussians",
                FitOptions(machines=SIX),
            ),
            Stop(
                tr(
                    "40, 30 and 30 per cent of three classes in one place. One-vs-all asks three times whether a class"
                    " outweighs all others, and hears no three times: all its functions are -1, and no class stands"
                    " out. Lee-Lin-Wahba was made so that this cannot happen."
                ),
                "single-point",
                lonely,
                10,
            ),
        ),
    )


def _solvers() -> Tour:
    setting = FitOptions(machines=("ww",), log_cost=4.0, log_gamma=1.0)
    return Tour(
        "solvers",
        tr("Why S2DO beats SMO"),
        (
            Stop(
                tr(
                    "Three solvers at the same problem, after one step. A blue frame marks points whose variables"
                    " moved: SMO takes one variable, S2DO two that help each other; Frank-Wolfe walks towards corners"
                    " of the box."
                ),
                "gaussians",
                setting,
                steps=1,
            ),
            Stop(
                tr(
                    "After ten more steps. Press 1 or 10 to go on, and watch the dual rise: a step of two variables"
                    " cannot gain less than the better of them alone."
                ),
                "gaussians",
                setting,
                steps=11,
            ),
            Stop(
                tr(
                    "To the end. Look at the number of steps: where variables depend on each other, and in a problem"
                    " of several classes they do, pairs need far fewer. Frank-Wolfe's steps are cheap, and many."
                ),
                "gaussians",
                setting,
                steps=-1,
            ),
        ),
    )


def _cost() -> Tour:
    def at(log_cost: float) -> FitOptions:
        return FitOptions(machines=("ww", "cs"), log_cost=log_cost, log_gamma=2.0)

    return Tour(
        "cost",
        tr("What C does"),
        (
            Stop(
                tr(
                    "C is what an error costs. Here it costs little: the machine prefers a wide margin, and most points"
                    " lie within it. Squares mark points whose variable is at its bound."
                ),
                "moons",
                at(-4.0),
            ),
            Stop(
                tr(
                    "With a larger C the border follows the points. Fewer of them are at their bound, and fewer are"
                    " needed at all. Move the slider and watch the rings."
                ),
                "moons",
                at(3.0),
            ),
            Stop(
                tr(
                    "With a very large C every point must be right, and a single one bends the border. Drag a point"
                    " across to the other moon and see what it does; then move C to the left again."
                ),
                "moons",
                at(12.0),
            ),
        ),
    )
