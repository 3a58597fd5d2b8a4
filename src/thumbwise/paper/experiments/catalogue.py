"""The paper's three experiments, as specifications. ``quick`` makes a small version of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from thumbwise.datasets.paper import PAPER_NAMES
from thumbwise.paper.experiments import breakdown, methods, synthetic
from thumbwise.paper.experiments.specs import Experiment, Fit, Settings

N_GOLD, N_RUNS = 100, 10
QUICK_NAMES = ("breast_cancer", "cardio", "youtube")
QUICK_RUNS, QUICK_STARTS = 3, 10

# Seconds of the fits that take more than a tenth of one.
_SECONDS = {
    ("EBCC", "aa2"): 8.0,
    ("EBCC", "yelp"): 6.0,
    ("EBCC", "domain"): 5.0,
    ("AMCL_CC", "sms"): 4.0,
    ("EBCC", "youtube"): 0.8,
    ("EBCC", "sms"): 0.6,
    ("EBCC", "cardio"): 0.3,
    ("AMCL_CC", "aa2"): 0.3,
}
# Validation sets that hold fewer than 300 items: six steps from 100 to all of them.
_SMALL_VALIDATION = {"aa2": 172, "breast_cancer": 227, "youtube": 120}
_SIZES = (100, 1_000, 10_000, 100_000)


def tables_experiment(*, data: Path | None = None, quick: bool = False) -> Experiment:
    """All methods on all datasets with 100 gold labels; ten runs of those that have chance in them, one of others."""
    n_runs = QUICK_RUNS if quick else N_RUNS
    fits = [
        Fit(name, method, run, N_GOLD if method in methods.USES_GOLD else 0)
        for method in methods.METHODS
        for name in (QUICK_NAMES if quick else PAPER_NAMES)
        for run in range(1 if method in methods.DETERMINISTIC else n_runs)
    ]
    settings = Settings(data, QUICK_STARTS) if quick else Settings(data)
    return Experiment("tables", tuple(fits), methods.measure, settings, expected_seconds)


def breakdown_experiment(*, data: Path | None = None, quick: bool = False) -> Experiment:
    """BF with more and more labels, ten draws each; the best approximator and Dawid-Skene, once each."""
    names = QUICK_NAMES if quick else PAPER_NAMES
    draws = [
        Fit(name, "BF", run, n_gold)
        for name in names
        for n_gold in label_counts(name)
        for run in range(QUICK_RUNS if quick else N_RUNS)
    ]
    lines = [Fit(name, method) for name in names for method in ("OCDS", "OCDS_true", "best_approximator")]
    return Experiment("breakdown", (*draws, *lines), breakdown.measure, Settings(data))


def synthetic_experiment(*, quick: bool = False) -> Experiment:
    """The first 100, 1,000, 10,000 and 100,000 items of ten draws from one-coin Dawid-Skene."""
    fits = [
        Fit("synthetic", method, run, 0, n_items)
        for run in range(QUICK_RUNS if quick else N_RUNS)
        for n_items in (_SIZES[:3] if quick else _SIZES)
        for method in ("OCDS", "OCDS_true", "best_approximator")
    ]
    return Experiment("synthetic", tuple(fits), synthetic.measure)


def label_counts(name: str) -> tuple[int, ...]:
    """How many labels are drawn for the breakdown of a dataset."""
    if name in _SMALL_VALIDATION:
        return tuple(np.linspace(N_GOLD, _SMALL_VALIDATION[name], 6).round().astype(int).tolist())
    return (100, 150, 200, 250, 300)


def expected_seconds(fit: Fit) -> float:
    """For a fit of the tables, measured once on one core."""
    return _SECONDS.get((fit.method, fit.dataset), 0.1)
