"""What commands say, and where: documents and results on standard output, warnings on standard error."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.data.dataset import Notice
from solvers.dual.certificate import Certificate


def show_json(document: dict[str, Any]) -> None:
    print(json.dumps(document, allow_nan=False))


def warn(options: argparse.Namespace, notices: Iterable[Notice]) -> None:
    """In words on standard error, unless they are in the document or nobody wants them."""
    if not (options.json or options.quiet):
        for sentence in dict.fromkeys(notice.sentence for notice in notices):
            print(f"warning: {sentence}", file=sys.stderr)


def per_cent(share: float) -> str:
    """Two digits that count: 0.0007 %, 12 %."""
    return f"{100.0 * share:.2g} %" if abs(share) < 0.1 else f"{100.0 * share:.3g} %"


def accuracy(share: float) -> str:
    return f"{100.0 * share:.1f} %" if share < 1.0 else "100 %"


def score(name: str, value: float) -> str:
    return figures.score(name, value) if name in figures.LOSSES else accuracy(value)


def certainty(certificate: Certificate, converged: bool) -> str:
    """How far the model can be from the optimum."""
    gap = per_cent(max(certificate.relative_gap, 0.0))
    return f"solved to {gap}" if converged else f"not solved: up to {gap} from the optimum"


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
