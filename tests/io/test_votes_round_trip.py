"""Votes that are written and read back are the same votes: ids, rule names, class names and all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thumbwise as tw
from io_cases.hostile import NAMES, hostile_votes, votes_by_name

ENDINGS = ["csv", "tsv", "parquet", "jsonl"]
LAYOUTS: list[Literal["wide", "long"]] = ["wide", "long"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_hostile_names_survive(tmp_path: Path, layout: Literal["wide", "long"], ending: str) -> None:
    votes = hostile_votes()
    tw.write_votes(votes, tmp_path / f"votes.{ending}", layout=layout)
    again = tw.read_votes(tmp_path / f"votes.{ending}", class_names=votes.class_names).votes
    assert again.item_ids.tolist() == votes.item_ids.tolist()
    assert set(again.rule_names) == set(NAMES)
    assert again.class_names == votes.class_names
    assert votes_by_name(again) == votes_by_name(votes)


@st.composite
def small_votes(draw: st.DrawFn) -> tw.Votes:
    """Any votes, rules that never vote and items that nobody votes on among them; at least one vote for each class."""
    n_items, n_rules, k = draw(st.integers(2, 6)), draw(st.integers(1, 4)), draw(st.integers(2, 3))
    cells = draw(st.lists(st.integers(-1, k - 1), min_size=n_items * n_rules, max_size=n_items * n_rules))
    array = np.array(cells).reshape(n_items, n_rules)
    array = np.vstack([array, np.repeat(np.arange(k)[:, None], n_rules, axis=1)])
    array[:, draw(st.integers(0, n_rules - 1))] = draw(st.sampled_from([-1, 0]))
    array[-k:, 0] = np.arange(k)
    names = draw(st.lists(st.text("ab ,\"'\n;éü", min_size=1, max_size=5).map("r{}".format), unique_by=str.casefold,
                          min_size=n_rules, max_size=n_rules))  # fmt: skip
    ids = draw(st.lists(st.text("01ab ,\"'\n", min_size=1, max_size=4).map("i{}".format), unique=True,
                        min_size=len(array), max_size=len(array)))  # fmt: skip
    return tw.Votes(array, rule_names=names, class_names=["ham", "spam", "eggs"][:k], item_ids=ids)


@settings(max_examples=25, deadline=None)
@given(votes=small_votes(), ending=st.sampled_from(ENDINGS), layout=st.sampled_from(LAYOUTS))
def test_any_votes_survive(
    tmp_path_factory: pytest.TempPathFactory, votes: tw.Votes, ending: str, layout: Literal["wide", "long"]
) -> None:
    path = tmp_path_factory.mktemp("votes") / f"votes.{ending}"
    tw.write_votes(votes, path, layout=layout)
    again = tw.read_votes(path, layout=layout, class_names=votes.class_names).votes
    assert votes_by_name(again) == votes_by_name(votes)
    assert again.item_ids.tolist() == votes.item_ids.tolist()
    assert sorted(again.rule_names) == sorted(votes.rule_names)


FRAMES: list[Any] = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_give_what_files_give(tmp_path: Path, frame: Any) -> None:
    votes = hostile_votes()
    names = np.array([*votes.class_names, None], dtype=object)
    columns = {"id": votes.item_ids.tolist(), "text": [f"<b>{i}" for i in range(votes.n_items)]}
    columns |= {name: names[votes.array[:, j]].tolist() for j, name in enumerate(votes.rule_names)}
    reading = tw.read_votes(frame(columns), ignore=["text"], class_names=votes.class_names)
    tw.write_votes(votes, tmp_path / "votes.csv")
    from_file = tw.read_votes(tmp_path / "votes.csv", class_names=votes.class_names)
    assert reading.votes.fingerprint == from_file.votes.fingerprint == votes.fingerprint
    assert reading.votes.item_ids.tolist() == votes.item_ids.tolist()
    labeled = tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes))
    assert type(labeled) is type(frame(columns))
    assert list(labeled["text"].to_pylist() if frame is pa.table else labeled["text"]) == columns["text"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_labels_of_hostile_names_survive(tmp_path: Path, ending: str) -> None:
    votes = hostile_votes()
    tw.write_votes(votes, tmp_path / "votes.parquet")
    reading = tw.read_votes(tmp_path / "votes.parquet", class_names=votes.class_names)
    model = tw.MajorityVote().fit(reading.votes)
    tw.write_labels(reading, model, tmp_path / f"labels.{ending}")
    from thumbwise.tables.table_files import as_text, read_table

    table = read_table(tmp_path / f"labels.{ending}")
    assert as_text(table.columns["id"]) == votes.item_ids.tolist()
    assert as_text(table.columns["label"]) == model.predict(votes).tolist()
    assert table.names[2:-3] == tuple(f"p_{name}" for name in votes.class_names)
