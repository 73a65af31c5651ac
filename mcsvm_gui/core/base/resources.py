"""The only module that knows where the program's own data files are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """Return the folder of the resources: in an installed or bundled package, or next to the package in a checkout."""
    packed = _PACKAGE / "resources"
    return packed if packed.is_dir() else _PACKAGE.parent / "resources"


def dataset(name: str) -> Path:
    """Return the CSV file of an example data set, such as "iris" or "vowel_train"."""
    path = folder() / "datasets" / f"{name}.csv"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in path.parent.glob("*.csv")))
        raise FileNotFoundError(f"there is no example data set {name}; there are: {known or 'none'}")
    return path


def experiment(name: str) -> Path | None:
    """Return a bundled experiment by its name, without folder and suffix; None if there is no such experiment."""
    return experiments().get(name)


def experiments() -> dict[str, Path]:
    """Return the bundled experiments by name."""
    return {path.stem: path for path in sorted((folder() / "experiments").glob("*.toml"))}


def fonts() -> list[Path]:
    """Return the fonts that a bundle contains for systems without fonts; a checkout and a wheel contain none."""
    return sorted((folder() / "fonts").glob("*.ttf"))
