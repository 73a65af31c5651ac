"""The file of a run: whole or not there at all, and every reason not to go on from it in one sentence."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_data import blobs, problem_of

from mcsvm import InputError
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import checkpoint
from mcsvm.solvers.run.checkpoint import Saved
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run

X, Y = blobs(n=40, classes=3, seed=2)
METHODICAL = Limits(1e-4, 1e-7)  # a gap leaves small pairs to the method


def posed(machine: str = "ovo", **more: Any) -> Problem:
    return problem_of(X, Y, machine, **{"cost": 2.0, **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run in its second part, as a file."""
    run = Run(posed(), "auto", METHODICAL)
    while run.running and len(run._finished) < 1:
        run.advance(3)
    run.advance(3)
    run.save(tmp_path / "run.mcsvm")
    assert run.running
    return tmp_path / "run.mcsvm"


def refused(problem: Problem, path: Path, method: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        Run.load(problem, path, method)
    sentence = str(error.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


# -- what is kept ----------------------------------------------------------------------------------


def test_all_that_can_be_asked_of_a_run_is_there_again(path: Path) -> None:
    run = Run(posed(), "auto", METHODICAL)
    while len(run._finished) < 1:
        run.advance(3)
    run.advance(3)
    again = Run.load(posed(), path)
    assert (again.running, again.iterations, again.kernel_evaluations) == (True, run.iterations, run.kernel_evaluations)
    assert (again.limits, again.method, again.certificate()) == (run.limits, run.method, run.certificate())
    assert again.seconds > 0.0
    assert len(again.trace) == len(run.trace)
    assert again.sample().primal == run.sample().primal
    for one, other in zip(run.proofs(), again.proofs(), strict=True):
        np.testing.assert_array_equal(one.products, other.products)


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_a_finished_run_is_kept_with_its_model(machine: str, tmp_path: Path) -> None:
    run = Run(posed(machine))
    while run.running:
        run.advance()
    run.save(tmp_path / "run")
    again = Run.load(posed(machine), tmp_path / "run")
    assert (again.ending, again.seconds) == (Ending.CONVERGED, run.seconds)
    assert (again.iterations, again.kernel_evaluations) == (run.iterations, run.kernel_evaluations)
    assert (again.decisions, again.solver_used) == (run.decisions, run.solver_used)
    assert again.advance() == run.trace.last
    np.testing.assert_array_equal(again.model().decision(X), run.model().decision(X))


def test_new_limits_let_a_run_go_on_that_had_ended(tmp_path: Path) -> None:
    run = Run(posed("ww"), "smo", Limits(1e-5, steps=7))
    while run.running:
        run.advance(3)
    run.save(tmp_path / "run")
    assert Run.load(posed("ww"), tmp_path / "run").ending is Ending.STEP_LIMIT
    again = Run.load(posed("ww"), tmp_path / "run", limits=Limits(1e-5))
    while again.running:
        again.advance()
    assert again.ending is Ending.CONVERGED


# -- whole or not at all ---------------------------------------------------------------------------


def test_a_failed_save_leaves_the_old_file_and_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot be written: No space left on device\.$"):
        Run(posed()).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_written_twice_is_the_second(path: Path) -> None:
    Run(posed()).save(path)
    assert Run.load(posed(), path).iterations == 0
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        Run(posed()).save(tmp_path / "nowhere" / "run")


# -- refused ---------------------------------------------------------------------------------------


def test_another_problem(path: Path) -> None:
    for other in (posed(cost=3.0), posed("dag"), posed(bias="none"), problem_of(X + 1.0, Y, "ovo", cost=2.0)):
        assert "another training problem" in refused(other, path)


def test_another_method(path: Path) -> None:
    assert "'auto', not by 'smo'" in refused(posed(), path, "smo")
    assert Run.load(posed(), path, "auto").running


def test_another_cache(path: Path) -> None:
    assert "cache_mb=500" in refused(posed(cache_mb=1.0), path)


def test_no_file(tmp_path: Path) -> None:
    assert "No such file" in refused(posed(), tmp_path / "run")


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.999])
def test_a_truncated_file(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "damaged or no checkpoint" in refused(posed(), path)


def test_a_flipped_byte_anywhere(path: Path) -> None:
    """Either it is refused, or it did not matter (a zip's time stamps)."""
    content = path.read_bytes()
    for place in range(0, len(content), max(1, len(content) // 150)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        with suppress(InputError):
            Run.load(posed(), path)


def test_a_changed_member(path: Path) -> None:
    members = members_of(path)
    members["header.json"] = members["header.json"].replace(b'"auto"', b'"s2do"')
    rewrite(path, members)
    assert "was changed after it was written" in refused(posed(), path)


def test_an_unrelated_archive(path: Path) -> None:
    np.savez(path.with_suffix(".npz"), x=np.arange(3))
    assert "damaged or no checkpoint" in refused(posed(), path.with_suffix(".npz"))


def test_a_pickle_is_not_opened(path: Path) -> None:
    members = members_of(path)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([Alarm()], dtype=object), allow_pickle=True)
    members["done.alpha.npy"] = stream.getvalue()
    rewrite(path, members, honest=True)
    assert "allow_pickle=False" in refused(posed(), path)


class Alarm:
    def __reduce__(self) -> Any:
        return pickle.loads, (b"this must not run",)


def test_another_schema(path: Path) -> None:
    members = members_of(path)
    header = json.loads(members["header.json"])
    members["header.json"] = json.dumps({**header, "schema": 99}).encode()
    rewrite(path, members, honest=True)
    assert "format 99" in refused(posed(), path)


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path: Path, members: dict[str, bytes], *, honest: bool = False) -> None:
    digest = members.pop("digest")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr("digest", checkpoint._digest(members) if honest else digest)


FORGERIES: dict[str, Callable[[Saved], Any]] = {
    "alpha": lambda saved: saved.arrays.update({"state.alpha": saved.arrays["state.alpha"][:-1]}),
    "functions": lambda saved: saved.arrays.update({"state.functions": np.zeros(3)}),
    "alpha of another type": lambda saved: saved.arrays.update({"state.alpha": np.zeros((27, 1), np.float32)}),
    "done": lambda saved: saved.arrays.update({"done.alpha": saved.arrays["done.alpha"][1:]}),
    "proofs": lambda saved: saved.arrays.update({"done.weights": np.zeros((2, 3))}),
    "memory": lambda saved: saved.arrays.update({"state.progression.least": np.array("text")}),
    "other memory": lambda saved: saved.arrays.update({"state.recent": np.zeros(2)}),
    "store": lambda saved: saved.arrays.update({"gram.example_in": saved.arrays["gram.example_in"] + 99}),
    "trace": lambda saved: saved.arrays.update({"trace": np.zeros((3, 2))}),
    "missing": lambda saved: saved.arrays.pop("state.constant"),
    "missing group": lambda saved: saved.arrays.pop("gram.counters"),
    "solver": lambda saved: saved.header.update(method="magic"),
    "limits": lambda saved: saved.header.update(limits={"hours": 3}),
    "ending": lambda saved: saved.header.update(ending="BORED"),
    "too many parts": lambda saved: saved.header.update(stalled=[False] * 7),
    "no counters": lambda saved: saved.header.update(part={}),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_does_not_fit_is_refused_even_with_a_right_digest(path: Path, forgery: str) -> None:
    saved = checkpoint.read(path)
    FORGERIES[forgery](saved)
    checkpoint.write(path, saved)
    refused(posed(), path)
