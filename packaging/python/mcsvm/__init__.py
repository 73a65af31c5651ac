"""Multi-class support vector machines, each trained to a certified optimum. `__all__` is the public surface.

Names are imported on first use: scikit-learn and compiled code take a second.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcsvm.solvers import (
        Ending,
        InputError,
        Limits,
        MultiClassSVC,
        ParameterError,
        Run,
        SearchResult,
        explain,
        pose,
        search,
    )
    from mcsvm_gui.core.data.public import open_dataset
    from mcsvm_gui.core.library import SavedModel, export, load_model, register_onnx_converter, save_model, verify

    __version__: str

__all__ = [
    "Ending",
    "InputError",
    "Limits",
    "MultiClassSVC",
    "ParameterError",
    "Run",
    "SavedModel",
    "SearchResult",
    "__version__",
    "explain",
    "export",
    "load_model",
    "open_dataset",
    "pose",
    "register_onnx_converter",
    "save_model",
    "search",
    "verify",
]

_LIBRARY = "SavedModel", "export", "load_model", "register_onnx_converter", "save_model", "verify"
_HOMES = {  # the others are in mcsvm.solvers
    "open_dataset": "mcsvm_gui.core.data.public",
    **dict.fromkeys(_LIBRARY, "mcsvm_gui.core.library"),
}

# An installed package contains the folder `solvers`. In a checkout that folder is at the top, three levels up.
_place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if _place.endswith(os.path.join(os.sep, "packaging", "python")):
    __path__.insert(0, os.path.dirname(os.path.dirname(_place)))

if not TYPE_CHECKING:  # a type checker knows every name from above, and reports all others

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value: object = import_module("mcsvm_gui.core.base.about").own_version()
        elif name in __all__:
            value = getattr(import_module(_HOMES.get(name, "mcsvm.solvers")), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
