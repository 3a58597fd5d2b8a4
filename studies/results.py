"""What studies measured, kept as ``studies/results/NAME.json``: pages are written from these files alone."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
from benchmarks.tables import write_whole

from thumbwise import __version__

FOLDER = Path(__file__).resolve().parent / "results"
_OF_THIS_MACHINE = ("--output", "--processes", "--peers", "--data", "--picture")


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


def keep_tables(
    name: str, tables: Mapping[str, str], draws: Mapping[str, int], seed: int, folder: Path = FOLDER
) -> Path:
    """Tables as a study prints them, with where each comes from; others that it made before stay."""
    kept = read_results(name, folder)["tables"] if (folder / f"{name}.json").exists() else {}
    origin = {
        "command": command_of(name, sys.argv[1:]),
        "seed": seed,
        "version": __version__,
        "made": datetime.now(UTC).isoformat(timespec="minutes"),
        "processor_seconds": round(processor_seconds()),
    }
    new = {title: {**origin, "draws": draws[title], "lines": lines.splitlines()} for title, lines in tables.items()}
    return write_results(name, {"tables": {**kept, **new}}, folder)


def command_of(name: str, arguments: Sequence[str]) -> str:
    """The command that gives the same tables anywhere: without what belongs to this machine."""
    words = iter(arguments)
    given = []
    for word in words:
        if word in _OF_THIS_MACHINE:
            next(words, None)
        elif word != "--keep" and not word.startswith(tuple(f"{option}=" for option in _OF_THIS_MACHINE)):
            given.append(word)
    return " ".join(["python", "-m", f"studies.{name}", *given])


def processor_seconds() -> float:
    """What this process and those that it waited for have used."""
    return sum(used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))


def origin_of(table: Mapping[str, Any]) -> str:
    """In a line below a table: how many draws, by which command, when."""
    drawn = f"{table['draws']:,} draws, seed {table['seed']}, " if table["draws"] else ""
    return f"*{drawn}thumbwise {table['version']}, {table['made'][:10]}:* `{table['command']}`"


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
