"""The newest Debian package in dist/ through the whole life of a product, as packaging/smoke.py tells it."""

import subprocess
import sys
from pathlib import Path

import pytest
import smoke
from changes import ROOT

pytestmark = [pytest.mark.large, pytest.mark.timeout(3600)]


def packages() -> list[Path]:
    return sorted((ROOT / "dist").glob("mcsvm_*.deb"), key=lambda path: path.stat().st_mtime)


@pytest.mark.skipif(bool(smoke.why_not()), reason=smoke.why_not())
@pytest.mark.skipif(not packages(), reason="there is no package in dist/: python packaging/build.py")
def test_the_package_lives_a_whole_life(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "packaging" / "smoke.py"), str(packages()[-1]), "--work", str(tmp_path)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.count("ok ") == len(smoke.CHECKS)
