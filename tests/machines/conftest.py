"""A folder with files of the demo's kind and hostile names, and the command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

Start = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Letters that some encodings do not have and some locales change the case of."""
    rng = np.random.default_rng(0)
    names = ("JA-\u0131", "nein-ß")
    truth = rng.integers(2, size=120)
    rows = []
    for i, y in enumerate(truth):
        said = ("" if rng.random() < 0.1 else names[y if rng.random() < 0.85 else 1 - y] for _ in range(3))
        rows.append(",".join([f"İD-{i}", *said]))
    (tmp_path / "votes.csv").write_text("\n".join(["ID,Größe,TITLE,日本", *rows]) + "\n", encoding="utf-8")
    gold = [f"İD-{i},{names[truth[i]]}" for i in range(50)]
    (tmp_path / "gold.csv").write_text("\n".join(["ID,LABEL", *gold]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def start() -> Start:
    def run(
        arguments: Sequence[object],
        *,
        cwd: Path,
        options: Sequence[str] = (),
        code: str | None = None,
        without: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        source = ["-m", "thumbwise"] if code is None else ["-c", code]
        kept = {name: value for name, value in os.environ.items() if name not in without}
        return subprocess.run(
            [sys.executable, *options, *source, *map(str, arguments)],
            cwd=cwd,
            env={**kept, **(env or {})},
            capture_output=True,
            check=False,
        )

    return run


LABEL = ("label", "votes.csv", "--gold", "gold.csv", "-o")
