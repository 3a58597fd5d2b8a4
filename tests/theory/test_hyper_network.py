"""The network on patterns against loops over items and votes, with random weights; and its laws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from support.hyper import HEAD, WIDTHS, Tensors, random_tensors, write_checkpoint
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.models.hyper_label_model import HyperLabelModel, network_proba, stretch
from thumbwise.numerics import hyper_network
from thumbwise.numerics.hyper_network import estimate_pool_means, logits
from thumbwise.numerics.hyper_weights import build_network
from thumbwise.numerics.patterns import Patterns


def linear(tensors: Tensors, name: str, vector: FloatArray) -> FloatArray:
    return np.asarray(tensors[f"{name}.weight"] @ vector + tensors[f"{name}.bias"])


def leaky(vector: FloatArray) -> FloatArray:
    return np.array([value if value > 0 else value / 100 for value in vector])


def loop_logits(tensors: Tensors, array: IntArray, target: int) -> FloatArray:
    """The network as its equations say it: one vector per vote of each item, one vote at a time."""
    cells = [(i, j) for i in range(len(array)) for j in range(array.shape[1]) if array[i, j] >= 0]
    vectors = {(i, j): np.array([1.0 if array[i, j] == target else -1.0]) for i, j in cells}
    for depth in range(len(WIDTHS)):
        layer = f"matrix_net.{depth}.linear"
        new = {}
        everything = np.mean([vectors[cell] for cell in cells], axis=0)
        rows = {i: np.mean([vectors[cell] for cell in cells if cell[0] == i], axis=0) for i, _ in cells}
        rules = {j: np.mean([vectors[cell] for cell in cells if cell[1] == j], axis=0) for _, j in cells}
        for i, j in cells:
            seen = [("self", vectors[i, j]), ("row", rows[i]), ("col", rules[j]), ("global", everything)]
            stacked = np.concatenate([linear(tensors, f"{layer}_{part}", vector) for part, vector in seen])
            new[i, j] = leaky(linear(tensors, layer, stacked))
        vectors = new
    found = []
    for i in range(len(array)):
        own = [vectors[cell] for cell in cells if cell[0] == i]
        hidden = np.mean(own, axis=0) if own else np.zeros(32)
        for place in (0, 2):
            hidden = leaky(linear(tensors, f"classify.{place}", hidden))
        found.append(linear(tensors, "classify.4", hidden)[0])
    assert list(HEAD) == [0, 2, 4]
    return np.array(found)


def own_logits(tensors: Tensors, patterns: Patterns, target: int) -> FloatArray:
    network = build_network(tensors)
    return logits(network, estimate_pool_means(network, patterns, target), patterns, target)


def make_pool(seed: int, n_classes: int = 3, n_items: int = 12, n_rules: int = 4) -> IntArray:
    """Votes with repeated items, one without votes and, now and then, a rule without votes."""
    rng = np.random.default_rng(seed)
    _, array = make_votes(rng, n_items, n_rules, n_classes)
    array[rng.integers(n_items)] = -1
    array[:, -1] = -1 if seed % 4 == 0 else array[:, -1]
    return array[rng.integers(n_items, size=2 * n_items)]


@pytest.mark.parametrize("seed", range(12))
def test_logits_are_those_of_loops_over_votes(seed: int) -> None:
    tensors, array = random_tensors(seed), make_pool(seed)
    votes = tw.Votes(array, n_classes=3)
    assert votes.patterns.n_patterns < len(array)
    for target in range(3):
        expected = loop_logits(tensors, array, target)
        assert np.ptp(expected) > 1e-3
        found = own_logits(tensors, votes.patterns, target)[votes.inverse]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize(("chunk", "block"), [(1, 3), (7, 5), (50, 384)])
def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch, chunk: int, block: int) -> None:
    tensors = random_tensors(0)
    patterns = tw.Votes(make_pool(1, n_items=60), n_classes=3).patterns
    expected = own_logits(tensors, patterns, 0)
    monkeypatch.setattr(hyper_network, "_CHUNK", chunk)
    monkeypatch.setattr(hyper_network, "_BLOCK", block)
    np.testing.assert_allclose(own_logits(tensors, patterns, 0), expected, rtol=0, atol=1e-11)


def test_chunks_hold_few_votes() -> None:
    patterns = tw.Votes(make_votes(np.random.default_rng(0), 8000, 40, 3)[1], n_classes=3).patterns
    sizes = [chunk.signs.size for chunk in hyper_network._chunks(patterns, 0)]
    assert sum(sizes) == len(patterns.rules) > 4 * hyper_network._CHUNK
    assert max(sizes) < hyper_network._CHUNK + 40


@pytest.mark.parametrize("seed", range(5))
def test_a_new_item_is_scored_as_one_that_a_large_pool_does_not_notice(seed: int) -> None:
    """Ten million copies of the pool and one new item: means are the pool's, so its logit is the frozen one."""
    network = build_network(random_tensors(seed))
    pool = tw.Votes(make_pool(4 * seed + 1), n_classes=3).patterns
    assert (pool.votes_per_rule > 0).all()
    new = tw.Votes([[0, 1, 2, 0], [2, -1, -1, 1]], n_classes=3)
    frozen = logits(network, estimate_pool_means(network, pool, 0), new.patterns, 0)[new.inverse]
    rows = np.vstack([pool.to_rows(), new.array])
    counts = np.append(pool.counts * 10**7, [1, 1])
    together = Patterns.from_rows(rows, counts, np.zeros(len(rows), dtype=np.int64), 3)
    own = logits(network, estimate_pool_means(network, together, 0), together, 0)[-2:]
    np.testing.assert_allclose(frozen, own, rtol=0, atol=1e-5 * np.abs(own).max())


def test_a_rule_that_the_pool_has_not_heard_is_taken_for_an_average_one() -> None:
    patterns = tw.Votes([[0, 1, -1], [1, -1, -1], [0, 0, -1]], n_classes=2).patterns
    first, *_ = means = estimate_pool_means(build_network(random_tensors(0)), patterns, 1)
    np.testing.assert_allclose(first.by_rule[:, 0], [-1 / 3, 0, -1 / 5], rtol=0, atol=1e-15)
    for seen in means:
        np.testing.assert_array_equal(seen.by_rule[2], seen.overall)


@pytest.mark.parametrize("n_asked", [1, 2, 17, 383, 384, 385])
def test_an_answer_does_not_depend_on_what_else_is_asked_to_the_last_bit(n_asked: int) -> None:
    network = build_network(random_tensors(3))
    rng = np.random.default_rng(n_asked)
    votes = tw.Votes(make_votes(rng, 900, 12, 2)[1], n_classes=2)
    means = estimate_pool_means(network, votes.patterns, 1)
    everything = logits(network, means, votes.patterns, 1)[votes.inverse]
    asked = rng.choice(900, n_asked, replace=False)
    part = votes.take(asked)
    np.testing.assert_array_equal(logits(network, means, part.patterns, 1)[part.inverse], everything[asked])


def test_order_of_rules_is_irrelevant() -> None:
    tensors = random_tensors(5)
    votes = tw.Votes(make_pool(5, n_items=100, n_rules=9), n_classes=3)
    order = np.random.default_rng(0).permutation(9).tolist()
    shuffled = votes.with_rules(order)
    expected = own_logits(tensors, votes.patterns, 1)[votes.inverse]
    found = own_logits(tensors, shuffled.patterns, 1)[shuffled.inverse]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def authors_rescaling(proba: FloatArray) -> FloatArray:
    """Each entry by itself: the largest goes to 2/k, the smallest to 0, 1/k stays; then rows are divided by sums."""
    k = proba.shape[1]
    top, bottom = proba.max(), proba.min()
    moved = np.empty_like(proba)
    for (i, c), value in np.ndenumerate(proba):
        share = (value * k - 1) / (top * k - 1) if value > 1 / k else (1 - value * k) / (bottom * k - 1)
        moved[i, c] = (1 + share) / k
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(("k", "symmetric"), [(2, False), (2, True), (3, False), (5, False)])
def test_probabilities_of_the_pool_follow_the_recipe(tmp_path: Path, k: int, symmetric: bool) -> None:
    tensors = random_tensors(k)
    path = write_checkpoint(tmp_path / "weights.pt", tensors)
    array = np.array([row for row in make_pool(k + 1, k) if (row >= 0).any()])
    model = HyperLabelModel(weights=path, symmetric=symmetric).fit(tw.Votes(array, n_classes=k))
    sigmoids = np.column_stack([1 / (1 + np.exp(-loop_logits(tensors, array, target))) for target in range(k)])
    if k == 2 and not symmetric:
        sigmoids[:, 0] = 1 - sigmoids[:, 1]
    expected = authors_rescaling(sigmoids / sigmoids.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(array), expected, rtol=0, atol=1e-10)


def test_an_item_without_votes_does_not_set_the_scale(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", random_tensors(17))
    pool = tw.Votes([[0, 0], [0, 1], [1, 1]])
    with_silent = tw.Votes([[0, 0], [0, 1], [1, 1], [-1, -1]])
    model, other = HyperLabelModel(weights=path).fit(pool), HyperLabelModel(weights=path).fit(with_silent)
    assert (other.lowest_, other.highest_) == (model.lowest_, model.highest_)
    proba = network_proba(model.network_, model.pool_means_, with_silent.patterns)
    assert proba.max() > model.highest_, "the item must be extreme, or this test shows nothing"


def test_two_classes_reach_certainty_and_new_items_do_not_pass_it() -> None:
    proba = np.array([[0.48, 0.52], [0.55, 0.45], [0.5, 0.5], [0.3, 0.7]])
    expected = np.array([[0.3, 0.7], [1, 0], [0.5, 0.5], [0, 1]])
    np.testing.assert_allclose(stretch(proba, lowest=0.45, highest=0.55), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_rounding_is_not_stretched_into_certainty(k: int) -> None:
    even = np.full((4, k), 1 / k)
    even[0, 0] = np.nextafter(1 / k, 1)
    even[1, 0] = np.nextafter(1 / k, 0)
    np.testing.assert_allclose(stretch(even, even.min(), even.max()), 1 / k, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("array", [[[-1, -1]], [[0, -1]], [[0, 1], [0, 1]], [[1], [1]], [[0], [-1]]])
def test_tiny_pools_give_distributions(tmp_path: Path, k: int, array: list[list[int]]) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", random_tensors(1))
    model = HyperLabelModel(weights=path).fit(tw.Votes(array, n_classes=k))
    n_rules = len(array[0])
    everything = np.stack(np.meshgrid(*[np.arange(-1, k)] * n_rules), axis=-1).reshape(-1, n_rules)
    proba = model.predict_proba(everything)
    assert proba.shape == (len(everything), k)
    assert np.isfinite(proba).all()
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_sigmoids_that_underflow_still_have_ratios() -> None:
    tensors = random_tensors(2)
    tensors["classify.4.bias"] = np.array([-2000.0])
    votes = tw.Votes(make_pool(2), n_classes=3)
    network = build_network(tensors)
    means = [estimate_pool_means(network, votes.patterns, target) for target in range(3)]
    proba = network_proba(network, means, votes.patterns)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.ptp(proba) > 1e-3
