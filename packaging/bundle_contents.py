"""What goes into the bundle, and what does not though a library would bring it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

Entry = tuple[str, str, str]

# Imported somewhere by a library, and used by nothing that this program does.
EXCLUDED_MODULES = [
    *("tkinter", "_tkinter", "curses", "_curses", "readline", "lib2to3"),
    *("ssl", "_ssl", "_hashlib"),  # nothing here speaks with a network; hashes come from Python's own modules
    *(
        "pytest",
        "_pytest",
        "hypothesis",
        "IPython",
        "ipykernel",
        "jupyter",
        "sphinx",
        "setuptools",
        "pkg_resources",
        "pip",
    ),
    *("pyarrow", "onnx", "onnxruntime", "ml_dtypes", "distributed", "dask", "numba.cuda.tests", "numba.tests"),
    *("mypy", "mypyc", "yaml", "pygments", "lxml", "jinja2", "markupsafe", "sqlalchemy", "highspy", "rich", "tornado"),
    *("PyQt5", "PyQt6", "PySide2", "cupy", "h5py", "OpenGL", "colorcet", "pooch"),
    *("PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtTest"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"),  # packaging/bundle_entry.py has stand-ins
    "PySide6.QtDBus",
    *("fsspec", "scipy.signal", "scipy.cluster", "sklearn.utils.estimator_checks", "sklearn.datasets"),
    *("sklearn.calibration", "sklearn.cluster", "sklearn.gaussian_process", "sklearn.isotonic", "sklearn.manifold"),
    *("sklearn.mixture", "sklearn.neural_network"),
    *("PIL._avif", "PIL._webp", "PIL._imagingtk", "PIL._imagingcms", "PIL.ImageTk", "PIL.ImageQt"),
    *("matplotlib.tests", "matplotlib.testing", "fontTools.ufoLib", "fontTools.misc.symfont", "sympy"),
]

# Files of libraries, by their place in the bundle.
UNWANTED = re.compile(
    r"""
    PySide6/Qt/translations/ | PySide6/Qt/qml/ | PySide6/translations/
  | PySide6/Qt/plugins/(?:egldeviceintegrations|generic|networkinformation|tls|sqldrivers)/
  | PySide6/Qt/plugins/(?:qmltooling|printsupport|designer|wayland-graphics-integration-server)/
  | PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboard
  | PySide6/Qt/plugins/platforms/libq(?:eglfs|linuxfb|minimal|vkkhr|vnc)
  | PySide6/Qt/plugins/(?:imageformats/libq(?:pdf|tiff|webp|icns|tga|wbmp|gif)|platformthemes/libqgtk3)
  | PySide6/Qt/lib/libQt6(?:Network|Qml|Quick|Pdf|VirtualKeyboard|EglFS|Sql|Designer|PrintSupport)
  | numba/np/ufunc/(?:tbb|omp)pool\.  # nothing here runs in parallel loops
  | (?:^|/)tests?/ | \.pyi$ | \.pxd$ | \.pyx$ | \.h$ | \.hpp$ | \.c$ | \.cpp$ | \.lib$ | \.a$
  | sklearn/datasets/(?:data|descr|images)/ | matplotlib/mpl-data/(?:sample_data|images|plot_directive)/
  | matplotlib/mpl-data/fonts/(?:afm/|ttf/(?:DejaVuSerif|STIX|cm[a-z]+10|DejaVuSansMono-\w*Oblique))
  | pyqtgraph/examples/
  | pillow\.libs/lib(?:avif|webp|lcms2|sharpyuv)
    """,
    re.VERBOSE,
)

# Libraries of the building system that are brought along: what Python's own modules need, which other distributions
# have in other versions, and what desktops lack at times. All else must be the system's own, for graphics drivers and
# the desktop's settings belong to it; the dependencies of the package bring it (packaging/deb.py).
BROUGHT = re.compile(
    r"lib(?:python3\.\d+|ffi|sqlite3|bz2|lzma|xkbcommon|xkbcommon-x11|xcb-(?:cursor|icccm|image|keysyms|render-util|util))\.so"
)
SYSTEM_FOLDERS = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")


def wanted(place: str, source: str) -> bool:
    """By a file's place in the bundle and where it comes from."""
    place = place.replace("\\", "/")
    if source.startswith(SYSTEM_FOLDERS) and not BROUGHT.match(Path(source).name):
        return False
    return UNWANTED.search(place) is None


def without_orphans(entries: list[Entry], needed_by: Callable[[str], Iterable[str]]) -> list[Entry]:
    """Modules and plugins with what they need; not the libraries that only a left-out plugin needed.

    An entry is (place in the bundle, source, kind); libraries are those that lie in a library folder or at the top.
    """
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault(Path(entry[0]).name, []).append(entry)
    kept = [entry for entry in entries if not _is_library(entry[0])]
    names = {Path(entry[0]).name for entry in kept}
    for entry in kept:
        if entry[2] != "SYMLINK":
            new = [name for name in needed_by(entry[1]) if name not in names and name in by_name]
            names.update(new)
            kept += [library for name in new for library in by_name[name]]
    return kept


def _is_library(place: str) -> bool:
    """Python itself is loaded by the program, and needed by no other file."""
    folder = Path(place).parent.as_posix()
    at_home = folder == "." or folder.endswith(".libs") or folder == "PySide6/Qt/lib"
    return at_home and not place.startswith("libpython")


def without_dead_links(entries: list[Entry], places: set[str]) -> list[Entry]:
    def lives(entry: Entry) -> bool:
        return entry[2] != "SYMLINK" or os.path.normpath(os.path.join(os.path.dirname(entry[0]), entry[1])) in places

    return [entry for entry in entries if lives(entry)]


def datas(root: Path) -> list[tuple[str, str]]:
    """Files that are no modules, with the folder each goes to."""
    return [*resources(root), *fonts(), *metadata()]


def resources(root: Path) -> Iterator[tuple[str, str]]:
    """Our own; pictures of the README are not for those who have the program before them."""
    for path in sorted((root / "resources").rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and "__pycache__" not in place.parts:
            yield str(path), str(Path("mcsvm_gui") / place.parent)


def fonts() -> Iterator[tuple[str, str]]:
    """For systems without any: every letter would be an empty box."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "LICENSE_DEJAVU"):
        yield str(folder / name), "mcsvm_gui/resources/fonts"


INSIDE = [
    *("mcsvm", "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "pandas", "joblib", "threadpoolctl"),
    *("platformdirs", "tomli-w", "pyqtgraph", "pyside6-essentials", "matplotlib", "openpyxl"),
]


def metadata() -> Iterator[tuple[str, str]]:
    """By which the program knows its own version, and the others'."""
    for name in INSIDE:
        found = _metadata_folder(name)
        if found is not None:
            yield str(found / "METADATA"), found.name


def _metadata_folder(name: str) -> Path | None:
    try:
        files = distribution(name).files or []
    except ModuleNotFoundError:
        return None
    place = next((file for file in files if file.name == "METADATA"), None)
    return Path(str(place.locate())).parent if place is not None else None


def hidden(root: Path) -> list[str]:
    """Modules of ours that are imported by a name made at run time, and those that only compiled code imports."""
    homes = {"mcsvm.solvers": root / "solvers", "mcsvm_gui": root / "mcsvm_gui"}
    return [name for package, folder in homes.items() for name in modules(package, folder)] + [
        "matplotlib.backends.backend_svg",
        "matplotlib.backends.backend_pdf",
        "openpyxl",
        "sklearn.neighbors._quad_tree",  # by sklearn.tree
    ]


def modules(package: str, folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        yield ".".join([package, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")


def info_plist(version: str) -> dict[str, object]:
    """macOS: what the program opens."""
    kinds = [("mcsvm model", "mcsvm"), ("mcsvm project", "mcsvmproj")]
    return {
        "CFBundleShortVersionString": version,
        "NSHighResolutionCapable": True,
        "CFBundleDocumentTypes": [
            {"CFBundleTypeName": name, "CFBundleTypeExtensions": [suffix], "CFBundleTypeRole": "Editor"}
            for name, suffix in kinds
        ],
    }
