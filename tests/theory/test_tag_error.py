"""One error for all tags: each is asked at error / number of tags, so that all intervals hold at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import thumbwise as tw

LEVEL, N_ITEMS, N_GOLD = 0.8, 150, 40
SHARES = (0.5, 0.3, 0.2, 0.4)


def problem(seed: int) -> tuple[tw.TagReadings, dict[str, np.ndarray], np.ndarray]:
    """Four tags that have nothing to do with each other, so that misses add up; poor judges."""
    rng = np.random.default_rng(seed)
    truth = {f"t{j}": rng.random(N_ITEMS) < share for j, share in enumerate(SHARES)}
    said = {
        judge: [
            "|".join(tag for tag, there in truth.items() if there[i] ^ (rng.random() < 0.3)) or "none"
            for i in range(N_ITEMS)
        ]
        for judge in ("a", "b")
    }
    drawn = rng.choice(N_ITEMS, N_GOLD, replace=False)
    gold = {int(i): "|".join(tag for tag, there in truth.items() if there[i]) or "none" for i in drawn}
    table = {"id": list(range(N_ITEMS)), **said}
    return tw.read_tags(table, gold=gold, no_tags="none"), truth, drawn


def test_all_intervals_hold_at_once() -> None:
    """At 0.8, by both ways to an interval; a false alarm once in a million. The constant is tested below."""
    n_trials, misses = 60, {"assisted": 0, "exact": 0}
    for seed in range(n_trials):
        readings, truth, _ = problem(seed)
        for method in misses:
            shares = readings.each(tw.rate, of="yes", method=method, confidence_level=LEVEL)
            inside = [s.lower <= truth[tag].mean() <= s.upper for tag, s in shares.items()]
            misses[method] += not all(inside)
    assert max(misses.values()) <= binom.ppf(1 - 1e-6, n_trials, 1 - LEVEL)
    assert max(misses.values()) > 0  # the trials are not vacuous


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_a_tag_is_that_of_its_question_alone(seed: int) -> None:
    """Votes as numbers, made here, and the tails of the hypergeometric distribution by another library."""
    readings, truth, drawn = problem(seed)
    error = (1 - LEVEL) / len(SHARES)
    exact = readings.each(tw.rate, of="yes", method="exact", confidence_level=LEVEL)
    assisted = readings.each(tw.rate, of="yes", confidence_level=LEVEL)
    sizes = np.arange(N_ITEMS + 1)
    for tag, there in truth.items():
        n_right = int(there[drawn].sum())
        fewest = sizes[hypergeom.sf(n_right - 1, N_ITEMS, sizes, N_GOLD) > error / 2].min()
        most = sizes[hypergeom.cdf(n_right, N_ITEMS, sizes, N_GOLD) > error / 2].max()
        assert (exact[tag].lower, exact[tag].upper) == pytest.approx((fewest / N_ITEMS, most / N_ITEMS), abs=1e-12)
        votes = readings[tag].votes.array
        y = np.full(N_ITEMS, -1)
        y[drawn] = there[drawn]
        alone = tw.rate(votes, y, of=1, confidence_level=1 - error)
        assert (assisted[tag].lower, assisted[tag].upper) == (alone.lower, alone.upper)


def test_certificates_share_the_error_too() -> None:
    readings, _, _ = problem(0)
    models = readings.fit(confidence_level=0.9)
    assert models.each_level == pytest.approx(0.975)
    for tag, model in models.items():
        reading = readings[tag]
        box = tw.Box.from_gold(
            reading.gold_votes, reading.gold_labels, pool=reading.votes, confidence_level=0.975, gold_is="subset"
        )
        np.testing.assert_array_equal(model.box_.lower, box.lower)
        np.testing.assert_array_equal(model.box_.upper, box.upper)
        assert model.certificate_.confidence_level == pytest.approx(0.975)


def test_one_error_for_judges_and_triage() -> None:
    readings, _, _ = problem(1)
    asked: list[tuple[Any, dict[str, Any]]] = [(tw.judges, {"of": "yes"}), (tw.triage, {"precision": 0.6})]
    for question, options in asked:
        answers = readings.each(question, confidence_level=0.92, **options)
        assert {round(a.evidence.confidence_level, 12) for a in answers.values()} == {0.98}
        assert answers.together.endswith("all of them at once with 92 % confidence.")


def test_no_guarantee_where_one_tag_has_none() -> None:
    readings, _, _ = problem(2)
    answers = readings.each(tw.rate, of="yes", method="asymptotic")
    assert not answers.is_guarantee
    assert answers.together.startswith("No guarantee for all tags at once: there is none for 't0'")
