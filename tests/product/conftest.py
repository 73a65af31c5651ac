"""The scripts of packaging/ find each other by the folder they lie in; so do these tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
