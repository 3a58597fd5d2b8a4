"""Votes that no longer obey one-coin Dawid-Skene, and who still gets closer to the truth with more items.

Run as ``python -m studies.misspecified``; ``--picture`` writes a figure too. Needs no datasets. For each kind of votes
and each number of items, over ten draws: the mean KL divergence per item from P(class | votes), and from the best
approximator g* (the prediction of BF that is given the true accuracies and class frequencies of the items). The second
is also by how much the log loss on the drawn labels exceeds that of g*, exactly, because BF and one-coin Dawid-Skene
are of the same exponential family as g*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import thumbwise as tw
from studies.reporting import make_parser, markdown_table, publish, run_tasks
from thumbwise._typing import FloatArray
from thumbwise.datasets import Synthetic, make_class_conditional, make_copies, make_one_coin, make_shared_errors
from thumbwise.exceptions import DegenerateFitWarning
from thumbwise.metrics import log_loss
from thumbwise.numerics.vote_rates import Kind
from thumbwise.paper.experiments.breakdown import dawid_skene_proba
from thumbwise.paper.experiments.drawing import (
    BLUE,
    GREEN,
    NORMAL,
    ORANGE,
    SMALL,
    VERMILLION,
    import_figure,
    save_figure,
)

ACCURACIES = (0.85, 0.75, 0.75, 0.75, 0.7, 0.65)
CLASS_ACCURACIES = ((0.95, 0.7), (0.9, 0.55), (0.6, 0.95), (0.9, 0.5), (0.6, 0.85), (0.5, 0.85))
FREQUENCIES = (0.6, 0.4)
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
METHODS = ("best approximator", "BF", "Dawid-Skene, true parameters", "Dawid-Skene, EM", "Dawid-Skene by class, EM")
# Of the same family as the best approximator, so that the distance to it is an excess of log loss.
ONE_COIN = METHODS[1:4]

_Make = Callable[..., Synthetic]
KINDS: dict[str, _Make] = {
    "one coin": partial(make_one_coin, accuracies=ACCURACIES),
    "shared errors": partial(
        make_shared_errors, accuracies=ACCURACIES, groups=(-1, 0, 0, 0, -1, -1), shared_errors=0.2
    ),
    "copies": partial(
        make_copies, accuracies=ACCURACIES, copied_from=(-1, -1, 1, 1, -1, -1), copying=(0, 0, 0.8, 0.8, 0, 0)
    ),
    "unequal classes": partial(make_class_conditional, class_accuracies=CLASS_ACCURACIES),
    "unequal, abstaining": partial(make_class_conditional, class_accuracies=CLASS_ACCURACIES, abstain=0.3),
}
_STYLES = {
    "best approximator": (BLUE, "o", "-"),
    "BF": (GREEN, "D", "-"),
    "Dawid-Skene, true parameters": (ORANGE, "s", "--"),
    "Dawid-Skene, EM": (VERMILLION, "^", ":"),
    "Dawid-Skene by class, EM": ("0.5", "x", ":"),
}


@dataclass(frozen=True)
class Setting:
    """One draw of one kind of votes."""

    kind: str
    n_items: int
    draw: int


def measure(setting: Setting, seed: int) -> dict[str, tuple[float, float, float]]:
    """For each method the mean KL from the truth, that from the best approximator, and 1 if the fit is degenerate."""
    made = KINDS[setting.kind](setting.n_items, class_frequencies=FREQUENCIES, random_state=seed + setting.draw)
    predictions, degenerate = predict_all(made, np.random.default_rng([seed, setting.draw, setting.n_items]))
    best = predictions["best approximator"]
    return {
        method: (_divergence(made.proba, proba), _divergence(best, proba), float(method in degenerate))
        for method, proba in predictions.items()
    }


def predict_all(made: Synthetic, rng: np.random.Generator) -> tuple[dict[str, FloatArray], set[str]]:
    """BF sees the labels of a random tenth of the items, EM none, the other two all. Which fits are degenerate, too."""
    votes, labels = made.votes, made.labels
    gold = rng.choice(votes.n_items, votes.n_items // 10, replace=False)
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", opinions=())
    one_coin, is_degenerate = _fit_em(votes, "one_coin")
    by_class, is_degenerate_by_class = _fit_em(votes, "class_conditional")
    predictions = [
        tw.BalsubramaniFreund().fit(votes, box=tw.Box.exact(votes, labels)).predict_proba(votes),
        tw.BalsubramaniFreund(caution=1).fit(votes, box=box).predict_proba(votes),
        dawid_skene_proba(votes, labels),
        one_coin,
        by_class,
    ]
    flags = zip(METHODS[3:], (is_degenerate, is_degenerate_by_class), strict=True)
    return dict(zip(METHODS, predictions, strict=True)), {method for method, flag in flags if flag}


def _fit_em(votes: tw.Votes, kind: Kind) -> tuple[FloatArray, bool]:
    """What EM says, and whether it warns that a class has vanished."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        proba = tw.DawidSkene(kind=kind).fit(votes).predict_proba(votes)
    return proba, any(issubclass(warning.category, DegenerateFitWarning) for warning in caught)


def _divergence(truth: FloatArray, proba: FloatArray) -> float:
    """Per item, with clipped probabilities, as everywhere in the experiments."""
    return log_loss(truth, proba) - log_loss(truth, truth)


def run_study(kinds: tuple[str, ...], sizes: tuple[int, ...], n_draws: int, seed: int, n_processes: int) -> FloatArray:
    """Means over the draws: (n_kinds, n_sizes, n_methods, 3), as :func:`measure` has them."""
    settings = [Setting(kind, n, draw) for kind in kinds for n in sizes for draw in range(n_draws)]
    found = run_tasks(partial(measure, seed=seed), settings, n_processes)
    values = np.array([[answer[method] for method in METHODS] for answer in found])
    return np.asarray(values.reshape(len(kinds), len(sizes), n_draws, len(METHODS), 3).mean(axis=2))


def tabulate(means: FloatArray, sizes: tuple[int, ...]) -> str:
    """One row for each kind and method: distance to g* at each size; to the truth, and degenerate fits, at the last."""
    header = ["votes", "method", *(f"n = {n:,}" for n in sizes), "to the truth", "degenerate"]
    rows = [
        [kind, method, *_shown(method, means[i, :, j, 1]), _number(means[i, -1, j, 0]), f"{means[i, -1, j, 2]:.0%}"]
        for i, kind in enumerate(KINDS)
        for j, method in enumerate(METHODS)
    ]
    return markdown_table(header, rows)


def _shown(method: str, distances: FloatArray) -> list[str]:
    return [_number(value) for value in distances] if method in ONE_COIN else ["-"] * len(distances)


def _number(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}"


def draw(means: FloatArray, sizes: tuple[int, ...], path: Path) -> None:
    """A panel for each kind: KL divergence from the truth, on logarithmic axes."""
    figure = import_figure()(figsize=(7.2, 4.9), dpi=100, layout="constrained")
    first: Any = None
    for i, kind in enumerate(KINDS):
        first = ax = figure.add_subplot(2, 3, i + 1, sharey=first)
        for j, method in enumerate(METHODS):
            color, marker, style = _STYLES[method]
            ax.loglog(sizes, means[i, :, j, 0], color=color, marker=marker, ls=style, lw=1.2, ms=3, label=method)
        ax.set_title(kind, fontsize=NORMAL)
        ax.set_xlabel("items", fontsize=NORMAL)
        ax.set_ylabel("mean KL from the truth" if i % 3 == 0 else "", fontsize=NORMAL)
        ax.tick_params(labelsize=SMALL)
        ax.grid(alpha=0.25, lw=0.5)
    place = {"loc": "lower right", "bbox_to_anchor": (0.99, 0.14), "frameon": False}
    figure.legend(*first.get_legend_handles_labels(), fontsize=NORMAL, **place)
    save_figure(figure, path, endings=("png",))


def main() -> None:
    """All kinds of votes; ``--quick`` with two draws of at most 10,000 items."""
    parser = make_parser("Convergence where votes do not obey one-coin Dawid-Skene.", draws=10)
    parser.add_argument("--picture", type=Path, help="PNG file to draw the divergences to")
    arguments = parser.parse_args()
    sizes, n_draws = SIZES[:5] if arguments.quick else SIZES, arguments.draws
    means = run_study(tuple(KINDS), sizes, n_draws, arguments.seed, arguments.processes)
    heading = (
        f"Mean KL divergence per item from the best approximator g*, means of {n_draws} draws, and for the largest n "
        "that from the truth and the share of degenerate fits. BF has an exact 95 % box from the labels of a tenth of "
        "the items."
    )
    table = tabulate(means, sizes)
    publish("misspecified", arguments, [heading, table], {"distances": table})
    if arguments.picture is not None:
        draw(means, sizes, arguments.picture)


if __name__ == "__main__":
    main()
