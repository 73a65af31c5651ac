"""The command for the search of the Tune page, to be copied into a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcsvm_gui.core.base.options import differing
from mcsvm_gui.core.machine.command_line import arguments_of, shell_line
from mcsvm_gui.core.machine.request import OPTIONS
from mcsvm_gui.core.tune.options import STEP

if TYPE_CHECKING:
    from mcsvm.solvers.selection.grid import Range
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.options import TuneRequest

OF_FOLDS = "folds", "repeats"


def tune_command(request: Request, wanted: TuneRequest) -> str:
    """Return `mcsvm tune ...`, quoted for this system's shell; raise InputError if no command can express the
    search."""
    return shell_line(tune_arguments(request, wanted))


def tune_arguments(request: Request, wanted: TuneRequest) -> list[str]:
    """Return the arguments: the request's as for a training, and every range in full."""
    program, _, *rest = arguments_of(request)
    ranges = {"C": wanted.C, "gamma": wanted.gamma}
    said = OPTIONS["machine"].arguments(",".join(wanted.machines))
    for name, values in ranges.items():
        said += [] if values is None else [OPTIONS[name].argument, _range(values)]
    said += STEP.arguments(wanted.C.step)
    for option, value in differing(wanted):
        if wanted.holdout is None or option.name not in OF_FOLDS:
            said += option.arguments(value)
    return [program, "tune", *said, *rest] if rest[0].startswith("-") else [program, "tune", rest[0], *said, *rest[1:]]


def _range(values: Range) -> str:
    return f"{_end(values.low)}:{_end(values.high)}"


def _end(exponent: float) -> str:
    """Return the end of a range with all digits; a power of two as one."""
    from mcsvm.solvers.selection.grid import as_written

    return f"2^{int(exponent)}" if float(exponent).is_integer() else repr(as_written(2.0**exponent))
