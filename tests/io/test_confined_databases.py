"""What the database of items that stay in files may touch: the files that were named, and where labels are written."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import thumbwise as tw
from support.hostile_queries import tries
from thumbwise.io.labels_elsewhere import write_elsewhere
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.tables.databases import NO_LIMITS, Limits, database

N_ITEMS = 400


def write_part(path: Path, names: Sequence[str] = ("caps", "link", "long"), *, of: int = 0) -> dict[str, str]:
    """Votes of three rules in a file of the kind that its ending says; the true labels of its items."""
    rng = np.random.default_rng(of)
    y = rng.integers(2, size=N_ITEMS)
    ids = [f"{of}-{i}" for i in range(N_ITEMS)]
    votes = [np.where(rng.random(N_ITEMS) < 0.8, y, 1 - y) for _ in names]
    frame = pl.DataFrame({"id": ids, **dict(zip(names, votes, strict=True))})
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(path)
    return dict(zip(ids, map(str, y), strict=True))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with votes, beside a secret and a stranger's rows."""
    for name in ("votes", "out", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "secret.csv").write_text("secret\n1\n")
    return tmp_path


def label(pattern: Path, gold: Any, output: Path, limits: Limits = NO_LIMITS) -> tuple[tw.Reading, list[str]]:
    """Labels written as the command line does; and all that a hostile query could do then, each an error."""
    errors = []
    with database(limits, [output]) as home:
        reading = read_source(pattern, gold, Roles(), home=home, stays=True)
        model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
        write_elsewhere(reading, model, output, overwrite=True)
        here = {"secret": np.arange(3)}  # a database that is open finds it by its name
        secret = output.parent.parent / "other" / "secret.csv"
        for query in (*tries(output.parent.parent, secret), f"FROM '{secret}'", "FROM here", "RESET memory_limit"):
            with pytest.raises(duckdb.Error) as caught:
                home.connection.execute(query)
            errors.append(str(caught.value))
        assert len(here) == 1
    return reading, errors


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.csv.gz"])
@pytest.mark.parametrize("output", ["labels.parquet", "labels.csv", "labels"])
def test_what_was_named_is_read_and_written_and_nothing_else(place: Path, name: str, output: str) -> None:
    gold: dict[str, str] = {}
    for part in range(2):
        path = place / "votes" / f"{part}{name}"
        gold |= write_part(path.with_suffix("") if path.suffix == ".gz" else path, of=part)
        if path.suffix == ".gz":
            pack(path)
    wanted = tw.read_votes(place / "votes" / f"*{name}", gold=gold)  # whose rows the caller goes on with
    _, errors = label(place / "votes" / f"*{name}", gold, place / "out" / output, Limits(memory="500MB"))
    assert len(errors) == 12
    assert sorted(path.name for path in place.iterdir()) == ["other", "out", "votes"]
    assert [path.name for path in (place / "other").iterdir()] == ["secret.csv"]
    assert [path.name for path in (place / "out").iterdir()] == [output]
    written = place / "out" / output
    labels = pl.read_csv(written) if written.suffix == ".csv" else pl.read_parquet(written)
    model = tw.BalsubramaniFreund().fit(wanted.votes, box=wanted.box())
    answer: Any = model.predict_proba(wanted.votes)
    both = labels.join(answer.pl(), on="id", suffix="_again")
    assert len(both) == len(labels) == 2 * N_ITEMS
    np.testing.assert_allclose(both["p_1"], both["p_1_again"], rtol=1e-9, atol=1e-12)


def pack(path: Path) -> None:
    plain = path.with_suffix("")
    path.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()


HOSTILE = ["read_text('{}')", "'; COPY (SELECT 1) TO '{}' --", "\"); ATTACH '{}'; --", "{}", "$tag$ FROM '{}'"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_names_that_are_sql_are_names(place: Path, text: str, ending: str) -> None:
    name = text.format(place / "other" / "secret.csv")
    parts = [place / "votes" / f"{part}{name.replace('/', ' ')}{ending}" for part in range(2)]
    gold: dict[str, str] = {}
    for part, path in enumerate(parts):
        gold |= write_part(path, ("caps", name, "long"), of=part)
    reading, _ = label(place / "votes" / f"*{ending}", gold, place / "out" / f"labels{ending}")
    assert reading.votes.rule_names == ("caps", name, "long")
    alone, _ = label(parts[0], {i: y for i, y in gold.items() if i.startswith("0")}, place / "out" / f"one{ending}")
    assert alone.votes.n_items == N_ITEMS
    assert [path.name for path in (place / "other").iterdir()] == ["secret.csv"]
    assert (place / "other" / "secret.csv").read_text() == "secret\n1\n"


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_links_that_wildcards_meet_are_followed_and_said(place: Path, ending: str) -> None:
    gold = write_part(place / "votes" / f"a{ending}")
    (place / "votes" / f"again{ending}").symlink_to(place / "other" / f"b{ending}")
    gold |= write_part(place / "other" / f"b{ending}", of=1)
    reading, _ = label(place / "votes" / f"*{ending}", gold, place / "out" / "labels.parquet")
    assert reading.votes.n_items == 2 * N_ITEMS
    said = [note for note in reading.notes if note.startswith("links")]
    again, other = place / "votes" / f"again{ending}", place / "other" / f"b{ending}"
    assert said == [f"links to files elsewhere were followed: 1 of 2, such as {again} to {other}"]
    (place / "votes" / f"again{ending}").unlink()
    (place / "votes" / f"again{ending}").symlink_to(place / "votes" / f"a{ending}")  # in its own folder
    with database() as home:
        assert not read_links(place / "votes" / f"ag*{ending}", home)


def read_links(pattern: Path, home: Any) -> list[str]:
    return [
        note for note in read_source(pattern, None, Roles(), home=home, stays=True).notes if note.startswith("links")
    ]


def test_files_that_come_later_are_not_read(place: Path) -> None:
    gold = write_part(place / "votes" / "a.parquet")
    write_part(place / "other" / "b.parquet", of=1)
    with database(writes=[place / "out" / "labels.parquet"]) as home:
        reading = read_source(place / "votes", gold, Roles(), home=home, stays=True)
        model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
        (place / "votes" / "b.parquet").symlink_to(place / "other" / "b.parquet")
        with pytest.raises(duckdb.PermissionException):
            home.connection.read_parquet(str(place / "votes" / "b.parquet"))
        with pytest.raises(tw.InvalidFileError, match=r"b\.parquet"):  # the folder is not what it was
            write_elsewhere(reading, model, place / "out" / "labels.parquet")
    assert not [*(place / "out").iterdir()]
