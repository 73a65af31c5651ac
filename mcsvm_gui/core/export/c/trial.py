"""Compile an exported C file and read its predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mcsvm_gui.core.base import programs
from mcsvm_gui.core.export.c.preparation import sides
from mcsvm_gui.core.export.checked import FilePrediction, RefusedFileError, scored
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.probe import Probe

COMPILERS = ("cc", "gcc", "clang")

DRIVER = """
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static double numbers[MCSVM_NUMBERS + 1];
#ifdef MCSVM_CALIBRATED
    static double probabilities[MCSVM_CLASSES];
#endif
    static double scores[MCSVM_OUTPUTS];
    static char *texts[MCSVM_TEXTS + 1];
    FILE *in = fopen(argv[argc - 1], "rb");
    int i, size;
    if (!in) return 1;
    for (;;) {
        if (fread(&size, sizeof size, 1, in) != 1) return 0;
        if (fread(numbers, sizeof(double), MCSVM_NUMBERS, in) != MCSVM_NUMBERS) return 2;
        for (i = 0; i < MCSVM_TEXTS; ++i) {
            if (fread(&size, sizeof size, 1, in) != 1) return 3;
            texts[i] = realloc(texts[i], size + 1);
            if (fread(texts[i], 1, size, in) != (size_t)size) return 4;
            texts[i][size] = 0;
        }
        printf("%d", mcsvm_predict(numbers, (const char *const *)texts, scores));
#ifdef MCSVM_CALIBRATED
        mcsvm_probabilities(numbers, (const char *const *)texts, probabilities);
        for (i = 0; i < MCSVM_CLASSES; ++i) printf(" %.17g", probabilities[i]);
#endif
        for (i = 0; argc > 2 && i < MCSVM_OUTPUTS; ++i) printf(" %.17g", scores[i]);
        printf("\\n");
    }
}
"""


def compiler() -> str | None:
    return programs.found(*COMPILERS)


def predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    command, probe = compiler(), probe.in_full()
    if command is None:
        return FilePrediction(None, "there is no C compiler here", probe)
    driver, program, rows = (path.with_name(name) for name in ("driver.c", "predict", "rows.bin"))
    driver.write_text(f'#include "{path.name}"\n{DRIVER}', "ascii")
    rows.write_bytes(_packed(plain, probe))
    built = programs.run([command, "-std=c99", "-O1", "-o", str(program), str(driver), "-lm"])
    if built.status:
        reason = built.errors.strip().splitlines()[0]
        raise RefusedFileError("{command} stops at it: {reason}", command=command, reason=reason)
    outputs = ["scores"] if scored(plain, probe) else []
    lines = [line.split() for line in programs.run([str(program), *outputs, str(rows)]).output.splitlines()]
    labels = np.maximum(np.array([line[0] for line in lines], dtype=np.int64), -1)  # a rule prints -2 if it rejects
    numbers = np.array([line[1:] for line in lines], dtype=np.float64)
    calibrated = 0 if plain.calibration is None else plain.classes
    shares, scores = numbers[:, :calibrated] if calibrated else None, numbers[:, calibrated:] if outputs else None
    return FilePrediction(labels, f"the C compiler {command}", probe, shares, scores=scores)


def _packed(plain: FlatModel, probe: Probe) -> bytes:
    """Pack the rows: for each a mark, the numbers, and every text after its length."""
    numbers, texts = sides(plain)
    columns = {i: probe.column(i) for i in texts}
    if texts:
        table = np.column_stack([np.empty((len(probe), 0)), *(probe.column(i) for i in numbers)])
    else:
        table = probe.numbers()
    parts = []
    for row in range(len(probe)):
        encoded = [columns[i][row].encode("utf-8", "surrogatepass") for i in texts]
        parts += [np.int32(0).tobytes(), table[row].astype(np.float64).tobytes()]
        parts += [np.int32(len(text)).tobytes() + text for text in encoded]
    return b"".join(parts)
