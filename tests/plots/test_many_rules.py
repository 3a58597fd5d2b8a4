"""Plots of 3, 30 and 300 rules: names do not overlap, nothing is cut off, figures fit a page.

Kills, tried once: no thinning; thinning by half the height of a line; names that are not shortened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.figure import Figure

from plots.tables import draw, names_of, outside, overlaps, pairs_of, rules_of
from thumbwise import plots

ROWS = [plots.plot_gold_intervals, plots.plot_weights]
MAPS = [(plots.plot_agreement, "agreement"), (plots.plot_error_correlation, "correlation")]


@pytest.mark.parametrize("n_rules", [1, 3, 30, 300])
@pytest.mark.parametrize("plot", ROWS)
def test_rows_of_rules(plot: Callable[..., Any], n_rules: int) -> None:
    ax = plot(rules_of(n_rules))
    renderer = draw(ax)
    assert overlaps(ax, "y", renderer) == 0
    assert outside(ax, renderer) == []
    width, height = ax.figure.get_size_inches()
    assert width <= 8
    assert height <= 12
    n_named = len(ax.get_yticklabels())
    assert n_named == n_rules if n_rules <= 30 else n_rules / 8 < n_named


@pytest.mark.parametrize("n_rules", [1, 2, 3, 30, 300])
@pytest.mark.parametrize(("plot", "name"), MAPS)
def test_heat_maps(plot: Callable[..., Any], name: str, n_rules: int) -> None:
    ax = plot(pairs_of(n_rules, name) if n_rules > 1 else {"first": [], "second": [], name: []}, names_of(n_rules))
    renderer = draw(ax)
    assert overlaps(ax, "y", renderer) == overlaps(ax, "x", renderer) == 0
    assert outside(ax, renderer) == []
    assert max(ax.figure.get_size_inches()) <= 12
    n_named = len(ax.get_yticklabels())
    assert n_named == n_rules if n_rules <= 30 else n_rules / 8 < n_named


@pytest.mark.parametrize("n_rules", [3, 300])
def test_axes_that_somebody_else_made(n_rules: int) -> None:
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    assert plots.plot_gold_intervals(rules_of(n_rules), ax=left) is left
    assert plots.plot_weights(rules_of(n_rules), middle) is middle
    assert plots.plot_agreement(pairs_of(n_rules, "agreement"), names_of(n_rules), ax=right) is right
    renderer = draw(left)
    assert [overlaps(ax, "y", renderer) for ax in (left, middle, right)] == [0, 0, 0]
    assert overlaps(right, "x", renderer) == 0


def test_names_that_are_no_formulas_and_no_lines() -> None:
    names = ["$x^2$", r"a\$b", "two\nlines", "<b>", "x" * 10_000]
    table = {"rule": names, "gold_accuracy": [0.5] * 5, "lower": [0.4] * 5, "upper": [0.6] * 5}
    ax = plots.plot_gold_intervals(table)
    assert outside(ax, draw(ax)) == []
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown[:2] == [r"\$x^2\$", r"a\\$b"]
    assert shown[2:4] == ["two lines", "<b>"]
    assert len(shown[4]) == 25
