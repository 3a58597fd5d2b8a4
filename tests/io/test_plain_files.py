"""Packed files and standard input, within the budget of bytes; nothing is left behind."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import zstandard

import thumbwise as tw
from thumbwise.tables import plain_files
from thumbwise.tables.budgets import most_bytes
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.outputs import LABELS
from thumbwise.tables.plain_files import lasting_scratch, make_plain
from thumbwise.tables.table_files import Table, read_table, write_table

PACK = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}
CONTENTS = {
    ".csv": b"id,a\n1,x\n2,y\n",
    ".tsv": b"id\ta\n1\tx\n2\ty\n",
    ".jsonl": b'{"id": 1, "a": "x"}\n{"id": 2, "a": "y"}\n',
}


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is made on the way is gone at the end."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not list(folder.iterdir())


def read(table: Table) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in table.columns.items()}


@pytest.mark.parametrize("ending", CONTENTS)
@pytest.mark.parametrize("packing", PACK)
def test_packed_files(tmp_path: Path, ending: str, packing: str) -> None:
    path = tmp_path / f"t{ending}{packing}"
    path.write_bytes(PACK[packing](CONTENTS[ending][:9]) + PACK[packing](CONTENTS[ending][9:]))  # two parts
    table = read_table(path)
    assert (read(table), table.notes) == ({"id": [1, 2], "a": ["x", "y"]}, ())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".ndjson"])
@pytest.mark.parametrize("packing", PACK)
def test_packed_files_are_written_whole(tmp_path: Path, ending: str, packing: str) -> None:
    path = tmp_path / f"t{ending}{packing}"
    table = Table({"id": np.ma.array([1, 2]), "a": np.ma.array(["x", None], mask=[False, True], dtype=object)})
    write_table(table, path)
    unpack = (
        gzip.decompress if packing == ".gz" else lambda c: zstandard.ZstdDecompressor().decompressobj().decompress(c)
    )
    unpacked = unpack(path.read_bytes()).decode()
    assert unpacked.startswith({".csv": "id,a\n1,x\n", ".tsv": "id\ta\n1\tx\n"}.get(ending, '{"id":1'))
    assert read(read_table(path)) == {"id": [1, 2], "a": ["x", None]}
    with pytest.raises(tw.InvalidFileError, match="there is another file of that name"):
        write_table(table, path)


@pytest.mark.parametrize("ending", [".csv.gz", ".jsonl.zst"])
def test_packed_labels_are_known_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"labels{ending}"
    names = ["id", "label", "p_a", "p_b", "margin", "entropy", "n_votes"]
    write_table(Table({name: np.ma.array([1]) for name in names}), path, kind=LABELS)
    write_table(Table({name: np.ma.array([2]) for name in names}), path, kind=LABELS)
    assert read_table(path).columns["id"].tolist() == [2]
    (tmp_path / "other.csv.gz").write_bytes(gzip.compress(b"id,label\n1,a\n"))
    with pytest.raises(tw.InvalidFileError, match="must be new, or a table of labels"):
        write_table(Table({"id": np.ma.array([1])}), tmp_path / "other.csv.gz", kind=LABELS)


@pytest.mark.parametrize("packing", PACK)
def test_a_bomb_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: str) -> None:
    path = tmp_path / f"t.csv{packing}"
    path.write_bytes(PACK[packing](b"id,a\n" + b"1,x\n" * 5_000_000))
    assert path.stat().st_size < 100_000
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "10MB")
    seen = []
    rewrite = plain_files._rewrite

    def remembered(*given: Any) -> Path:
        seen.append(given[2])
        return rewrite(*given)

    monkeypatch.setattr(plain_files, "_rewrite", remembered)
    with pytest.raises(tw.InvalidFileError, match=r"t\.csv.* may take at most 10\.0 MB; unpacked it is more"):
        read_table(path)
    assert len(seen) == 1


def test_a_decoded_file_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(("id,a\n" + "1,ü\n" * 1000).encode("cp1252"))
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "4.5kB")  # 4,005 bytes, 5,005 as UTF-8
    with pytest.raises(tw.InvalidFileError, match=r"may take at most 4\.5 kB"):
        read_table(path)


@pytest.mark.parametrize("packing", PACK)
def test_packed_files_that_are_cut_off(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"t.csv{packing}"
    rows = b"id,a\n" + os.urandom(5000).hex().encode().replace(b"0", b",1\n")
    path.write_bytes(PACK[packing](rows)[:-20])
    with pytest.raises(tw.InvalidFileError, match=r"must be packed by .*; it is damaged, cut off or something else"):
        read_table(path)


def test_parquet_of_many_rows_is_refused_by_its_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    duckdb.execute(f"COPY (SELECT 1 AS id, 2 AS a FROM range(10_000_000)) TO '{path}'")  # noqa: S608
    assert path.stat().st_size < 10**5
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "100MB")
    with pytest.raises(tw.InvalidFileError, match=r"its 10,000,000 rows would take at least 160\.0 MB"):
        read_table(path)
    assert read_table(path, columns=["id"]).n_rows == 10**7


def test_parquet_of_one_long_text_many_times_is_refused_before_it_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    duckdb.execute(f"COPY (SELECT repeat('x', 10000) AS text FROM range(100_000)) TO '{path}'")  # noqa: S608
    assert path.stat().st_size < 10**6
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "500MB")
    with pytest.raises(tw.InvalidFileError, match=r"in memory it would take 1\.0 GB"):
        read_table(path)


@pytest.mark.parametrize("text", ["", "8GB", "1.5 mb", "1000", "7B"])
def test_budgets(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", text)
    by_hand = {"": 4 * 10**9, "8GB": 8 * 10**9, "1.5 mb": 1_500_000, "1000": 1000, "7B": 7}
    assert most_bytes() == by_hand[text]


@pytest.mark.parametrize("text", ["much", "-1GB", "0", "1e9", "8 GiB", "nan"])
def test_budgets_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", text)
    (tmp_path / "t.csv").write_bytes(CONTENTS[".csv"])
    with pytest.raises(tw.InvalidChoiceError, match="THUMBWISE_MAX_BYTES must be a size such as 8GB"):
        read_table(tmp_path / "t.csv")


class Input(io.TextIOWrapper):
    """Standard input that sends some bytes."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))


def send(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Input(content))
    monkeypatch.setattr(plain_files, "_stdin_is_taken", False)


@pytest.mark.parametrize("ending", CONTENTS)
@pytest.mark.parametrize("packing", [None, *PACK])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, ending: str, packing: str | None) -> None:
    send(monkeypatch, PACK[packing](CONTENTS[ending]) if packing else CONTENTS[ending])
    table = read_table("-")
    assert read(table) == {"id": [1, 2], "a": ["x", "y"]}
    kind = "jsonl" if ending == ".jsonl" else "CSV"
    assert table.notes[0] == f"standard input is read as {kind}, as its first bytes tell"


def test_standard_input_of_parquet_and_of_a_kind_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(Table({"id": np.ma.array([1, 2])}), tmp_path / "t.parquet")
    send(monkeypatch, (tmp_path / "t.parquet").read_bytes())
    assert read(read_table("-")) == {"id": [1, 2]}
    send(monkeypatch, CONTENTS[".tsv"])
    table = read_table("-", form=FileFormat(kind="tsv"))
    assert (read(table), table.notes) == ({"id": [1, 2], "a": ["x", "y"]}, ())
    send(monkeypatch, b"{x\n")
    with pytest.raises(tw.InvalidFileError, match="standard input must hold one JSON object a line"):
        read_table("-")


def test_standard_input_is_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, b"")
    with pytest.raises(tw.InvalidFileError, match=r"standard input must send a table .* it is empty"):
        read_table("-")
    with pytest.raises(tw.InvalidFileError, match="only one input can be -"):
        read_table("-")


def test_standard_input_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, b"id,a\n" + b"1,x\n" * 1000)
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "2kB")
    with pytest.raises(tw.InvalidFileError, match=r"standard input may take at most 2\.0 kB"):
        read_table("-")


def test_many_packed_files_stay_until_the_process_ends(tmp_path: Path) -> None:
    for j in range(2):
        (tmp_path / f"v-{j}.csv.gz").write_bytes(gzip.compress(f"id;a;b\n{j};x;y\n".encode()))
    votes = tw.read_votes(str(tmp_path / "v-*.csv.gz")).votes
    assert votes.n_items == 2
    assert list((tmp_path / "scratch").iterdir())
    while plain_files._LASTING:
        plain_files._LASTING.pop().__exit__(None, None, None)


def test_lasting_files_are_made_once_needed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CONTENTS[".csv"])
    assert make_plain(tmp_path / "t.csv", FileFormat(), lasting_scratch()).path == tmp_path / "t.csv"
