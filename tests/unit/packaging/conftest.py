"""The scripts of packaging/ are no package: they find each other in their folder."""

import sys
from pathlib import Path

FOLDER = str(Path(__file__).resolve().parents[3] / "packaging")
if FOLDER not in sys.path:
    sys.path.append(FOLDER)  # last: PyPI's package `packaging` must still be found first
