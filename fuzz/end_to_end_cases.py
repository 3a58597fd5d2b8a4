"""Cases for whole runs: random votes and gold, with names that are plain or hostile, in files of every kind."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from thumbwise.exceptions import ThumbwiseError
from thumbwise.tables.table_files import read_table

COMMANDS = ("label", "rate", "judges", "triage", "plan", "predict", "read", "certify")
LAZY = {"csv", "tsv", "parquet"}
_DELIMITERS = {"csv": ",", "tsv": "\t", "semicolon": ";", "gz": ","}
ENDINGS = {"csv": ".csv", "tsv": ".tsv", "semicolon": ".csv", "gz": ".csv.gz", "parquet": ".parquet", "jsonl": ".jsonl"}
_HOSTILE = [
    *("=1+1", "+2", "@sum", "-x", "'; DROP TABLE items; --", 'a"b', "O'Neil", "a,b", "a;b", "<b>bold</b>", "[red]x"),
    *("Größe", "İstanbul", "\u0131", "日本", "\u202eabc", "e\u0301", "c0", "p_a", "margin", "{x}", "%s", "$1", "\\N"),
    *("True", "1.0", "007", "1e3", "#", "// x", "\x07bell", "\u200b", "a" * 300, "select", "k0", "said", "a b"),
]
_WORDS = ["ham", "spam", "eggs", "bacon"]


@dataclass(frozen=True)
class Case:
    """One run: what is in the files, how they are written, and what is asked.

    Attributes
    ----------
    votes : list of list of str or None
        A row per item, a column per rule; None abstains.
    gold : dict of str to str
        Class by id, of some items.
    """

    seed: int
    command: str
    format: str
    output: str
    is_long: bool
    is_lazy: bool
    ids: list[str]
    rules: list[str]
    classes: list[str]
    are_listed: bool
    votes: list[list[str | None]]
    gold: dict[str, str]

    @property
    def frame(self) -> pd.DataFrame:
        """What the file of votes holds, for Python."""
        if self.is_long:
            return pd.DataFrame(self.long_rows, columns=["item", "worker", "label"], dtype=object)
        rows = [[name, *row] for name, row in zip(self.ids, self.votes, strict=True)]
        return pd.DataFrame(rows, columns=["id", *self.rules], dtype=object)

    @property
    def gold_frame(self) -> pd.DataFrame:
        return pd.DataFrame(list(self.gold.items()), columns=[self.id_name, "label"], dtype=object)

    @property
    def id_name(self) -> str:
        return "item" if self.is_long else "id"

    @property
    def long_rows(self) -> list[list[str | None]]:
        pairs = zip(self.ids, self.votes, strict=True)
        return [[i, r, v] for i, row in pairs for r, v in zip(self.rules, row, strict=True) if v is not None]

    @property
    def items(self) -> list[str]:
        """Ids that the file knows of: a row per vote has none of an item without votes."""
        pairs = zip(self.ids, self.votes, strict=True)
        return [name for name, row in pairs if not self.is_long or any(vote is not None for vote in row)]


def draw_case(seed: int) -> Case:
    """The case of a seed, the same on every machine."""
    rng = np.random.default_rng(seed)
    n_items, n_rules, k = (int(rng.integers(low, high)) for low, high in ((40, 160), (2, 6), (2, 4)))
    is_long = bool(rng.random() < 0.3)
    kind = str(rng.choice(list(ENDINGS)))
    kind = kind if kind in readable_formats() else "csv"  # so that a seed means the same once more can be read
    is_lazy = not is_long and kind in LAZY and bool(rng.random() < 0.4)
    truth = rng.integers(k, size=n_items)
    right = rng.random((n_items, n_rules)) < rng.uniform(0.5, 0.95, n_rules)
    cast = np.where(right, truth[:, None], rng.integers(k, size=(n_items, n_rules)))
    silent = rng.random((n_items, n_rules)) < rng.choice([0.0, 0.2, 0.7])
    silent[:k] = False
    cast[:k] = np.arange(k)[:, None]  # every class is voted for, so that all readers know of it
    classes, ids = _draw_classes(rng, k), _draw_ids(rng, n_items)
    known = rng.choice(n_items, int(rng.integers(15, n_items // 2)), replace=False)
    if is_long and rng.random() < 0.9:
        known = known[~silent[known].all(axis=1)]
    return Case(
        seed=seed,
        command=str(rng.choice(COMMANDS)),
        format=kind,
        output=str(rng.choice(sorted(LAZY if is_lazy else {*LAZY, "jsonl"}))),
        is_long=is_long,
        is_lazy=is_lazy,
        ids=ids,
        rules=_draw_names(rng, n_rules, [f"rule{j}" for j in range(9)]),
        classes=classes,
        are_listed=bool(rng.random() < 0.3),
        votes=[
            [None if hushed else classes[c] for c, hushed in zip(*row, strict=True)]
            for row in zip(cast.tolist(), silent.tolist(), strict=True)
        ],
        gold={ids[i]: classes[truth[i]] for i in known},
    )


def _draw_names(rng: np.random.Generator, n: int, plain: Sequence[str]) -> list[str]:
    """Plain names, or hostile ones among them; no two alike when case is ignored."""
    pool = list(plain) if rng.random() < 0.4 else [*plain[:n], *_HOSTILE]
    unique = list({name.casefold(): name for name in pool}.values())
    return [str(name) for name in rng.permutation(np.array(unique, dtype=object))[:n]]


def _draw_classes(rng: np.random.Generator, k: int) -> list[str]:
    return [str(c) for c in range(k)] if rng.random() < 0.2 else _draw_names(rng, k, _WORDS)


def _draw_ids(rng: np.random.Generator, n: int) -> list[str]:
    if rng.random() < 0.3:
        return [str(i) for i in rng.permutation(n * 3)[:n]]
    some = _draw_names(rng, min(n, 9), [f"q{i}" for i in range(9)])
    return [*some, *(f"item {i}" for i in range(n - len(some)))]


@cache
def readable_formats() -> tuple[str, ...]:
    """Those that this version reads, found by trying."""
    table = {"id": ["x"], "label": ["y"]}
    found = []
    with TemporaryDirectory() as folder:
        for kind, ending in ENDINGS.items():
            path = Path(folder) / f"{kind}{ending}"
            write_columns(table, path, kind)
            try:
                if list(read_table(path).names) == ["id", "label"]:
                    found.append(kind)
            except ThumbwiseError:
                continue
    return tuple(found)


def write_columns(columns: dict[str, list[Any]], path: Path, kind: str) -> None:
    """A table as another program would write it."""
    if kind == "parquet":
        pq.write_table(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), path)
        return
    rows = list(zip(*columns.values(), strict=True))
    if kind == "jsonl":
        lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return
    text = io.StringIO()
    writer = csv.writer(text, delimiter=_DELIMITERS[kind], lineterminator="\n")
    writer.writerows([list(columns), *(["" if cell is None else cell for cell in row] for row in rows)])
    content = text.getvalue().encode("utf-8")
    path.write_bytes(gzip.compress(content) if kind == "gz" else content)


def write_case(case: Case, folder: Path) -> tuple[str, Path]:
    """Files of votes and gold; many of votes if items shall stay there."""
    columns = {str(name): cells.tolist() for name, cells in case.frame.items()}
    gold = folder / f"gold{ENDINGS[case.format]}"
    write_columns({str(name): cells.tolist() for name, cells in case.gold_frame.items()}, gold, case.format)
    ending = ENDINGS[case.format]
    if not case.is_lazy:
        write_columns(columns, folder / f"votes{ending}", case.format)
        return str(folder / f"votes{ending}"), gold
    middle = len(case.ids) // 2
    for part, rows in enumerate((slice(None, middle), slice(middle, None))):
        piece = {name: cells[rows] for name, cells in columns.items()}
        write_columns(piece, folder / f"votes-{part}{ending}", case.format)
    return str(folder / f"votes-*{ending}"), gold


def read_back(path: Path) -> list[dict[str, Any]]:
    """Rows of a table that a command wrote, by readers that are not ours; cells as texts, empty as None."""
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
    elif path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [{name: None if cell in (None, "") else str(cell) for name, cell in row.items()} for row in rows]
