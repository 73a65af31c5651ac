"""The moving picture of README.md: six machines on the vowel data, from the first step to the certificate.

    python -m tests.film

Each is trained by `mcsvm train --trace`; time runs in steps of `smo`, on a scale of its own and logarithmic, as `auto`
would be there before anybody had looked. Drawn from the trace, the same code gives the same film.
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcsvm_gui.cli import main as mcsvm
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.machine.names import MACHINES

ROOT = Path(__file__).resolve().parent.parent
FILM = ROOT / "resources" / "pictures" / "six.gif"
HOW = "--solver", "smo", "--C", "4", "--gamma", "1", "--quiet"
FRAMES = 40
SHOWN, LAST = 120, 4000  # milliseconds a frame stands, and the last one
SIZE, DOTS = (9.6, 5.2), 100  # inches; dots per inch
COLOURS = 48
LARGEST = 1_000_000  # bytes


class Course(NamedTuple):
    """What a training was worth at each sample."""

    steps: np.ndarray
    dual: np.ndarray
    primal: np.ndarray

    def until(self, share: float) -> Course:
        """The first samples, up to this share of the way on the logarithmic scale."""
        first, last = self.steps[0], self.steps[-1]
        seen = self.steps <= first * (last / first) ** share * (1 + 1e-12)
        return Course(*(column[seen] for column in self))


def course(machine: str, folder: Path) -> Course:
    trace = folder / f"{machine}.csv"
    data = ROOT / "resources" / "datasets" / "vowel_train.csv"
    assert mcsvm(["train", str(data), "--machine", machine, *HOW, "--trace", str(trace)]) == 0
    with trace.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    steps, dual, primal = (np.array([float(row[name]) for row in rows]) for name in ("iteration", "dual", "primal"))
    return Course(steps, np.maximum.accumulate(dual), np.minimum.accumulate(primal))


def frame(courses: dict[str, Course], share: float) -> Any:
    """A picture of all machines so far."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=SIZE, dpi=DOTS, layout="constrained")
    axes = figure.subplots(2, 3).flat
    for axis, (name, whole) in zip(axes, courses.items(), strict=True):
        panel(axis, name, whole, whole.until(share))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def panel(axis: Any, name: str, whole: Course, seen: Course) -> None:
    look = MACHINES[name]
    gap = (seen.primal[-1] - seen.dual[-1]) / max(abs(seen.primal[-1]), abs(seen.dual[-1]))
    axis.fill_between(seen.steps, seen.dual, seen.primal, color=look.colour, alpha=0.2, linewidth=0)
    for values in (seen.dual, seen.primal):
        axis.plot(seen.steps, values, color=look.colour, linewidth=1.8)
    axis.set(xscale="log", yscale="log", xlim=(whole.steps[0], 1.2 * whole.steps[-1]))
    axis.set_ylim(whole.dual[0] / 1.5, whole.primal[0] * 1.5)
    axis.set_title(f"{look.title} ({name})", fontsize=10)
    axis.text(0.97, 0.93, f"within {figures.gap(gap)}", transform=axis.transAxes, ha="right", va="top", fontsize=10)
    axis.tick_params(labelsize=8)
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)


def save(frames: list[Any], path: Path) -> None:
    """In the colours of the last frame, which has all of them; a GIF holds of each frame what has changed."""
    from PIL import Image

    palette = frames[-1].quantize(COLOURS, dither=Image.Dither.NONE)
    plain = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in frames]
    times = [SHOWN] * (len(plain) - 1) + [LAST]
    plain[0].save(path, save_all=True, append_images=plain[1:], duration=times, loop=0)
    assert path.stat().st_size < LARGEST, f"{path}: {path.stat().st_size} bytes"
    print(f"{path.relative_to(ROOT)}: {len(plain)} frames, {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        courses = {name: course(name, Path(folder)) for name in MACHINES}
    save([frame(courses, share) for share in np.linspace(0, 1, FRAMES)], FILM)


if __name__ == "__main__":
    main()
