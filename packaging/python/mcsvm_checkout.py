"""In a checkout the folder `solvers` can be imported by that name too: `solvers.x` is the module `mcsvm.solvers.x`.

Not part of the wheel, which has `mcsvm.solvers` alone.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType


class Alias(MetaPathFinder, Loader):
    """Finds `solvers.x` where there is a `mcsvm.solvers.x`, and gives that module itself, not a second copy."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "solvers" or find_spec(f"mcsvm.{fullname}") is None:
            return None
        return spec_from_loader(fullname, self)

    def create_module(self, spec: ModuleSpec) -> None:
        """Python makes an empty module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = import_module(f"mcsvm.{name}")


def alias_solvers() -> None:
    """Replace the module `solvers`, which is being imported, and all below it from now on."""
    sys.meta_path.insert(0, Alias())
    sys.modules["solvers"] = import_module("mcsvm.solvers")
