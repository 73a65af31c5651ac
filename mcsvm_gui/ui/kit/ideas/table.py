"""The ideas: title, text, and the stop of a playground tour that shows more. To add an idea, add an entry.

Pictures are resources/pictures/ideas/NAME-light.png and -dark.png, made by `python -m tests.idea_pictures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcsvm_gui.ui.kit.i18n import tr


@dataclass(frozen=True)
class Idea:
    title: str
    text: str
    tour: str = ""  # name and number of a stop


def ideas() -> dict[str, Idea]:
    return {
        "six": Idea(
            tr("Why six machines"),
            tr(
                "Each machine handles several classes in its own way. They agree if the classes are well"
                " separated. If classes overlap, each weighs errors differently. So all six are tried, and"
                " cross-validation chooses one."
            ),
            "margins 2",
        ),
        "margin": Idea(
            tr("The margin"),
            tr(
                "The solid line is where the decision changes, the dashed ones are the margin: the machine makes this"
                " strip as wide as it can. Only rows with a ring, the support vectors, hold it in place."
            ),
            "margins 0",
        ),
        "certificate": Idea(
            tr("The certificate"),
            tr(
                "Training goes towards one optimum: here after 1, 11 and all steps. Two values enclose it, and their"
                " distance is the certificate: no such machine can be better by more."
            ),
            "solvers 0",
        ),
        "cost": Idea(
            tr("What C does"),
            tr(
                "The price of an error, from small to large: first a wide margin with some rows on the wrong side, in"
                " the end a border that bends around every row."
            ),
            "cost 0",
        ),
        "gamma": Idea(
            tr("What gamma does"),
            tr(
                "How narrow the kernel is, from small to large: first nearly straight borders, in the end islands"
                " around single rows. Each changes what the other does, so C and gamma are searched together."
            ),
        ),
    }


def machine_ideas(titles: Mapping[str, str]) -> dict[str, Idea]:
    """Return one idea per machine; their pictures show the same points as each machine predicts them."""
    text = tr(
        "Solid: where the decision changes. Dashed: the margin. Rings: support vectors. Every machine has its own."
    )
    return {
        name: Idea(tr("How {machine} predicts", machine=title), text, "margins 2") for name, title in titles.items()
    }
