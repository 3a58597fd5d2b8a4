"""Every cell of the result tables beside the paper's: means, paired tests, differences beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from scipy.special import stdtr

from thumbwise._typing import FloatArray
from thumbwise.datasets.paper import PAPER_NAMES
from thumbwise.paper.experiments.methods import METHODS
from thumbwise.paper.experiments.paper_values import N_RUNS, ROUNDING, SCALES, is_bold, printed_loss, published_spread
from thumbwise.paper.experiments.scoring import LOSSES
from thumbwise.paper.experiments.specs import Row

LEVEL = 0.05
# Differences of this many standard errors are flagged.
MAX_ERRORS = 4.0
# The truth was shown to it, so that it takes no part in the comparison of methods.
REFERENCE = "best_approximator"
_EQUAL = 1e-9


@dataclass(frozen=True)
class Cell:
    """A loss of a method on a dataset, in the paper's units, beside the paper's value.

    Attributes
    ----------
    mean : float or None
        Over the runs; None if the method could not be run.
    spread : float
        Standard deviation over the runs; 0 for a method without chance.
    standard_error : float
        Of the difference from the paper's value, without its rounding.
    paper : float
        As printed.
    is_best, is_best_in_paper : bool
        Not distinguishable from the best method.
    is_flagged : bool
        Beyond 4 standard errors and the rounding of the print.
    note : str
        Why there is no mean.
    """

    dataset: str
    method: str
    loss: str
    n_runs: int
    mean: float | None
    spread: float
    standard_error: float
    paper: float
    is_best: bool
    is_best_in_paper: bool
    is_flagged: bool
    note: str


def compare_cells(rows: Sequence[Row]) -> list[Cell]:
    """All cells in the order of the paper: by loss, method, dataset."""
    runs = {key: list(group) for key, group in groupby(sorted(rows, key=_key), key=lambda row: _key(row)[:2])}
    names = [name for name in PAPER_NAMES if any(dataset == name for dataset, _ in runs)]
    return [
        _compare(runs, name, method, loss)
        for loss in LOSSES
        for method in METHODS
        for name in names
        if (name, method) in runs
    ]


def count_flagged(cells: Sequence[Cell]) -> dict[str, tuple[int, int]]:
    """Flagged cells of each method, and all that have a value."""
    known = [cell for cell in cells if cell.mean is not None]
    return {
        method: (sum(cell.is_flagged for cell in known if cell.method == method), n_cells)
        for method in METHODS
        if (n_cells := sum(cell.method == method for cell in known))
    }


def paired_p_value(first: FloatArray, second: FloatArray) -> float:
    """Two-sided t-test for paired samples. 1 if they are equal, 0 if they differ by a constant.

    A sample of one, of a method without chance, stands for the same number in every run.
    """
    differences = first - second
    mean, error = differences.mean(), np.sqrt(_mean_variance(differences))
    if abs(mean) <= _EQUAL and error <= _EQUAL:
        return 1.0
    if error <= _EQUAL * abs(mean):
        return 0.0
    return float(2 * stdtr(len(differences) - 1, -abs(mean) / error))


def is_beyond_chance(mean: float, paper: float, standard_error: float) -> bool:
    """Whether a mean is further from a printed value than rounding and 4 standard errors allow."""
    return bool(abs(mean - paper) > ROUNDING + MAX_ERRORS * standard_error + _EQUAL)


def difference_error(ours: FloatArray, published: float) -> float:
    """Standard error of the difference between our mean over runs and the paper's, with its spread, over ten."""
    return float(np.sqrt(_mean_variance(ours) + published**2 / N_RUNS))


def _mean_variance(losses: FloatArray) -> float:
    """Variance of the mean of independent values; one value alone is taken as certain."""
    return float(losses.var(ddof=1) / len(losses)) if len(losses) > 1 else 0.0


_Runs = dict[tuple[str, str], list[Row]]


def _key(row: Row) -> tuple[str, str, int]:
    return str(row["dataset"]), str(row["method"]), int(row["run"] or 0)


def _losses(rows: list[Row], loss: str) -> FloatArray | None:
    """One number a run, in the paper's units."""
    by_run = [row.get(loss) for row in rows]
    if any(value is None for value in by_run):
        return None
    return np.array(by_run, dtype=float) * SCALES[loss]


def _compare(runs: _Runs, name: str, method: str, loss: str) -> Cell:
    rows, paper = runs[name, method], printed_loss(loss, method, name)
    ours = _losses(rows, loss)
    if ours is None:
        note = "; ".join(sorted({str(row["note"]) for row in rows if row.get("note")}))
        return Cell(name, method, loss, len(rows), None, 0, 0, paper, False, is_bold(loss, method, name), False, note)
    error = difference_error(ours, published_spread(loss, method, name))
    return Cell(
        dataset=name,
        method=method,
        loss=loss,
        n_runs=len(rows),
        mean=float(ours.mean()),
        spread=float(ours.std(ddof=1)) if len(rows) > 1 else 0.0,
        standard_error=error,
        paper=paper,
        is_best=method != REFERENCE and _is_best(runs, name, loss, ours),
        is_best_in_paper=is_bold(loss, method, name),
        is_flagged=is_beyond_chance(float(ours.mean()), paper, error),
        note="",
    )


def _is_best(runs: _Runs, name: str, loss: str, ours: FloatArray) -> bool:
    rivals = [
        losses
        for (dataset, method), rows in runs.items()
        if dataset == name and method != REFERENCE and (losses := _losses(rows, loss)) is not None
    ]
    best = min(rivals, key=lambda losses: float(losses.mean()))
    return paired_p_value(ours, best) >= LEVEL
