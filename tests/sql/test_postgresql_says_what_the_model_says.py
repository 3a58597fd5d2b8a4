"""The same SELECT, run by a PostgreSQL that the test starts for itself; skipped where there is none."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw

from .problems import FITS, HOSTILE, all_votes, make_votes, quote

Rows = list[list[str]]
Run = Callable[[str], Rows]


def _programs() -> Path | None:
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + ([Path(found).resolve().parent] if found else [])
    complete = [folder for folder in folders if all((folder / name).exists() for name in ("initdb", "pg_ctl", "psql"))]
    return complete[-1] if complete else None


def _command(*words: str) -> list[str]:
    """PostgreSQL refuses to be run by root."""
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else list(words)


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's initdb is not installed")
    # Sockets have short paths, so not pytest's folder.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        base, options = str(folder / "base"), f"-c listen_addresses='' -c fsync=off -k {folder}"
        control = _command(str(programs / "pg_ctl"), "-D", base, "-w", "-t", "600")
        initialise = _command(
            str(programs / "initdb"), "-D", base, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"
        )
        subprocess.run(initialise, check=True, capture_output=True, cwd=folder)
        subprocess.run(
            [*control, "-l", str(folder / "log"), "-o", options, "start"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=folder,
        )
        psql = _command(str(programs / "psql"), "-h", str(folder), "-U", "postgres", "-d", "postgres")

        def ask(text: str) -> Rows:
            # psql reads CSV's line ends as they are; a NULL is shown by a text that is none of the others.
            flags = ["-X", "-q", "-t", "--csv", "-P", "null=<null>", "-v", "ON_ERROR_STOP=1"]
            done = subprocess.run([*psql, *flags], input=text.encode(), capture_output=True, check=False, cwd=folder)
            assert done.returncode == 0, done.stderr.decode()[:2000]
            assert not done.stderr, done.stderr.decode()[:2000]
            return list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))

        try:
            yield ask
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def text_of(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def table_of(table: str, columns: Sequence[str], kind: str, rows: Sequence[Sequence[Any]]) -> str:
    written = ", ".join(f"{quote(name)} {kind}" for name in columns)
    values = ",\n".join(f"({i}, {', '.join(map(text_of, row))})" for i, row in enumerate(rows))
    drop = f"DROP TABLE IF EXISTS {quote(table)};"
    # psql says that a table does not exist.
    create = f"CREATE TABLE {quote(table)} (nr integer, {written});"
    insert = f"INSERT INTO {quote(table)} VALUES {values};"  # noqa: S608
    return f"SET client_min_messages = warning; {drop} {create} {insert}\n"


def check(rows: Rows, model: Any, votes: tw.Votes) -> None:
    rows = sorted(rows, key=lambda row: int(row[0]))
    proba = np.array([[float(value) for value in row[1:-1]] for row in rows])
    np.testing.assert_allclose(proba, model.predict_proba(votes), rtol=0, atol=1e-12)
    assert [row[-1] for row in rows] == list(map(str, model.predict(votes).tolist()))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", FITS)
def test_on_all_rows_of_votes(run: Run, kind: str, n_classes: int) -> None:
    votes = make_votes(n_classes, 3, seed=n_classes)
    model, new = FITS[kind](votes), all_votes(n_classes, 3, votes)
    query = model.to_sql("postgresql", table="votes", id_column="nr")
    check(run(table_of("votes", new.rule_names, "integer", new.array.tolist()) + query), model, new)
    types = run(f"SELECT DISTINCT pg_typeof({quote('p_0')}) FROM ({query}) AS answer")  # noqa: S608
    assert types == [["double precision"]]


def test_scores_of_minus_thousands_do_not_underflow(run: Run) -> None:
    votes = make_votes(3, 5, seed=1)
    model = tw.DawidSkene(kind="full", prior_right=1).fit(votes)
    model.rates_ = np.tile(np.eye(3)[None], (5, 1, 1))
    new = all_votes(3, 5, votes)
    query = model.to_sql("postgresql", table="votes", id_column="nr")
    check(run(table_of("votes", new.rule_names, "integer", new.array.tolist()) + query), model, new)


@pytest.mark.parametrize("setting", ["on", "off"])
def test_hostile_names_execute_nothing(run: Run, setting: str) -> None:
    classes = [*HOSTILE, "c" * 10_000]
    votes = make_votes(len(classes), len(HOSTILE), seed=4, class_names=classes, rules=HOSTILE, n=60)
    model = FITS["full"](votes)
    stored = [[None if v < 0 else classes[v] for v in row] for row in votes.array.tolist()]
    table = 'votes"; DROP TABLE treasure; --'
    query = model.to_sql("postgresql", table=table, id_column="nr", class_values="names")
    fresh = "DROP TABLE IF EXISTS treasure; CREATE TABLE treasure AS SELECT 42 AS gold"
    run(f"SET client_min_messages = warning; {fresh}")
    rows = run(
        table_of(table, HOSTILE, "text", stored)
        + f"SET standard_conforming_strings = {setting}; SET escape_string_warning = on;\n{query}"
    )
    check(rows, model, votes)
    assert run("SELECT gold FROM treasure") == [["42"]]


def test_votes_that_mean_nothing_and_known_items(run: Run) -> None:
    votes = tw.Votes(make_votes(2, 3, seed=6).array, item_ids=list(range(120)))
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes, np.where(np.arange(120) == 3, 1, -1))
    rows: list[list[int | None]] = [[0, 7, 1], [0, None, 1], [0, -1, 1], [9, 0, 0]]
    found = run(
        table_of("votes", votes.rule_names, "integer", rows) + model.to_sql("postgresql", table="votes", id_column="nr")
    )
    found.sort()
    assert found[0] == ["0", "<null>", "<null>", "<null>"]
    assert found[1][1:] == found[2][1:] != found[0][1:]
    assert found[3] == ["3", "0", "1", "1"]
