"""Opening, unpacking, decoding: a sentence for whatever is no data."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.files import compression
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset, source
from mcsvm_gui.core.data.readers.text import beginning

Read = Callable[..., Dataset]
PLAIN = "x,y,label\n1,2,a\n3,4,b\n5,6,größe\n"


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


PACKED = {
    "gzip": gzip.compress(PLAIN.encode()),
    "two gzip members": gzip.compress(PLAIN[:20].encode()) + gzip.compress(PLAIN[20:].encode()),
    "gzip twice": gzip.compress(gzip.compress(PLAIN.encode())),
    "bzip2": bz2.compress(PLAIN.encode()),
    "xz": lzma.compress(PLAIN.encode()),
    "zip": zipped(data=PLAIN),
}


@pytest.mark.parametrize("packing", PACKED)
def test_packed_files_are_known_by_their_content(read: Read, packing: str) -> None:
    found = read(PACKED[packing], "data.csv")
    assert found.classes == ("a", "b", "größe")
    assert found.digest == read(PLAIN, "plain.csv").digest


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings_are_detected_and_said(read: Read, encoding: str) -> None:
    found = read(PLAIN.encode(encoding))
    assert found.classes == ("a", "b", "größe")
    guess = next(guess.value for guess in found.guesses if guess.what == "encoding")
    assert guess == encoding.removesuffix("-sig")
    assert ("encoding-guessed" in {notice.code for notice in found.notices}) == (encoding == "cp1252")


def test_two_encodings_in_one_file_are_refused_with_the_line(read: Read) -> None:
    mixed = PLAIN.encode() + "5,6,größe\n".encode("cp1252")
    line = len(mixed.splitlines())
    with pytest.raises(FileError, match=f":{line}: byte 0xf6 is not UTF-8, while other letters are"):
        read(mixed)
    assert "größe" in read(mixed, encoding="cp1252").classes


def test_the_end_mark_of_dos_is_no_row(read: Read) -> None:
    assert read(PLAIN.encode() + b"\x1a").rows == read(PLAIN).rows


def sqlite_file(folder: Path) -> bytes:
    with closing(sqlite3.connect(folder / "table.db")) as base:
        base.execute("CREATE TABLE t (x, label)")
        base.commit()
    return (folder / "table.db").read_bytes()


STARTS: dict[str, list[bytes]] = {
    "arff": [b"% of iris\n\n  @RELATION iris\n", "\ufeff@relation iris\n".encode("utf-16"), b"@attribute x real\n"],
    "keel": [b"% of iris\n@relation iris\n@attribute x real [1, 2]\n@inputs x\n@data\n"],
    "json": [b'\xef\xbb\xbf\n [ [1, "a"]]', b'{"x": 1}\n', '{"x": 1}'.encode("utf-16-le"), b"[]"],
    "npz": [zipped(**{"x.npy": "", "y.npy": ""})],
    "xlsx": [zipped(**{"[Content_Types].xml": ""})],
    "parquet": [b"PAR1\x15\x04PAR1"],
    "orange": [b"x\tlabel\ncontinuous\tdiscrete\n\tclass\n1\ta\n"],
    "libsvm": [b"1 1:0.5 2:3\n2 2:1\n"],
}


@pytest.mark.parametrize("name", READERS)
def test_a_format_is_asked_about_every_file_that_it_recognizes(name: str, tmp_path: Path) -> None:
    known = {"sqlite": [sqlite_file(tmp_path)], "csv": [PLAIN.encode()]} | STARTS
    for data in known[name]:
        found = source.Source(tmp_path / "data", data, ())
        assert READERS[name].recognizes(found, ReadOptions())
        assert READERS[name].may_hold("", beginning(found))


def test_an_encoding_that_is_told_is_taken(read: Read) -> None:
    assert read(PLAIN.encode("cp437"), encoding="cp437").classes == ("a", "b", "größe")


def test_ascii_needs_no_guess(read: Read) -> None:
    assert "encoding" not in {guess.what for guess in read("x,label\n1,a\n2,b\n").guesses}


BROKEN = {
    "nothing": (b"", "the file is empty"),
    "nothing packed": (gzip.compress(b""), "the file is empty"),
    "a mark only": (b"\xef\xbb\xbf", "nothing but blank lines"),
    "line breaks": (b"\n\n\r\n", "nothing but blank lines"),
    "half a gzip": (PACKED["gzip"][:30], "cannot be unpacked as gzip: the file ends early"),
    "wrong checksum": (PACKED["gzip"][:-8] + bytes(8), "cannot be unpacked as gzip"),
    "behind the gzip": (PACKED["gzip"] + b"rubbish", "cannot be unpacked as gzip"),
    "half a bzip2": (PACKED["bzip2"][:30], "cannot be unpacked as bzip2"),
    "half an xz": (PACKED["xz"][:30], "cannot be unpacked as xz"),
    "half a zip": (PACKED["zip"][:30], "cannot be unpacked as zip"),
    "two in a zip": (zipped(a=PLAIN, b=PLAIN), r"holds 2 files \(a, b\)"),
    "an empty zip": (zipped(), "holds 0 files"),
    "a model": (zipped(**{"model.json": "{}", "a.npy": ""}), "a model"),
    "packed too often": (gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"1")))), "packed more than 3 times"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    "PDF": (b"%PDF-1.7\n", "a PDF document"),
    "pickle": (b"\x80\x04\x95\0\0", "never opened"),
    "Zstandard": (b"\x28\xb5\x2f\xfd", "unpack it first"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Excel workbook"),
    "tar": (b"a" * 257 + b"ustar" + bytes(300), "a tar archive"),
    "HTML": (b"<!DOCTYPE html><p>404", "a web page"),
    "RDS": (gzip.compress(b"X\n\0\0\0\3"), "an R data file; in R"),
    "JSON": (b"[[1, 2], [3, 4]]", "no JSON object"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer"),
    "NUL": (b"x,label\n1,a\0\n", "not a text file"),
    "binary": (bytes(range(1, 256)) * 3, "not a text file"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_no_data_gets_a_sentence(read: Read, what: str) -> None:
    content, sentence = BROKEN[what]
    with pytest.raises(FileError, match=sentence):
        read(content)


def test_a_missing_file_a_folder_and_a_strange_name(tmp_path: Path) -> None:
    (tmp_path / "iris.csv").write_text(PLAIN, "utf-8")
    with pytest.raises(FileError, match=r"there is no such file; there is iris\.csv"):
        open_dataset(tmp_path / "Iris.CSV.gz")
    with pytest.raises(FileError, match="there is no such file"):
        open_dataset(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(FileError, match="no file name"):
        open_dataset("a\0b")
    with pytest.raises(FileError, match="cannot be read"):
        open_dataset("a" * 5000)
    with pytest.raises(FileError, match="no file fits"):
        open_dataset("a*\0b")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device")
def test_a_device_is_not_read_for_ever() -> None:
    with pytest.raises(FileError, match="this is a device"):
        open_dataset("/dev/zero")


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text(PLAIN, "utf-8")

    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match="no permission"):
        open_dataset(path)


def test_memory_that_runs_out(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(source, "unpack", fail)
    with pytest.raises(FileError, match="more memory than there is"):
        read(PLAIN)


def test_a_small_file_that_unpacks_to_a_large_one(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "memory", lambda: 1 << 20)
    with pytest.raises(FileError, match="unpacks to more than 0 MB"):
        read(gzip.compress(b"1,2\n" * 100_000))


def test_options_that_are_none() -> None:
    for said in ({"format": "xml"}, {"header": "maybe"}, {"decimal": ";"}):
        with pytest.raises(InputError, match="must be one of"):
            ReadOptions(**said)


@pytest.mark.parametrize(
    ("said", "sentence"), [({"encoding": "utf-99"}, "is not known"), ({"separator": "ab"}, "between")]
)
def test_options_that_do_not_work(read: Read, said: dict[str, str], sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        read(PLAIN, **said)


def test_the_wrong_encoding_names_the_line(read: Read) -> None:
    with pytest.raises(FileError, match="byte 0xf6 is not utf-8") as error:
        read(PLAIN.encode("cp1252"), encoding="utf-8")
    assert error.value.line == 4
