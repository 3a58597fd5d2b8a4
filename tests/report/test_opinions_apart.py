"""Opinions are shown apart from rules, with what was counted for each, and with what each part of the box brings."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import thumbwise as tw
from report.problems import make_reading, small_model, small_reading
from thumbwise.display.report.contents import gather
from thumbwise.display.report.page import render
from thumbwise.summaries import show_box


@cache
def page() -> str:
    return render(gather(small_reading(), small_model(), title="t"))


def test_majority_is_counted_where_it_speaks_and_against_gold() -> None:
    reading, row = small_reading(), next(tw.displays.opinions_table(small_model(), small_reading()).rows())
    array = reading.votes.array
    ham, spam = (array == 0).sum(axis=1), (array == 1).sum(axis=1)
    verdict = np.where(ham > spam, 0, np.where(spam > ham, 1, -1))
    on_gold = verdict[:100] >= 0
    assert row["opinion"] == "majority vote"
    assert row["n_items"] == (verdict >= 0).sum()
    assert row["gold_votes"] == on_gold.sum()
    assert row["gold_right"] == (verdict[:100] == reading.gold[:100])[on_gold].sum()
    assert row["lower"] < row["gold_accuracy"] < row["upper"]
    assert row["log_loss_bound"] is None


def test_what_is_learned_has_a_log_loss_and_no_accuracy() -> None:
    model, table = small_model(), tw.displays.opinions_table(small_model(), small_reading())
    *_, row = table.rows()
    assert row["opinion"] == "learned from gold"
    assert row["log_loss_bound"] == model.box_.upper[-1]
    assert row["weight"] == -model.weights_[-1]
    assert [row[name] for name in ("gold_votes", "gold_right", "gold_accuracy", "lower", "upper")] == [None] * 5
    assert dict(zip(model.box_.names, show_box(model.box_).rows, strict=True))[model.box_.names[-1]][-1] == "-"


def test_a_function_of_ones_own_keeps_its_name() -> None:
    def majority(votes: tw.Votes) -> list[int]:
        return np.where(votes.array[:, 0] >= 0, votes.array[:, 0], -1).tolist()  # type: ignore[no-any-return]

    reading = small_reading()
    box = reading.box(opinions=[majority], n_permutations=0)
    table = tw.displays.opinions_table(tw.BalsubramaniFreund().fit(reading.votes, box=box), reading)
    assert table["opinion"] == ("majority",)


def test_a_box_without_opinions_has_no_rows_and_one_part() -> None:
    reading = small_reading()
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box(opinions=(), n_permutations=0))
    assert len(tw.displays.opinions_table(model, reading)) == 0
    assert tw.displays.parts_table(model, reading)["part"] == ("rules",)


def test_parts_are_bounds_of_the_box_with_the_others_open() -> None:
    reading, model = small_reading(), small_model()
    parts = dict(zip(*tw.displays.parts_table(model, reading).columns.values(), strict=True))
    assert list(parts) == ["rules", "opinions", "learned"]
    box, kinds = model.box_, [moment.kind for moment in model.box_.about]
    for name, open_kinds in {
        "rules": ("opinion", "learned opinion"),
        "opinions": ("learned opinion",),
        "learned": (),
    }.items():
        is_open = np.array([kind in open_kinds for kind in kinds])
        part = tw.Box(
            box.about,
            np.where(is_open, box.least, box.lower),
            np.where(is_open, box.most, box.upper),
            box.evidence,
            box.builders,
            known=box.known,
            least=box.least,
            most=box.most,
        )
        alone = tw.BalsubramaniFreund(caution=1).fit(reading.votes, box=part).certificate_.log_loss_bound
        assert parts[name] == pytest.approx(alone, abs=1e-5)
        assert parts[name] >= alone - 1e-9
    assert parts["learned"] <= parts["opinions"] <= parts["rules"]


def test_no_opinion_is_among_the_rules() -> None:
    assert tw.displays.rules_table(small_model(), small_reading())["rule"] == small_reading().votes.rule_names
    rules = page()[page().index('id="rule-table"') : page().index('id="together"')]
    assert "majority" not in rules
    assert "learned" not in rules
    assert "opinion(" not in page()
    assert "log loss(learned opinion)" not in page()


def test_the_page_has_opinions_parts_and_caution() -> None:
    opinions = page()[page().index('id="opinion-table"') :]
    assert all(name in opinions for name in ("majority vote", "panel", "learned from gold"))
    assert "Bound by part, in this box of intervals: rules and classes 0." in page()
    caution = small_model().certificate_.caution
    assert caution < 1
    assert f"Weights aim at gold too (caution {caution:g}); the bound holds all the same." in page()
    assert f"{caution:.2f} (this model)" in page()
    assert page().count('class="chosen"') == 1


def test_the_page_says_why_there_is_no_frontier() -> None:
    reading = small_reading()
    model = tw.BalsubramaniFreund().fit(reading.votes, box=tw.Box.from_bounds(reading.votes, {"rule_0": (0.7, 1)}))
    contents = gather(reading, model, title="t")
    assert contents.frontier is None
    assert "Left out: it needs the gold labels" in contents.notes["frontier"]
    assert "frontier-table" not in render(contents)
    assert "aim at gold" not in render(contents)


def test_votes_that_all_agree_are_overruled_by_opinions_where_rules_weigh_nothing() -> None:
    reading = make_reading(600, 6, n_gold=120)
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box(n_permutations=0))
    model.weights_ = np.where([m.kind == "learned opinion" for m in model.box_.about], 3.0, 0.0)  # against itself
    table = tw.displays.overruled_table(model, reading)
    assert len(table)
    assert set(table["reason"]) == {"opinions"}
    model.weights_ = np.where([m.name == "frequency(ham)" for m in model.box_.about], 9.0, 0.0)
    assert set(tw.displays.overruled_table(model, reading)["reason"]) == {"classes"}
