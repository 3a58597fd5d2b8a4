"""thumbwise reproduce: the paper's experiments from one command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.text import Text

from thumbwise.cli.console import print_table, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.datasets.paper import find_paper_folder, load_paper
from thumbwise.paper.experiments.catalogue import breakdown_experiment, synthetic_experiment, tables_experiment
from thumbwise.paper.experiments.comparing import Cell, count_flagged
from thumbwise.paper.experiments.drawing import import_figure
from thumbwise.paper.experiments.figures import write_figures
from thumbwise.paper.experiments.journal import check_run_folder
from thumbwise.paper.experiments.runner import run
from thumbwise.paper.experiments.tables import TITLES, write_tables
from thumbwise.summaries import plural

_DEFAULT_FOLDER, _QUICK_FOLDER = Path("reproduced"), Path("reproduced-quick")


def reproduce(
    what: Literal["tables", "figures", "all"],
    data: Path | None,
    output: Path | None,
    *,
    quick: bool = False,
    processes: int = 2,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Run what is not done yet, write tables and figures, and say what differs from the paper."""
    check_json(json, overwrite=overwrite)
    folder = output if output is not None else _QUICK_FOLDER if quick else _DEFAULT_FOLDER
    check_run_folder(folder)
    home = find_paper_folder(data)
    console, cells, figures = stdout(), list[Cell](), list[Path]()
    if what in ("tables", "all"):
        cells = _make_tables(home, folder, quick, processes)
        _print_tables(console, cells, folder)
    if what in ("figures", "all"):
        figures = _make_figures(home, folder, quick, processes)
        n_files = len(figures)
        names = ", ".join(f"{name}.{{png,pdf,csv}}" for name in ("breakdown_<dataset>", "breakdowns", "convergence"))
        console.print(
            Text(f"Written to {visible(folder)}: {names} ({n_files} files), breakdown.parquet, synthetic.parquet")
        )
    content = {"output": str(folder), "cells": [asdict(cell) for cell in cells], "figures": [*map(str, figures)]}
    deliver(content, json, overwrite)
    print_delivered(json)


def _make_tables(home: Path, folder: Path, quick: bool, processes: int) -> list[Cell]:
    experiment = tables_experiment(data=home, quick=quick)
    rows = run(experiment, folder, processes=processes)
    names = sorted({fit.dataset for fit in experiment.fits})
    return write_tables(rows, [load_paper(name, home) for name in names], folder)


def _make_figures(home: Path, folder: Path, quick: bool, processes: int) -> list[Path]:
    import_figure()  # before anything is run: says what to install if matplotlib is absent
    breakdown = run(breakdown_experiment(data=home, quick=quick), folder, processes=processes)
    synthetic = run(synthetic_experiment(quick=quick), folder, processes=processes)
    return write_figures(breakdown, synthetic, folder)


def _print_tables(console: Console, cells: Sequence[Cell], folder: Path) -> None:
    """How many cells of each method differ from the paper, and which."""
    rows = [[TITLES[method], *map(str, counts)] for method, counts in count_flagged(cells).items()]
    title = "Cells that differ from the paper by more than 4 standard errors"
    print_table(console, title, ["method", "differ", "of"], rows)
    for cell in cells:
        if cell.is_flagged and cell.mean is not None:
            where = f"{cell.dataset}, {TITLES[cell.method]}, {cell.loss}"
            console.print(Text(f"  {where}: {cell.mean:.2f}, paper {cell.paper:.2f}"))
    for note in sorted({cell.note for cell in cells if cell.note}):
        console.print(Text(visible(note)))
    n_runs = max(cell.n_runs for cell in cells)
    console.print(
        Text(f"{plural(len(cells), 'cell')}, {plural(n_runs, 'run')} each of methods that have chance in them")
    )
    names = ", ".join(f"{name}.{{md,tex,csv}}" for name in ("log_loss", "zero_one_brier", "datasets"))
    console.print(Text(f"Written to {visible(folder)}: {names}, tables.parquet"))
