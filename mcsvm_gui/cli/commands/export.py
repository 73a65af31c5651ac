"""mcsvm export"""

from __future__ import annotations

import argparse

from mcsvm.solvers.errors import InputError, choices_for
from mcsvm_gui.cli import output
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.sources import open_for


def run(options: argparse.Namespace) -> int:
    if options.to not in EXPORTERS:
        raise InputError(
            f"--to {options.to}: there is no such format; choose one of {choices_for(options.to, EXPORTERS)}"
        )
    exporter = EXPORTERS[options.to]
    trained = model_file.load(options.model)
    reason = exporter.refusal(trained)
    if reason is not None:
        raise InputError(f"--to {options.to}: {reason}")
    check_outputs([options.output], (options.model, options.check))
    check = None if options.check is None else open_for(trained, options.check, ReadOptions())
    receipt = exporter.export(trained, options.output, check)
    files = [str(path) for path in receipt.files]
    output.show(
        options,
        lambda: {"format": options.to, "files": files, "checks": list(receipt.checks)},
        lambda: [receipt.sentence],
    )
    return DONE
