"""EBCC beside the authors' results: ten seeded runs on each of the paper's datasets.

Run as ``python -m studies.ebcc``; reads the authors' results from ``paper/reference.json``.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from scipy.io import loadmat
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.drawing import TITLES, data_folder
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.models.ebcc import EBCC

LOSSES: dict[str, Callable[..., float]] = {
    "log_loss": log_loss,
    "zero_one_loss": zero_one_loss,
    "brier_score": brier_score,
}
N_RUNS = 10
RankBy: TypeAlias = Literal["elbo", "published"]
HEADINGS: dict[RankBy, str] = {
    "published": 'The best start by the score of the original implementation, `rank_by="published"`:',
    "elbo": "The best start by the evidence lower bound itself, the default:",
}


@dataclass(frozen=True)
class Match:
    """Mean and standard deviation of a loss over our runs and over the authors'."""

    ours: float
    our_std: float
    theirs: float
    their_std: float
    standard_error: float

    @property
    def z(self) -> float:
        """Distance of the means in standard errors."""
        return (self.ours - self.theirs) / self.standard_error


def measure(votes: tw.Votes, labels: IntArray, rank_by: RankBy, n_runs: int = N_RUNS) -> dict[str, FloatArray]:
    """The losses of runs with the seeds 0, 1, ..; that some are cut off is the paper's setting."""
    probas = []
    for seed in range(n_runs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            probas.append(EBCC(rank_by=rank_by, random_state=seed).fit(votes).predict_proba(votes))
    return {name: np.array([loss(labels, proba) for proba in probas]) for name, loss in LOSSES.items()}


def match(losses: FloatArray, theirs: dict[str, float], *, is_rounded: bool) -> Match:
    """Compare means of runs; 4 standard errors are at least 0.001 where the authors' numbers were rounded."""
    error = float(np.hypot(np.std(losses) / np.sqrt(len(losses)), theirs["std"] / np.sqrt(theirs["runs"])))
    least = 2.5e-4 if is_rounded else 1e-9
    return Match(float(np.mean(losses)), float(np.std(losses)), theirs["mean"], theirs["std"], max(error, least))


def study(name: str, rank_by: RankBy, n_runs: int) -> dict[str, Match]:
    """All losses on one dataset."""
    content = loadmat(data_folder() / f"{name}.mat")
    labels = content["train_labels"].ravel().astype(np.int64)
    votes = tw.Votes(content["train_pred"], n_classes=int(labels.max()) + 1)
    known = json.loads((data_folder() / "reference.json").read_text(encoding="utf-8"))[name]["EBCC"]
    losses = measure(votes, labels, rank_by, n_runs)
    return {key: match(losses[key], known[key], is_rounded="source" in known) for key in LOSSES}


def table(rank_by: RankBy = "published", n_runs: int = N_RUNS, n_processes: int = 2) -> str:
    """All datasets and losses, in Markdown."""
    matches = run_tasks(partial(study, rank_by=rank_by, n_runs=n_runs), list(TITLES), n_processes)
    rows = [
        [TITLES[name], *(cell for found in row.values() for cell in _show(found))]
        for name, row in zip(TITLES, matches, strict=True)
    ]
    header = ["dataset", "log loss", "authors", "z", "0-1 loss", "authors", "z", "Brier", "authors", "z"]
    return markdown_table(header, rows)


def _show(found: Match) -> tuple[str, str, str]:
    return f"{found.ours:.4f} ± {found.our_std:.4f}", f"{found.theirs:.4f} ± {found.their_std:.4f}", f"{found.z:+.1f}"


def main() -> None:
    """All ten datasets."""
    arguments = read_arguments("EBCC on the paper's datasets beside the authors' results.", draws=N_RUNS)
    n_runs = arguments.draws
    heading = (
        f"Mean and standard deviation over {n_runs} runs of ours and 10 of the authors, and the distance of the means "
        "in standard errors (at least 0.00025 where the authors' numbers are known to four digits)."
    )
    tables: dict[str, str] = {rank_by: table(rank_by, n_runs, arguments.processes) for rank_by in HEADINGS}
    parts = [part for rank_by, title in HEADINGS.items() for part in (title, tables[rank_by])]
    publish("ebcc", arguments, [heading, *parts], tables)


if __name__ == "__main__":
    main()
