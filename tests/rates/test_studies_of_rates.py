"""What the studies of rates hand on and print: counts that add up, refusals kept apart, columns of what was drawn."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.workers import rate_intervals
from studies import rate_peers
from studies.drawing import draw_gold
from studies.rate_peers import PLAIN, Answer, Told, ask_us, behind, make_population, problem_of, rogan_gladen
from studies.rates import ask, header, mean_row, measure, table_row

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
    interval = ask_us(asked.count(gold, np.ones(10_000, dtype=bool)))["assisted"]
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
    assert told.cell() == "0.100*, 0.667"
    assert Told.of(["ImportError: absent"], 0.3).cell() == "-"


def test_too_many_misses_are_bold() -> None:
    often, rarely = ([[0.0, 0.1]] * n_misses + [[0.0, 1.0]] * (300 - n_misses) for n_misses in (60, 20))
    assert "**" in Told.of(often, 0.5).cell()
    assert "**" not in Told.of(rarely, 0.5).cell()


def test_ours_is_behind_the_narrowest_that_holds() -> None:
    wide, narrow, sharp = ([[0.5 - half, 0.5 + half]] * 300 for half in (0.1, 0.08, 0.01))
    off = [[0.6, 0.61]] * 60 + sharp[60:]
    told: dict[str, Sequence[Answer]] = {
        "exact": wide,
        "assisted": wide,
        "ppi_py": narrow,
        "judgy": off,
        "glide": ["ImportError: absent"] * 300,
    }
    found = {name: Told.of(answers, 0.5) for name, answers in told.items()}
    assert behind(found) == pytest.approx(0.2 / 0.16)
    assert behind({**found, "assisted": found["judgy"]}) == np.inf


def test_cells_that_miss_too_often_are_bold_and_means_are_of_what_was_drawn() -> None:
    missed, held = Interval(0.5, 0.6, 0.7), Interval(0.5, 0.4, 0.6)
    shares = measure([[missed] * len(METHODS)] * 30 + [[held] * len(METHODS)] * 170, 0.5)
    assert table_row("a", shares, n_cells=3)[-1] == "**0.850**, **0.850**, **0.850**"
    assert table_row("a", shares, n_cells=10**6)[-1] == "0.850, 0.850, 0.850"
    assert mean_row([(shares, measure([], 0.0))]) == ["mean", "", "1.00", "0.850, 0.850, 0.850"]


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
    assert len(table_row("a", shares, none)) == len(header(0)) == 4
    assert len(table_row("a", shares, shares)) == len(header(5)) == 7


def test_each_combination_of_counts_is_asked_about_once_and_counts_as_often_as_it_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A draw at a time gives the same means and tallies; what is slow is asked about the first draws alone."""
    n_draws, n_slow, population = 120, 30, make_population("made: sharp", 1)
    asked = ask(population, 1)
    told: list[dict[str, Any]] = []

    def answer(problems: Sequence[dict[str, Any]], python: Path) -> tuple[dict[str, str], list[dict[str, Answer]]]:
        told.extend(problems)
        said = [[sum(one["truth"]) / 50, 1.0] for one in problems]
        return {}, [
            {"fast": ends, **({} if one["is_brief"] else {"judgy": ends})}
            for one, ends in zip(problems, said, strict=True)
        ]

    monkeypatch.setattr(rate_peers, "ask_peers", answer)
    monkeypatch.setattr(rate_peers, "N_SLOW", n_slow)
    found = rate_peers.study(population, 50, n_draws, 1, Path(sys.executable))
    draws, everything = draw_gold(population, 50, "subset", n_draws, 1), np.ones(10_000, dtype=bool)
    distinct = {asked.count(gold, everything) for gold in draws}
    assert len(told) == len(distinct) < n_draws
    assert sum(not one["is_brief"] for one in told) == len({asked.count(gold, everything) for gold in draws[:n_slow]})
    truth = float(asked.is_so.mean())
    each = [ask_us(asked.count(gold, everything))["assisted"] for gold in draws]
    assert found["assisted"] == Told.of(each, truth)
    assert found[PLAIN] == Told.of([rogan_gladen(asked, gold) for gold in draws], truth)
    fast: list[Answer] = [[asked.is_so[gold].mean(), 1.0] for gold in draws]
    assert found["fast"] == Told.of(fast, truth)
    assert found["judgy"] == Told.of(fast[:n_slow], truth)
