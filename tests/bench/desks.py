"""Desks over small files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thumbwise.bench.beginning import Asked
from thumbwise.bench.desk import Desk
from thumbwise.bench.opening import open_bench

CLASSES = ("pass", "fail")


def write_items(folder: Path, n_items: int = 60, texts: Sequence[str] = ()) -> Path:
    """A table of ids and texts: those that are given, then others."""
    path = folder / "items.csv"
    rows = [(f"q{i}", texts[i] if i < len(texts) else f"Text of item {i}.") for i in range(n_items)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text"), *rows])
    return path


def open_desk(path: Path, gold: Path, **asked: Any) -> Desk:
    """Begin or go on, as the command does."""
    given = {name: asked.pop(name) for name in ("show", "by", "votes") if name in asked}
    return open_bench(path, gold, Asked(**{"classes": CLASSES, "seed": 7, **asked}), **given)
