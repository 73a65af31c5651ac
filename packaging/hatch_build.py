"""What a wheel has beside the sources: translations, compiled."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Translations(BuildHookInterface):  # type: ignore[misc]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """A checkout that is installed in place compiles them itself."""
        if version == "editable":
            return
        catalogue = runpy.run_path(str(Path(self.root, "mcsvm_gui", "core", "base", "i18n", "catalogue.py")))
        self._folder = tempfile.TemporaryDirectory()
        source = Path(self.root, "resources", "translations")
        for path in catalogue["compile_all"](source, Path(self._folder.name)):
            build_data["force_include"][str(path)] = f"mcsvm_gui/resources/translations/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
