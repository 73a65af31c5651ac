"""The scripts of packaging/ are no package: they find each other in their folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDER = str(ROOT / "packaging")
if FOLDER not in sys.path:
    sys.path.append(FOLDER)  # last: PyPI's package `packaging` must still be found first


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its pages, built once."""
    for name in ("sphinx", "myst_parser", "numpydoc", "furo"):
        pytest.importorskip(name)
    built = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, str(ROOT / "packaging/site/build.py"), str(built)], check=True, timeout=500)
    return built / "html"
