"""Distances on a scale, in metrics, comparisons, judges, rates and labels, against scikit-learn and plain counts."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import mean_absolute_error as peer_error

import thumbwise as tw
from thumbwise.assess.scale_scores import score_on_scale
from thumbwise.numerics.even_panel import panel_of

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(5, size=300)
SAID = np.clip(TRUTH + RNG.integers(-1, 3, size=300), 0, 4)


def test_metrics_are_those_of_a_peer() -> None:
    assert tw.metrics.quadratic_kappa(TRUTH, SAID) == pytest.approx(cohen_kappa_score(TRUTH, SAID, weights="quadratic"))
    assert tw.metrics.mean_absolute_error(TRUTH, SAID) == pytest.approx(peer_error(TRUTH, SAID))
    twice = np.repeat(np.arange(300), 1 + np.arange(300) % 2)
    weighted = tw.metrics.quadratic_kappa(TRUTH, SAID, weights=1 + np.arange(300) % 2)
    assert weighted == pytest.approx(cohen_kappa_score(TRUTH[twice], SAID[twice], weights="quadratic"))
    assert np.isnan(tw.metrics.quadratic_kappa([1, 1], [1, 1]))


def test_uneven_scales_are_measured_in_their_own_numbers() -> None:
    values = np.array([1, 2, 5])
    y, said = np.array([0, 1, 2, 2, 1]), np.array([2, 1, 2, 0, 0])
    apart = [(values[a] - values[b]) ** 2 for a, b in zip(said, y, strict=True)]
    chance = [(values[a] - values[b]) ** 2 for a, b in product(said, y)]
    assert tw.metrics.quadratic_kappa(y, said, values=values) == pytest.approx(1 - np.mean(apart) / np.mean(chance))
    assert tw.metrics.mean_absolute_error(y, said, values=values) == pytest.approx(np.sqrt(apart).mean())


@pytest.mark.parametrize("wrong", [([0, 1], [0]), ([], []), ([0.5], [1]), ([0, 1], [0, 2])])
def test_what_are_no_classes_is_refused(wrong: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match="must be class numbers"):
        tw.metrics.mean_absolute_error(*wrong, values=[1, 2])


def test_the_median_has_the_lowest_expected_error() -> None:
    proba = RNG.dirichlet(np.ones(5) / 2, size=200)
    distance = np.abs(np.arange(5)[:, None] - np.arange(5))
    expected = proba @ distance
    chosen = expected[np.arange(200), tw.metrics.median_class(proba)]
    np.testing.assert_allclose(chosen, expected.min(axis=1), atol=1e-12)


def make(n: int = 500) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    truth = rng.integers(5, size=n)
    shift = rng.choice([-1, 0, 0, 0, 1, 2], size=(n, 3))
    array = np.clip(truth[:, None] + shift, 0, 4)
    array[rng.random(array.shape) < 0.1] = -1
    return tw.Votes(array, class_names=[1, 2, 3, 4, 5], ordered=True), truth, array


def test_judges_are_counted_item_by_item() -> None:
    votes, truth, array = make()
    judged = tw.judges(votes, np.where(np.arange(500) < 120, truth + 1, -1))
    frame = judged.frame()
    for j, rule in enumerate(votes.rule_names):
        row = frame["judge"].index(rule)
        pairs = [(v, t) for v, t in zip(array[:120, j].tolist(), truth[:120].tolist(), strict=True) if v >= 0]
        said, gold = np.array(pairs).T
        assert frame["within_one_step"][row] == pytest.approx((np.abs(said - gold) <= 1).mean())
        assert frame["mean_absolute_error"][row] == pytest.approx(np.abs(said - gold).mean())
        assert frame["bias"][row] == pytest.approx((said - gold).mean())
        assert frame["quadratic_kappa"][row] == pytest.approx(cohen_kappa_score(gold, said, weights="quadratic"))
    weights = panel_of(votes.patterns)[1]
    panel = []
    for row, label in zip(array[:120].tolist(), truth[:120].tolist(), strict=True):
        sums = [sum(float(weights[j]) for j, vote in enumerate(row) if vote == c) for c in range(5)]
        best = [c for c in range(5) if sums[c] > max(sums) - 1e-9]
        panel += [abs(best[0] - label)] if len(best) == 1 else []
    assert judged.panel is not None and judged.panel.steps is not None
    assert (judged.panel.steps.n_gold, judged.panel.steps.n_within) == (len(panel), sum(off <= 1 for off in panel))
    n_rates = sum(2 * len(score.rates) for score in judged.rows)
    assert judged.n_intervals == n_rates + 2 * len(judged.rows)


def test_intervals_of_judges_hold_together() -> None:
    """At 0.8, false-alarm rate one in a million; those of the panel too."""
    votes, truth, array = make(240)
    misses = 0
    for seed in range(60):
        gold = np.random.default_rng(seed).choice(240, 60, replace=False)
        hidden = np.full(240, -1)
        hidden[gold] = truth[gold] + 1
        judged, inside = tw.judges(votes, hidden, of=5, confidence_level=0.8), []
        for score in judged.scores:
            said = array[:, votes.rule_names.index(score.judge)]
            off = np.abs(said - truth)[said >= 0]
            assert score.steps is not None
            low, high = score.steps.interval
            inside.append(low - 1e-9 <= (off <= 1).mean() <= high + 1e-9)
        misses += not all(inside)
    assert misses <= binom.ppf(1 - 1e-6, 60, 0.2)


def test_comparisons_say_how_far_labels_are_off() -> None:
    votes, truth, _ = make(200)
    compared = tw.compare(
        votes.take(range(80)), truth[:80] + 1, pool=votes, gold_is="subset", methods=["majority vote"], n_folds=2
    )
    ours = next(score for score in compared.scores if score.method == "Balsubramani-Freund")
    assert ours.scale is not None
    assert ours.scale.mean_absolute_error == pytest.approx(np.abs(compared.held_out.argmax(axis=1) - truth[:80]).mean())
    assert not any((ours.scale.difference, *ours.scale.difference_interval))
    other = next(score.scale for score in compared.scores if score.method == "majority vote")
    assert other is not None
    assert other.difference == pytest.approx(other.mean_absolute_error - ours.scale.mean_absolute_error)
    assert set(compared.frame()) >= {"mean_absolute_error", "quadratic_kappa", "absolute_error_difference"}
    plain = tw.compare(
        tw.Votes(votes.array[:80], n_classes=5),
        truth[:80],
        pool=tw.Votes(votes.array, n_classes=5),
        n_folds=2,
        gold_is="subset",
        methods=["majority vote"],
    )
    assert all(score.scale is None for score in plain.scores) and "quadratic_kappa" not in plain.frame()


def test_bootstrapped_kappas_are_those_of_items_drawn_again() -> None:
    """The same draws, each kappa by the peer."""
    truth, said = TRUTH[:40], SAID[:40]
    found = score_on_scale({"us": np.eye(5)[said]}, "us", truth, [1, 2, 3, 4, 5], 0.9, 7)["us"]
    rng = np.random.default_rng(7)
    kappas = [
        cohen_kappa_score(truth[rows], said[rows], weights="quadratic") for rows in rng.integers(40, size=(2000, 40))
    ]
    assert found.quadratic_kappa_interval == pytest.approx(np.quantile(kappas, [0.05, 0.95]), abs=0.02)
    assert found.quadratic_kappa == pytest.approx(cohen_kappa_score(truth, said, weights="quadratic"))


def test_the_rate_of_a_scale_is_its_mean() -> None:
    votes, truth, _ = make()
    gold = np.where(np.arange(500) < 100, truth + 1, -1)
    mean, said = tw.rate(votes, gold), tw.rate(votes, gold, values=[1, 2, 3, 4, 5])
    assert (mean.estimate, mean.lower, mean.upper) == (said.estimate, said.lower, said.upper)
    assert mean.lower <= (truth + 1).mean() <= mean.upper
    assert tw.rate(votes, gold, of=5).upper < 1
    words = tw.Votes(votes.array, class_names=list("abcde"), ordered=True)
    with pytest.raises(tw.exceptions.ThumbwiseError, match=r"or the number that each class stands for.*found neither"):
        tw.rate(words, np.where(np.arange(500) < 100, truth, -1))


def test_labels_come_with_median_and_mean(tmp_path: Path) -> None:
    """In memory and, written by the database, from files: the same."""
    _, truth, array = make(60)
    columns = {f"rule_{j}": [vote + 1 if vote >= 0 else None for vote in array[:, j].tolist()] for j in range(3)}
    frame = pd.DataFrame(
        {"id": range(60)} | {rule: pd.array(column, dtype="Int64") for rule, column in columns.items()}
    )
    frame.to_csv(tmp_path / "votes-1.csv", index=False)
    gold = {str(i): int(truth[i]) + 1 for i in range(30)}
    written = {}
    for name, source in (("here", tmp_path / "votes-1.csv"), ("there", tmp_path / "votes-*.csv")):
        reading = tw.read_votes(source, ordered=True, gold=gold)
        model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
        tw.write_labels(reading, model, tmp_path / f"{name}.csv")
        written[name] = pd.read_csv(tmp_path / f"{name}.csv").sort_values("id", ignore_index=True)
    proba = written["here"][[f"p_{c}" for c in range(1, 6)]].to_numpy()
    np.testing.assert_allclose(written["here"]["mean"], proba @ np.arange(1, 6))
    assert (written["here"]["median"] == 1 + tw.metrics.median_class(proba)).all()
    assert (written["here"]["median"][:30] == truth[:30] + 1).all(), "gold items keep their label"
    pd.testing.assert_frame_equal(written["here"], written["there"])
