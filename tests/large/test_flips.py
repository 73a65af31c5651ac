"""Rows of wine, glass, vowel and segment have a change that the model decides otherwise, and it is verified."""

from __future__ import annotations

import pytest

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.explain.explanation import prepared_rows
from mcsvm_gui.core.explain.flips import flip_row
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

pytestmark = [pytest.mark.large, pytest.mark.timeout(0)]


@pytest.mark.parametrize("machine", ["ww", "ovo"])
@pytest.mark.parametrize("name", ["wine", "glass", "vowel_train", "segment"])
def test_flips_are_found_and_verified(name: str, machine: str) -> None:
    """99 % of the rows; the others say why."""
    dataset = open_dataset(str(resources.dataset(name)), ReadOptions())
    trained = train(Request(machine=machine, C=16.0, gamma=0.25), dataset).trained
    data, decided = prepared_rows(trained, dataset), trained.decide(dataset)
    places = range(dataset.rows)
    found = [flip_row(trained, dataset, data, place) for place in places]
    verified = [one for place, one in zip(places, found, strict=True) if one.before == decided[place] != one.after]
    changed = [one for one in verified if one.changes]
    distances = sorted(one.distance for one in changed if one.distance is not None)
    print(f"\n{name} {machine}: {len(changed)} of {len(found)}, median distance {distances[len(distances) // 2]:.3f}")
    assert len(changed) >= 0.99 * len(found)
    assert all(one.why for one in found if not one.changes)
