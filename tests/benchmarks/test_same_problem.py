"""What is compared must do the same work: the same optimum, the same distinct rows, the same labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from benchmarks.launching import Job, read_measurement
from benchmarks.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore")  # 400 items are too few to be quiet about


def test_all_solvers_find_the_same_value(toy: Settings) -> None:
    """Four formulations: a probability vector an item, the dual by items and by patterns, the split dual."""
    folder = toy.game(400)
    jobs = [Job("paper_cvxpy", folder, kind) for kind in ("primal", "dual", "patterns")]
    jobs += [Job("paper_lbfgsb", folder), Job("paper_thumbwise", folder, "counted")]
    values = [read_measurement(job.run()).checks["objective"] for job in jobs]
    np.testing.assert_allclose(values, values[0], atol=1e-6)
    assert values[0] < np.log(2) - 0.01  # the box says something


def test_all_counters_find_the_same_rows(toy: Settings) -> None:
    folder = toy.votes(400)
    methods = ("counts", "inverse", "checked", "polars", "duckdb", "unique")
    found = read_measurement(Job("count_patterns", folder, 400, 1, *methods).run()).checks["found"]
    truth = len(set(map(tuple, np.load(folder / "votes.npy").tolist())))
    assert found == dict.fromkeys(methods, truth)


def test_votes_in_parquet_are_as_described(toy: Settings) -> None:
    """Means within 5 standard errors: a false alarm in fewer than 1e-6 x 11 of seeds, and the seed is fixed."""
    folder = toy.parquet(20_000)
    table = pq.read_table(folder / "votes.parquet")
    votes = np.stack([table.column(f"r{j}").to_numpy() for j in range(10)], axis=1)
    assert table.column("id").to_pylist() == list(range(20_000))
    assert abs((votes == -1).mean() - 0.3) < 5 * np.sqrt(0.3 * 0.7 / votes.size)
    gold = np.load(folder / "gold.npz")
    voted = gold["votes"] != -1
    right = (gold["votes"] == gold["labels"][:, None])[voted].mean()
    assert 0.6 < right < 0.9


def test_labels_are_written_for_every_item(toy: Settings) -> None:
    folder = toy.parquet(400)
    Job("parquet_thumbwise", folder, "label").run()
    labels = _sorted(folder / "labels.parquet")
    assert labels.column_names == ["id", "p_0", "p_1", "label"]
    assert labels.column("id").to_pylist() == list(range(400))
    proba = np.stack([labels.column("p_0").to_numpy(), labels.column("p_1").to_numpy()], axis=1)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba.argmax(axis=1) == labels.column("label").to_numpy())[proba[:, 0] != 0.5].all()


def _sorted(path: Path) -> pq.ParquetFile:
    return pq.read_table(path).sort_by("id")
