"""Desks over small files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thumbwise.bench.beginning import Asked, check_same, new_header, open_items
from thumbwise.bench.desk import Desk
from thumbwise.bench.journal import Journal, check_journal
from thumbwise.bench.turns import draw_order

CLASSES = ("pass", "fail")


def write_items(folder: Path, n_items: int = 60, texts: Sequence[str] = ()) -> Path:
    """A table of ids and texts: those that are given, then others."""
    path = folder / "items.csv"
    rows = [(f"q{i}", texts[i] if i < len(texts) else f"Text of item {i}.") for i in range(n_items)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text"), *rows])
    return path


def open_desk(path: Path, gold: Path, *, show: Sequence[str] = (), by: str = "", **asked: Any) -> Desk:
    """Begin or go on, as the command does."""
    wanted = Asked(**{"classes": CLASSES, "seed": 7, **asked})
    items = open_items(path, item_id=None, show=show, classes=wanted.classes or ())
    check_journal(gold)
    journal = Journal(gold, new_header(items, wanted))
    check_same(gold, journal.header, items, wanted)
    return Desk(items, journal, draw_order(len(items), journal.header.design.seed), by=by)
