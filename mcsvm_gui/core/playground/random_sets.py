"""Random sets to begin with, one function each; the arguments are the number of points and a random generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.playground.drawing import Drawing

Source = np.random.Generator


@dataclass(frozen=True)
class RandomSet:
    name: str
    title: str
    about: str
    draw: Callable[[int, Source], Drawing]


def random_sets() -> dict[str, RandomSet]:
    sets = (
        RandomSet("gaussians", tr("Overlapping Gaussians"), tr("Four clouds, no two quite apart"), gaussians),
        RandomSet("moons", tr("Moons"), tr("Two half circles that reach into each other"), moons),
        RandomSet("rings", tr("Rings"), tr("Three classes, one around the other"), rings),
        RandomSet("checkerboard", tr("Checkerboard"), tr("Two classes in turn on four by four squares"), checkerboard),
        RandomSet(
            "single-point",
            tr("One place, three classes"),
            tr("40, 30 and 30 per cent of the points in one place: one-vs-all with its bias finds no class there"),
            single_point,
        ),
    )
    return {chosen.name: chosen for chosen in sets}


def drawn(name: str, count: int, seed: int) -> Drawing:
    return random_sets()[name].draw(count, np.random.default_rng(seed))


def gaussians(count: int, chance: Source) -> Drawing:
    classes = np.arange(count) % 4
    centres = np.array([[-0.42, -0.38], [0.42, -0.42], [-0.38, 0.42], [0.38, 0.38]])
    return Drawing.of(centres[classes] + chance.normal(0.0, 0.22, (count, 2)), classes)


def moons(count: int, chance: Source) -> Drawing:
    classes = np.arange(count) % 2
    angle = np.pi * chance.random(count)
    upper = np.stack([np.cos(angle) - 0.5, np.sin(angle) - 0.25], axis=1)
    lower = np.stack([0.5 - np.cos(angle), 0.25 - np.sin(angle)], axis=1)
    places = 0.6 * np.where((classes == 0)[:, None], upper, lower)
    return Drawing.of(places + chance.normal(0.0, 0.07, (count, 2)), classes)


def rings(count: int, chance: Source) -> Drawing:
    classes = np.arange(count) % 3
    angle, radius = 2.0 * np.pi * chance.random(count), np.array([0.15, 0.5, 0.85])[classes]
    radius = radius + chance.normal(0.0, 0.07, count)
    return Drawing.of(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1), classes)


def checkerboard(count: int, chance: Source) -> Drawing:
    places = chance.uniform(-1.0, 1.0, (count, 2))
    squares = np.minimum(np.floor(2.0 * (places + 1.0)), 3.0).astype(np.int64)
    return Drawing.of(places, squares.sum(axis=1) % 2)


def single_point(count: int, chance: Source) -> Drawing:
    """Draw the example of Dogan, Glasmachers & Igel 2011, footnote 1: 0.4, 0.3 and 0.3 of the points in one place.

    Each class is rarer there than all others together, so one-vs-all says "not this one" three times.
    """
    tens = max(1, round(count / 10))
    classes = np.repeat([0, 1, 2], [4 * tens, 3 * tens, 3 * tens])
    return Drawing.of(np.zeros((classes.size, 2)), classes)
