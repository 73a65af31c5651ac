"""Save the text of the clipboard as a file, so that training can use it again and a copied command can repeat it."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.writing import write_text


def folder() -> Path:
    return Path(platformdirs.user_data_dir("mcsvm", appauthor=False)) / "pasted"


def keep(text: str) -> str:
    """Return the path of a file with this text; the same text is stored only once."""
    import hashlib

    if not text.strip():
        raise InputError("there is no text on the clipboard; copy cells of a spreadsheet, with their header")
    text = text.encode("utf-8", "replace").decode()  # half of a surrogate pair is not a letter
    content = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    name = hashlib.sha256(content.encode()).hexdigest()[:12]
    path = folder() / f"pasted-{name}.tsv"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            "{path}: the file cannot be written: {reason}", path=path, reason=error.strerror or error
        ) from None
    write_text(path, content)
    return str(path)
