"""The arguments of each command. This module imports nothing heavy: the command itself reads the values.

Options of data, trainings and searches come from their tables: `ReadOptions`, `Rules`, `Request` and `TuneRequest`.
"""

import argparse
from typing import TYPE_CHECKING

from mcsvm_gui.cli.parser import TOPICS, Parser

if TYPE_CHECKING:
    from mcsvm_gui.core.base.options import Option

DATA = "a file, a folder or a pattern of files with the same columns, or - for standard input"
GROUPS = {"machine": "Numbers may be written 2^-3."}
# Options that only `mcsvm help machine` and `mcsvm help reading` list: most people never need them.
RARE = (
    *("margin", "gap_tol", "sample", "cache_mb", "threads", "calibration_folds"),
    *("spellings", "fold_column", "text", "dates", "date_order", "categories", "names", "where", "merge", "share"),
    *("table", "query", "skip_lines", "header", "separator", "decimal", "encoding", "neighbors", "missing_indicator"),
    *("min_frequency", "date_parts", "analyzer", "ngrams", "stop_words", "min_df"),
)
AS_TRAINED_OR = "reject", "drop"  # rules for missing cells if a model was not trained to impute them
SHORT = {"C": "-c", "gamma": "-g", "kernel": "-k", "machine": "-m", "jobs": "-j"}  # short names of options


def inspect(parser: Parser) -> None:
    """what is in a data file: rows, features and their kinds, classes, missing cells, warnings"""
    parser.examples = (
        "mcsvm inspect DATA.csv",
        "mcsvm inspect DATA.xlsx --table Sheet2 --label species",
    )
    parser.add_argument("data", metavar="DATA", help=DATA)
    _options(parser, "inspect")
    _output(parser)


def check(parser: Parser) -> None:
    """what is wrong or risky with data and a plan, each finding with a code and what to do"""
    parser.examples = (
        "mcsvm check DATA.csv --test TEST.csv",
        "mcsvm check DATA.csv --fail-on warning          for scripts: exit code 1 if there is one",
    )
    parser.add_argument("data", metavar="DATA", help=DATA)
    parser.add_argument("--model", metavar="MODEL", help="also this model, on DATA: its certificate and probabilities")
    parser.add_argument(
        "--baselines",
        action="store_true",
        help="also train the machine on folds, beside the majority class, nearest neighbours and boosted trees",
    )
    parser.add_argument(
        "--fail-on",
        metavar="warning|error",
        help="exit with code 1 if there is a finding of this severity or worse; default: the exit code is 0",
    )
    _options(parser, "check")
    _output(parser)


def train(parser: Parser) -> None:
    """train a machine on a data file, and save it with its certificate"""
    parser.examples = (
        "mcsvm train DATA.csv --holdout 0.3",
        "mcsvm train DATA.csv --machine ovo -c 4 -g 2^-3 -o OUT.mcsvm",
        "mcsvm train --continue OUT.mcsvm          continue a training that was stopped",
    )
    parser.add_argument("data", metavar="DATA", nargs="?", help=f"{DATA}; not needed with --continue")
    parser.add_argument("-o", "--model", metavar="OUT.mcsvm", help="where to save the model")
    parser.add_argument(
        "--continue",
        dest="continued",
        metavar="MODEL",
        help="continue the training of this model, which was stopped or reached a limit, or was killed: a checkpoint is"
        " saved next to --model every minute; limits count from the beginning of the training,"
        " and all settings but limits and tolerances are those of the model",
    )
    parser.add_argument("--trace", metavar="OUT.csv", help="where to write the trace of the training")
    _refit_option(parser, "--holdout, or --test, whose rows then belong to the training rows")
    _options(parser, "train")
    parser.add_argument(
        *("-v", "--verbose"),
        action="store_true",
        help="also print why auto chose its solver, and the findings of the data check in full",
    )
    _output(parser)


def tune(parser: Parser) -> None:
    """search C and gamma by cross-validation, for one machine or several on the same folds"""
    parser.examples = (
        "mcsvm tune DATA.csv --machine ww,ovo --search coarse-to-fine",
        "mcsvm tune DATA.csv --machine all --test-share 0.3 --budget 60 --model OUT.mcsvm",
    )
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


def curve(parser: Parser) -> None:
    """accuracy and time against the number of rows, extrapolated: is more data worth it?"""
    parser.examples = (
        "mcsvm curve DATA.csv",
        "mcsvm curve DATA.csv --machine ovo --folds 10",
    )
    parser.add_argument("data", metavar="DATA", help=DATA)
    _options(parser, "curve")
    _output(parser)


def compare(parser: Parser) -> None:
    """compare machines on one data file or several, over the same folds, with tests of their differences"""
    parser.examples = (
        "mcsvm compare DATA.csv --machines ww,ovo,ova",
        "mcsvm compare A.csv B.csv --tune --report OUT.html",
    )
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


def run(parser: Parser) -> None:
    """replay an experiment from a file to the same numbers"""
    parser.examples = (
        "mcsvm run --list",
        "mcsvm run dogan-2011-accuracy --folder FOLDER --report OUT.html",
        "mcsvm run OWN.toml --results KEPT.db",
    )
    parser.add_argument(
        "experiment",
        metavar="EXPERIMENT.toml",
        nargs="?",
        help="a file, or the name of a bundled experiment; default: list the bundled experiments",
    )
    parser.add_argument("--list", action="store_true", help="list the bundled experiments")
    parser.add_argument("--folder", metavar="DIR", help="where the data are; default: paths begin at EXPERIMENT.toml")
    parser.add_argument("--data", metavar="NAME,...", help="only these data sets of the experiment")
    _jobs_options(parser)
    _results_option(parser)
    _report_option(parser)
    _output(parser)


def report(parser: Parser) -> None:
    """write a report of a project, of models, or of the results of a comparison or search"""
    parser.examples = (
        "mcsvm report PROJECT.mcsvmproj -o OUT.html",
        "mcsvm report PROJECT.mcsvmproj -o OUT.pdf --run 1,2",
        "mcsvm report A.mcsvm B.mcsvm -o OUT.html",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a project, one or several models, a file of --results, or the document of mcsvm tune --json",
    )
    parser.add_argument("-o", "--output", metavar="OUT.html", required=True, help=_endings())
    parser.add_argument("--run", metavar="NUMBER,...", help="only these runs of a project; default all")
    from mcsvm_gui.core.report.chapters import CHAPTERS, USUAL

    parser.add_argument(
        "--chapters",
        metavar="NAME,...",
        help=f"what follows the first two pages: all, none or some of {', '.join(CHAPTERS)}; default {','.join(USUAL)}",
    )
    _output(parser)


def _refit_option(parser: Parser, needs: str) -> None:
    parser.add_argument(
        "--refit",
        action="store_true",
        help=f"after the test on held-out rows ({needs}), train the delivered model on all rows; the document says"
        " which number belongs to which model",
    )


def _jobs_options(parser: Parser) -> None:
    parser.add_argument("--jobs", metavar="N", help="trainings at once; default 1, for times that can be compared")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of Dask, as tcp://HOST:8786: its workers train, a task each"
    )


def _results_option(parser: Parser) -> None:
    parser.add_argument(
        "--results",
        metavar="FILE",
        help="keep every training here as it ends; what is kept already is not trained again, so that an interrupted"
        " run goes on, and a finished one gives another --report",
    )


def _report_option(parser: Parser) -> None:
    parser.add_argument("--report", metavar="OUT.html", help=f"write a report, {_endings()}")


def _endings() -> str:
    """Return the endings of reports."""
    from mcsvm_gui.core.report import FORMATS

    return f"ending in {', '.join(FORMATS)}"


def predict(parser: Parser) -> None:
    """apply a model to the rows of a data file, matching columns by name"""
    parser.examples = (
        "mcsvm predict MODEL.mcsvm NEW.csv -o OUT.csv",
        "mcsvm predict MODEL.mcsvm NEW.csv --proba --keep id",
    )
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


def evaluate(parser: Parser) -> None:
    """how well a model decides: ROC, precision-recall, calibration, confusion and costs, with intervals"""
    parser.examples = (
        "mcsvm evaluate MODEL.mcsvm TEST.csv",
        "mcsvm evaluate MODEL.mcsvm TEST.csv --min-accuracy 0.9          for scripts",
    )
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", metavar="DATA", help="rows with known classes")
    parser.add_argument(
        "--folds",
        metavar="N",
        help="cross-validate: train with the settings of MODEL on N folds of DATA, instead of evaluating MODEL itself",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE.csv",
        help="what errors cost: class names in the first row and column, true classes down; a model with probabilities"
        " is evaluated as it decides by them",
    )
    parser.add_argument(
        "--min-accuracy", metavar="SHARE", help="exit with code 1 if the accuracy is below this share, such as 0.9"
    )
    _report_option(parser)
    parser.epilog = "Intervals are 95% confidence intervals, by bootstrap over rows."
    _options(parser, "evaluate")
    _output(parser)


def explain(parser: Parser) -> None:
    """why a model decides so: what each column adds to its decision values, exactly (sigmoid kernel: sampled)"""
    parser.examples = (
        "mcsvm explain MODEL.mcsvm DATA.csv --rows 1,5-9",
        "mcsvm explain MODEL.mcsvm DATA.csv --rows 3 --flip",
    )
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


def verify(parser: Parser) -> None:
    """check every part of a model that predicts against its training data, and recompute its certificate"""
    parser.examples = (
        "mcsvm verify MODEL.mcsvm DATA.csv",
        "mcsvm verify MODEL.mcsvm DATA.csv --export MODEL.onnx",
    )
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


def export(parser: Parser) -> None:
    """write a model for other programs, checked against its own labels"""
    parser.examples = (
        "mcsvm export MODEL.mcsvm --to onnx -o OUT.onnx",
        "mcsvm export MODEL.mcsvm --to c -o OUT.c --check TEST.csv",
    )
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


def doctor(parser: Parser) -> None:
    """versions, threads, caches, and system libraries that are missing"""
    parser.examples = (
        "mcsvm doctor",
        "mcsvm doctor --json",
    )
    _output(parser)


def first_look(parser: Parser) -> None:
    """train the six machines on a bundled data set and compare them"""
    parser.examples = ("mcsvm first-look",)


def completion(parser: Parser) -> None:
    """print a script that completes commands and options in a shell"""
    parser.examples = (
        "mcsvm completion bash > ~/.local/share/bash-completion/completions/mcsvm",
        "mcsvm completion fish > ~/.config/fish/completions/mcsvm.fish",
    )
    parser.add_argument("shell", metavar="bash|zsh|fish", help="the shell that the script is for")


def help_topics(parser: Parser) -> None:
    """show the options of a command, or all options of a topic"""
    parser.examples = (
        "mcsvm help train",
        "mcsvm help reading",
    )
    parser.add_argument(
        "topic", metavar="COMMAND|TOPIC", nargs="?", help=f"a command, or {' or '.join(TOPICS)}; default: all commands"
    )


def _options(parser: Parser, command: str) -> None:
    """Add the options of the tables that this command has; those of the machine come before those of reading data."""
    from mcsvm_gui.core.base.options import options_of
    from mcsvm_gui.core.data.options import ReadOptions, Rules
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.options import SEARCH_OPTIONS

    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    tables = options_of(Request), SEARCH_OPTIONS, options_of(ReadOptions), options_of(Rules)
    for option in (option for table in tables for option in table.values() if command in option.commands):
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group, GROUPS.get(option.group))
        _add(groups[option.group], option, command)
        if option.name in RARE:
            parser.rare.add(option.name)


def _add(group: argparse._ActionsContainer, option: "Option", command: str) -> None:
    metavar, default = option.kind.metavar, _default(option)
    text = option.help
    if command == "tune" and option.searched:
        metavar, default = "LOW:HIGH", f"default {option.searched}"
    elif command == "tune" and option.several:
        metavar, text = "NAME,...", f"some of {metavar.replace('|', ', ')}, or all"
    elif option.name == "missing" and command in option.unlisted:
        metavar, default = "|".join(AS_TRAINED_OR), "default: as in training"
    help = "; ".join(part for part in (f"{text}{_kernels(option)}", default) if part)
    help = f"{help[:1].lower()}{help[1:]}".replace("%", "%%")
    if command in option.unlisted and option.name != "missing":
        help = argparse.SUPPRESS
    names = [SHORT[option.name], option.argument] if option.name in SHORT else [option.argument]
    if option.default is False:
        group.add_argument(*names, action="store_true", help=help)
    else:
        group.add_argument(*names, metavar=metavar, help=help)


def _default(option: "Option") -> str:
    if option.note:
        return option.note
    if option.unsaid:
        return "" if option.unsaid == "none" else f"default: {option.unsaid}"
    return option.default_text and f"default {option.default_text}"


def _kernels(option: "Option") -> str:
    """Return which kernels have the option."""
    from mcsvm_gui.core.machine.names import PARAMETERS

    named = ", ".join(kernel for kernel, declared in PARAMETERS.items() if option.name in declared)
    return f" (kernel {named})" if option.of_kernel else ""


def _output(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else there")
    parser.add_argument(
        *("-q", "--quiet"),
        action="store_true",
        help="print only what was asked for: the document of --json, or predictions; and errors",
    )
