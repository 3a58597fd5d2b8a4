"""The numbers of the paper's figures, from the rows of the experiments, and the figures as files with them beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thumbwise.datasets.paper import PAPER_NAMES
from thumbwise.paper.experiments.drawing import (
    draw_breakdown,
    draw_breakdowns,
    draw_convergence,
    import_figure,
    save_figure,
)
from thumbwise.paper.experiments.runner import as_table
from thumbwise.paper.experiments.specs import Row
from thumbwise.tables.table_files import write_table

SYNTHETIC_METHODS = ("best_approximator", "OCDS_true", "OCDS")
_STATISTICS = (("min", np.min), ("mean", np.mean), ("max", np.max))


def write_figures(rows_breakdown: Sequence[Row], rows_synthetic: Sequence[Row], folder: Path) -> list[Path]:
    """Write every figure as .png and .pdf, and its numbers as .csv, each file whole or not at all.

    ``breakdown_<dataset>`` for each dataset, ``breakdowns`` with all of them, ``convergence``. The same rows give the
    same files, byte by byte, with the same version of matplotlib.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    MissingPackageError
        matplotlib is not installed; nothing is written then.
    """
    import_figure()
    whole = breakdown_table(rows_breakdown)
    written: list[Path] = []
    for name in dict.fromkeys(str(row["dataset"]) for row in whole):
        table = [row for row in whole if row["dataset"] == name]
        written += _write(folder / f"breakdown_{name}", draw_breakdown(table), table)
    written += _write(folder / "breakdowns", draw_breakdowns(whole), whole)
    table = convergence_table(rows_synthetic)
    return written + _write(folder / "convergence", draw_convergence(table), table)


def breakdown_table(rows: Sequence[Row]) -> list[Row]:
    """One row for each dataset and number of labels: the parts of the loss of BF, and the losses of Dawid-Skene.

    ``approximation_min``, ``_mean`` and ``_max`` are over the draws; ``loss_min``, ``_mean`` and ``_max`` are the same
    on top of ``model_uncertainty``, which is the loss of the best approximator. A draw for which no labeling exists
    has no loss: ``n_draws`` counts the others, and without any these six values are missing.
    """
    measured = {str(row["dataset"]) for row in rows}
    names = [name for name in PAPER_NAMES if name in measured] + sorted(measured - set(PAPER_NAMES))
    return [row for name in names for row in _dataset_table(name, [row for row in rows if row["dataset"] == name])]


def convergence_table(rows: Sequence[Row]) -> list[Row]:
    """One row for each method and number of items: mean and median KL divergence over the draws, and their slopes.

    ``slope_of_mean`` is that of the least squares line through log(mean) against log(n_items), over all sizes of a
    method; ``slope_of_median`` likewise. Divergence that falls like 1/n has the slope -1.
    """
    return [
        row
        for method in SYNTHETIC_METHODS
        for row in _method_table(method, [row for row in rows if row["method"] == method])
    ]


def fit_slope(sizes: Sequence[float], heights: Sequence[float]) -> float | None:
    """Exponent of the power law that fits best, on logarithmic axes; None without two positive values.

    Examples
    --------
    >>> round(fit_slope([100, 1000, 10000], [0.3, 0.03, 0.003]), 9)
    -1.0
    """
    x, y = np.asarray(sizes, dtype=float), np.asarray(heights, dtype=float)
    is_usable = y > 0
    if len(set(x[is_usable].tolist())) < 2:
        return None
    return float(np.polyfit(np.log(x[is_usable]), np.log(y[is_usable]), 1)[0])


def _dataset_table(name: str, rows: list[Row]) -> list[Row]:
    losses = {str(row["method"]): row["log_loss"] for row in rows if row["method"] != "BF"}
    draws: dict[int, list[Row]] = {}
    for row in rows:
        if row["method"] == "BF":
            draws.setdefault(int(_number(row, "n_gold")), []).append(row)
    lines: Row = {"dawid_skene_true": losses.get("OCDS_true"), "dawid_skene_em": losses.get("OCDS")}
    return [{"dataset": name, "n_gold": n_gold, **_parts(draws[n_gold]), **lines} for n_gold in sorted(draws)]


def _parts(draws: list[Row]) -> Row:
    """Least, mean and greatest approximation uncertainty of the draws, alone and stacked on the model uncertainty."""
    model = _number(draws[0], "model_uncertainty")
    known = [_number(row, "approximation_uncertainty") for row in draws if row["approximation_uncertainty"] is not None]
    parts = {name: float(statistic(known)) if known else None for name, statistic in _STATISTICS}
    return {
        "n_draws": len(known),
        "model_uncertainty": model,
        **{f"approximation_{name}": part for name, part in parts.items()},
        **{f"loss_{name}": None if part is None else model + part for name, part in parts.items()},
    }


def _method_table(method: str, rows: list[Row]) -> list[Row]:
    divergences: dict[int, list[float]] = {}
    for row in rows:
        divergences.setdefault(int(_number(row, "n_items")), []).append(_number(row, "kl"))
    sizes = sorted(divergences)
    means = [float(np.mean(divergences[size])) for size in sizes]
    medians = [float(np.median(divergences[size])) for size in sizes]
    slopes: Row = {"slope_of_mean": fit_slope(sizes, means), "slope_of_median": fit_slope(sizes, medians)}
    return [
        {"method": method, "n_items": n, "n_draws": len(divergences[n]), "kl_mean": mean, "kl_median": median, **slopes}
        for n, mean, median in zip(sizes, means, medians, strict=True)
    ]


def _number(row: Row, name: str) -> float:
    value = row[name]
    if value is None or isinstance(value, str):
        raise ValueError(f"{name} must be a number in every row; found {value!r} in {row}.")
    return float(value)


def _write(path: Path, figure: object, table: list[Row]) -> list[Path]:
    write_table(as_table(table), path.with_suffix(".csv"), overwrite=True)
    return [path.with_suffix(".csv"), *save_figure(figure, path)]
