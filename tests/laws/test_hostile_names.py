"""Names with quotes, line breaks, emoji, SQL words, spaces and 10,000 characters go through everything unchanged."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
import scipy.sparse as sp

import thumbwise as tw
from io_cases.hostile import NAMES, hostile_votes, votes_by_name


@pytest.fixture(scope="module")
def model() -> tw.BalsubramaniFreund:
    votes = hostile_votes()
    bounds = dict.fromkeys(NAMES[:5], (0.2, 0.9))
    box = tw.Box.from_bounds(votes, {(f"accuracy({name})"): bound for name, bound in bounds.items()})
    return tw.BalsubramaniFreund().fit(votes, box=box)


def test_saved_models(tmp_path: Path, model: tw.BalsubramaniFreund) -> None:
    model.save(tmp_path / "model.json")
    again = tw.load(tmp_path / "model.json")
    assert again.rule_names_ == NAMES
    assert again.classes_.tolist() == sorted(NAMES)
    np.testing.assert_array_equal(again.predict_proba(hostile_votes()), model.predict_proba(hostile_votes()))


def test_sql(model: tw.BalsubramaniFreund) -> None:
    votes = hostile_votes()
    with duckdb.connect() as connection:
        columns = ", ".join('"' + name.replace('"', '""') + '" INTEGER' for name in NAMES)
        connection.execute(f'CREATE TABLE "the; ""table""" (item INTEGER, {columns})')
        marks = ", ".join("?" for _ in range(len(NAMES) + 1))
        rows = [[i, *(None if v < 0 else v for v in row)] for i, row in enumerate(votes.array.tolist())]
        connection.executemany(f'INSERT INTO "the; ""table""" VALUES ({marks})', rows)  # noqa: S608
        query = model.to_sql("duckdb", table='the; "table"', id_column="item")
        found = connection.sql(query).order("item").fetchnumpy()
    proba = model.predict_proba(votes)
    for c, name in enumerate(votes.class_names):
        np.testing.assert_allclose(np.asarray(found[f"p_{name}"], dtype=float), proba[:, c], atol=1e-12)


def test_long_sparse_and_judges(tmp_path: Path) -> None:
    votes = hostile_votes()
    said = votes_by_name(votes)
    rows = [(item, rule, label) for (item, rule), label in said.items()]
    long = tw.Votes.from_long(rows, item_ids=votes.item_ids, class_names=votes.class_names)
    assert votes_by_name(long) == said
    stored = sp.csr_array(votes.array + 1)
    sparse = tw.Votes.from_sparse(stored, first_class=1, rule_names=NAMES, item_ids=votes.item_ids,
                                  class_names=votes.class_names)  # fmt: skip
    assert votes_by_name(sparse) == said
    records = [{"item": item, "judge": rule, "verdict": label} for item, rule, label in rows]
    jury = tw.read_jury(records, class_names=votes.class_names)
    assert votes_by_name(jury.votes) == said
    tw.write_jury(jury, tmp_path / "jury.jsonl")
    assert votes_by_name(tw.read_votes(tmp_path / "jury.jsonl", class_names=votes.class_names).votes) == said
