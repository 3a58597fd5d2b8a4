"""A lazy frame or a path may be passed to a model as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import thumbwise as tw


@pytest.fixture
def rows() -> dict[str, list[int]]:
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=200)
    votes = np.where(rng.random((200, 3)) < 0.2, -1, np.where(rng.random((200, 3)) < 0.8, y[:, None], 1 - y[:, None]))
    return {name: votes[:, j].tolist() for j, name in enumerate("abc")}


def hold(kind: str, rows: dict[str, Any], folder: Path) -> Any:
    frame = pl.DataFrame(rows)
    if kind == "polars":
        return frame.lazy()
    frame.write_parquet(folder / f"{'-'.join(rows)}.parquet")
    path = str(folder / f"{'-'.join(rows)}.parquet")
    return path if kind == "path" else duckdb.read_parquet(path)


@pytest.mark.parametrize("kind", ["polars", "duckdb", "path"])
def test_fit_and_predict(kind: str, rows: dict[str, list[int]], tmp_path: Path) -> None:
    expected = tw.DawidSkene().fit(tw.Votes(np.column_stack(list(rows.values())), rule_names=list(rows)))
    model = tw.DawidSkene().fit(hold(kind, rows, tmp_path))
    assert model.rule_names_ == ("a", "b", "c")
    more = {"note": [f"n{i}" for i in range(200)], **rows, "id": list(range(200))}
    answer: Any = model.predict_proba(hold(kind, more, tmp_path))
    frame = (answer.collect() if kind == "polars" else answer.pl()).sort("id")
    assert frame.columns == ["note", "id", "p_0", "p_1", "label"]
    proba = expected.predict_proba(np.column_stack(list(rows.values())))
    np.testing.assert_allclose(frame.select("p_0", "p_1").to_numpy(), proba, atol=1e-12)


def test_labels_in_order_are_refused(rows: dict[str, list[int]]) -> None:
    with pytest.raises(tw.InvalidLabelsError, match="rows have no order"):
        tw.BalsubramaniFreund().fit(pl.LazyFrame(rows), [0] * 200)
