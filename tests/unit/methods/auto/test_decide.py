"""How `auto` decides, as a table: facts, and the phase that follows from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcsvm.solvers.budget import BUDGET, Phase, next_decision
from mcsvm.solvers.methods.auto.conductor import Facts, decide, readiness
from mcsvm.solvers.methods.base import Progress

BLOCKS = Facts(Phase.BLOCKS, spent=1.0, ask_at=2.0)
STALLED = Progress.STALLED

TABLE = {
    "blocks go on while nothing is due": (BLOCKS, Phase.BLOCKS),
    "blocks go on while a homotopy is dearer": (replace(BLOCKS, homotopy_price=1.5), Phase.BLOCKS),
    "a homotopy that blocks have paid for": (replace(BLOCKS, homotopy_price=1.0), Phase.HOMOTOPY),
    "blocks that need longer than a burst": (replace(BLOCKS, blocks_need=3.0, burst_price=0.5), Phase.SPLITTING),
    "blocks that need less than a burst": (replace(BLOCKS, blocks_need=0.4, burst_price=0.5), Phase.BLOCKS),
    "an interior point that blocks have paid for": (
        replace(BLOCKS, ask_at=1.0, interior_price=1.0),
        Phase.INTERIOR,
    ),
    "an interior point that is dearer": (replace(BLOCKS, ask_at=1.0, interior_price=1.1), Phase.BLOCKS),
    "proximal steps in its place": (
        replace(BLOCKS, ask_at=1.0, interior_price=0.9, proximal_ready=True, one_system_per_class=True),
        Phase.PROXIMAL,
    ),
    "sooner where nothing was reached": (
        replace(BLOCKS, ask_at=1.0, interior_price=3.9, one_system_per_class=True, worse_than_zero=True),
        Phase.INTERIOR,
    ),
    "later where ADMM leads": (replace(BLOCKS, ask_at=1.0, interior_price=0.6, admm_leads=True), Phase.BLOCKS),
    "blocks that stall": (replace(BLOCKS, outcome=STALLED, interior_price=np.inf), Phase.INTERIOR),
    "shrunk examples go on": (replace(BLOCKS, phase=Phase.SHRUNK, homotopy_price=0.1), Phase.SHRUNK),
    "shrunk examples that stall": (replace(BLOCKS, phase=Phase.SHRUNK, outcome=STALLED), Phase.BLOCKS),
    "shrunk examples dearer than the interior point": (
        replace(BLOCKS, phase=Phase.SHRUNK, ask_at=1.0, interior_price=0.9),
        Phase.INTERIOR,
    ),
    "claims in vain": (replace(BLOCKS, vain_claims=BUDGET.vain_claims + 1), Phase.INTERIOR),
    "a few claims in vain": (replace(BLOCKS, vain_claims=BUDGET.vain_claims), Phase.BLOCKS),
    "a homotopy goes on": (replace(BLOCKS, phase=Phase.HOMOTOPY, homotopy_price=np.inf), Phase.HOMOTOPY),
    "a homotopy that stalls": (replace(BLOCKS, phase=Phase.HOMOTOPY, outcome=STALLED), Phase.BLOCKS),
    "a homotopy far dearer than the interior point": (
        replace(BLOCKS, phase=Phase.HOMOTOPY, ask_at=1.0, interior_price=0.2),
        Phase.INTERIOR,
    ),
    "proximal steps go on": (replace(BLOCKS, phase=Phase.PROXIMAL, spent=9.0), Phase.PROXIMAL),
    "proximal steps that have settled": (
        replace(BLOCKS, phase=Phase.PROXIMAL, proximal_settled=True),
        Phase.HOMOTOPY,
    ),
    "proximal steps that stall": (replace(BLOCKS, phase=Phase.PROXIMAL, outcome=STALLED), Phase.INTERIOR),
    "an interior point goes on": (replace(BLOCKS, phase=Phase.INTERIOR, spent=9.0), Phase.INTERIOR),
    "what finishes it goes on": (replace(BLOCKS, phase=Phase.FINISHING, outcome=STALLED), Phase.FINISHING),
}


@pytest.mark.parametrize("case", TABLE)
def test_a_phase_follows_from_facts(case: str) -> None:
    facts, phase = TABLE[case]
    chosen = decide(facts, BUDGET)
    assert chosen.phase is phase
    assert chosen.reason.endswith(".")
    assert decide(facts, BUDGET) == chosen


@pytest.mark.parametrize("phase", [Phase.SPLITTING, Phase.HOMOTOPY, Phase.PROXIMAL, Phase.INTERIOR])
@pytest.mark.parametrize("case", TABLE)
def test_a_phase_that_is_left_out_is_never_begun(case: str, phase: Phase) -> None:
    facts, _ = TABLE[case]
    if facts.phase is phase:
        return
    assert decide(facts, replace(BUDGET, phases=BUDGET.phases - {phase})).phase is not phase


def test_a_price_that_is_too_high_is_asked_for_again_later() -> None:
    chosen = decide(replace(BLOCKS, ask_at=1.0, interior_price=100.0), BUDGET)
    assert chosen.ask_at == 100.0 / BUDGET.interior_haste
    assert decide(replace(BLOCKS, ask_at=1.0, interior_price=1.1), BUDGET).ask_at == BUDGET.interior_growth


def test_how_much_sooner() -> None:
    joint = replace(BLOCKS, one_system_per_class=False)
    separate = replace(BLOCKS, one_system_per_class=True)
    assert readiness(joint, BUDGET) == 1.0
    assert readiness(replace(joint, admm_leads=True), BUDGET) == 1.0 / BUDGET.interior_patience
    assert readiness(separate, BUDGET) == 1.0
    assert readiness(replace(separate, worse_than_zero=True), BUDGET) == BUDGET.interior_haste
    assert readiness(replace(separate, phase=Phase.HOMOTOPY), BUDGET) == 1.0 / BUDGET.interior_haste


def test_without_a_race_only_a_stall_leads_to_the_interior_point() -> None:
    patient, paid = replace(BUDGET, interior_race=False), replace(BLOCKS, ask_at=1.0, interior_price=0.1)
    assert decide(paid, patient).phase is Phase.BLOCKS
    assert decide(replace(paid, outcome=STALLED), patient).phase is Phase.INTERIOR


def test_decisions_fall_at_steps_that_follow_from_steps_alone() -> None:
    at = [0]
    while at[-1] < 10**6:
        at.append(next_decision(at[-1]))
    apart = np.diff(at)
    assert apart.min() == BUDGET.decide_first
    assert apart.max() == BUDGET.decide_most
    assert (np.diff(apart) >= 0).all()
