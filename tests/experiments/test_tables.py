"""The tables as files: every value beside the paper's, marks, escapes, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.paper import paper_folder
from thumbwise.cli import reproduce as command
from thumbwise.datasets.paper import load_paper
from thumbwise.paper.experiments import tables
from thumbwise.paper.experiments.catalogue import tables_experiment
from thumbwise.paper.experiments.specs import Experiment, Row
from thumbwise.paper.experiments.tables import (
    Entry,
    Grid,
    as_latex,
    as_markdown,
    compare_statistics,
    escape_latex,
    write_tables,
)
from thumbwise.tables.table_files import read_table

GRID = Grid(
    "Losses of A_1 & B",
    ("method", "50 % off"),
    (("A_1", (Entry("0.13", "0.14", True, False, True),)), ("B", (Entry("-", "0.20", False, True),))),
    ("A note.",),
)


def test_markdown() -> None:
    assert as_markdown(GRID).splitlines() == [
        "## Losses of A_1 & B",
        "",
        "| method | 50 % off |",
        "| --- | ---: |",
        "| A_1 | **0.13** (0.14) † |",
        "| B | - (**0.20**) |",
        "",
        "A note.",
    ]


def test_latex() -> None:
    lines = [line.strip() for line in as_latex(GRID).splitlines()]
    assert r"\caption{Losses of A\_1 \& B. A note.}" in lines
    assert r"method & 50 \% off \\" in lines
    assert r"A\_1 & \textbf{0.13} (0.14)$^\dagger$ \\" in lines
    assert r"B & - (\textbf{0.20}) \\" in lines
    assert [lines.count(rf"\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 1, 1]
    text = as_latex(GRID)
    assert text.count("{") == text.count("}")


def test_latex_escapes_everything_special() -> None:
    escaped = escape_latex("\\{}$&#^_~%")
    assert escaped == r"\textbackslash{}\{\}\$\&\#\textasciicircum{}\_\textasciitilde{}\%"


def make_rows() -> list[Row]:
    """BF at 0.203 on Cardio, where the paper says 0.20; HyperLM could not be run."""
    losses = {"zero_one_loss": 0.0311, "brier_score": 0.0822}
    noise = 0.01 * np.array([1, -1, 0.5, -0.5, 0, 0, 0.2, -0.2, 0.1, -0.1])
    rows: list[Row] = [
        {"dataset": "cardio", "method": "BF", "run": run, "log_loss": 0.203 + float(x), **losses}
        for run, x in enumerate(noise)
    ]
    rows += [
        {"dataset": "cardio", "method": "MV", "run": 0, "log_loss": 0.7, "zero_one_loss": 0.3495, "brier_score": 0.345}
    ]
    missing = dict.fromkeys(("log_loss", "zero_one_loss", "brier_score"))
    return [*rows, {"dataset": "cardio", "method": "HyperLM", "run": 0, **missing, "note": "weights are missing"}]


def test_files_hold_every_cell_beside_the_papers(tmp_path: Path) -> None:
    write_tables(make_rows(), [load_paper("cardio", paper_folder())], tmp_path)
    shown = (tmp_path / "log_loss.md").read_text()
    assert "| MV | 0.70 (0.66) † |" in shown
    assert "| HyperLM | - (0.60) |" in shown
    assert "| BF | **0.20** (**0.20**) |" in shown
    assert "MV 1 of 1, BF 0 of 1" in shown
    assert "weights are missing" in shown
    both = (tmp_path / "zero_one_brier.md").read_text()
    assert "| BF | **3.11** (**3.11**) |" in both
    assert "| MV | 34.95 (34.95) |" in both
    assert "| BF | **0.08** (0.08) |" in both
    cells = read_table(tmp_path / "log_loss.csv").columns
    assert cells["method"].tolist() == ["MV", "HyperLM", "BF"]
    assert [value and round(float(value), 12) for value in cells["mean"].tolist()] == [0.7, None, 0.203]
    assert [float(value) for value in cells["paper"].tolist()] == [0.66, 0.6, 0.2]
    assert cells["is_flagged"].tolist() == ["true", "false", "false"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log_loss.md").write_text("as it was")

    def fail(_grid: Grid) -> str:
        raise RuntimeError("no more")

    monkeypatch.setattr(tables, "as_markdown", fail)
    with pytest.raises(RuntimeError, match="no more"):
        write_tables(make_rows(), [], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["log_loss.md"]
    assert (tmp_path / "log_loss.md").read_text() == "as it was"


@pytest.mark.parametrize("name", ["imdb", "domain", "youtube"])
def test_sizes_differ_from_the_paper_in_the_rules_of_imdb_only(name: str) -> None:
    statistics = compare_statistics(load_paper(name, paper_folder()))
    differ = [
        (statistic.statistic, statistic.ours, statistic.paper) for statistic in statistics if statistic.is_flagged
    ]
    assert differ == ([("rules", "5", "8")] if name == "imdb" else [])


def few_methods(*, data: Path | None = None, quick: bool = False) -> Experiment:
    whole = tables_experiment(data=data, quick=quick)
    fits = [fit for fit in whole.fits if fit.method in ("MV", "OCDS", "best_approximator", "BF")]
    return Experiment(whole.name, tuple(fits), whole.measure, whole.settings)


def test_the_command_writes_and_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "tables_experiment", few_methods)
    for _ in range(2):  # the second time nothing is left to run
        command.reproduce("tables", paper_folder(), tmp_path / "out", quick=True, processes=2)
    said = capsys.readouterr().out
    assert "36 cells, 3 runs each" in said
    names = {
        f"{name}.{ending}" for name in ("log_loss", "zero_one_brier", "datasets") for ending in ("md", "tex", "csv")
    }
    assert names | {"tables.parquet", "tables.jsonl"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert "| OCDS | 4.46 (4.46) | 13.74 (13.74) | 17.63 (17.63) |" in (tmp_path / "out" / "log_loss.md").read_text()
