"""Runs Snorkel's label model on every job in a folder. Needs an interpreter that has snorkel; nothing of thumbwise.

A job is ``name.job.npz`` with votes, n_classes, balance, seed, n_epochs and learning_rate; the answer is
``name.answer.npz`` with rates, proba and loss, or with error.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def run(path: Path) -> None:
    from snorkel.labeling.model import LabelModel

    job = np.load(path)
    answer = path.with_name(path.name.replace(".job.", ".answer."))
    model = LabelModel(cardinality=int(job["n_classes"]), verbose=False)
    try:
        model.fit(
            job["votes"],
            class_balance=job["balance"].tolist(),
            seed=int(job["seed"]),
            n_epochs=int(job["n_epochs"]),
            lr=float(job["learning_rate"]),
            progress_bar=False,
        )
    except Exception as error:  # Snorkel raises a bare Exception
        np.savez(answer, error=str(error))
        return
    proba = model.predict_proba(job["votes"])
    np.savez(answer, rates=model.mu.detach().numpy(), proba=proba, loss=model._loss_mu().item())


if __name__ == "__main__":
    for found in sorted(Path(sys.argv[1]).glob("*.job.npz")):
        run(found)
