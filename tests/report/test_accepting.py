"""How many labels may be accepted, on the page: all rows at once, estimates called so, or why there is nothing.

Kills, tried once: the whole error for every row; rows that accept less than a stricter row does; gold items counted
among those that are left to a person; a section for gold that was drawn by groups.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from report.problems import make_reading, small_model, small_reading
from report.test_page import Tree, page_of
from thumbwise.assess.accepting.result import CURVE
from thumbwise.assess.planned_triage import TriagePlan, TriageRow
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.report import accepting
from thumbwise.display.report.accepting import accepting_for_report
from thumbwise.display.report.charts import accepted_chart

MADE = tw.datasets.make_one_coin(1500, [0.9, 0.8, 0.75, 0.7], random_state=1)


def labels_of_some(n_gold: int, seed: int) -> np.ndarray:
    gold = np.random.default_rng(seed).choice(1500, n_gold, replace=False)
    y = np.full(1500, -1)
    y[gold] = MADE.labels[gold]
    return y


def accepted_alone(y: np.ndarray, precision: float) -> np.ndarray:
    """What triage accepts of all patterns if only this precision is asked, at the level of one row of seven."""
    try:
        alone = tw.triage(MADE.votes, y, precision=precision, confidence_level=1 - 0.05 / len(CURVE))
    except tw.InvalidLabelsError:  # too few labels for this precision
        return np.zeros(MADE.votes.patterns.n_patterns, dtype=bool)
    return np.asarray(alone.accepts)


@pytest.mark.parametrize(("n_gold", "seed"), [(80, 0), (200, 1), (200, 8)])
def test_each_row_is_a_triage_of_its_own_at_a_seventh_of_the_error(n_gold: int, seed: int) -> None:
    """Or the set of a stricter row, if that is larger."""
    y = labels_of_some(n_gold, seed)
    counts = MADE.votes.patterns.counts
    sizes = [int(counts[accepted_alone(y, precision)].sum()) for precision in CURVE]
    table = tw.displays.accepted_table(tw.triage(MADE.votes, y, budget=0))
    assert table["precision"] == CURVE
    assert list(table["n_accepted"]) == np.maximum.accumulate(sizes[::-1])[::-1].tolist()
    np.testing.assert_allclose(table["accepted"], np.array(table["n_accepted"]) / 1500)
    assert sizes[0] > 0


def test_a_stricter_set_is_good_enough_for_a_row_that_had_bad_luck() -> None:
    """A draw in which the tests of 85 % fail at their first set while those of 90 % begin elsewhere and are passed."""
    demo = tw.datasets.load_demo()
    gold = np.random.default_rng(105).choice(2000, 200, replace=False)
    y = np.full(2000, -1)
    y[gold] = demo.labels[gold]
    sorted_out = tw.triage(demo.votes, y, budget=0)
    assert tw.triage(demo.votes, y, precision=0.85, confidence_level=1 - 0.05 / 7).accepts.sum() == 0
    accepted = sorted_out.curve()["accepted"]
    assert accepted[0] > accepted[2] == accepted[3] > 0.4
    assert sorted_out.curve((0.9, 0.7))["precision"] == (0.9, 0.7)  # in the order given


def test_all_rows_hold_at_once() -> None:
    """False alarm below 1e-6: 80 draws, each of which may go wrong with probability 0.05."""
    patterns, inverse = MADE.votes.patterns, MADE.votes.inverse
    misses = n_claims = 0
    for seed in range(80):
        sorted_out = tw.triage(MADE.votes, labels_of_some(150, seed), budget=0)
        is_right = sorted_out.proposed == MADE.labels
        table = sorted_out.curve()
        sure = np.round(sorted_out.ranked.sureness[: patterns.n_patterns][inverse], 9)
        claims = [row for row in table.rows() if row["n_accepted"]]
        n_claims += len(claims)
        misses += any(is_right[sure >= row["threshold"]].mean() < row["precision"] for row in claims)
    assert misses <= binom.ppf(1 - 1e-6, 80, 0.05)
    assert n_claims > 160


def test_left_to_a_person_are_neither_accepted_nor_gold() -> None:
    y = labels_of_some(200, 1)
    sorted_out = tw.triage(MADE.votes, y, budget=0)
    for row in sorted_out.curve().rows():
        threshold = np.inf if row["threshold"] is None else row["threshold"]
        is_accepted = sorted_out.ranked.sureness[MADE.votes.inverse] >= threshold
        assert row["n_accepted"] == is_accepted.sum()
        assert row["n_review"] == (~is_accepted & (y < 0)).sum()
        certifying = row["n_gold"]
        assert certifying == 0 or row["estimate"] == pytest.approx(1 - row["n_wrong"] / certifying)
    alone = tw.triage(MADE.votes, y, precision=0.9, confidence_level=1 - 0.05 / 7)
    assert sorted_out.curve()["n_review"][CURVE.index(0.9)] == alone.n_review


@pytest.mark.parametrize(("precisions", "words"), [((), "one precision or more"), ((0.9, 1.0), "between 0 and 1")])
def test_precisions_that_are_none(precisions: Any, words: str) -> None:
    with pytest.raises(tw.InvalidChoiceError, match=f"precisions.* must .*{words}"):
        tw.triage(MADE.votes, labels_of_some(100, 0), budget=0).curve(precisions)


@cache
def sure_reading() -> tw.Reading:
    return make_reading(400, 3, coverage=1.0)


@cache
def sure_page() -> str:
    return page_of(sure_reading())


def section(page: str) -> str:
    start = page.index('<section aria-labelledby="accept">')
    return page[start : page.index("</section>", start) + len("</section>")]


def test_the_section_says_that_all_rows_hold_at_once_and_what_is_an_estimate() -> None:
    text = Tree(section(sure_page())).text()
    assert "Accept, or let a person look" in text
    assert (
        "With 95 % confidence the labels that a row accepts are right at least as often as it says, in all rows" in text
    )
    assert "if the 100 gold items are a random sample of all 400 items." in text
    assert "The rows share the error that is allowed, so that all hold at once" in text
    assert "estimated precision" in text
    assert "it proves nothing" in text
    assert "--confidence 0.99286 " in text
    assert text.count("A plan is no guarantee.") == 1


def test_the_table_of_the_page_has_the_numbers_of_the_curve() -> None:
    page = section(sure_page())
    rows = page[page.index("<tbody>") + len("<tbody>") : page.index("</tbody>")].split("</tr>")[:-1]
    curve = tw.triage(sure_reading(), budget=0).curve()
    for row, expected in zip(rows, curve.rows(), strict=True):
        cells = Tree(f"{row}</tr>".replace("</td>", " </td>").replace("</th>", " </th>")).text().split()
        assert cells[0] == f"{100 * expected['precision']:.1f}"
        assert expected["n_accepted"] == int(cells[2])
        assert expected["n_review"] == int(cells[5])
        if expected["n_accepted"]:
            assert cells[-3:] == [str(expected["n_gold"] - expected["n_wrong"]), "of", str(expected["n_gold"])]
    assert max(curve["n_accepted"]) > 0


def test_gold_that_speaks_against_itself_is_no_guarantee() -> None:
    """Gold items are those on which the first rule is silent: no random sample, and the votes show it."""
    made = make_reading(800, 5, n_gold=0)
    silent = np.flatnonzero(made.votes.array[:, 0] < 0)[:100]
    gold = np.full(800, -1)
    gold[silent] = 0
    biased = tw.Reading(made.votes, gold)
    found, _ = accepting_for_report(biased, small_model(), 0.95)
    assert found is not None
    assert found.claim.startswith("No guarantee: ")
    assert found.table.facts["is_guarantee"] is False


def test_gold_drawn_by_groups_has_no_section_and_is_told_why() -> None:
    reading = make_reading(300, 3)
    votes = tw.Votes(reading.votes.array, item_groups=np.arange(300) % 2)
    gold = votes.take(reading.gold >= 0)
    box = tw.Box.from_gold(gold, reading.gold_labels, pool=votes, gold_is=tw.designs.Stratified())
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    found, note = accepting_for_report(tw.Reading(votes, reading.gold), model, 0.95)
    assert found is None
    assert note.startswith("Left out: it needs gold that is a plain random sample; the 100 gold items are drawn")


def test_without_gold_or_with_nothing_else_it_is_left_out() -> None:
    votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"])
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    page = section(page_of(tw.Reading(votes, np.full(4, -1)), model=model))
    assert "Left out: there are no gold labels." in page
    assert "<table" not in page
    assert "<svg" not in page
    found, note = accepting_for_report(make_reading(30, 2, n_gold=30), small_model(), 0.95)
    assert (found, note) == (None, "Left out: every item has a gold label.")


def test_where_nothing_is_accepted_the_page_says_so() -> None:
    text = Tree(section(page_of(make_reading(60, 3, n_gold=5)))).text()
    assert "No label can be accepted at any of these precisions: 4 gold labels that certify do not show" in text
    assert "With 95 % confidence" not in text


@pytest.mark.parametrize(
    ("accepted", "planned", "words"),
    [
        (
            (0.9, 0.5),
            0.7,
            "At 95 % precision 50 % of the labels are accepted now; about 400 gold labels would let about 70",
        ),
        ((0.9, 0.5), 0.4, "now; up to 400 gold labels are not expected to let more be accepted"),
        ((1.0, 1.0), 0.4, ""),
    ],
)
def test_the_outlook(accepted: Any, planned: float, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the first precision from .9 on at which not all is accepted."""
    table = Tidy.of({"precision": (0.9 if accepted[0] == 1 else 0.8, 0.95), "accepted": accepted})
    plan = TriagePlan((TriageRow(100, accepted[-1]), TriageRow(400, planned)), 0.95, planned, 0.95)
    levels = []

    def plan_triage(_: object, *, precision: float, confidence_level: float) -> TriagePlan:
        levels.append(confidence_level)
        return replace(plan, precision=precision)

    monkeypatch.setattr(accepting, "plan_triage", plan_triage)
    outlook = accepting._outlook(small_reading(), table, 0.99)
    assert levels == [0.99][: len(words)]  # that of a row, so that the share of now is that of the table
    assert words in outlook if words else outlook == ""


def test_the_picture_has_a_mark_for_each_row_and_each_estimate() -> None:
    columns: dict[str, Any] = {
        "precision": [0.8, 0.9, 0.95],
        "accepted": [0.9, 0.6, 0.0],
        "estimate": [0.85, 0.97, None],
    }
    drawn = Tree(accepted_chart(Tidy.of(columns, is_guarantee=True)))
    marks = [attributes["class"] for attributes in drawn.named("circle")]
    assert (marks.count("mark bound"), marks.count("mark entropy")) == (3, 2)
    assert "precision 90.0 %: 60 % accepted, estimate 97 %" in drawn.text()
    [steps] = drawn.named("polyline")
    corners = [tuple(map(float, corner.split(","))) for corner in steps["points"].split()]
    heights = [200 - 1.7 * share for share in (90, 60, 60, 0, 0)]  # between two precisions, what the stricter accepts
    assert [y for _, y in corners] == pytest.approx(heights)
    assert "no guarantee" in accepted_chart(Tidy.of(columns, is_guarantee=False))
