"""What a training needs is counted before it begins, and refused in a sentence if it cannot fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from copies import import_path
from small_data import problem_of

from mcsvm.solvers import memory
from mcsvm.solvers.dual.certificate import certificate_at_zero, certify
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run

X = np.random.default_rng(2).normal(size=(60, 2))
Y = np.repeat(np.arange(6), [3, 5, 5, 12, 15, 20])
MEMORY = """
import sys
import numpy as np
from tests.peak_memory import peak_mb
from mcsvm import MultiClassSVC
classes, machine = int(sys.argv[1]), sys.argv[2]
random = np.random.default_rng(0)
labels = np.tile(np.arange(classes), 2)
rows = 10.0 * random.normal(size=(classes, 2))[labels] + 0.1 * random.normal(size=(labels.size, 2))
few = labels < 5
MultiClassSVC(machine=machine).fit(rows[few], labels[few]).predict(rows)
before = peak_mb()
MultiClassSVC(machine=machine, time_limit=5.0).fit(rows, labels).predict(rows[:100])
print(peak_mb() - before)
"""


@pytest.mark.parametrize(
    ("machine", "bias"), [("ovo", "exact"), ("ovo", "none"), ("ova", "exact"), ("dag", "regularized")]
)
@pytest.mark.parametrize("first", [0, 1, 5])
def test_parts_not_begun_count_with_the_certificate_of_zero(machine: str, bias: str, first: int) -> None:
    problem = problem_of(X, Y, machine, bias=bias, cost=3.0)
    found, expected, biases = certificate_at_zero(problem, first), [], []
    for number in range(first, problem.part_count):
        part = problem.part(number)
        proof = certify(part, np.zeros((len(part), 1)))
        expected.append(proof.certificate)
        biases.append(float(proof.bias[0]))
    assert found.primal == pytest.approx(sum(one.primal for one in expected), rel=1e-12)
    assert found.dual == sum(one.dual for one in expected) == 0.0
    assert found.violation == pytest.approx(max(one.violation for one in expected), rel=1e-12)
    assert found.scale == pytest.approx(sum(one.scale for one in expected), rel=1e-12)
    np.testing.assert_allclose(problem.biases_at_zero(first), biases, atol=1e-12)


@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo", "dag"])
def test_what_cannot_fit_is_refused_before_anything_is_made(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(X, Y, machine)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000.0)
    monkeypatch.setattr(memory, "SMALL", 0.0)
    with pytest.raises(InputError, match=rf"{machine} on 60 rows of 6 classes needs about .* GB .* fewer classes"):
        Run(problem)


def test_pairs_need_memory_for_each_of_them() -> None:
    labels = np.tile(np.arange(100), 2)
    rows = np.zeros((200, 1))
    ovo, ova = (memory.needed_bytes(problem_of(rows, labels, machine)) for machine in ("ovo", "ova"))
    assert ovo > 4950 * 1000 > ova


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="control groups and /proc are Linux's")
def test_a_limit_of_the_control_group_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.available_bytes() == 2e6
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() > 1e7


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("machine", ["ovo", "dag"])
def test_three_hundred_classes_take_some_hundred_mb(machine: str) -> None:
    """A table of all pairs took 903 MB."""
    environment = {**os.environ, "PYTHONPATH": import_path()}
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, "300", machine], capture_output=True, text=True, check=True, env=environment
    )
    assert float(done.stdout.split()[-1]) < 300.0


def test_a_run_that_was_stopped_has_functions_of_all_pairs() -> None:
    run = Run(problem_of(X, Y, "ovo"), "smo", Limits(1e-3))
    run.advance(1)
    run.stop()
    proofs, model = run.proofs(), run.model()
    assert len(proofs) < run.problem.part_count == model.bias.size
    certificate = run.certificate(proofs)
    assert certificate.primal >= certificate.dual
    assert [alpha.any() for alpha in run.alphas()].count(False) >= run.problem.part_count - len(proofs)


@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "adm", "atm", "ats", "mmr", "ova", "ovo"])
@pytest.mark.parametrize("classes", [3, 7])
def test_the_longest_reading_is_that_of_the_table(machine: str, classes: int) -> None:
    form = problem_of(np.zeros((classes, 1)), np.arange(classes), machine).form
    assert form.longest_reading == pytest.approx(float(np.abs(form.reading[1]).sum(axis=2).max()), rel=1e-12)
    inner = np.einsum("ypc,yqc->ypq", form.direction, form.direction)
    if form.uniform is not None:
        own, shared = form.uniform
        both = form.real[:, :, None] & form.real[:, None, :]
        np.testing.assert_allclose(inner[both], (own * np.eye(form.slots) + shared * np.ones_like(inner))[both])


def test_tables_of_joint_machines_grow_with_the_cube_of_the_classes() -> None:
    problems = [problem_of(np.zeros((k, 1)), np.arange(k), "ww") for k in (10, 20)]
    less, more = map(memory.needed_bytes, problems)
    assert more - 4.0 * less >= 4.0 * memory.DIRECTION_BYTES * 10**3
