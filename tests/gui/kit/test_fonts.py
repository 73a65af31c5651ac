"""Letters are letters, also on a system without any font."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = (
    Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
)  # as packaging/bundle_contents.py has it
NO_FONTS = (
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><cachedir>{}</cachedir></fontconfig>'
)

# Prints whether there were letters before, and how many of five look different.
LOOK = """
import sys
from pathlib import Path
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from mcsvm_gui.ui.kit import fonts

application = QApplication([])
before = fonts.has_letters()
fonts.fonts = lambda: [Path(name) for name in sys.argv[1:]]
fonts.supply()

def drawn(letter):
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.drawText(5, 30, letter)
    painter.end()
    return bytes(image.constBits())

print(before, len({drawn(letter) for letter in "AgÄß≥"}))
"""


def look(*fonts: Path, config: Path | None) -> list[str]:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"} | ({"FONTCONFIG_FILE": str(config)} if config else {})
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *map(str, fonts)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def without_fonts(tmp_path: Path) -> Path:
    config = tmp_path / "fonts.conf"
    config.write_text(NO_FONTS.format(tmp_path))
    return config


@pytest.mark.skipif(sys.platform != "linux", reason="only there may a system have no font")
def test_a_system_without_fonts_gets_ours(without_fonts: Path) -> None:
    assert look(config=without_fonts) == ["False", "1"]  # empty boxes, all alike
    assert look(SHIPPED, config=without_fonts) == ["False", "5"]


def test_letters_of_the_systems_own_font_differ() -> None:
    assert look(config=None) == ["True", "5"]
