"""What must hold of any bytes that are read as a table, a folder, a MATLAB file or an export, and of any name in SQL.

An input is a line with the kind of reader, and then what it reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import duckdb
import numpy as np

from thumbwise.exceptions import ThumbwiseError
from thumbwise.io.roles import EXPORTS, Layout
from thumbwise.io.sources import read_votes
from thumbwise.models.majority_vote import MajorityVote
from thumbwise.tables.sql_dialects import DIALECTS
from thumbwise.tables.table_files import Table, read_table, write_table
from thumbwise.votes.votes import Votes

__all__ = ["KINDS", "ThumbwiseError", "check_reader"]


def check_reader(content: bytes) -> bool:
    """Whether the input was read. Raises ThumbwiseError if it was refused, any other error if something is wrong."""
    kind, _, payload = content.partition(b"\n")
    with TemporaryDirectory() as folder:
        return KINDS[kind.decode()](payload, Path(folder))


def _check_table(ending: str) -> Callable[[bytes, Path], bool]:
    def check(payload: bytes, folder: Path) -> bool:
        path = folder / f"votes{ending}"
        path.write_bytes(payload)
        table = read_table(path)
        if len({len(column) for column in table.columns.values()}) > 1:
            raise AssertionError("columns must have equal lengths")
        _check_votes(path)
        _check_written_again(table, folder / "again.parquet")
        return True

    return check


def _check_votes(path: Path) -> None:
    """Whatever the votes are taken for: they are read or refused, and what is read predicts."""
    said: tuple[Layout, ...] = ("wide", "long", "jury")
    for layout in (None, said[crc32(path.read_bytes()) % 3]):
        try:
            votes = read_votes(path, layout=layout).votes
            proba = MajorityVote().fit(votes).predict_proba(votes)
        except ThumbwiseError:
            continue
        if not np.allclose(proba.sum(axis=1), 1):
            raise AssertionError(f"probabilities must sum to 1; found {proba[:3]}")


def _check_written_again(table: Table, path: Path) -> None:
    try:
        write_table(table, path, overwrite=True)
    except ThumbwiseError:  # names that differ in case only
        return
    again = read_table(path)
    for name, column in table.columns.items():
        if repr(again.columns[name].tolist()) != repr(column.tolist()):
            raise AssertionError(f"column {name!r} must come back; found {again.columns[name]} of {column}")


def _check_wrench(payload: bytes, folder: Path) -> bool:
    """The payload holds the files of a folder, one a line."""
    names = ("label", "train", "valid", "test", "labeled_ids")
    for name, content in zip(names, payload.split(b"\n"), strict=False):
        (folder / f"{name}.json").write_bytes(content)
    reading = read_votes(folder, layout="wrench")
    return bool(repr(reading))


def _check_mat(payload: bytes, folder: Path) -> bool:
    path = folder / "votes.mat"
    path.write_bytes(payload)
    return bool(repr(read_votes(path)))


def _check_sql(payload: bytes, folder: Path) -> bool:
    """Names of rules, classes, table and ids as JSON; the SELECT gives what the model gives."""
    names = [str(name) for name in json.loads(payload)]
    rules, classes, (table, id_column) = names[:2], names[2:4], names[4:6]
    if len({DIALECTS["duckdb"].fold(name) for name in (*rules, id_column)}) < 3:
        return False  # no table has such columns
    array = np.array([[0, 1], [1, -1], [-1, -1], [1, 1]])
    votes = Votes(array, rule_names=rules, class_names=classes)
    model = MajorityVote().fit(votes)
    queries = {name: model.to_sql(name, table=table, id_column=id_column) for name in DIALECTS}  # type: ignore[arg-type]
    write = DIALECTS["duckdb"].write_name
    columns: list[str] = [id_column, *rules]
    with duckdb.connect() as connection:
        listed = ", ".join(f"{write(name)} INTEGER" for name in columns)
        connection.execute(f"CREATE TABLE {write(table)} ({listed})")
        for i, row in enumerate(array.tolist()):
            connection.execute(f"INSERT INTO {write(table)} VALUES (?, ?, ?)", [i, *row])  # noqa: S608
        rows: list[Any] = sorted(connection.execute(queries["duckdb"]).fetchall())
        if connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() != (1,):
            raise AssertionError("a SELECT must change nothing")
    if not np.allclose([row[1:3] for row in rows], model.predict_proba(votes), atol=1e-12):
        raise AssertionError(f"SQL must say what the model says; found {rows}")
    if [row[3] for row in rows] != model.predict(votes).tolist():
        raise AssertionError(f"labels must be class names; found {rows}")
    return True


def _check_export(layout: Layout) -> Callable[[bytes, Path], bool]:
    """The payload is an ending and a file: read in some way, what became of questions adds up, and votes predict."""

    def check(payload: bytes, folder: Path) -> bool:
        ending, _, content = payload.partition(b"\n")
        path = folder / f"export{ending.decode()}"
        path.write_bytes(content)
        way = crc32(content)
        ignore = ["style.clear", "style.polite"] if layout == "inspect" and way % 3 else []
        options: dict[str, Any] = {"scores": "C", "class_names": ["I", "C"], "ignore": ["gold"]} if way % 7 == 0 else {}
        options = options or {"ignore": ignore, "item_id": "epoch" if layout == "inspect" and way % 2 else None}
        reading = read_votes(path, layout=layout if way % 5 else None, duplicates=("raise", "last")[way % 2], **options)
        votes, jury = reading.votes, reading.jury
        if reading.layout not in EXPORTS:  # lines whose first tells of no export are a table
            return bool(repr(reading))
        if jury is None or any(len(column) != votes.n_items for column in reading.passed_on.values()):
            raise AssertionError("an export must have a jury, and columns as long as it has items")
        for judge in jury.judges:
            if judge.n_voted + judge.n_abstained + judge.n_failed + judge.n_not_asked != votes.n_items:
                raise AssertionError(f"all that became of the items must sum to their number; found {judge}")
        voted = (votes.array >= 0).sum(axis=0).tolist()
        if voted != [judge.n_voted for judge in jury.judges]:
            raise AssertionError(f"votes must be those of the judges; found {voted} of {jury}")
        if not np.allclose(MajorityVote().fit(votes).predict_proba(votes).sum(axis=1), 1):
            raise AssertionError("probabilities must sum to 1")
        return bool(repr(reading))

    return check


KINDS: dict[str, Callable[[bytes, Path], bool]] = {
    **{ending[1:]: _check_table(ending) for ending in (".csv", ".tsv", ".txt", ".jsonl", ".parquet")},
    "wrench": _check_wrench,
    "mat": _check_mat,
    "sql": _check_sql,
    "promptfoo": _check_export("promptfoo"),
    "inspect": _check_export("inspect"),
    "langfuse": _check_export("langfuse"),
}
