"""Every format gives every machine's labels, and says so, or refuses in words."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from export_models import FORMATS, HERE, KERNELS, SIX, Trained, dataset_of, iris, mixed, one_in_three, trained_on

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

pytestmark = pytest.mark.filterwarnings("ignore:The training (ended|stalled)")  # models that need not be good

DATA = {"iris": iris, "mixed": mixed}
SATIMAGE = Path(__file__).resolve().parents[5] / "shared" / "data" / "satimage" / "train.csv"


@cache
def model(name: str, machine: str, kernel: str, cost: float = 4.0) -> tuple[Trained, Dataset]:
    data = DATA[name]()
    return trained_on(data, machine=machine, C=cost, **KERNELS[kernel]), data


def exported(trained: Trained, name: str, folder: Path, check: Dataset | None) -> str:
    return EXPORTERS[name].export(trained, folder / f"model{EXPORTERS[name].suffix}", check).sentence


ON = [("iris", kernel) for kernel in KERNELS] + [("mixed", "rbf")]


@pytest.mark.parametrize(("name", "on", "machine"), one_in_three(FORMATS, ON, list(SIX)))
def test_every_label_is_the_models(name: str, on: tuple[str, str], machine: str, tmp_path: Path) -> None:
    data, kernel = on
    trained, rows = model(data, machine, kernel)
    reason = EXPORTERS[name].refusal(trained)
    if reason is None:
        assert f"{rows.rows} rows, every label as the model's." in exported(trained, name, tmp_path, rows)
    else:
        with pytest.raises(InputError, match="use "):
            exported(trained, name, tmp_path, rows)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("data", DATA)
def test_without_data_the_support_vectors_serve(data: str, name: str, tmp_path: Path) -> None:
    trained, _ = model(data, "ww", "linear")
    said = exported(trained, name, tmp_path, None)
    assert f"{len(trained.model.owners)} support vectors, every label" in said


def test_what_each_format_holds() -> None:
    refused = {
        (machine, kernel): [name for name in EXPORTERS if EXPORTERS[name].refusal(model("iris", machine, kernel)[0])]
        for machine in SIX
        for kernel in ("rbf", "linear")
    }
    for machine in ("ww", "llw", "cs", "ova"):
        assert refused[machine, "rbf"] == ["liblinear"]
        assert refused[machine, "linear"] == []
    assert refused["ovo", "rbf"] == refused["ovo", "linear"] == ["liblinear"]
    assert refused["dag", "rbf"] == ["libsvm", "liblinear", "pmml"]


@pytest.mark.parametrize(("name", "machine"), one_in_three(FORMATS, list(SIX)))
def test_two_classes(machine: str, name: str, tmp_path: Path) -> None:
    """Where there is one pair only, a graph is a vote, and LIBLINEAR holds them all."""
    rows = iris().take(np.arange(50, 150))
    trained = trained_on(rows, machine=machine, C=0.5, kernel="linear")
    assert "100 rows, every label" in exported(trained, name, tmp_path, rows)


def ring(scale: float = 1.0) -> Dataset:
    """Sparse, with an empty row, an empty column and a class with one row."""
    rng = np.random.default_rng(5)
    matrix = sp.random_array((60, 40), density=0.08, rng=rng, format="csr")
    matrix.data *= scale
    matrix = sp.csr_array(matrix)
    labels = np.where(matrix.sum(axis=1) > 1.5, 7, np.where(matrix[:, [3]].toarray().ravel() > 0.0, -2, 10))
    labels[0] = 3
    return dataset_of(None, labels, matrix)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("machine", ["llw", "ovo"])
def test_sparse_data(machine: str, kernel: str, name: str, tmp_path: Path) -> None:
    trained = trained_on(ring(), machine=machine, C=8.0, **KERNELS[kernel])
    if EXPORTERS[name].refusal(trained) is None:
        assert "60 rows, every label" in exported(trained, name, tmp_path, ring())


@pytest.mark.parametrize("name", ["json", "libsvm"])
def test_a_precomputed_kernel(name: str, tmp_path: Path) -> None:
    points = iris().table.to_numpy(float)  # type: ignore[union-attr]
    rows = dataset_of(pd.DataFrame(points @ points.T), iris().labels)
    trained = trained_on(rows, Rules(scale="none"), machine="cs", kernel="precomputed", C=0.1)
    assert "150 rows, every label" in exported(trained, name, tmp_path, rows)


@pytest.mark.parametrize("name", ["onnx", "liblinear", "pmml", "c", "python"])
def test_a_precomputed_kernel_is_refused(name: str, tmp_path: Path) -> None:
    rows = dataset_of(pd.DataFrame(np.eye(6)), [0, 1, 2, 0, 1, 2])
    trained = trained_on(rows, Rules(scale="none"), machine="ww", kernel="precomputed")
    assert "use" in (EXPORTERS[name].refusal(trained) or "")
    with pytest.raises(InputError, match="precomputed"):
        EXPORTERS[name].export(trained, tmp_path / "model", rows)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_ties_go_to_the_first_class(machine: str, name: str, tmp_path: Path) -> None:
    """Without a bias a row of zeros makes every function exactly zero: the first class, or the second of a pair."""
    table = pd.DataFrame({"a": [1.0, -1.0, 0.0, 0.0, 0.0, 2.0], "b": [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]})
    rows = dataset_of(table, [0, 1, 2, 3, 2, 0])
    trained = trained_on(rows, Rules(scale="none"), machine=machine, kernel="linear", bias="none", C=1.0)
    if EXPORTERS[name].refusal(trained) is None:
        exported(trained, name, tmp_path, rows)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_model_without_support_vectors(kernel: str, name: str, tmp_path: Path) -> None:
    """Such as one that was stopped before its first step."""
    trained, rows = model("iris", "ww", kernel)
    model_, none = trained.model, np.arange(0)
    parts = {"support": none, "points": model_.points.take(none), "owners": none, "expansion": model_.expansion[none]}
    bare = replace(trained, model=replace(model_, **parts))
    if EXPORTERS[name].refusal(bare) is None:
        assert "150 rows, every label" in exported(bare, name, tmp_path, rows)


@pytest.mark.skipif(shutil.which("svm-scale") is None, reason="LIBSVM's programs (libsvm-tools) are not installed")
def test_svm_scale_prepares_raw_files(tmp_path: Path) -> None:
    """Raw rows, a constant column among them, through svm-scale and svm-predict alone."""
    table = iris().table.copy()  # type: ignore[union-attr]
    table.insert(1, "constant", 5.0)
    rows = dataset_of(table, iris().classes and np.repeat([1, 2, 4], 50))
    trained = trained_on(rows, machine="ww", C=4.0, **KERNELS["rbf"])
    file = tmp_path / "iris.model"
    EXPORTERS["libsvm"].export(trained, file, rows)
    raw = [" ".join(f"{i + 1}:{value!r}" for i, value in enumerate(row)) for row in table.to_numpy(float).tolist()]
    (tmp_path / "raw").write_text("".join(f"0 {row}\n" for row in raw))
    scaled = subprocess.run(["svm-scale", "-r", f"{file}.range", tmp_path / "raw"], capture_output=True, text=True)
    (tmp_path / "scaled").write_text(scaled.stdout)
    subprocess.run(["svm-predict", tmp_path / "scaled", file, tmp_path / "out"], check=True, capture_output=True)
    assert (tmp_path / "out").read_text().split() == trained.decide(rows).tolist()


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_of_the_application(name: str, tmp_path: Path) -> None:
    """Trained by a session, saved and opened again."""
    trained = train(Request(machine="cs", kernel="linear", rules=Rules(missing="mean")), mixed()).trained
    model_file.save(tmp_path / "model.mcsvm", trained)
    again = model_file.load(tmp_path / "model.mcsvm")
    assert "90 rows, every label" in EXPORTERS[name].export(again, tmp_path / "out", mixed()).sentence


@cache
def satimage() -> Dataset:
    table = pd.read_csv(SATIMAGE, dtype={"label": str})
    return dataset_of(table.drop(columns="label"), table["label"])


def through_every_format(machine: str, check: Dataset, folder: Path) -> None:
    trained = trained_on(satimage(), machine=machine, kernel="rbf", gamma=1.0, C=2.0)
    for name in EXPORTERS if HERE else sorted({*EXPORTERS} - {"onnx"}):
        if EXPORTERS[name].refusal(trained) is None:
            assert "every label as the model's" in exported(trained, name, folder, check)


@pytest.mark.slow
@pytest.mark.skipif(not SATIMAGE.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_satimage_through_every_format(machine: str, tmp_path: Path) -> None:
    through_every_format(machine, satimage().take(np.arange(0, 4435, 40)), tmp_path)


@pytest.mark.large
@pytest.mark.skipif(not SATIMAGE.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("machine", SIX)
def test_all_of_satimage_through_every_format(machine: str, tmp_path: Path) -> None:
    through_every_format(machine, satimage(), tmp_path)
