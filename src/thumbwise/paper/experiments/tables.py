"""The paper's three result tables, ours beside the paper's, as Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thumbwise.datasets.paper import PAPER_NAMES, PAPER_TITLES, PaperData
from thumbwise.paper.experiments.comparing import Cell, compare_cells, count_flagged
from thumbwise.paper.experiments.methods import METHODS
from thumbwise.paper.experiments.paper_values import DIGITS, STATISTICS
from thumbwise.paper.experiments.runner import as_table
from thumbwise.paper.experiments.specs import Row
from thumbwise.tables.table_files import write_table
from thumbwise.tables.whole_files import replacing

TITLES = {**{method: method for method in METHODS}, "AMCL_CC": "AMCL CC", "best_approximator": "best approximator"}
_LOSS_TITLES = {
    "log_loss": "Average log loss",
    "zero_one_loss": "Average 0-1 loss, in percent",
    "brier_score": "Average Brier score",
}
_FILES = {"log_loss": ("log_loss",), "zero_one_brier": ("zero_one_loss", "brier_score")}
_STATISTICS = ("classes", "rules", "training items", "validation items", "rules abstain")
_MISSING = "-"


@dataclass(frozen=True)
class Entry:
    """One cell as it is shown: ours, then the paper's in brackets."""

    ours: str
    paper: str = ""
    is_bold: bool = False
    is_bold_in_paper: bool = False
    is_flagged: bool = False


@dataclass(frozen=True)
class Grid:
    """A table to be shown, with a column of names to the left."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statistic:
    """A size of a dataset beside the paper's."""

    dataset: str
    statistic: str
    ours: str
    paper: str

    @property
    def is_flagged(self) -> bool:
        return self.ours != self.paper


def write_tables(rows: Sequence[Row], datasets: Sequence[PaperData], folder: Path) -> list[Cell]:
    """Write ``log_loss``, ``zero_one_brier`` and ``datasets``, each as .md, .tex and .csv, and return the cells."""
    cells = compare_cells(rows)
    for name, losses in _FILES.items():
        chosen = [cell for cell in cells if cell.loss in losses]
        _write(folder / name, [loss_grid(cells, loss) for loss in losses], [_cell_row(cell) for cell in chosen])
    statistics = [statistic for dataset in datasets for statistic in compare_statistics(dataset)]
    tidy: list[Row] = [{**vars(statistic), "is_flagged": statistic.is_flagged} for statistic in statistics]
    _write(folder / "datasets", [statistics_grid(statistics)], tidy)
    return cells


def loss_grid(cells: Sequence[Cell], loss: str) -> Grid:
    """Methods down, datasets across."""
    chosen = {(cell.method, cell.dataset): cell for cell in cells if cell.loss == loss}
    names = [name for name in PAPER_NAMES if any(name == dataset for _, dataset in chosen)]
    methods = [method for method in METHODS if any(method == key for key, _ in chosen)]
    rows = tuple((TITLES[method], tuple(_entry(chosen.get((method, name))) for name in names)) for method in methods)
    header = ("method", *(PAPER_TITLES[name] for name in names))
    return Grid(_LOSS_TITLES[loss], header, rows, _notes(list(chosen.values())))


def compare_statistics(dataset: PaperData) -> list[Statistic]:
    """Sizes of a dataset as it was published, and as the paper states them."""
    votes = dataset.votes
    abstains = bool((votes.array < 0).any())
    sizes = (votes.n_classes, votes.n_rules, votes.n_items, dataset.gold_votes.n_items, abstains)
    return [
        Statistic(dataset.name, name, _shown(ours), _shown(paper))
        for name, ours, paper in zip(_STATISTICS, sizes, STATISTICS[dataset.name], strict=True)
    ]


def statistics_grid(statistics: Sequence[Statistic]) -> Grid:
    """Datasets down, sizes across."""
    by_name: dict[str, list[Statistic]] = {}
    for statistic in statistics:
        by_name.setdefault(statistic.dataset, []).append(statistic)
    rows = tuple(
        (PAPER_TITLES[name], tuple(Entry(s.ours, s.paper, is_flagged=s.is_flagged) for s in of_dataset))
        for name, of_dataset in by_name.items()
    )
    n_flagged = sum(statistic.is_flagged for statistic in statistics)
    notes = (f"The paper's in brackets. Different (†): {n_flagged} of {len(statistics)}.",)
    return Grid("Dataset statistics", ("dataset", *_STATISTICS), rows, notes)


def as_markdown(grid: Grid) -> str:
    """A heading, the table, and what to know about it."""
    rule = ["---", *["---:"] * (len(grid.header) - 1)]
    lines = [list(grid.header), rule, *([name, *map(_markdown_cell, entries)] for name, entries in grid.rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "\n\n".join([f"## {grid.title}", table, *grid.notes]) + "\n"


def as_latex(grid: Grid) -> str:
    """A table environment; needs the packages booktabs and graphicx."""
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(grid.title)}. {escape_latex(' '.join(grid.notes))}}}",
        r"  \resizebox{\textwidth}{!}{%",
        rf"  \begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}",
        r"    \toprule",
        f"    {' & '.join(map(escape_latex, grid.header))} \\\\",
        r"    \midrule",
        *(f"    {' & '.join([escape_latex(name), *map(_latex_cell, entries)])} \\\\" for name, entries in grid.rows),
        r"    \bottomrule",
        r"  \end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is."""
    special = {char: f"\\{char}" for char in "&%$#_{}"}
    others = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "†": r"$^\dagger$"}
    return "".join({**special, **others}.get(char, char) for char in text)


def _write(path: Path, grids: Sequence[Grid], tidy: list[Row]) -> None:
    _write_text(path.with_suffix(".md"), "\n".join(map(as_markdown, grids)))
    _write_text(path.with_suffix(".tex"), "\n".join(map(as_latex, grids)))
    write_table(as_table(tidy), path.with_suffix(".csv"), overwrite=True)


def _write_text(path: Path, text: str) -> None:
    """Whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def _cell_row(cell: Cell) -> Row:
    return {**vars(cell), "note": cell.note or None}


def _entry(cell: Cell | None) -> Entry:
    if cell is None:
        return Entry(_MISSING)
    paper = f"{cell.paper:.{DIGITS}f}"
    if cell.mean is None:
        return Entry(_MISSING, paper, False, cell.is_best_in_paper)
    return Entry(f"{cell.mean:.{DIGITS}f}", paper, cell.is_best, cell.is_best_in_paper, cell.is_flagged)


def _notes(cells: list[Cell]) -> tuple[str, ...]:
    n_runs = max(cell.n_runs for cell in cells)
    counts = count_flagged(cells)
    flagged = ", ".join(f"{TITLES[method]} {n} of {n_cells}" for method, (n, n_cells) in counts.items())
    missing = sorted({cell.note for cell in cells if cell.note})
    return (
        f"Means over {n_runs} runs, the paper's in brackets. Bold: not distinguishable from the best method by a "
        "paired two-sided t-test at 0.05.",
        f"More than 4 standard errors, and rounding, from the paper (†): {flagged}.",
        *missing,
    )


def _shown(value: int | bool) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _markdown_cell(entry: Entry) -> str:
    ours = f"**{entry.ours}**" if entry.is_bold else entry.ours
    paper = f"**{entry.paper}**" if entry.is_bold_in_paper else entry.paper
    return ours + (f" ({paper})" if paper else "") + (" †" if entry.is_flagged else "")


def _latex_cell(entry: Entry) -> str:
    ours, paper = escape_latex(entry.ours), escape_latex(entry.paper)
    ours = rf"\textbf{{{ours}}}" if entry.is_bold else ours
    paper = rf"\textbf{{{paper}}}" if entry.is_bold_in_paper else paper
    return ours + (f" ({paper})" if paper else "") + (r"$^\dagger$" if entry.is_flagged else "")
