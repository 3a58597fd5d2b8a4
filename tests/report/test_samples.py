"""What is judged on gold has not seen it; what is estimated on a part of the pool uses a random part."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from report.problems import make_reading, small_reading
from thumbwise.display.report import samples
from thumbwise.display.report.samples import compare_for_report, plan_for_report, sample_pool


def test_noise_labels_look_like_noise() -> None:
    """With labels that are coin flips a fit that repeated them would be right always; held-out ones are half right.

    False alarm below 1e-4: 200 flips, more than 130 right.
    """
    reading = make_reading(600, 4, n_gold=200)
    coins = np.where(reading.gold >= 0, np.random.default_rng(5).integers(2, size=600), -1)
    noise = tw.Reading(reading.votes, coins, id_name="id")
    comparison, _ = compare_for_report(noise, 0.95)
    assert comparison is not None
    assert (comparison.held_out.argmax(axis=1) == noise.gold_labels).sum() <= 130


def test_a_small_pool_is_taken_whole() -> None:
    sampled, note = sample_pool(small_reading(), 10**6)
    assert sampled.pool is small_reading().votes
    assert note == ""
    assert sampled.gold_is == "subset"


def test_a_part_of_a_large_pool_holds_no_gold_and_votes_like_the_rest() -> None:
    reading = make_reading(20_000, 12, n_gold=300)
    sampled, note = sample_pool(reading, 20_000)
    assert isinstance(sampled.pool, tw.Votes)
    assert 500 <= sampled.pool.n_items < 5_000
    assert sampled.gold_is == "separate"
    assert f"{sampled.pool.n_items:,} items drawn at random" in note
    assert not sampled.pool.has_ids
    share = (sampled.pool.array >= 0).mean(axis=0) - (reading.votes.array >= 0).mean(axis=0)
    assert np.abs(share).max() < 6 * 0.5 / np.sqrt(sampled.pool.n_items)  # six standard deviations: below 1e-7


def test_a_drawn_part_never_holds_a_gold_item() -> None:
    reading = make_reading(3_000, 12, n_gold=1_500)
    array = np.where(reading.gold[:, None] >= 0, 0, np.maximum(reading.votes.array, -1))
    array[reading.gold < 0, 0] = 1  # the first rule tells them apart
    votes = tw.Votes(array, class_names=["ham", "spam"])
    sampled, _ = sample_pool(tw.Reading(votes, reading.gold), 1_000)
    assert isinstance(sampled.pool, tw.Votes)
    assert set(sampled.pool.array[:, 0].tolist()) == {1}


def test_with_many_rules_the_plan_keeps_its_curve_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = make_reading(1_500, 6)
    whole, note = plan_for_report(reading, 0.95, True)
    assert whole is not None
    assert whole.worth
    assert note == ""
    monkeypatch.setattr(samples, "_PLANNED_WORK", 10)
    curve, note = plan_for_report(reading, 0.95, True)
    assert curve is not None
    assert curve.worth == ()
    assert "worth is left out" in note
    assert curve.random_gain == pytest.approx(whole.random_gain, abs=1e-6)
    assert str(curve).startswith("With 95 % confidence")
    assert (curve.bound, curve.floor) == pytest.approx((whole.bound, whole.floor), abs=1e-6)
    assert dict(zip(curve.frame()["n_gold"], curve.frame()["planned_bound"], strict=True))[200] == pytest.approx(
        next(row.bound for row in whole.rows if row.n_gold == 200), abs=1e-5
    )


def test_the_plan_of_a_report_is_made_of_the_numbers_of_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """With many rules it leaves out what labels bring through each of them, and the sizes between the doublings."""
    reading = make_reading(600, 5)
    gold = (reading.gold_votes, reading.gold_labels)
    whole = tw.plan(*gold, pool=reading.votes, gold_is="subset")
    monkeypatch.setattr(samples, "_MOST_ADVISED", 4)
    part, note = samples.plan_for_report(reading, 0.95, pin_gold=True)
    assert part is not None
    assert note == ""
    assert part.rule_gains == ()
    of_part, of_whole = (part.floor, part.bound, part.random_gain), (whole.floor, whole.bound, whole.random_gain)
    assert of_part == pytest.approx(of_whole, abs=1e-9)  # searches begin elsewhere
    assert part.worth == whole.worth
    bounds = {row.n_gold: row.bound for row in whole.rows}
    shared = [row for row in part.rows if row.n_gold in bounds]
    assert len(shared) >= 3
    for row in shared:
        assert row.bound == pytest.approx(bounds[row.n_gold], abs=1e-6)


def test_today_is_an_estimate_where_the_plan_saw_a_part_of_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_PLANNED_VOTES", 300)
    planned, note = plan_for_report(make_reading(3_000, 6), 0.95, True)
    assert "items drawn at random" in note
    assert str(planned).startswith("With the 100 gold labels of today the bound is about")


def test_nothing_is_planned_where_all_is_labeled_or_compared_on_one_item() -> None:
    plan, note = plan_for_report(make_reading(50, 3, n_gold=50), 0.95, True)
    assert plan is None
    assert "every item" in note
    comparison, note = compare_for_report(make_reading(50, 3, n_gold=1), 0.95)
    assert comparison is None
    assert "two gold items" in note
