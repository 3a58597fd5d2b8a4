"""The same game on distinct rows by SciPy's L-BFGS-B.

Arguments: DIRECTORY.

|weight| has a kink at 0, so each weight is split into what it is above and below 0, both held nonnegative: the
dual is smooth in the parts. Distinct rows are found before the time starts. It stops where thumbwise does by default,
at derivatives of 1e-9, or when the value no longer changes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.workers.measuring import Stopwatch, report
from benchmarks.workers.paper_patterns import Bytes, count_rows

FloatArray = npt.NDArray[np.float64]
N_CLASSES = 2


def solve_split(votes: Bytes, counts: FloatArray, lower: FloatArray, upper: FloatArray) -> Any:
    """Minimise over the parts above 0, which pay the lower bounds, and those below 0, which pay the upper ones."""
    shares = counts / counts.sum()
    given = [np.hstack([votes == c, np.eye(N_CLASSES)[[c] * len(votes)]]).astype(float) for c in range(N_CLASSES)]
    sizes = np.append(shares @ (votes >= 0), np.ones(N_CLASSES))
    costs = np.concatenate([-sizes * lower, sizes * upper])

    def value_and_gradient(parts: FloatArray) -> tuple[float, FloatArray]:
        above, below = np.split(parts, 2)
        scores = np.stack([features @ (above - below) for features in given], axis=1)
        log_sums = np.logaddexp(scores[:, 0], scores[:, 1])
        proba = shares[:, None] * np.exp(scores - log_sums[:, None])
        moments = sum(features.T @ proba[:, c] for c, features in enumerate(given))
        return float(shares @ log_sums + costs @ parts), costs + np.concatenate([moments, -moments])

    return minimize(
        value_and_gradient,
        np.zeros(len(costs)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(costs),
        options={"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-9},
    )


def main() -> None:
    saved = np.load(Path(sys.argv[1]) / "paper.npz")
    rows, counts = count_rows(saved["votes"])
    with Stopwatch() as watch:
        solved = solve_split(rows, counts, saved["lower"], saved["upper"])
    report(watch, ("scipy", "numpy"), objective=float(solved.fun), n_iter=int(solved.nit), n_items=len(saved["votes"]))


if __name__ == "__main__":
    main()
