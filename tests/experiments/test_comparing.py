"""Bold and flags: the t-test against scipy's, standard errors by hand, constructed tables with known verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from thumbwise.paper.experiments.comparing import (
    Cell,
    compare_cells,
    count_flagged,
    difference_error,
    is_beyond_chance,
    paired_p_value,
)
from thumbwise.paper.experiments.specs import Row


@pytest.mark.parametrize("seed", range(20))
def test_the_paired_test_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    first = rng.normal(size=n)
    second = first + rng.normal(rng.normal(), 1, n)
    assert paired_p_value(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-10)


def test_a_constant_difference_is_certain_and_no_difference_is_none() -> None:
    losses = np.random.default_rng(0).normal(size=10)
    assert paired_p_value(losses, losses + 1e-3) == 0
    assert paired_p_value(losses, losses) == 1
    # The same number by another route: rounding is no difference.
    assert paired_p_value(np.full(10, 0.3), np.full(10, 0.1 + 0.2)) == 1


def test_standard_errors_by_hand() -> None:
    """Variance of (1, 2, 3) is 1 with two degrees of freedom; the published runs are ten."""
    expected = np.sqrt(1 / 3 + 0.4**2 / 10)
    assert difference_error(np.array([1.0, 2.0, 3.0]), 0.4) == pytest.approx(expected)
    assert difference_error(np.array([2.0]), 0.0) == 0


@pytest.mark.parametrize(
    ("mean", "error", "flagged"),
    [
        (0.315, 0, False),
        (0.3051, 0, False),
        (0.3151, 0, True),
        (0.3049, 0, True),
        (0.31 + 0.005 + 0.0399, 0.01, False),
        (0.31 + 0.005 + 0.0401, 0.01, True),
        (0.31 - 0.005 - 0.0399, 0.01, False),
        (0.31 - 0.005 - 0.0401, 0.01, True),
    ],
)
def test_a_flag_needs_more_than_rounding_and_four_errors(mean: float, error: float, flagged: bool) -> None:
    assert is_beyond_chance(mean, 0.31, error) is flagged


NOISE = np.array([0.3, -0.2, 0.1, -0.4, 0.2, 0.05, -0.15, 0.25, -0.1, -0.05])


def rows_of(method: str, losses: np.ndarray | float, **values: float | None) -> list[Row]:
    runs = np.atleast_1d(losses)
    return [
        {
            "dataset": "cardio",
            "method": method,
            "run": run,
            "log_loss": float(loss),
            "zero_one_loss": 0.0,
            "brier_score": 0.0,
            **values,
        }
        for run, loss in enumerate(runs)
    ]


def log_loss_cells(rows: list[Row]) -> dict[str, Cell]:
    return {cell.method: cell for cell in compare_cells(rows) if cell.loss == "log_loss"}


def test_bold_is_what_a_paired_test_cannot_tell_from_the_best() -> None:
    wave = 0.01 * np.roll(NOISE, 3)
    rows = [
        *rows_of("BF", 0.5 + NOISE),
        *rows_of("AMCL_CC", 0.501 + NOISE + wave),
        # Always worse by about the same: only the pairing shows it.
        *rows_of("DP", 0.52 + NOISE + wave),
        *rows_of("EBCC", 0.55 - NOISE),
        *rows_of("MV", 0.5001),
        *rows_of("OCDS", 0.9),
        *rows_of("best_approximator", 0.1),
    ]
    cells = log_loss_cells(rows)
    assert {method for method, cell in cells.items() if cell.is_best} == {"BF", "AMCL_CC", "EBCC", "MV"}
    unpaired = stats.ttest_ind(0.52 + NOISE + wave, 0.5 + NOISE).pvalue
    assert unpaired > 0.5
    assert cells["best_approximator"].mean == 0.1


def test_two_sides_are_looked_at() -> None:
    """p is 0.07 on two sides, 0.035 on one."""
    steps = NOISE - NOISE.mean()
    t = stats.t.isf(0.035, 9)
    worse = steps + t * steps.std(ddof=1) / np.sqrt(10)
    cells = log_loss_cells([*rows_of("MV", 0.5), *rows_of("BF", 0.5 + worse)])
    assert cells["BF"].is_best
    assert paired_p_value(0.5 + worse, np.full(10, 0.5)) == pytest.approx(0.07)


def test_means_spreads_and_flags_of_a_constructed_table() -> None:
    """The paper says 0.20 for BF on Cardio, with a published spread of 0.03078 over its runs; 0.66 for MV."""
    rows = [*rows_of("BF", 0.2 + 0.1 * NOISE), *rows_of("MV", 0.66449), *rows_of("HyperLM", 0.62)]
    cells = log_loss_cells(rows)
    assert cells["BF"].mean == pytest.approx(0.2, abs=0.001)
    assert cells["BF"].spread == pytest.approx(0.1 * NOISE.std(ddof=1))
    assert cells["BF"].standard_error == pytest.approx(np.sqrt(cells["BF"].spread ** 2 / 10 + 0.03078**2 / 10))
    assert [cells[method].is_flagged for method in ("BF", "MV", "HyperLM")] == [False, False, True]
    flagged = count_flagged(list(cells.values()))
    assert flagged == {"MV": (0, 1), "HyperLM": (1, 1), "BF": (0, 1)}


def test_the_zero_one_loss_is_in_percent() -> None:
    """The paper says 34.95 for MV on Cardio."""
    cells = {cell.loss: cell for cell in compare_cells(rows_of("MV", 0.66, zero_one_loss=0.34948))}
    assert cells["zero_one_loss"].mean == pytest.approx(34.948)
    assert not cells["zero_one_loss"].is_flagged


def test_a_method_without_values_is_neither_best_nor_flagged() -> None:
    missing = rows_of("HyperLM", 0.0)
    missing[0].update(log_loss=None, note="weights are not installed")
    cells = log_loss_cells([*missing, *rows_of("MV", 0.66)])
    assert cells["HyperLM"].mean is None
    assert cells["HyperLM"].note == "weights are not installed"
    assert not cells["HyperLM"].is_best
    assert not cells["HyperLM"].is_flagged
    assert cells["MV"].is_best
    assert "HyperLM" not in count_flagged(list(cells.values()))
