"""Votes in Parquet to patterns, to a fitted model, or to labels in Parquet.

Arguments: DIRECTORY count|fit|label [MODEL].

``label`` writes ``labels.parquet`` beside the votes: id, a probability per class, label. BalsubramaniFreund, the
model unless another is named, has 100 gold items that are not among the votes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workers.measuring import Stopwatch, report
from thumbwise import BalsubramaniFreund, Box, DataProgramming, DawidSkene, Votes
from thumbwise.votes.lazy_votes import LazyVotes

MODELS: dict[str, Callable[[], Any]] = {"dawid_skene": DawidSkene, "data_programming": DataProgramming}


def fit(votes: Any, directory: Path, name: str) -> Any:
    if name in MODELS:
        return MODELS[name]().fit(votes)
    saved = np.load(directory / "gold.npz")
    gold = Votes(saved["votes"], n_classes=2, rule_names=votes.rule_names)
    return BalsubramaniFreund().fit(votes, box=Box.from_gold(gold, saved["labels"], pool=votes))


def main() -> None:
    directory, mode, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "bf"
    n_bytes = 0
    with Stopwatch() as watch:
        votes = LazyVotes.from_files(directory / "votes.parquet", item_id="id", n_classes=2)
        n_patterns = votes.patterns.n_patterns
        if mode != "count":
            model = fit(votes, directory, name)
        if mode == "label":
            model.predict_proba(votes).write_parquet(str(directory / "labels.parquet"))
    if mode == "label":
        n_bytes = (directory / "labels.parquet").stat().st_size
    report(watch, ("thumbwise", "duckdb", "numpy"), n_items=votes.n_items, n_patterns=n_patterns, n_bytes=n_bytes)


if __name__ == "__main__":
    main()
