"""What the studies of rates hand on and print: counts that add up, refusals kept apart, columns of what was drawn."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from benchmarks.workers import rate_intervals
from studies.rate_peers import Told, ask_us, make_population, problem_of
from studies.rates import SHOWN, ask, header, measure, table_row

from thumbwise.rates.intervals import METHODS, Interval


def test_peers_are_told_what_we_know() -> None:
    asked = ask(make_population("made: usual", 1), 1)
    gold = np.arange(0, 1000, 10)
    told = problem_of(asked, gold, 3)
    right, drawn, population = asked.count(gold, np.ones(len(asked.is_so), dtype=bool))
    truth, said = np.array(told["truth"]), np.array(told["said"])
    assert (np.bincount(said, truth, minlength=2) == right).all()
    assert (np.bincount(said, minlength=2) == drawn).all()
    assert (np.array(told["rest"]) + drawn == population).all()
    interval = ask_us(asked, gold)["assisted"]
    assert not isinstance(interval, str), "an interval, and no reason why there is none"
    low, high = interval
    assert low < asked.is_so.mean() < high


def test_a_made_up_judge_is_as_good_as_is_said() -> None:
    asked = ask(make_population("made: strict", 1), 1)
    assert asked.is_so.mean() == pytest.approx(0.6, abs=0.02)
    assert asked.says[asked.is_so].mean() == pytest.approx(0.96, abs=0.01)
    assert not asked.says[~asked.is_so].any()


def test_refusals_are_neither_hits_nor_misses() -> None:
    told = Told.of([[0.2, 0.4], "ValueError: no", [-0.5, 0.1], [0.3, 0.3], "ValueError: no"], 0.3)
    assert (told.n_held, told.n_said, told.refusals.total()) == (2, 3, 2)
    assert told.width == pytest.approx((0.2 + 0.1 + 0) / 3)  # cut at 0
    assert told.cell == "0.100*, 0.667"
    assert Told.of(["ImportError: absent"], 0.3).cell == "-"


def test_too_many_misses_are_bold() -> None:
    often, rarely = ([[0.0, 0.1]] * n_misses + [[0.0, 1.0]] * (300 - n_misses) for n_misses in (60, 20))
    assert "**" in Told.of(often, 0.5).cell
    assert "**" not in Told.of(rarely, 0.5).cell


def test_a_peer_that_is_absent_or_refuses_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "judgy", None)
    line = '{"truth": [0, 1], "said": [0, 1], "rest": [3, 4], "seed": 0}'
    problem = rate_intervals.Problem.read(line, 0.95, 10)
    assert problem.everything.tolist() == [0, 1, 0, 0, 0, 1, 1, 1, 1]
    assert np.isnan(problem.known).tolist() == [False] * 2 + [True] * 7
    assert str(rate_intervals.answer(rate_intervals.by_judgy, problem)).startswith("ModuleNotFoundError")
    assert rate_intervals.answer(lambda _: (np.nan, 1.0), problem) == "not finite: nan, 1.0"


def test_differences_that_were_not_drawn_have_no_columns() -> None:
    shares = measure([[Interval(0.5, 0.4, 0.6)] * len(METHODS)], 0.5)
    none = measure([], 0.0)
    assert len(table_row("a", shares, none)) == len(header(0)) == 1 + 2 * len(SHOWN)
    assert len(table_row("a", shares, shares)) == len(header(5)) == 1 + 4 * len(SHOWN)
