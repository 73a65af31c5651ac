"""What each command may be given. Nothing heavy is imported here: values are read by the command itself.

Options of data, trainings and searches come from their tables: `ReadOptions`, `Rules`, `Request` and `TuneRequest`.
"""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcsvm_gui.core.base.options import Option

DATA = "a file, a folder or a pattern of files with the same columns, or - for standard input"
GROUPS = {"machine": "Numbers may be written 2^-3."}


def inspect(parser: argparse.ArgumentParser) -> None:
    """what is in a data file: rows, features and their kinds, classes, missing cells, warnings"""
    parser.add_argument("data", metavar="DATA", help=DATA)
    _options(parser, "inspect")
    _output(parser)


def check(parser: argparse.ArgumentParser) -> None:
    """what is wrong or risky with data and a plan, each finding with a code and what to do"""
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("--model", metavar="MODEL", help="also this model, on DATA: its certificate and probabilities")
    parser.add_argument(
        "--baselines",
        action="store_true",
        help="also train the machine on folds, beside the majority class, nearest neighbours and boosted trees",
    )
    parser.epilog = "The exit code is 0 whatever is found."
    _options(parser, "check")
    _output(parser)


def train(parser: argparse.ArgumentParser) -> None:
    """train a machine on a data file, and keep it with its certificate"""
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("--model", metavar="OUT.mcsvm", help="where to keep the model")
    parser.add_argument("--trace", metavar="OUT.csv", help="where to write the trace of the training")
    _refit_option(parser, "--holdout")
    _options(parser, "train")
    _output(parser)


def tune(parser: argparse.ArgumentParser) -> None:
    """search C and gamma by cross-validation, for one machine or several on the same folds"""
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("-o", "--output", metavar="CELLS.csv", help="one line per cell")
    parser.add_argument(
        "--model",
        metavar="OUT.mcsvm",
        help="train the best cell of each machine, test them on the rows that --test-share kept apart, and keep the"
        " best by cross-validation",
    )
    _refit_option(parser, "--test-share and --model")
    _report_option(parser)
    parser.epilog = (
        "--machine takes several names, as in ww,cs, or all. --C and --gamma take ranges, or one number each."
        " --time-limit is for each cell on each fold. Ctrl-C keeps what is done."
    )
    _options(parser, "tune")
    _output(parser)


def curve(parser: argparse.ArgumentParser) -> None:
    """accuracy and time against the number of rows, extrapolated: is more data worth it?"""
    parser.add_argument("data", metavar="DATA")
    _options(parser, "curve")
    _output(parser)


def compare(parser: argparse.ArgumentParser) -> None:
    """compare machines on one data file or several, over the same folds, with tests of their differences"""
    from mcsvm_gui.core.machine import names
    from mcsvm_gui.core.tune.options import RANGES

    parser.add_argument("data", metavar="DATA", nargs="+", help=DATA)
    parser.add_argument("--machines", metavar="NAME,...", help=f"default {','.join(names.MACHINES)}")
    parser.add_argument("--solvers", metavar="NAME,...", help="default auto; each machine is trained by each")
    parser.add_argument("--tune", action="store_true", help="choose C and gamma inside every training part")
    _jobs_options(parser)
    parser.add_argument("--save", metavar="OUT.toml", help="keep the experiment, for mcsvm run")
    ranges = " and ".join(option.searched for option in RANGES.values())
    parser.epilog = (
        f"With --tune, which has --search and --step, --C and --gamma take ranges: {ranges} unless told otherwise; they"
        " are searched in five folds of each training part, so that the rows tested on have no say in them."
    )
    _results_option(parser)
    _report_option(parser)
    _options(parser, "compare")
    _output(parser)


def run(parser: argparse.ArgumentParser) -> None:
    """replay an experiment from a file to the same numbers"""
    parser.add_argument("experiment", metavar="EXPERIMENT.toml", help="a file, or the name of a bundled experiment")
    parser.add_argument("--folder", metavar="DIR", help="where the data are; default: paths begin at EXPERIMENT.toml")
    parser.add_argument("--data", metavar="NAME,...", help="only these data sets of the experiment")
    _jobs_options(parser)
    _results_option(parser)
    _report_option(parser)
    _output(parser)


def report(parser: argparse.ArgumentParser) -> None:
    """write a report of a project: its runs, side by side where they are on the same data"""
    parser.add_argument("project", metavar="PROJECT.mcsvmproj")
    parser.add_argument("-o", "--output", metavar="OUT.html", required=True, help=_endings())
    parser.add_argument("--run", metavar="NUMBER,...", help="only these runs; default all")
    from mcsvm_gui.core.report.chapters import CHAPTERS, USUAL

    parser.add_argument(
        "--chapters",
        metavar="NAME,...",
        help=f"what follows the first two pages: all, none or some of {', '.join(CHAPTERS)}; default {','.join(USUAL)}",
    )
    _output(parser)


def _refit_option(parser: argparse.ArgumentParser, needs: str) -> None:
    parser.add_argument(
        "--refit",
        action="store_true",
        help=f"after the test on held-out rows ({needs}), train the delivered model on all rows; the document says"
        " which number belongs to which model",
    )


def _jobs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="N", help="trainings at once; default 1, for times that can be compared")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of Dask, as tcp://HOST:8786: its workers train, a task each"
    )


def _results_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results",
        metavar="FILE",
        help="keep every training here as it ends; what is kept already is not trained again, so that an interrupted"
        " run goes on, and a finished one gives another --report",
    )


def _report_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", metavar="OUT.html", help=f"write a report, {_endings()}")


def _endings() -> str:
    """Of reports."""
    from mcsvm_gui.core.report import FORMATS

    return f"ending in {', '.join(FORMATS)}"


def predict(parser: argparse.ArgumentParser) -> None:
    """apply a model to the rows of a data file, matching columns by name"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="one line per row; standard output without it")
    parser.add_argument("--scores", action="store_true", help="also a score per class; the largest decides")
    parser.add_argument(
        "--proba", action="store_true", help="also a probability per class, of a model trained with --calibrate"
    )
    parser.add_argument(
        "--reject", metavar="P", help="leave the prediction empty where the class is less probable than P, such as 0.6"
    )
    parser.add_argument(
        "--sets",
        metavar="ERROR",
        help="also which classes each row may be of: sets that hold the right one in all but this share of the rows of"
        " every class, such as 0.05; and whether it may be none of these. Of a model trained with --calibrate",
    )
    parser.epilog = (
        "CSV and LIBSVM, packed or from standard input, are read block by block, in memory that does not grow with the"
        " rows; a folder or pattern file by file; a file of another format at once. "
        "A class name that a spreadsheet would run as a formula gets an apostrophe in front (numbers stay as they are);"
        " text that already looks like that gets one more, so taking one away gives every name back exactly."
    )
    _options(parser, "predict")
    _output(parser)


def evaluate(parser: argparse.ArgumentParser) -> None:
    """how well a model decides: ROC, precision-recall, calibration, confusion and costs, with intervals"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help="rows with known classes")
    parser.add_argument(
        "--folds",
        metavar="N",
        help="train what MODEL was asked for anew on N folds of DATA, each row tested by the training without it;"
        " default: MODEL as it is",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE.csv",
        help="what errors cost: class names in the first row and column, true classes down; a model with probabilities"
        " is evaluated as it decides by them",
    )
    _report_option(parser)
    parser.epilog = "Intervals are of 95%, by bootstrap over rows."
    _options(parser, "evaluate")
    _output(parser)


def explain(parser: argparse.ArgumentParser) -> None:
    """why a model decides so: what each column adds to its decision values, exactly (sigmoid kernel: sampled)"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("--rows", metavar="1,5-9", help="only these rows of DATA, counted from 1; default all")
    parser.add_argument(
        "--background", metavar="N", help="how many rows of DATA each is compared with, drawn by class; default 100"
    )
    parser.add_argument(
        "--training", metavar="FILE", help="draw the rows it is compared with from this file, as the window does"
    )
    parser.add_argument(
        "--permutations",
        metavar="N",
        help="orders of the columns that are drawn for a row where values are sampled (sigmoid); default 1000",
    )
    parser.add_argument(
        "--flip", action="store_true", help="also the smallest change of each row that is decided otherwise"
    )
    parser.add_argument("--fix", metavar="NAME,...", help="columns that --flip leaves as they are")
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="a line per row and decision function")
    parser.epilog = (
        "Values of all columns add up to the decision value less its mean over the background; the sum error says how"
        " far they miss it. Those of the sigmoid kernel are sampled, with standard errors; all others are exact."
        " Ctrl-C keeps the rows that are done."
    )
    _options(parser, "explain")
    _output(parser)


def verify(parser: argparse.ArgumentParser) -> None:
    """check every part of a model that predicts against its training data, and recompute its certificate"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help="the file the model was trained on")
    parser.add_argument(
        "--recompute-calibration",
        action="store_true",
        help="fit probabilities again also if there are more than 10000 training rows; takes a training for each fold",
    )
    parser.add_argument(
        "--export",
        metavar="FILE",
        nargs="+",
        help="compare these exported files with the model instead, on the rows of DATA, which may be any rows",
    )
    _options(parser, "verify")
    _output(parser)


def export(parser: argparse.ArgumentParser) -> None:
    """write a model for other programs, checked against its own labels"""
    parser.add_argument("model", metavar="MODEL")
    from mcsvm_gui.core.export import EXPORTERS

    parser.add_argument("--to", metavar="FORMAT", required=True, help="|".join(EXPORTERS))
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where to write it")
    parser.add_argument(
        "--check",
        metavar="DATA",
        help="rows to compare labels on; default: those trained on, or the support vectors where that file is gone",
    )
    _output(parser)


def doctor(parser: argparse.ArgumentParser) -> None:
    """versions, threads, caches, and system libraries that are missing"""
    _output(parser)


def first_look(parser: argparse.ArgumentParser) -> None:
    """train the six machines on a bundled data set and compare them"""


def _options(parser: argparse.ArgumentParser, command: str) -> None:
    """Those of the tables that this command has."""
    from mcsvm_gui.core.base.options import options_of
    from mcsvm_gui.core.data.options import ReadOptions, Rules
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.options import SEARCH_OPTIONS

    known = [option for table in (ReadOptions, Rules, Request) for option in options_of(table).values()]
    known += SEARCH_OPTIONS.values()
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for option in known:
        if command in option.commands:
            if option.group not in groups:
                groups[option.group] = parser.add_argument_group(option.group, GROUPS.get(option.group))
            metavar, default = option.kind.metavar, _default(option)
            if command == "tune" and option.searched:
                metavar, default = "LOW:HIGH", f"default {option.searched}"
            elif command == "tune" and option.several:
                metavar = "NAME,..."
            _add(groups[option.group], option, metavar, default)


def _add(group: argparse._ActionsContainer, option: "Option", metavar: str, default: str) -> None:
    help = "; ".join(part for part in (f"{option.help}{_kernels(option)}", default) if part)
    help = f"{help[:1].lower()}{help[1:]}".replace("%", "%%")
    if option.default is False:
        group.add_argument(option.argument, action="store_true", help=help)
    else:
        group.add_argument(option.argument, metavar=metavar, help=help)


def _default(option: "Option") -> str:
    if option.note:
        return option.note
    if option.unsaid:
        return "" if option.unsaid == "none" else f"default: {option.unsaid}"
    return option.default_text and f"default {option.default_text}"


def _kernels(option: "Option") -> str:
    """Which of them have it."""
    from mcsvm_gui.core.machine.names import PARAMETERS

    named = ", ".join(kernel for kernel, declared in PARAMETERS.items() if option.name in declared)
    return f" (kernel {named})" if option.of_kernel else ""


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else there")
    parser.add_argument("--quiet", action="store_true", help="no progress and no warnings on standard error")
