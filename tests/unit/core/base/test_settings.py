"""Settings survive restarts, other versions and damage."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.settings import MOST_RECENT, SETTINGS, TABLE, Settings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "not" / "yet" / "settings.json"


@pytest.mark.parametrize("setting", TABLE, ids=lambda setting: setting.key)
def test_every_default_is_a_value_of_its_setting(setting) -> None:
    assert setting.fits(setting.default)
    assert Settings()[setting.key] == setting.default


def other_value(key: str):
    setting = SETTINGS[key]
    if setting.choices():
        return next(value for value, _ in setting.choices() if value != setting.default)
    return {bool: not setting.default, int: setting.lowest, str: "other", list: ["a", "b"]}[setting.kind]


@pytest.mark.parametrize("key", SETTINGS)
def test_a_changed_value_is_there_at_the_next_start(path: Path, key: str) -> None:
    first = Settings(path)
    first[key] = other_value(key)
    first.save()
    again = Settings(path)
    assert again[key] == other_value(key)
    assert again.problem is None


@pytest.mark.parametrize("key", SETTINGS)
def test_a_wrong_value_is_refused_and_in_a_file_it_gives_way_to_the_default(path: Path, key: str) -> None:
    with pytest.raises(InputError):
        Settings()[key] = {"no": "value"}
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({key: {"no": "value"}}))
    found = Settings(path)
    assert found[key] == SETTINGS[key].default
    assert found.problem is not None
    assert key in found.problem


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"null", b"[" * 100_000])
def test_a_damaged_file_gives_defaults_and_a_sentence_and_is_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    found = Settings(path)
    assert [found[key] for key in SETTINGS] == [setting.default for setting in TABLE]
    assert found.problem is not None
    assert "damaged" in found.problem
    assert path.with_name("settings.damaged.json").read_bytes() == content


def test_what_another_version_knows_is_kept(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('{"of the future": [1, 2], "theme": "light"}')
    found = Settings(path)
    found["theme"] = "dark"
    found.save()
    assert json.loads(path.read_text()) == {"of the future": [1, 2], "theme": "dark"}


def test_watchers_hear_what_changes_and_only_that() -> None:
    found, heard = Settings(), []
    found.watch(heard.append)
    found["theme"] = "dark"
    found["theme"] = "dark"
    found.reset("theme")
    assert heard == ["theme", "theme"]


def test_recent_files_are_the_last_each_once(tmp_path: Path) -> None:
    found = Settings()
    for number in (*range(MOST_RECENT + 3), 5):
        found.remember_file(str(tmp_path / f"{number}.csv"))
    recent = found["recent_files"]
    assert recent[:2] == [str(tmp_path / "5.csv"), str(tmp_path / f"{MOST_RECENT + 2}.csv")]
    assert len(recent) == len(set(recent)) == MOST_RECENT
    assert found["last_folder"] == str(tmp_path)


def test_a_list_that_was_handed_out_is_not_the_setting() -> None:
    found = Settings()
    found["recent_files"].append("x")
    assert found["recent_files"] == []


def test_settings_that_cannot_be_written_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = Settings(tmp_path / "file" / "settings.json")
    found["theme"] = "dark"
    with pytest.raises(InputError, match="file"):
        found.save()


@given(content=st.dictionaries(st.sampled_from(sorted(SETTINGS)) | st.text(max_size=5), JSON, max_size=5))
@settings(max_examples=60, deadline=None)
def test_any_object_in_the_file_leaves_values_that_fit(tmp_path_factory, content) -> None:
    path = tmp_path_factory.mktemp("any") / "settings.json"
    path.write_text(json.dumps(content))
    found = Settings(path)
    assert all(setting.fits(found[setting.key]) for setting in TABLE)
