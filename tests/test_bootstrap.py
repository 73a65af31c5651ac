"""The parts of packaging/bootstrap.py that decide; what they lead to is seen on fresh machines."""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "packaging" / "bootstrap.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bootstrap = load()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "mcsvm"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\n")
    return folder


def prints(checkout: Path, extras: tuple[str, ...] = (), version: tuple[int, int] = (3, 11)) -> dict[str, object]:
    return bootstrap.fingerprint(checkout, checkout / ".venv", version, extras)


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13), (3, 14)])
def test_supported_versions_pass(version: tuple[int, int]) -> None:
    bootstrap.require_version(version, "run")


@pytest.mark.parametrize("version", [(3, 6), (3, 10), (3, 15)])
def test_other_versions_are_refused_with_one_that_is_there(
    version: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "suitable_python", lambda: "python3.12")
    with pytest.raises(bootstrap.Trouble, match=r"needs Python 3\.11.*python3\.12 packaging/bootstrap\.py test"):
        bootstrap.require_version(version, "test")


def test_the_list_of_system_packages_reads_as_names() -> None:
    wanted = bootstrap.wanted_packages(bootstrap.SYSTEM_PACKAGES.read_text("utf-8"))
    assert {"libgl1", "libegl1", "libglib2.0-0", "libxcb-cursor0"} <= set(wanted)
    assert all(name.isascii() and " " not in name and "#" not in name for name in wanted)


def test_a_package_counts_as_installed_when_another_provides_it() -> None:
    database = (
        "installed libgl1 \n"
        "config-files libegl1 \n"
        "installed libglib2.0-0t64 libglib2.0-0 (= 2.84.4-3), libglib2.0-udeb\n"
    )
    installed = bootstrap.installed_packages(database)
    assert bootstrap.lacking(["libgl1", "libegl1", "libglib2.0-0"], installed) == ["libegl1"]


def test_missing_packages_are_named_in_one_sentence() -> None:
    sentence = bootstrap.missing_sentence(["libgl1", "libegl1"])
    assert "apt-get install --no-install-recommends libgl1 libegl1" in sentence
    assert "\n" not in sentence


def test_nothing_changed_is_satisfied_and_needs_no_new_extras(checkout: Path) -> None:
    stamp = prints(checkout, ("test",))
    assert bootstrap.is_satisfied(stamp, prints(checkout, ("test",)))
    assert bootstrap.is_satisfied(stamp, prints(checkout))
    assert not bootstrap.is_satisfied(prints(checkout), prints(checkout, ("test",)))
    assert not bootstrap.is_satisfied({}, prints(checkout))


def test_another_project_file_version_or_place_is_not_satisfied(checkout: Path) -> None:
    stamp = prints(checkout)
    assert not bootstrap.is_satisfied(stamp, prints(checkout, version=(3, 12)))
    moved = checkout.rename(checkout.with_name("moved"))
    assert not bootstrap.is_satisfied(stamp, prints(moved))
    (moved / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert stamp["project"] != prints(moved)["project"]


@pytest.mark.parametrize("content", ["", "{", "[]", '"text"', '{"extras": 3}'])
def test_a_damaged_stamp_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / bootstrap.STAMP).write_text(content)
    assert bootstrap.read_stamp(tmp_path) == {}


def test_an_interrupted_set_up_starts_afresh(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bootstrap.choose_folder(checkout)
    (folder / "half").mkdir()
    made: list[object] = []
    monkeypatch.setattr(bootstrap, "create", lambda folder: made.append("environment"))
    monkeypatch.setattr(bootstrap, "install", lambda folder, extras: made.append(extras))
    bootstrap.build(folder, prints(checkout, ("test",)))
    assert made == ["environment", ["test"]]
    assert json.loads((folder / bootstrap.STAMP).read_text())["extras"] == ["test"]


def test_a_failed_installation_leaves_no_stamp(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, extras: list[str]) -> None:
        raise bootstrap.Trouble("no network")

    folder = bootstrap.choose_folder(checkout)
    (folder / bootstrap.STAMP).write_text(json.dumps(prints(checkout)))
    monkeypatch.setattr(bootstrap, "create", lambda folder: None)
    monkeypatch.setattr(bootstrap, "install", fail)
    with pytest.raises(bootstrap.Trouble):
        bootstrap.build(folder, prints(checkout))
    assert bootstrap.read_stamp(folder) == {}


def test_a_new_extra_is_added_to_those_that_are_there(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bootstrap.choose_folder(checkout)
    (folder / bootstrap.STAMP).write_text(json.dumps(prints(checkout, ("export",))))
    installed: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "is_alive", lambda folder: True)
    monkeypatch.setattr(bootstrap, "install", lambda folder, extras: installed.append(extras))
    bootstrap.build(folder, prints(checkout, ("test",)))
    assert installed == [["export", "test"]]


def test_the_environment_lies_beside_the_checkout(checkout: Path) -> None:
    assert bootstrap.choose_folder(checkout) == checkout.with_name("mcsvm-venv")


def test_a_folder_of_somebody_else_is_never_taken(checkout: Path) -> None:
    other = checkout.with_name("mcsvm-venv")
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    assert bootstrap.choose_folder(checkout) == checkout / ".venv"
    (checkout / ".venv" / bootstrap.LOCK).unlink()
    (checkout / ".venv" / "letter.txt").write_text("")
    with pytest.raises(bootstrap.Trouble, match="can be used for the virtual environment"):
        bootstrap.choose_folder(checkout)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_emptying_keeps_the_lock_and_follows_no_link(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "venv"
    for path in (outside, folder, folder / "lib"):
        path.mkdir()
    for path in (outside / "kept", folder / bootstrap.LOCK, folder / "lib" / "module.py"):
        path.touch()
    (folder / "lib64").symlink_to(outside)
    bootstrap.empty(folder)
    assert [path.name for path in folder.iterdir()] == [bootstrap.LOCK]
    assert (outside / "kept").exists()


def test_why_pip_failed_is_one_sentence() -> None:
    log = Path("log")
    away = "WARNING: Retrying ... NewConnectionError(...)\nERROR: No matching distribution found for hatchling\n"
    assert "could not reach a package index" in bootstrap.install_sentence(away, log)
    full = "Collecting numpy\nERROR: Could not install packages due to an OSError: No space left on device\n"
    assert "No space left on device" in bootstrap.install_sentence(full, log)
    build = "  error: subprocess-exited-with-error\n      OSError: Readme file does not exist: README.md\n"
    assert "Readme file does not exist" in bootstrap.install_sentence(build, log)
    assert "no reason given" in bootstrap.install_sentence("", log)


def test_misuse_prints_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main([]) == 2
    assert "bootstrap.py run" in capsys.readouterr().err


@pytest.mark.parametrize(("trouble", "status"), [(OSError("disk full"), 1), (KeyboardInterrupt(), 130)])
def test_trouble_is_a_sentence_and_a_status(
    trouble: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(command: str, arguments: list[str]) -> int:
        raise trouble

    monkeypatch.setattr(bootstrap, "start", fail)
    assert bootstrap.main(["run"]) == status
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_all_checks_run_and_the_failed_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(bootstrap, "passes", lambda name, command: seen.append(name) or name not in ("mypy", "pytest"))
    assert bootstrap.test(tmp_path, []) == 1
    assert seen == ["ruff check", "ruff format", "mypy", "import contracts", "pytest"]
    assert capsys.readouterr().err == "failed: mypy, pytest\n"
