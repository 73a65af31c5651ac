"""Small files as other programs ship or write them, each with the reading that its own documentation asks for.

Where SciPy or pandas read the format too, they are asked for the same rows, kinds and gaps.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from scipy.io import arff

from mcsvm_gui.core.data.dataset import Dataset

Read = Callable[..., Dataset]

# Weka's data/weather.numeric.arff (Witten and Frank, Data Mining, table 1.3)
WEATHER = """@relation weather

@attribute outlook {sunny, overcast, rainy}
@attribute temperature numeric
@attribute humidity numeric
@attribute windy {TRUE, FALSE}
@attribute play {yes, no}

@data
sunny,85,85,FALSE,no
sunny,80,90,TRUE,no
overcast,83,86,FALSE,yes
rainy,70,96,FALSE,yes
rainy,68,80,FALSE,yes
"""
# The last rows of Weka's data/labor.arff (Collective Bargaining Review, UCI), five of its columns
LABOR = """@relation 'labor-neg-data'
@attribute 'duration' real
@attribute 'cost-of-living-adjustment' {'none','tcf','tc'}
@attribute 'pension' {'none','ret_allw','empl_contr'}
@attribute 'vacation' {'below_average','average','generous'}
@attribute 'class' {'bad','good'}
@data
2,'none',?,'below_average','good'
2,'none','ret_allw','average','good'
2,?,?,?,'good'
3,'tcf','empl_contr',?,'good'
3,'tcf',?,'generous','good'
1,?,?,'generous','bad'
"""
# https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/: dates, with a class beside; sparse rows
TIMESTAMPS = """@RELATION Timestamps
@ATTRIBUTE timestamp DATE "yyyy-MM-dd HH:mm:ss"
@ATTRIBUTE class {a, b}
@DATA
"2001-04-03 12:12:12",a
"2001-05-03 12:59:55",b
"""
SPARSE = """@RELATION sparse
@ATTRIBUTE first NUMERIC
@ATTRIBUTE second {U, X, W}
@ATTRIBUTE third NUMERIC
@ATTRIBUTE fourth {V, Y}
@ATTRIBUTE class {"class A", "class B"}
@DATA
{1 X, 3 Y, 4 "class A"}
{1 W, 4 "class B"}
"""
# Orange's datasets/titanic.tab and zoo.tab (Forsyth, UCI): their headers and first rows, of zoo five columns
TITANIC = "status\tage\tsex\tsurvived\nd\td\td\td\n\t\t\tclass\nfirst\tadult\tmale\tyes\nfirst\tadult\tmale\tno\n"
ZOO = (
    "name\thair\tlegs\tdomestic\ttype\nstring\td\td\td\td\nmeta\t\t\t\tclass\n"
    "aardvark\t1\t4\t0\tmammal\nantelope\t1\t4\t0\tmammal\nbass\t0\t0\t0\tfish\n"
)
# One header line with flags, as Orange/data/io_base.py documents it
ONE_LINE = "mS#name\tC#length\tD#colour\tcD#kind\na\t1.5\tred\tx\nb\t?\tblue\ty\n"
# KEEL's iris.dat (Fisher's iris): its header and a row of each class, one with a cell taken out
KEEL = """@relation iris
@attribute SepalLength real [4.3, 7.9]
@attribute SepalWidth real [2.0, 4.4]
@attribute PetalLength real [1.0, 6.9]
@attribute PetalWidth real [0.1, 2.5]
@attribute Class {Iris-setosa, Iris-versicolor, Iris-virginica}
@inputs SepalLength, SepalWidth, PetalLength, PetalWidth
@outputs Class
@data
5.1, 3.5, 1.4, 0.2, Iris-setosa
5.7, 2.8, <null>, 1.3, Iris-versicolor
6.3, 3.3, 6.0, 2.5, Iris-virginica
"""
# R: write.csv(mtcars[c(1:3, 21), c("mpg", "gear", "am")], "") with a cell taken out
MTCARS = (
    '"","mpg","gear","am"\n"Mazda RX4",21,4,1\n"Mazda RX4 Wag",NA,4,1\n'
    '"Datsun 710",22.8,4,1\n"Toyota Corona",21.5,3,0\n'
)
# R: write.table(sleep[c(1, 2, 11, 12), ], quote = FALSE): a header without a name for the row names
SLEEP = "extra group ID\n1 0.7 1 1\n2 -1.6 1 2\n11 1.9 2 1\n12 0.8 2 2\n"
# LibreOffice and Excel with German settings
GERMAN = "sep=;\nLänge;Farbe;Klasse\n1,5;rot;a\n;blau;b\n-2,25;rot;a\n"


@dataclass(frozen=True)
class Reading:
    """`kinds`: n, c, d or t per feature; `classes`: how many rows of each."""

    name: str
    content: str
    kinds: str
    classes: dict[str, int]
    missing: int = 0
    named: tuple[str, ...] = ()  # columns that are shown and never learned
    options: dict[str, str] = field(default_factory=dict)


READINGS = [
    Reading("weather.numeric.arff", WEATHER, "cnnc", {"no": 2, "yes": 3}),
    Reading("labor.arff", LABOR, "nccc", {"bad": 1, "good": 5}, 8),
    Reading("timestamps.arff", TIMESTAMPS, "d", {"a": 1, "b": 1}),
    Reading("sparse.arff", SPARSE, "ncnc", {"class A": 1, "class B": 1}),
    Reading("titanic.tab", TITANIC, "ccc", {"no": 1, "yes": 1}),
    Reading("zoo.tab", ZOO, "ccc", {"fish": 1, "mammal": 2}, named=("name",)),
    Reading("one-line.tab", ONE_LINE, "nc", {"x": 1, "y": 1}, 1, named=("name",)),
    Reading("iris.dat", KEEL, "nnnn", {"Iris-setosa": 1, "Iris-versicolor": 1, "Iris-virginica": 1}, 1),
    Reading("mtcars.csv", MTCARS, "nn", {"0": 1, "1": 3}, 1, ("1",), {"label": "am"}),
    Reading("sleep.txt", SLEEP, "nn", {"1": 2, "2": 2}, named=("1",), options={"label": "group"}),
    Reading("german.csv", GERMAN, "nc", {"a": 2, "b": 1}, 1, options={"label": "Klasse"}),
]


@pytest.mark.parametrize("wanted", READINGS, ids=lambda wanted: wanted.name)
def test_read_as_its_documentation_says(read: Read, wanted: Reading) -> None:
    found = read(wanted.content, wanted.name, **wanted.options)
    assert "".join(column.kind[0] for column in found.columns) == wanted.kinds
    assert dict(zip(found.classes, found.class_counts, strict=True)) == wanted.classes
    assert (found.rows, found.missing) == (sum(wanted.classes.values()), wanted.missing)
    assert tuple(found.row_names) == wanted.named


@pytest.mark.parametrize("content", [WEATHER, LABOR], ids=["weather", "labor"])
def test_weka_files_are_read_as_by_scipy(read: Read, content: str) -> None:
    found, (rows, meta) = read(content, "a.arff"), arff.loadarff(io.StringIO(content))
    assert [column.name for column in found.columns] == meta.names()[:-1]
    assert [column.kind == "number" for column in found.columns] == [kind == "numeric" for kind in meta.types()[:-1]]
    assert found.labels.tolist() == [cell.decode() for cell in rows[meta.names()[-1]]]
    for column in found.columns:
        ours, theirs = found.table[column.name].to_numpy(), rows[column.name]
        if column.kind == "number":
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert ours.tolist() == [None if cell == b"?" else cell.decode() for cell in theirs]


def test_r_files_are_read_as_by_pandas(read: Read) -> None:
    theirs = pd.read_csv(io.StringIO(MTCARS), index_col=0)
    ours = read(MTCARS, "mtcars.csv", label="am")
    np.testing.assert_array_equal(ours.table[["mpg", "gear"]].to_numpy(), theirs[["mpg", "gear"]].to_numpy())
    assert ours.row_names["1"].tolist() == theirs.index.tolist()
    theirs = pd.read_csv(io.StringIO(SLEEP), sep=" ")  # the index: row names, as pandas has it too
    ours = read(SLEEP, "sleep.txt", label="group")
    np.testing.assert_array_equal(ours.table["extra"].to_numpy(), theirs["extra"].to_numpy())
    assert ours.row_names["1"].tolist() == [str(name) for name in theirs.index]
