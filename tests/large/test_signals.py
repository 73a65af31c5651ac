"""SIGTERM at any moment ends every command: with what there is, or with nothing, and never with a traceback."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm, process

from mcsvm_gui.core.machine import model_file

pytestmark = pytest.mark.large

ENDS = 130, 1  # exit codes: the command or its guard; the timer of faulthandler, if native code kept the lock
BUSY = 60.0  # seconds for an end that takes 5 on an idle machine
MOMENTS = 0.3, 1.0, 2.5, 5.0, 9.0  # seconds after the start; before, between and in the middle of everything


def write_rows(path: Path, rows: int, columns: int, classes: int) -> Path:
    random = np.random.default_rng(3)
    y = np.arange(rows) % classes
    X = random.normal(size=(rows, columns)) + 0.5 * random.normal(size=(classes, columns))[y]
    pd.DataFrame(X.round(4)).assign(label=[f"c{one}" for one in y]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("signals")
    write_rows(place / "large.csv", 60_000, 20, 3)
    write_rows(place / "wide.csv", 60, 20_000, 2)
    write_rows(place / "many.csv", 1_200, 4, 300)
    write_rows(place / "small.csv", 3_000, 10, 3)
    trained = mcsvm("train", place / "small.csv", "--model", place / "m.mcsvm", "--max-iter", 2_000)
    assert trained.code in (0, 3), trained.err
    experiment = mcsvm("compare", place / "small.csv", "--machines", "ww", "--folds", 2, "--save", place / "e.toml")
    assert experiment.code in (0, 3), experiment.err
    return place


COMMANDS = {
    "train large": "train large.csv --C 100 --gamma 1 --model out.mcsvm",
    "train wide": "train wide.csv --model out.mcsvm",
    "train many": "train many.csv --machine ovo --model out.mcsvm",
    "train calibrated": "train large.csv --machine ovo --calibrate temperature --holdout 0.3 --model out.mcsvm",
    "tune": "tune large.csv --machine all --led --search halving --test-share 0.3 --budget 20 --model out.mcsvm",
    "tune grid": "tune large.csv --machine ova,ww -o out.csv",
    "compare": "compare large.csv --machines ww,ovo",
    "predict": "predict m.mcsvm small.csv -o out.csv",
    "evaluate": "evaluate m.mcsvm small.csv --folds 5",
    "explain": "explain m.mcsvm small.csv --background 100 -o out.csv",
    "check": "check wide.csv",
    "export": "export m.mcsvm --to python -o out.py",
    "run": "run e.toml",
    "curve": "curve large.csv",
    "verify": "verify m.mcsvm small.csv",
    "inspect": "inspect wide.csv",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_by_sigterm_at_any_moment(place: Path, tmp_path: Path, name: str) -> None:
    words = [str(place / word) if (place / word).exists() else word for word in COMMANDS[name].split()]
    for moment in MOMENTS:
        program = process(*words, cwd=tmp_path)
        try:
            program.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            program.send_signal(signal.SIGTERM)
        else:
            assert program.returncode in (0, 3)
            break  # later moments would find it ended too
        began = time.monotonic()
        _, err = program.communicate(timeout=BUSY)
        print(f"{name} after {moment} s: {program.returncode} in {time.monotonic() - began:.2f} s")
        # In its first moments the interpreter has no handler yet; a command that was nearly done may still end well.
        assert program.returncode in (*ENDS, -signal.SIGTERM, 0, 3), err
        assert "Traceback" not in err
        model = tmp_path / "out.mcsvm"
        if model.exists():
            model_file.load(model)
            model.unlink()
