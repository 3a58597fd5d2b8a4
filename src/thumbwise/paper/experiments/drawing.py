"""The paper's figures, drawn from tidy rows. matplotlib is imported when something is drawn, and never its pyplot."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.datasets.paper import PAPER_TITLES
from thumbwise.exceptions import MissingPackageError
from thumbwise.paper.experiments.specs import Row
from thumbwise.tables.whole_files import replacing

# Colours of Okabe and Ito, which colour-blind people can tell apart.
GREEN, BLUE, SKY, ORANGE, VERMILLION = "#009E73", "#0072B2", "#56B4E9", "#E69F00", "#D55E00"
SMALL, NORMAL = 7, 8
_COLUMN = 3.4  # inches: one of two columns of a page
_FACE = {"model": GREEN, "least": SKY, "spread": "#CFE8F7"}
# Dates in files would make every run different.
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_LINES = (
    ("dawid_skene_true", "Dawid-Skene, true parameters", "--", "black"),
    ("dawid_skene_em", "Dawid-Skene, EM", ":", VERMILLION),
)
_CURVES = {
    "best_approximator": ("best approximator", BLUE, "o", "-"),
    "OCDS_true": ("Dawid-Skene, true parameters", ORANGE, "s", "--"),
    "OCDS": ("Dawid-Skene, EM", VERMILLION, "^", ":"),
}


def import_figure() -> Any:
    """The class Figure of matplotlib, which needs no display and no global state."""
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise MissingPackageError(
            "figures need the package matplotlib, which is not installed. Install it with "
            "pip install 'thumbwise[plots]'."
        ) from error


def plot_breakdown(table: Sequence[Row], *, ax: Any) -> Any:
    """Loss of BF on one dataset against the number of labels, in its parts, with the losses of Dawid-Skene as lines.

    From below: model uncertainty; the least approximation uncertainty of the draws; from the least to the greatest,
    with the mean as a line. A loss of Dawid-Skene far above all this is written at the upper edge.

    Parameters
    ----------
    table : sequence of rows
        Those of one dataset from :func:`thumbwise.paper.experiments.figures.breakdown_table`.
    ax : matplotlib.axes.Axes
        What to draw on; returned.
    """
    n_gold, model = _column(table, "n_gold"), _column(table, "model_uncertainty")
    least, mean, most = (_column(table, f"loss_{name}") for name in ("min", "mean", "max"))
    ax.fill_between(n_gold, 0, model, color=_FACE["model"], alpha=0.55, lw=0, label="model uncertainty")
    ax.fill_between(n_gold, model, least, color=_FACE["least"], lw=0, label="approximation, least")
    ax.fill_between(n_gold, least, most, color=_FACE["spread"], lw=0, label="approximation, to greatest")
    ax.plot(n_gold, model, color="black", lw=0.8)
    ax.plot(n_gold, mean, color=BLUE, lw=1.2, marker="o", ms=2.5, clip_on=False, label="loss of BF, mean")
    _set_heights(model[0], _draw_dawid_skene(table, float(np.nanmax([*most, *model])), ax), ax)
    ax.set_xlim(n_gold.min(), n_gold.max() + (len(n_gold) == 1))
    ax.set_xticks(_spread_ticks(n_gold))
    ax.set_title(PAPER_TITLES.get(str(table[0]["dataset"]), str(table[0]["dataset"])), fontsize=NORMAL)
    ax.set_xlabel("labels", fontsize=NORMAL)
    ax.set_ylabel("mean log loss", fontsize=NORMAL)
    ax.tick_params(labelsize=SMALL)
    return ax


def plot_convergence(table: Sequence[Row], *, ax: Any) -> Any:
    """Mean KL divergence against the number of items on logarithmic axes, with slopes; returns the axes.

    Parameters
    ----------
    table : sequence of rows
        From :func:`thumbwise.paper.experiments.figures.convergence_table`.
    ax : matplotlib.axes.Axes
    """
    for method, (title, color, marker, style) in _CURVES.items():
        rows = [row for row in table if row["method"] == method]
        if rows:
            slope = rows[0]["slope_of_mean"]
            label = title if slope is None else f"{title} (slope {slope:.2f})"
            n_items, kl = _column(rows, "n_items"), _column(rows, "kl_mean")
            ax.loglog(n_items, kl, color=color, marker=marker, ls=style, lw=1.2, ms=3.5, label=label)
            if method == "best_approximator" and slope is not None:
                ax.loglog(
                    n_items, _power_law(n_items, kl, float(slope)), color="0.4", lw=0.7, label="line fitted to it"
                )
    ax.set_xlabel("items", fontsize=NORMAL)
    ax.set_ylabel("mean KL divergence from the truth", fontsize=NORMAL)
    ax.tick_params(labelsize=SMALL)
    ax.grid(alpha=0.25, lw=0.5)
    return ax


def draw_breakdown(table: Sequence[Row]) -> Any:
    """A figure for one dataset, as wide as a column, with its legend below."""
    figure = import_figure()(figsize=(_COLUMN, 3.0), dpi=200, layout="constrained")
    plot_breakdown(table, ax=figure.add_subplot())
    _add_legend(figure, n_columns=2)
    return figure


def draw_breakdowns(table: Sequence[Row]) -> Any:
    """All datasets on one page."""
    names = list(dict.fromkeys(row["dataset"] for row in table))
    n_columns = min(3, len(names))
    n_lines = -(-len(names) // n_columns)
    figure = import_figure()(figsize=(2.4 * n_columns, 1.9 * n_lines + 0.6), dpi=90, layout="constrained")
    for place, name in enumerate(names, start=1):
        ax = figure.add_subplot(n_lines, n_columns, place)
        plot_breakdown([row for row in table if row["dataset"] == name], ax=ax)
        ax.set_ylabel("mean log loss" if place % n_columns == 1 or n_columns == 1 else "")
    _add_legend(figure, n_columns=n_columns)
    return figure


def draw_convergence(table: Sequence[Row]) -> Any:
    """The synthetic experiment, as wide as a column."""
    figure = import_figure()(figsize=(_COLUMN, 3.2), dpi=200, layout="constrained")
    plot_convergence(table, ax=figure.add_subplot())
    _add_legend(figure, n_columns=1)
    return figure


def save_figure(figure: Any, path: Path, *, endings: Sequence[str] = ("png", "pdf")) -> list[Path]:
    """Write a figure beside ``path`` under each ending; each file whole or not at all."""
    targets = [path.with_suffix(f".{ending}") for ending in endings]
    for ending, target in zip(endings, targets, strict=True):
        with replacing(target) as part:
            figure.savefig(part, format=ending, metadata=_METADATA[ending])
    return targets


def _draw_dawid_skene(table: Sequence[Row], highest: float, ax: Any) -> float:
    """Lines of Dawid-Skene, as numbers where more than twice as high as all else; returns the highest thing drawn."""
    off = []
    for key, title, style, color in _LINES:
        value = table[0][key]
        if isinstance(value, (int, float)):
            is_off = value > 2 * highest
            off += [f"{title}: {value:.2f} \N{UPWARDS ARROW}"] if is_off else []
            ax.axhline(value, color=color, ls=style, lw=1.2, label=title)
    if off:
        where = {"xy": (0.97, 0.97), "xycoords": "axes fraction", "ha": "right", "va": "top"}
        ax.annotate("\n".join(off), fontsize=SMALL, color=VERMILLION, **where)
    heights = [float(value) for key, *_ in _LINES if isinstance(value := table[0][key], (int, float))]
    return max([highest, *(height for height in heights if height <= 2 * highest)])


def _set_heights(model: float, highest: float, ax: Any) -> None:
    """From 0, unless that would press what matters into the upper third, which is then said; room for text above."""
    span = highest - model
    bottom = 0.0 if model <= 2 * span or span == 0 else model - 0.8 * span
    if bottom > 0:
        where = {"xy": (0.03, 0.04), "xycoords": "axes fraction", "ha": "left", "va": "bottom"}
        ax.annotate("axis does not start at 0", fontsize=SMALL - 1, **where)
    ax.set_ylim(bottom, highest + 0.2 * (highest - bottom))


def _power_law(sizes: FloatArray, heights: FloatArray, slope: float) -> FloatArray:
    """The least squares line, which goes through the means of both logarithms."""
    known = heights > 0
    centre, height = np.log(sizes[known]).mean(), np.log(heights[known]).mean()
    return np.asarray(np.exp(height + slope * (np.log(sizes) - centre)))


def _add_legend(figure: Any, *, n_columns: int) -> None:
    """Below all axes, each label once."""
    drawn = {label: handle for ax in figure.axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    spacing = {"columnspacing": 1.2, "handlelength": 1.8, "handletextpad": 0.6, "labelspacing": 0.3}
    place = {"loc": "outside lower center", "ncols": n_columns, "frameon": False}
    figure.legend(drawn.values(), drawn, fontsize=SMALL, **place, **spacing)


def _spread_ticks(n_gold: FloatArray) -> list[int]:
    """First, last, and those between them that leave room for their numbers."""
    ticks = n_gold.astype(int).tolist()
    return ticks if len(ticks) <= 4 else ticks[::2] if len(ticks) % 2 else [ticks[0], ticks[2], ticks[3], ticks[-1]]


def _column(table: Sequence[Row], name: str) -> FloatArray:
    """Missing values become NaN, which is not drawn."""
    return np.array([row[name] for row in table], dtype=float)
