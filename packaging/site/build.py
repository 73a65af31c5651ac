"""The documentation as a site of static pages, from the guide, the tutorials beside this file, docstrings and argparse.

    python -m pip install -e '.[site]'
    python packaging/site/build.py            # into build/site; open build/site/html/index.html

The guide is the text of the program (resources/guide), a page per chapter; the reference of commands is what argparse
knows. A warning, such as a link that leads nowhere, ends the build.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(ROOT), str(HERE.parent / "python"), str(HERE.parent)]
CHAPTERS = {"guide": "Guide", "tutorials": "Tutorials", "reference": "Reference", "behind": "Behind it"}
TUTORIALS = {
    "first_model": "A first model",
    "from_svc": "From SVC to MultiClassSVC",
    "imbalanced": "Rare classes and costs",
    "text": "Words as features",
    "explain": "Why this class?",
    "large": "Many rows",
    "cluster": "A search on a cluster",
    "from_libsvm": "Coming from LIBSVM",
    "papers": "The papers' tables",
}
SPEED = "tests/benchmarks/results/page.md"  # its pictures lie beside it
BEHIND = (  # of the checkout
    SPEED,
    *("solvers/README.md", "mcsvm_gui/README.md", "packaging/README.md"),
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "solvers" / "notes").glob("*.md")),
    *("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
)
METHODS = "fit", "partial_fit", "predict", "predict_proba", "predict_log_proba", "decision_function"
FILES = "open_dataset", "load_model", "save_model", "verify", "export", "register_onnx_converter"
EXPLAINING = "shapley", "contrast", "log_odds", "flip"
PUBLIC = {
    "MultiClassSVC": [
        ("autoclass", "mcsvm.MultiClassSVC"),
        *(("automethod", f"mcsvm.MultiClassSVC.{name}") for name in METHODS),
    ],
    "Search": [("autofunction", "mcsvm.search"), ("autoclass", "mcsvm.SearchResult")],
    "Data and models": [
        *(("autofunction", f"mcsvm.{name}") for name in FILES),
        ("autoclass", "mcsvm.SavedModel\n   :members:"),
    ],
    "Explaining": [("autofunction", f"mcsvm.explain.{name}") for name in EXPLAINING],
    "Slice by slice": [("autofunction", "mcsvm.pose"), ("autoclass", "mcsvm.Run"), ("autoclass", "mcsvm.Limits")],
    "Certificates and endings": [
        ("autoclass", "mcsvm.solvers.dual.certificate.Certificate\n   :members:"),
        ("autoclass", "mcsvm.Ending\n   :members:\n   :undoc-members:"),
        ("autoclass", "mcsvm.solvers.run.trace.Sample\n   :members:"),
    ],
    "Errors": [("autoclass", "mcsvm.InputError"), ("autoclass", "mcsvm.ParameterError")],
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Build the documentation as static pages.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", help="default: build/site")
    folder = parser.parse_args(arguments).folder
    assemble(folder)
    quiet = ["--quiet", "--fail-on-warning", "--keep-going"]
    return subprocess.call([sys.executable, "-m", "sphinx", *quiet, str(folder / "pages"), str(folder / "html")])


def assemble(folder: Path) -> None:
    """Write the pages; the first lists those of each chapter."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = every_page()
    pages["index.md"] += "".join(
        toctree(title, [page for page in pages if page.startswith(f"{chapter}/")])
        for chapter, title in CHAPTERS.items()
    )
    for name, text in pages.items():
        path = folder / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(ROOT / "resources" / "pictures", folder / "pages" / "pictures")
    for picture in (ROOT / SPEED).parent.glob("*.svg"):
        shutil.copy(picture, folder / "pages" / "behind" / place(SPEED).rpartition("/")[0])
    for name in ("conf.py", "site.css"):
        shutil.copy(HERE / name, folder / "pages")


def toctree(title: str, pages: list[str]) -> str:
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""])


def every_page() -> dict[str, str]:
    """Text by place, in the order of the navigation."""
    return {
        "index.md": index(),
        **{f"guide/{name}.md": text for name, text in guide()},
        **{f"tutorials/{name}.md": (HERE / "tutorials" / f"{name}.md").read_text("utf-8") for name in TUTORIALS},
        "reference/python.md": "# Python\n\n" + "\n".join(public()),
        "reference/commands.md": "# Commands\n\n" + "\n".join(commands()),
        **{f"behind/{place(path)}": (ROOT / path).read_text("utf-8") for path in BEHIND},
    }


def place(path: str) -> str:
    return path.lower().replace("/readme", "")


# -- the guide and the first page -----------------------------------------------------------------


def index() -> str:
    """The README up to its map of the code."""
    text = (ROOT / "README.md").read_text("utf-8").partition("## Map of the code")[0]
    text = text.replace("](resources/pictures/", "](pictures/").replace("](packaging/site/tutorials/", "](tutorials/")
    return text.replace(f"]({SPEED})", f"](behind/{place(SPEED)})")


def guide() -> Iterator[tuple[str, str]]:
    """A page per chapter of the text that the program shows."""
    from mcsvm_gui.ui.shell.guide import anchor, read

    chapters = re.split(r"(?m)^## ", read("en")[0])[1:]
    names = {anchor(chapter.partition("\n")[0]): chapter for chapter in chapters}
    for name, chapter in names.items():
        text = re.sub(r"\]\(#([\w-]+)\)", lambda link: f"]({link[1]}.md)" if link[1] in names else link[0], chapter)
        text = re.sub(r"(?m)^(#+) ", lambda heading: heading[1][1:] + " ", text)  # a chapter is a page here
        yield name, "# " + text.replace("](pictures/", "](../pictures/")


# -- reference ------------------------------------------------------------------------------------


def public() -> Iterator[str]:
    for title, names in PUBLIC.items():
        yield f"## {title}\n\n```{{eval-rst}}"
        for directive, name in names:
            yield f".. {directive}:: {name}\n"
        yield "```\n"


def commands() -> Iterator[str]:
    import manual

    from mcsvm_gui.cli import _parser

    parser = _parser()
    yield (parser.epilog or "") + "\n"
    for name, sub in manual.subcommands(parser).items():
        yield f"## {name}\n\n```text\n{sub.line()}\n```\n\n{manual.sentence(sub.description or '')}\n"
        for group in sub._action_groups:
            rows = [f"| {form(action)} | {cell(action.help or '')} |" for action in manual.shown(group._group_actions)]
            if rows:
                yield "\n".join(["| option | what it does |", "|---|---|", *rows, ""])
            if group.description:
                yield group.description + "\n"
        if sub.epilog:
            yield sub.epilog + "\n"
        if sub.examples:
            yield "\n".join(["```text", *sub.examples, "```", ""])


def form(action: argparse.Action) -> str:
    names = [", ".join(action.option_strings), action.metavar]
    return f"`{' '.join(str(one) for one in names if one)}`".replace("|", "\\|")


def cell(text: str) -> str:
    return text.replace("%%", "%").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
