"""What each command may be given. Nothing heavy is imported here: values are read by the command itself."""

import argparse

MACHINES = "ww|llw|cs|ova|ovo|dag"
SOLVERS = "auto|smo|s2do|fw"
SEARCHES = "grid|two-line|coarse-to-fine|per-pair|halving"
KERNELS = "rbf|linear|polynomial|sigmoid"


def inspect(parser: argparse.ArgumentParser) -> None:
    """what is in a data file: rows, features and their kinds, classes, missing cells, warnings"""
    parser.add_argument("data", metavar="DATA")
    _data(parser)
    _output(parser)


def train(parser: argparse.ArgumentParser) -> None:
    """train a machine on a data file, and keep it with its certificate"""
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("--test", metavar="FILE", help="rows to test on; columns are matched by name")
    parser.add_argument("--holdout", metavar="SHARE", help="test on this share of DATA instead, such as 0.3")
    parser.add_argument("--model", metavar="OUT.mcsvm", help="where to keep the model")
    parser.add_argument("--trace", metavar="OUT.csv", help="where to write the course of the training")
    _data(parser)
    _machine(parser)
    _output(parser)


def tune(parser: argparse.ArgumentParser) -> None:
    """search C and gamma by cross-validation, for one machine or several on the same folds"""
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("--search", metavar=SEARCHES, help="which cells of the grid are tried; default grid, all")
    parser.add_argument("--step", metavar="X", help="of the ranges, in powers of two; default 1")
    parser.add_argument("--folds", metavar="N", help="of cross-validation; default 5")
    parser.add_argument("--repeats", metavar="N", help="of the cross-validation, each with other folds; default 1")
    parser.add_argument("--holdout", metavar="SHARE", help="validate on this share instead of folds, such as 0.3")
    parser.add_argument("--nested", action="store_true", help="also the error of the choice, made again in each fold")
    parser.add_argument("--jobs", metavar="N", help="threads; default one for each processor")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that does it, as tcp://HOST:8786")
    parser.add_argument("-o", "--output", metavar="CELLS.csv", help="one line per cell")
    _report_option(parser)
    parser.epilog = (
        "--machine takes several names, as in ww,cs. --C and --gamma take ranges: 2^-2:2^12 and 2^-10:2^4 unless told"
        " otherwise. --time-limit is for each cell on each fold. Ctrl-C keeps what is done."
    )
    _data(parser)
    _machine(parser)
    parser.set_defaults(test=None)
    _output(parser)


def compare(parser: argparse.ArgumentParser) -> None:
    """compare machines on one data file or several, over the same folds, with tests of their differences"""
    parser.add_argument("data", metavar="DATA", nargs="+")
    parser.add_argument("--machines", metavar="NAME,...", help=f"default {MACHINES.replace('|', ',')}")
    parser.add_argument("--solvers", metavar="NAME,...", help="default auto; each machine is trained by each")
    parser.add_argument("--tune", action="store_true", help="choose C and gamma inside every training part")
    parser.add_argument(
        "--search", metavar="grid|coarse-to-fine|...", help="of --tune, as for mcsvm tune; default grid"
    )
    parser.add_argument("--step", metavar="X", help="of the ranges of --tune, in powers of two; default 1")
    parser.add_argument("--folds", metavar="N", help="of cross-validation; default 5")
    parser.add_argument("--repeats", metavar="N", help="of the cross-validation, each with other folds; default 1")
    parser.add_argument("--jobs", metavar="N", help="trainings at once; default 1, for times that can be compared")
    parser.add_argument("--save", metavar="OUT.toml", help="keep the experiment, for mcsvm run")
    parser.epilog = (
        "With --tune, --C and --gamma take ranges: 2^-2:2^12 and 2^-10:2^4 unless told otherwise; they are searched in"
        " five folds of each training part, so that the rows tested on have no say in them."
    )
    _results_option(parser)
    _report_option(parser)
    _data(parser)
    _machine(parser, one=False)
    parser.set_defaults(machine=None, solver=None, holdout=None, test=None)
    _output(parser)


def run(parser: argparse.ArgumentParser) -> None:
    """replay an experiment from a file to the same numbers"""
    parser.add_argument("experiment", metavar="EXPERIMENT.toml", help="a file, or the name of a bundled experiment")
    parser.add_argument("--folder", metavar="DIR", help="where the data are; default: paths begin at EXPERIMENT.toml")
    parser.add_argument("--data", metavar="NAME,...", help="only these data sets of the experiment")
    parser.add_argument("--jobs", metavar="N", help="trainings at once; default 1, for times that can be compared")
    _results_option(parser)
    _report_option(parser)
    _output(parser)


def report(parser: argparse.ArgumentParser) -> None:
    """write a report of a project: its runs, side by side where they are on the same data"""
    parser.add_argument("project", metavar="PROJECT.mcsvmproj")
    parser.add_argument("-o", "--output", metavar="OUT.html", required=True, help="or .pdf, .md, .tex, .json")
    parser.add_argument("--run", metavar="NUMBER,...", help="only these runs; default all")
    _output(parser)


def _results_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results",
        metavar="FILE",
        help="keep every training here as it ends; what is kept already is not trained again, so that an interrupted"
        " run goes on, and a finished one gives another --report",
    )


def _report_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--report", metavar="OUT.html", help="write a report: .html, .pdf, .md, .tex or .json")


def predict(parser: argparse.ArgumentParser) -> None:
    """apply a model to the rows of a data file, matching columns by name"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="one line per row; standard output without it")
    parser.add_argument("--scores", action="store_true", help="also a score per class; the largest decides")
    parser.epilog = (
        "A class name that a spreadsheet would run as a formula gets an apostrophe in front (numbers stay as they are);"
        " text that already looks like that gets one more, so taking one away gives every name back exactly."
    )
    _data(parser)
    _output(parser)


def verify(parser: argparse.ArgumentParser) -> None:
    """recompute the certificate of a model from its dual variables and its training data"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help="the file the model was trained on")
    _data(parser)
    _output(parser)


def export(parser: argparse.ArgumentParser) -> None:
    """write a model for other programs, checked against its own labels"""
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--to", metavar="FORMAT", required=True, help="onnx|libsvm|liblinear|pmml|json|c|python")
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


def _data(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading data")
    group.add_argument(
        "--label",
        metavar="NAME|INDEX",
        help="the column of the classes; default: label, class, target or y in any case, else the last",
    )
    group.add_argument("--format", metavar="auto|csv|libsvm|arff|parquet|xlsx", help="default: what the content shows")
    group.add_argument("--header", metavar="auto|yes|no", help="whether the first line names the columns")
    group.add_argument("--separator", metavar="TEXT", help="between fields, such as ';' or tab")
    group.add_argument("--decimal", metavar=".|,", help="the decimal mark")
    group.add_argument("--encoding", metavar="NAME", help="such as utf-8 or cp1252")
    group.add_argument(
        "--missing",
        metavar="reject|drop|mean|most-frequent",
        help="what to do with missing cells; default reject, naming the first places",
    )
    group.add_argument(
        "--scale", metavar="minmax|standard|none", help="default minmax: to [-1, 1], fitted on the training part only"
    )


def _machine(parser: argparse.ArgumentParser, *, one: bool = True) -> None:
    """`one`: the machine and its solver are chosen as well."""
    group = parser.add_argument_group("machine", "Numbers may be written 2^-3.")
    if one:
        group.add_argument("--machine", metavar=MACHINES, help="default ww")
        group.add_argument("--solver", metavar=SOLVERS, help="default auto, the fastest way to the certificate")
    group.add_argument("--kernel", metavar=KERNELS, help="default rbf")
    group.add_argument("--C", metavar="X", help="the cost of errors; default 1")
    group.add_argument("--gamma", metavar="X|scale", help="default scale: 1 / (features x variance)")
    group.add_argument("--degree", metavar="N", help="of the polynomial kernel; default 3")
    group.add_argument("--coef0", metavar="X", help="of the polynomial and sigmoid kernels; default 0")
    group.add_argument("--margin", metavar="X", help="default: the machine's own")
    group.add_argument("--bias", metavar="none|regularized|exact", help="default: the machine's own")
    group.add_argument("--class-weight", metavar="balanced|JSON", help="factors on C, such as '{\"a\": 2}'")
    group.add_argument("--tol", metavar="X", help="the largest violation of optimality allowed; default 1e-3")
    group.add_argument("--gap-tol", metavar="X", help="the relative gap to end at; --tol then ends nothing")
    group.add_argument("--max-iter", metavar="N", help="end after so many steps")
    group.add_argument("--time-limit", metavar="S", help="end after so many seconds of training")
    group.add_argument("--cache-mb", metavar="N", help="memory for kernel rows; default 500")
    group.add_argument("--threads", metavar="N", help="of matrix products; default 1")
    group.add_argument("--seed", metavar="N", help="of everything drawn by lot; default 0")


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else there")
    parser.add_argument("--quiet", action="store_true", help="no progress and no warnings on standard error")
