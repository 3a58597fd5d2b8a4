"""Our asymptotic interval against ppi_py's, run in the interpreter that THUMBWISE_PEERS names.

Two differences are on purpose, and accounted for here. Ours averages the verdicts of all items, gold included, because
the question is about all of them; ppi_py averages those of the items that it is handed as unlabeled. And the slope is
tuned to the variance of the verdicts of all items, each counted once; ppi_py takes the sample variance of gold and
unlabeled items together, in which gold stands twice if it is handed all items. Without the variable the tests skip;
with THUMBWISE_REQUIRE_PEERS they fail instead.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from support.hyper import skip_or_fail
from thumbwise.rates.counts import Counts
from thumbwise.rates.intervals import asymptotic

WORKER = Path(__file__).with_name("ppi_worker.py")
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Case:
    """The truth of the gold items, which come first, and what a judge says of all items."""

    truth: FloatArray
    said: FloatArray
    error: float

    @classmethod
    def make(cls, seed: int, share: float, accuracy: float, n_gold: int, n_items: int, error: float) -> Case:
        rng = np.random.default_rng(seed)
        truth = rng.random(n_items) < share
        said = truth ^ (rng.random(n_items) > accuracy)
        return cls(truth[:n_gold].astype(float), said.astype(float), error)

    @property
    def gold_said(self) -> FloatArray:
        return self.said[: len(self.truth)]

    @property
    def ours(self) -> tuple[float, float]:
        says, gold_says = self.said.astype(int), self.gold_said.astype(int)
        right = np.bincount(gold_says, self.truth, minlength=2).astype(np.int64)
        counts = Counts(right, np.bincount(gold_says, minlength=2), np.bincount(says, minlength=2))
        interval = asymptotic(counts, self.error)
        return interval.lower, interval.upper

    def slope(self, variance: float) -> float:
        """Of least variance, if that of the verdicts is so large."""
        together = float(np.cov(self.truth, self.gold_said, ddof=0)[0, 1])
        return float(np.clip(together / ((1 + len(self.truth) / len(self.said)) * variance), 0, 1))

    def problem(self, unlabeled: FloatArray, slope: float | None) -> dict[str, Any]:
        return {
            "truth": self.truth.tolist(),
            "said": self.gold_said.tolist(),
            "unlabeled": unlabeled.tolist(),
            "error": self.error,
            "slope": slope,
        }


CASES = [
    Case.make(seed, share, accuracy, n_gold, n_items, error)
    for seed, (share, accuracy, n_gold, n_items, error) in enumerate(
        [
            (0.5, 0.9, 100, 1000, 0.05),
            (0.2, 0.75, 60, 300, 0.1),
            (0.9, 0.95, 200, 5000, 0.01),
            (0.03, 0.97, 100, 150, 0.05),
            (0.7, 1.0, 50, 2000, 0.05),
            (0.4, 0.6, 400, 500, 0.2),
        ]
    )
]
CONTRARY = [Case.make(seed, 0.5, 0.2, 80, 600, 0.05) for seed in range(100, 103)]


def ask_ppi_py(problems: list[dict[str, Any]], folder: Path) -> list[list[float]]:
    peers = os.environ.get("THUMBWISE_PEERS")
    if not peers:
        skip_or_fail("THUMBWISE_PEERS must name a Python that has ppi-python")
    source, target = folder / "problems.json", folder / "ends.json"
    source.write_text(json.dumps(problems))
    subprocess.run([str(peers), str(WORKER), str(source), str(target)], check=True, timeout=600)
    ends: list[list[float]] = json.loads(target.read_text())
    return ends


def test_at_the_same_slope_the_interval_is_ppi_pys(tmp_path: Path) -> None:
    slopes = [case.slope(float(np.var(case.said))) for case in CASES]
    assert min(slopes) > 0.1
    assert max(slopes) == 1  # a judge who is always right: the slope is held at 1
    problems = [case.problem(case.said, slope) for case, slope in zip(CASES, slopes, strict=True)]
    for case, ends in zip(CASES, ask_ppi_py(problems, tmp_path), strict=True):
        assert case.ours == pytest.approx(ends, abs=1e-9)


def test_slopes_differ_by_the_variance_they_are_tuned_to_and_by_nothing_else(tmp_path: Path) -> None:
    slopes = [case.slope(float(np.var([*case.gold_said, *case.said], ddof=1))) for case in CASES]
    given = [case.problem(case.said, slope) for case, slope in zip(CASES, slopes, strict=True)]
    tuned = [case.problem(case.said, None) for case in CASES]
    ends = ask_ppi_py([*given, *tuned], tmp_path)
    np.testing.assert_allclose(ends[: len(CASES)], ends[len(CASES) :], rtol=0, atol=1e-9)


def test_a_contrary_judge_is_left_out_by_both(tmp_path: Path) -> None:
    """No slope is tuned, so the items without gold are handed over as ppi_py asks for them, and all agrees."""
    problems = [case.problem(case.said[len(case.truth) :], None) for case in CONTRARY]
    for case, ends in zip(CONTRARY, ask_ppi_py(problems, tmp_path), strict=True):
        assert case.ours == pytest.approx(ends, abs=1e-9)
