"""A declared column of clusters: epochs of a sample, turns of a talk; what is read, noted and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from thumbwise.exceptions import ThumbwiseError
from thumbwise.io.gold_draws import gold_to_label


def epochs(n_samples: int = 60, n_epochs: int = 3, n_gold: int = 20) -> pd.DataFrame:
    """Samples that were answered several times; gold for all answers of some."""
    rng = np.random.default_rng(0)
    sample = np.repeat(np.arange(n_samples), n_epochs)
    truth = rng.integers(2, size=n_samples)[sample]
    drawn = np.isin(sample, rng.choice(n_samples, n_gold, replace=False))
    judges = {name: np.where(rng.random(len(sample)) < 0.8, truth, 1 - truth) for name in ("gpt", "claude")}
    gold = pd.array(np.where(drawn, truth, -1)).astype("Int64")
    return pd.DataFrame({"id": sample, "epoch": np.tile(np.arange(n_epochs), n_samples)} | judges | {"human": gold})


OPTIONS: dict[str, Any] = {"cluster": "id", "ignore": ["epoch"], "gold_column": "human"}


def test_epochs_of_a_sample_are_one_cluster() -> None:
    """The column of clusters is no id, though it is called so, and no rule; it is passed on."""
    reading = tw.read_votes(epochs(), **OPTIONS)
    assert reading.votes.rule_names == ("gpt", "claude") and reading.votes.n_items == 180
    assert set(reading.passed_on) == {"id", "epoch"}
    assert "60 clusters by column 'id', 20 of them with gold" in reading.notes
    assert reading.box().evidence.assumption == "the 20 clusters with gold are a random sample of all 60 clusters"
    rate = tw.rate(reading, of=1)
    assert rate.assumption == reading.box().evidence.assumption
    gold, clusters = reading.gold.copy(), np.repeat(np.arange(60), 3)
    named = tw.rate(reading.votes, gold, of=1, cluster=clusters.astype(str))
    assert (rate.lower, rate.upper) == (named.lower, named.upper)


def test_ids_that_occur_twice_lead_to_clusters() -> None:
    with pytest.raises(
        ThumbwiseError, match="if the rows of one id are items that belong together, such as epochs, say cluster='id'"
    ):
        tw.read_votes(epochs(), gold_column="human", ignore=["epoch"])


def partly(frame: pd.DataFrame) -> pd.DataFrame:
    frame.loc[frame.index[frame["human"] >= 0][0], "human"] = -1
    return frame


def lacking(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(id=frame["id"].astype("Int64").where(frame.index > 1))


BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "partly": (partly, {}, "1 of 20 clusters with gold are labeled in part"),
    "lacking": (lacking, {}, "column 'id' is empty in row 0, counting from 0 .2 such rows."),
    "no column": (lambda frame: frame, {"cluster": "sample"}, "the votes must have a column 'sample'"),
    "a rule too": (lambda frame: frame, {"item_id": "id"}, "a column must have one role; 'id' is named for two"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused(case: str) -> None:
    change, options, words = BAD[case]
    with pytest.raises(ThumbwiseError, match=words):
        tw.read_votes(change(epochs()), **OPTIONS | options).box()


def test_many_files_are_refused(tmp_path: Path) -> None:
    epochs().drop(columns="human").reset_index(names="row").to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(ThumbwiseError, match="cluster needs the items in memory; these stay in files"):
        tw.read_votes(tmp_path / "*.parquet", cluster="id", item_id="row")


def test_gold_that_tells_of_single_items_is_refused(tmp_path: Path) -> None:
    frame = epochs().drop(columns="human").reset_index(names="row")
    frame.to_csv(tmp_path / "votes.csv", index=False)
    reading = tw.read_votes(tmp_path / "votes.csv", item_id="row", ignore=["id", "epoch"])
    drawn = pd.DataFrame({name: column.tolist() for name, column in gold_to_label(reading, 10).columns.items()})
    drawn.assign(label=1).to_csv(tmp_path / "gold.csv", index=False)
    with pytest.raises(ThumbwiseError, match="its file tells of a draw of single items"):
        tw.read_votes(tmp_path / "votes.csv", item_id="row", cluster="id", ignore=["epoch"], gold=tmp_path / "gold.csv")


def test_single_items_are_not_drawn_from_clusters() -> None:
    with pytest.raises(ThumbwiseError, match="drawn one by one, and gold of these votes comes in whole clusters"):
        tw.draw_gold(tw.read_votes(epochs(), **OPTIONS), 5)
