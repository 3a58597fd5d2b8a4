"""Every number of a table is where it belongs, and nothing else is drawn.

Kills, tried once: rows in the order of the table with names in that of accuracies; a heat map whose names are not moved
with its cells; a bound rounded to the nearest; colours by the accuracy found in place of the interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_hex

from plots.tables import pairs_of, rules_of
from thumbwise import plots
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.plotting import style
from thumbwise.exceptions import InvalidChoiceError

OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}


def test_intervals_dots_names_and_colours_belong_together() -> None:
    table = rules_of(20)
    ax = plots.plot_gold_intervals(table)
    [lines, dots] = ax.collections
    given = {row["rule"]: row for row in table.rows()}
    by_label = {style.as_label(rule): row for rule, row in given.items()}
    for row, label in enumerate(ax.get_yticklabels()):
        expected = by_label[label.get_text()]
        (low, y), (high, _) = lines.get_segments()[row]
        assert (low, high, y) == (expected["lower"], expected["upper"], row)
        assert tuple(dots.get_offsets()[row]) == (expected["gold_accuracy"], row)
        side = style.VERMILLION if high < 0.5 else style.BLUE if low > 0.5 else style.GREY
        assert to_hex(lines.get_colors()[row]) == to_hex(dots.get_facecolors()[row]) == side.lower()
    assert sorted(by_label) == sorted(label.get_text() for label in ax.get_yticklabels())
    assert [line.get_xdata()[0] for line in ax.lines] == [0.5]


def test_a_rule_without_gold_votes_has_no_dot() -> None:
    table = Tidy.of({"rule": ["a"], "gold_accuracy": [None], "lower": [0.0], "upper": [1.0]})
    [lines, dots] = plots.plot_gold_intervals(table).collections
    assert np.ma.getmaskarray(np.ma.masked_invalid(dots.get_offsets()))[0, 0]
    assert len(lines.get_segments()) == 1


def test_weights_are_bars_beside_their_names() -> None:
    table = rules_of(12)
    ax = plots.plot_weights(table)
    expected = {style.as_label(row["rule"]): row["weight"] for row in table.rows()}
    drawn = {label.get_text(): bar.get_width() for label, bar in zip(ax.get_yticklabels(), ax.patches, strict=True)}
    assert drawn == pytest.approx(expected)


@pytest.mark.parametrize(
    ("plot", "name"), [(plots.plot_agreement, "agreement"), (plots.plot_error_correlation, "correlation")]
)
def test_each_pair_stands_at_its_names(plot: Any, name: str) -> None:
    table, names = pairs_of(9, name), [f"r{j}" for j in range(9)]
    ax = plot(table, names)
    drawn = ax.images[0].get_array()
    place = {label.get_text(): i for i, label in enumerate(ax.get_yticklabels())}
    assert [label.get_text() for label in ax.get_xticklabels()] == list(place)
    for row in table.rows():
        i, j = place[names[row["first"]]], place[names[row["second"]]]
        if row[name] is None:
            assert drawn.mask[i, j]
            assert drawn.mask[j, i]
        else:
            assert drawn[i, j] == drawn[j, i] == row[name]


def test_a_bound_is_rounded_upward() -> None:
    table: dict[str, list[Any]] = {"what": ["guessing", "bound", "entropy"], "log_loss": [0.69314, 0.50012, 0.50012]}
    assert [text.get_text() for text in plots.plot_certificate(table).texts] == ["0.693", "0.501", "0.500"]
    shaky = Tidy.of(table, is_guarantee=False)
    assert plots.plot_certificate(shaky).get_title() == "no guarantee"


def test_plan_with_floor_and_guessing() -> None:
    table = Tidy.of({"n_gold": [100, 200, 400], "planned_bound": [0.6, 0.5, 0.4]}, floor=0.3, guessing=math.log(2))
    curve, guessing, floor = plots.plot_plan(table).lines
    assert list(zip(curve.get_xdata(), curve.get_ydata(), strict=True)) == [(100, 0.6), (200, 0.5), (400, 0.4)]
    assert (guessing.get_ydata()[0], floor.get_ydata()[0]) == (math.log(2), 0.3)


def test_frontier_has_two_curves_the_regression_at_the_end_and_no_accuracy() -> None:
    table = Tidy.of(
        {
            **{"caution": [1.0, 0.5, 0.2, None], "bound": [0.5, 0.55, 0.7, 0.9], "log_loss": [0.4, 0.3, 0.25, 0.2]},
            **{"accuracy": [0.97, 0.98, 0.99, 1.0], "is_chosen": [False, True, False, False]},
        }
    )
    ax = plots.plot_frontier(table)
    bound, expected, chosen = ax.lines
    assert list(zip(bound.get_xdata(), bound.get_ydata(), strict=True)) == [(1.0, 0.5), (0.5, 0.55), (0.2, 0.7)]
    assert expected.get_ydata().tolist() == [0.4, 0.3, 0.25]
    assert chosen.get_xdata()[0] == 0.5
    assert [points.get_offsets().tolist() for points in ax.collections] == [[[0.0, 0.9]], [[0.0, 0.2]]]
    left, right = ax.get_xlim()
    assert left > right  # the most cautious first


def test_accepted_shares_in_steps_with_estimates_where_there_are_some() -> None:
    columns: dict[str, list[Any]] = {"precision": [0.95, 0.8, 0.9], "accepted": [0.0, 0.9, 0.6]}
    columns["estimate"] = [None, 0.85, 0.97]
    table = Tidy.of(columns, is_guarantee=True, confidence_level=0.95)
    ax = plots.plot_accepted(table)
    guaranteed, estimated = ax.lines
    assert list(zip(guaranteed.get_xdata(), guaranteed.get_ydata(), strict=True)) == [(0.8, 0.9), (0.9, 0.6), (0.95, 0)]
    assert guaranteed.get_drawstyle() == "steps-pre"  # between two precisions, what the stricter one accepts
    assert list(zip(estimated.get_xdata(), estimated.get_ydata(), strict=True)) == [(0.85, 0.9), (0.97, 0.6)]
    assert estimated.get_linestyle() == "None"
    joined = [segment.tolist() for segment in ax.collections[0].get_segments()]
    assert joined == [[[0.8, 0.9], [0.85, 0.9]], [[0.9, 0.6], [0.97, 0.6]]]
    assert ax.get_title() == "all guarantees at once, with 95 % confidence"
    weak = plots.plot_accepted(Tidy.of(columns, is_guarantee=False, confidence_level=0.95))
    assert weak.get_legend().get_texts()[0].get_text() == "no guarantee"
    assert weak.get_title() == ""


def test_reliability_and_confidences() -> None:
    table = Tidy.of(
        {
            **{"n_items": [4, 6], "confidence": [0.6, 0.9], "accuracy": [0.5, 1.0]},
            **{"accuracy_lower": [0.07, 0.54], "accuracy_upper": [0.93, 1.0]},
        }
    )
    intervals, dots = plots.plot_reliability(table).collections
    assert dots.get_offsets().tolist() == [[0.6, 0.5], [0.9, 1.0]]
    assert [segment[:, 1].tolist() for segment in intervals.get_segments()] == [[0.07, 0.93], [0.54, 1.0]]
    bins = Tidy.of({"lower": [0.5, 0.75], "upper": [0.75, 1.0], "n_items": [3, 5]}, mean=0.8)
    bars = plots.plot_confidences(bins).patches
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in bars] == [(0.5, 0.25, 3), (0.75, 0.25, 5)]


def test_colours_can_be_told_apart() -> None:
    used = (style.BLUE, style.SKY, style.GREEN, style.ORANGE, style.VERMILLION)
    assert {colour.lower() for colour in used} <= OKABE_ITO
    shades = colormaps["viridis"](np.linspace(0, 1, 64))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(shades) > 0).all()


@pytest.mark.parametrize("table", [{"rule": ["a"]}, Tidy.of({"rule": ["a"]}), object()])
def test_a_table_without_the_column(table: Any) -> None:
    with pytest.raises(InvalidChoiceError, match="must have a column"):
        plots.plot_gold_intervals(table)


def test_names_must_be_as_many_as_rules() -> None:
    with pytest.raises(InvalidChoiceError, match="found 2 names and a rule at position 2"):
        plots.plot_agreement(pairs_of(3, "agreement"), ["a", "b"])


def test_frames_of_pandas_and_polars() -> None:
    import pandas as pd
    import polars as pl

    columns = rules_of(3).frame()
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        assert len(plots.plot_weights(frame).patches) == 3
