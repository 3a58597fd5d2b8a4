"""A folder of small files, and every command of the command line with something to do there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_N_ITEMS, _N_GOLD = 60, 30
_GOLD = ("--gold", "gold.csv")
_PARTS = "parts/*.csv"

# What each command reads and writes: inputs are files of the folder, outputs are in OUTPUTS.
COMMANDS: dict[str, tuple[str, ...]] = {
    "label": ("votes.csv", *_GOLD, "-o", "out.csv", "--save", "saved.json", "--json", "said.json"),
    "demo": ("--write", "made", "--json", "said.json"),
    "read": ("votes.csv", *_GOLD, "--json", "said.json"),
    "predict": ("model.json", "votes.csv", "-o", "out.csv", "--json", "said.json"),
    "explain": ("model.json", "votes.csv", "--item", "0003", "--json", "said.json"),
    "sql": ("model.json", "-o", "out.sql", "--json", "said.json"),
    "plan": ("votes.csv", *_GOLD, "--rate", "spam", "--within", "0.1", "--draw", "3", "-o", "out.csv"),
    "draw": ("votes.csv", "-n", "3", "-o", "out.csv", "--json", "said.json"),
    "compare": ("votes.csv", *_GOLD, "--methods", "Balsubramani-Freund,majority vote", "--json", "said.json"),
    "certify": ("labels.csv", "--votes", "votes.csv", *_GOLD, "--versus", "others.csv", "--json", "said.json"),
    "check": ("votes.csv", *_GOLD, "--skip", "TW302", "--json", "said.json"),
    "rate": ("votes.csv", *_GOLD, "--of", "spam", "--json", "said.json"),
    "judges": ("votes.csv", *_GOLD, "-o", "out.csv", "--json", "said.json"),
    "triage": ("votes.csv", *_GOLD, "--precision", "0.8", "-o", "out.csv", "--review", "review.csv"),
    "report": ("votes.csv", *_GOLD, "-o", "out.html", "--json", "said.json"),
}
# The same with items that stay in files.
LAZY: dict[str, tuple[str, ...]] = {
    name: tuple(_PARTS if argument == "votes.csv" else argument for argument in COMMANDS[name])
    for name in ("label", "predict", "triage", "rate", "read")
}
# A page that is served until it is interrupted, and a study of a minute: only what they refuse is tried.
SERVES = ("items.csv", "-o", "labeled.jsonl", "--classes", "ham,spam", "--no-browser", "--port", "1")
INPUTS = ("votes.csv", "gold.csv", "labels.csv", "others.csv", "model.json", "items.csv")
OUTPUTS = ("out.csv", "out.sql", "out.html", "saved.json", "said.json", "review.csv", "labeled.jsonl", "made")


def make_victims(folder: Path) -> Path:
    """Votes of three rules on sixty items, gold for half of them, a saved model and labels."""
    rng = np.random.default_rng(7)
    truth = rng.integers(2, size=_N_ITEMS)
    names = np.array(["ham", "spam", ""])
    right = rng.random((_N_ITEMS, 3)) < [0.9, 0.8, 0.7]
    votes = np.where(rng.random((_N_ITEMS, 3)) < 0.2, 2, np.where(right, truth[:, None], 1 - truth[:, None]))
    rows = [[f"{i:04d}", *names[vote]] for i, vote in enumerate(votes)]
    gold = [[f"{i:04d}", names[truth[i]]] for i in range(_N_GOLD)]
    (folder / "parts").mkdir(parents=True)
    write_rows(folder / "votes.csv", ["id", "caps", "links", "length"], rows)
    for part in range(2):
        write_rows(folder / "parts" / f"{part}.csv", ["id", "caps", "links", "length"], rows[part::2])
    write_rows(folder / "gold.csv", ["id", "label"], gold)
    write_rows(folder / "items.csv", ["id", "text"], [[row[0], f"text {row[0]}"] for row in rows])
    write_rows(folder / "others.csv", ["id", "label"], [[row[0], names[y]] for row, y in zip(rows, truth, strict=True)])
    call = ("label", "votes.csv", *_GOLD, "--save", "model.json", "-o", "labels.csv", "--quiet")
    subprocess.run([sys.executable, "-m", "thumbwise", *call], cwd=folder, check=True)
    return folder


def write_rows(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of comma-separated values without quotes."""
    text = "\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def listing(folder: Path) -> dict[str, str]:
    """All that lies in a folder and below it, by what it is and holds; links are not followed."""
    return {path: _kind(folder / path) for path in _walk(folder)}


def _walk(folder: Path) -> list[str]:
    found = []
    for place, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in (*folders, *files)]  # noqa: PTH118
    return sorted(found)


def _kind(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_dir():
        return "folder"
    return f"file of {path.read_bytes()!r}" if path.is_file() else "something else"
