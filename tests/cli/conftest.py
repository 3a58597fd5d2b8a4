"""A folder with votes of three rules on 60 items, and gold for 30 of them."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.rows import Run, make_rows
from thumbwise.cli.main import app


@pytest.fixture
def run() -> Run:
    def invoke(*arguments: object) -> Any:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return invoke


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ids, truth, votes = make_rows()
    rows = [
        ",".join([i, *("" if v < 0 else ("ham", "spam")[v] for v in vote)]) for i, vote in zip(ids, votes, strict=True)
    ]
    (tmp_path / "votes.csv").write_text("\n".join(["id,caps,links,length", *rows]) + "\n")
    labels = [f"{i},{('ham', 'spam')[y]}" for i, y in zip(ids[:30], truth[:30], strict=True)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *labels]) + "\n")
    return tmp_path
