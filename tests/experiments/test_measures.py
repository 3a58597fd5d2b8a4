"""What goes into a row: losses with ties, draws of gold, the parts of a loss, divergences."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from support.paper import paper_folder
from thumbwise.metrics import kl_sum
from thumbwise.paper.experiments import breakdown, synthetic
from thumbwise.paper.experiments.catalogue import (
    QUICK_NAMES,
    breakdown_experiment,
    label_counts,
    synthetic_experiment,
    tables_experiment,
)
from thumbwise.paper.experiments.draws import draw_gold, paper_data
from thumbwise.paper.experiments.methods import balsubramani_freund, fit_recipe, measure
from thumbwise.paper.experiments.scoring import choose_classes, score
from thumbwise.paper.experiments.specs import Fit, Settings


def test_ties_are_broken_by_position() -> None:
    """Last hexadecimal digits of SHA-1 of "0" to "3", as the command sha1sum gives them: c, b, 0 and b."""
    even = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5 + 9e-6], [0.4, 0.6]])
    assert choose_classes(even).tolist() == [0xC % 2, 0xB % 2, 0, 1]
    late = np.array([[0.2, 0.4, 0.4], [0.4, 0.4, 0.2], [0.1, 0.45, 0.45], [0.2, 0.4, 0.4]])
    assert choose_classes(late).tolist() == [1 + 0xC % 2, 0xB % 2, 1, 1 + 0xB % 2]
    assert score(np.array([1, 0, 1, 1]), late)["zero_one_loss"] == 0.5


def test_a_difference_beyond_the_tolerance_is_no_tie() -> None:
    apart = np.array([[0.5 - 6e-6, 0.5 + 6e-6]] * 50)
    assert choose_classes(apart).tolist() == [1] * 50
    assert 10 < choose_classes(np.full((50, 2), 0.5)).sum() < 40


def test_gold_is_the_same_for_all_methods_of_a_run_and_no_other() -> None:
    first, again = islice(draw_gold("cardio", 3, 100, 385), 2)
    expected = np.random.default_rng([2024, 3, 100, *b"cardio"]).choice(385, 100, replace=False)
    np.testing.assert_array_equal(first, expected)
    assert len(set(first.tolist())) == 100
    others = [again, *(next(draw_gold(*key, 385)) for key in [("cardio", 4, 100), ("obs", 3, 100)])]
    assert all(set(first.tolist()) != set(other.tolist()) for other in others)


def test_a_draw_that_no_labeling_fits_is_drawn_again() -> None:
    data = paper_data("aa2", paper_folder())
    model, n_redrawn = fit_recipe(data, Fit("aa2", "BF", 20, 100))
    assert n_redrawn == 1
    assert model is not None
    second = list(islice(draw_gold("aa2", 20, 100, 172), 2))[1]
    right = (data.gold_votes.array[second] == data.gold_labels[second, None]).sum(axis=0)
    assert model.box_.gold_right is not None
    np.testing.assert_array_equal(model.box_.gold_right[:36], right)


def test_a_fit_is_repeatable_but_for_its_time() -> None:
    rows = [measure(Fit("youtube", "BF", 1, 100), Settings(paper_folder())) for _ in range(2)]
    assert rows[0].pop("seconds") is not None
    rows[1].pop("seconds")
    assert rows[0] == rows[1]


def test_the_recipe_is_symmetric_wilson() -> None:
    data = paper_data("cardio", paper_folder())
    fit = Fit("cardio", "BF", 0, 100)
    model, _ = fit_recipe(data, fit)
    assert model is not None
    drawn = next(draw_gold("cardio", 0, 100, len(data.gold_labels)))
    share = np.mean(data.gold_votes.array[drawn, 0] == data.gold_labels[drawn])
    z = 1.959963984540054
    centre, half = (share + z**2 / 200) / (1 + z**2 / 100), z * np.sqrt(share * (1 - share) / 100 + z**2 / 40000)
    width = max(abs(centre + sign * half / (1 + z**2 / 100) - share) for sign in (-1, 1))
    low, high = max(0, share - width), min(1, share + width)
    assert (model.box_.lower[0], model.box_.upper[0]) == pytest.approx((low, high))
    row = balsubramani_freund(data, fit, Settings())
    assert row["log_loss"] is not None
    assert row["bound"] == model.certificate_.log_loss_bound


@pytest.mark.parametrize("name", [*QUICK_NAMES, "domain"])
def test_the_parts_of_the_loss_add_up(name: str) -> None:
    """Pythagoras: the second part is a divergence between predictions, which the loss never sees."""
    row = breakdown.measure(Fit(name, "BF", 2, 100), Settings(paper_folder()))
    best = breakdown.measure(Fit(name, "best_approximator"), Settings(paper_folder()))
    parts = [row["model_uncertainty"], row["approximation_uncertainty"]]
    assert all(isinstance(part, float) and part > 0 for part in parts)
    assert row["log_loss"] == pytest.approx(sum(map(float, parts)), abs=1e-6)  # type: ignore[arg-type]
    assert row["model_uncertainty"] == best["log_loss"]


@pytest.mark.parametrize("name", ["cardio", "domain", "sms"])
def test_dawid_skene_with_true_parameters_item_by_item(name: str) -> None:
    data = paper_data(name, paper_folder())
    votes, labels, k = data.votes.array, data.labels, data.votes.n_classes
    frequencies = np.bincount(labels, minlength=k) / len(labels)
    voted = votes >= 0
    accuracies = ((votes == labels[:, None]) & voted).sum(axis=0) / np.maximum(voted.sum(axis=0), 1)
    found = breakdown.dawid_skene_proba(data.votes, labels)
    for i in range(0, len(labels), 97):
        joint = frequencies.copy()
        for j in np.flatnonzero(voted[i]):
            joint *= np.where(np.arange(k) == votes[i, j], accuracies[j], (1 - accuracies[j]) / (k - 1))
        np.testing.assert_allclose(found[i], joint / joint.sum(), atol=1e-12)


def test_divergence_from_the_distribution_that_made_the_labels() -> None:
    fit = Fit("synthetic", "OCDS_true", 1, 0, 1000)
    drawn = synthetic.draw_items(1, 1000)
    odds = np.log(drawn.accuracies / (1 - drawn.accuracies))
    prior = np.log(drawn.class_frequencies[1] / drawn.class_frequencies[0])
    second = 1 / (1 + np.exp(-prior - np.where(drawn.votes.array == 1, odds, -odds).sum(axis=1)))
    truth = np.column_stack([1 - second, second])
    expected = kl_sum(truth, breakdown.dawid_skene_proba(drawn.votes, drawn.labels)) / 1000
    assert synthetic.measure(fit, Settings())["kl"] == pytest.approx(expected, rel=1e-6)


def test_the_best_approximator_converges_on_data_of_the_model() -> None:
    """Like 1/n in the median draw. Means over ten draws fall faster: with 100 items a class or a kind of error may not
    occur at all, and the best approximator then rules it out."""
    sizes = [100, 1000, 10_000]
    kl = [
        [synthetic.measure(Fit("synthetic", "best_approximator", run, 0, n), Settings())["kl"] for n in sizes]
        for run in range(10)
    ]
    slope = np.polyfit(np.log(sizes), np.log(np.median(np.array(kl, dtype=float), axis=0)), 1)[0]
    assert -1.2 < slope < -0.8


def test_sizes_of_the_experiments() -> None:
    assert len(tables_experiment().fits) == 10 * (4 + 4 * 10)
    assert len(breakdown_experiment().fits) == 10 * (7 * 5 + 3 * 6) + 10 * 3
    assert len(synthetic_experiment().fits) == 10 * 4 * 3
    assert label_counts("youtube") == (100, 104, 108, 112, 116, 120)
    assert (label_counts("aa2")[-1], label_counts("breast_cancer")[-1], label_counts("sms")[-1]) == (172, 227, 300)
