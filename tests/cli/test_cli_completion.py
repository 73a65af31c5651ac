"""`mcsvm completion`: a shell completes commands, options, values and file names."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import mcsvm

ASK = """
source {script}
words=({words} "{last}")
COMP_WORDS=("${{words[@]}}"); COMP_CWORD=$((${{#words[@]}} - 1)); COMP_LINE="${{words[*]}}"; COMP_POINT=${{#COMP_LINE}}
found=$(complete -p mcsvm | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$found mcsvm "{last}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ASKED = {
    ("mcsvm", "tr"): {"train"},
    ("mcsvm train", "--ma"): {"--machine", "--margin", "--max-iter"},
    ("mcsvm train x.csv --kernel", ""): {"rbf", "linear", "polynomial", "sigmoid"},
    ("mcsvm train x.csv --machine", "o"): {"ova", "ovo"},
    ("mcsvm completion", "f"): {"fish"},
    ("mcsvm predict", "leaf"): {"leaf.csv"},
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_bash_completes(asked: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    (tmp_path / "leaf.csv").touch()
    script = tmp_path / "complete.bash"
    script.write_text(mcsvm("completion", "bash").out)
    line = ASK.format(script=script, words=asked[0], last=asked[1])
    found = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert found.stderr == ""
    assert set(found.stdout.split()) == ASKED[asked]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_their_scripts(shell: str) -> None:
    pytest.importorskip("shtab")
    script = mcsvm("completion", shell).out
    assert "first-look" in script
    assert "calibration-folds" in script


def test_without_its_package_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "pip install 'mcsvm[completion]'" in mcsvm("completion", "bash").complaint
    assert "SHELL must be one of bash, zsh, fish" in mcsvm("completion", "powershell").complaint
