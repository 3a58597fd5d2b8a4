"""What studies measured, kept as ``studies/results/NAME.json``: pages are written from these files alone."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.tables import write_whole

FOLDER = Path(__file__).resolve().parent / "results"


def write_results(name: str, content: Mapping[str, Any], folder: Path = FOLDER) -> Path:
    """Write a file, whole or not at all; dataclasses as objects, what is not finite as null."""
    path = folder / f"{name}.json"
    write_whole(path, json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return path


def read_results(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """What a study left, or the command that makes it."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise SystemExit(f"No results at {path}; run python -m studies.{name} first.")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def add_keep(parser: argparse.ArgumentParser) -> None:
    """--keep."""
    told = "write the tables to studies/results, from which python -m studies.pages fills the documentation"
    parser.add_argument("--keep", action="store_true", help=told)


def keep_tables(name: str, tables: Mapping[str, str], folder: Path = FOLDER) -> Path:
    """Tables as a study prints them, with the command that made each; others that it made before stay."""
    given = " ".join(part for part in sys.argv[1:] if part != "--keep")
    command = f"python -m studies.{name} {given}".strip()
    kept = read_results(name, folder)["tables"] if (folder / f"{name}.json").exists() else {}
    new = {title: {"command": command, "lines": table.splitlines()} for title, table in tables.items()}
    return write_results(name, {"tables": {**kept, **new}}, folder)


def plain(value: Any) -> Any:
    """The same in objects, lists, words and numbers of JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
