"""The paper's own figures: best approximators, its recipe over a hundred draws, majority vote and Dawid-Skene.

Run as ``python -m studies.paper_figures``; reads the authors' results from ``paper/reference.json``.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
from scipy.io import loadmat

import thumbwise as tw
from studies.drawing import TITLES, data_folder
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise.metrics import log_loss

N_GOLD = 100


def study(name: str, n_draws: int) -> list[str]:
    """One row: the differences from the authors' log losses, and what the solver says."""
    content = loadmat(data_folder() / f"{name}.mat")
    labels = content["train_labels"].ravel().astype(np.int64)
    gold_labels = content["validation_labels"].ravel().astype(np.int64)
    n_classes = int(labels.max()) + 1
    pool, gold = (tw.Votes(content[key], n_classes=n_classes) for key in ("train_pred", "val_pred"))
    known = json.loads((data_folder() / "reference.json").read_text(encoding="utf-8"))[name]
    best = tw.BalsubramaniFreund().fit(pool, box=tw.Box.exact(pool, labels))
    plain = {"MV": tw.MajorityVote().fit(pool), "OCDS": tw.DawidSkene().fit(pool), "best_approximator": best}
    off = {
        key: log_loss(labels, model.predict_proba(pool)) - known[key]["log_loss"]["mean"]
        for key, model in plain.items()
    }
    losses, residual, n_infeasible = _recipe(pool, labels, gold, gold_labels, n_draws)
    theirs = known["BF_100"]["log_loss"]
    error = np.hypot(np.std(losses, ddof=1) / np.sqrt(len(losses)), theirs["std"] / np.sqrt(theirs["runs"]))
    return [
        TITLES[name],
        *(f"{off[key]:+.1e}" for key in plain),
        f"{best.certificate_.kkt_residual:.1e}",
        str(best.n_iter_),
        f"{np.mean(losses):.4f}",
        f"{theirs['mean']:.4f}",
        f"{(np.mean(losses) - theirs['mean']) / error:+.2f}",
        f"{residual:.1e}",
        str(n_infeasible),
    ]


def _recipe(
    pool: tw.Votes, labels: Any, gold: tw.Votes, gold_labels: Any, n_draws: int
) -> tuple[list[float], float, int]:
    losses, residuals = [], [0.0]
    for seed in range(n_draws):
        drawn = np.random.default_rng(seed).choice(len(gold_labels), N_GOLD, replace=False)
        box = tw.Box.from_gold(
            gold.take(drawn), gold_labels[drawn], pool=pool, interval="wilson", joint=False, symmetric=True
        )
        try:
            model = tw.BalsubramaniFreund().fit(pool, box=box)
        except tw.InfeasibleBoxError:
            continue
        losses.append(log_loss(labels, model.predict_proba(pool)))
        residuals.append(model.certificate_.kkt_residual)
    return losses, max(residuals), n_draws - len(losses)


def main() -> None:
    """All ten datasets."""
    told = "Best approximators and the paper's recipe beside the authors' results."
    arguments = read_arguments(told, draws=100, quick=10)
    n_draws = arguments.draws
    rows = run_tasks(partial(study, n_draws=n_draws), list(TITLES), arguments.processes)
    heading = (
        "Log loss minus that of the authors for majority vote, Dawid-Skene and the best approximator (with its KKT "
        f"residual and iterations); the paper's recipe with {N_GOLD} labels, mean of {n_draws} draws, the authors' "
        "mean, their distance in standard errors, largest KKT residual, infeasible draws."
    )
    header = ["dataset", "MV", "OCDS", "best", "KKT", "iterations", "BF", "authors", "z", "KKT", "infeasible"]
    table = markdown_table(header, rows)
    publish("paper_figures", arguments, [heading, table], {"figures": table})


if __name__ == "__main__":
    main()
