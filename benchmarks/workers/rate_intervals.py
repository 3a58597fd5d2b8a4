"""Intervals for a share by ppi_py, glide, judgy and truescore, each called as its own pages say.

Arguments: FILE LEVEL N_RESAMPLES. Each line of the file is a problem in JSON: ``truth`` and ``said``, 0 or 1 for each
gold item; ``rest``, of how many other items the judge says 0 and 1; ``seed``; and whether it ``is_brief``, without what
is slow. Printed is a line of versions, then one for each problem: by name two ends, or what the package said instead.
N_RESAMPLES is that of judgy, whose loop is slow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Ends = tuple[float, float]

PACKAGES = ("ppi-python", "glide-py", "judgy", "truescore", "numpy")


@dataclass(frozen=True, eq=False)
class Problem:
    """What every package is told: gold, what the judge says of it and of the rest."""

    truth: FloatArray
    said: FloatArray
    rest: FloatArray
    level: float
    n_resamples: int
    seed: int

    @classmethod
    def read(cls, line: str, level: float, n_resamples: int) -> Problem:
        told = json.loads(line)
        truth, said = (np.array(told[name], dtype=float) for name in ("truth", "said"))
        return cls(truth, said, np.repeat([0.0, 1.0], told["rest"]), level, n_resamples, told["seed"])

    @property
    def everything(self) -> FloatArray:
        """What the judge says of all items, gold first."""
        return np.concatenate([self.said, self.rest])

    @property
    def known(self) -> FloatArray:
        """The truth of all items, gold first; NaN where it is not known."""
        return np.concatenate([self.truth, np.full(len(self.rest), np.nan)])


def by_ppi_py(problem: Problem) -> Ends:
    """PPI++, tuned by the package."""
    low, high = import_module("ppi_py").ppi_mean_ci(problem.truth, problem.said, problem.rest, alpha=1 - problem.level)
    return float(np.squeeze(low)), float(np.squeeze(high))


def _by_glide(name: str, problem: Problem, **settings: Any) -> Ends:
    estimator = getattr(import_module("glide.estimators"), name)()
    said = estimator.estimate(problem.known, problem.everything, confidence_level=problem.level, **settings)
    return said.confidence_interval.lower_bound, said.confidence_interval.upper_bound


def by_glide_ppi(problem: Problem) -> Ends:
    """PPI++, its default."""
    return _by_glide("PPIMeanEstimator", problem)


def by_glide_ptd(problem: Problem) -> Ends:
    """Predict-then-debias: a bootstrap of gold, 2,000 times by default."""
    return _by_glide("PTDMeanEstimator", problem, random_seed=problem.seed)


def by_judgy(problem: Problem) -> Ends:
    """Rogan-Gladen with a bootstrap of gold, which is its test set; it draws from NumPy's common generator."""
    np.random.seed(problem.seed)  # noqa: NPY002  # there is no other way to make it repeatable
    _, low, high = import_module("judgy").estimate_success_rate(
        problem.truth, problem.said, problem.rest, problem.n_resamples, confidence_level=problem.level
    )
    return low, high


def _by_truescore(name: str, problem: Problem) -> Ends:
    estimate = getattr(import_module("truescore.correct"), name)
    said = estimate(problem.everything, problem.truth, np.arange(len(problem.truth)), alpha=1 - problem.level)
    return said.low, said.high


def by_truescore_ppi(problem: Problem) -> Ends:
    """PPI++, what its report prints first."""
    return _by_truescore("ppi_estimate", problem)


def by_truescore_rogan_gladen(problem: Problem) -> Ends:
    """Rogan-Gladen with the delta method."""
    return _by_truescore("rogan_gladen_estimate", problem)


PEERS: dict[str, Callable[[Problem], Ends]] = {
    "ppi_py": by_ppi_py,
    "glide PPI++": by_glide_ppi,
    "glide PTD": by_glide_ptd,
    "truescore PPI++": by_truescore_ppi,
    "truescore Rogan-Gladen": by_truescore_rogan_gladen,
    "judgy": by_judgy,
}
# Those that take far longer than all others together.
SLOW = ("judgy",)


def answer(peer: Callable[[Problem], Ends], problem: Problem) -> Ends | str:
    """Two ends, or the error in words: that a package refuses is an answer too."""
    try:
        low, high = peer(problem)
    except (ImportError, ValueError, RuntimeError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"
    return (float(low), float(high)) if np.isfinite([low, high]).all() else f"not finite: {low}, {high}"


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def say(words: dict[str, Any]) -> None:
    print(json.dumps(words))


def main() -> None:
    level, n_resamples = float(sys.argv[2]), int(sys.argv[3])
    say({package: version_of(package) for package in PACKAGES})
    with np.errstate(all="ignore"):
        for line in Path(sys.argv[1]).read_text().splitlines():
            problem, is_brief = Problem.read(line, level, n_resamples), json.loads(line)["is_brief"]
            asked = {name: peer for name, peer in PEERS.items() if not (is_brief and name in SLOW)}
            say({name: answer(peer, problem) for name, peer in asked.items()})


if __name__ == "__main__":
    main()
