"""EBCC against a loop over items, exact evidence by enumeration, and its laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import beta, dirichlet, kstest
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support import ebcc_by_item as by_item
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.models import ebcc
from thumbwise.models.ebcc import EBCC, find_rows
from thumbwise.numerics.ebcc import Rows, Tables, climb, count, draw_starts, make_prior

SETTING = {"group_prior": 0.1, "right": 4.0, "wrong": 1.0}


def make_task(seed: int, n_items: int, *, gold: float = 0.3) -> tuple[IntArray, IntArray, int]:
    """Votes with abstentions and copies of rules, labels of which some are known, number of classes."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    labels, array = make_votes(rng, n_items, int(rng.integers(1, 7)), k)
    array[rng.random(n_items) < 0.1] = -1
    return array, np.where(rng.random(n_items) < gold, labels, -1), k


def pose(votes: tw.Votes, y: IntArray, n_groups: int) -> tuple[Rows, Tables, FloatArray]:
    rows = find_rows(votes, y)
    class_prior = np.maximum(rows.counts @ rows.shares, 1)
    return rows, make_prior(class_prior, n_rules=votes.n_rules, n_groups=n_groups, **SETTING), class_prior


def mean_by_row(votes: tw.Votes, y: IntArray, joint: FloatArray) -> FloatArray:
    """Mean over the items of each row of responsibilities of items, shape (n_rows, 1, n_classes, n_groups)."""
    _, row, counts = np.unique(votes.inverse * (votes.n_classes + 1) + y + 1, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), *joint.shape[1:]))
    np.add.at(sums, row, joint)
    return np.asarray((sums / counts[:, None, None])[:, None])


def log_dirichlet_multinomial(counts: IntArray, prior: FloatArray) -> float:
    """Log probability of a sequence with these counts, the rates integrated out."""
    return float(
        gammaln(prior.sum()) - gammaln((prior + counts).sum()) + (gammaln(prior + counts) - gammaln(prior)).sum()
    )


def log_joint(
    array: IntArray, classes: IntArray, groups: IntArray, prior: FloatArray, setting: by_item.Setting
) -> float:
    """Exact log probability of votes, classes and subtypes, all rates integrated out."""
    k, n_groups = setting.n_classes, setting.n_groups
    total = log_dirichlet_multinomial(np.bincount(classes, minlength=k), prior)
    for c in range(k):
        even = np.full(n_groups, setting.group_prior / n_groups)
        total += log_dirichlet_multinomial(np.bincount(groups[classes == c], minlength=n_groups), even)
        for m, j in product(range(n_groups), range(array.shape[1])):
            said = array[(classes == c) & (groups == m), j]
            total += log_dirichlet_multinomial(np.bincount(said[said >= 0], minlength=k), setting.said(c))
    return total


@pytest.mark.parametrize("seed", range(12))
def test_updates_and_bound_are_those_of_a_loop_over_items(seed: int) -> None:
    array, y, k = make_task(seed, 40)
    votes = tw.Votes(array, n_classes=k)
    setting = by_item.Setting(k, n_groups=3)
    rows, prior, class_prior = pose(votes, y, 3)
    joint = by_item.draw_joint(by_item.class_shares(array, k, y), 3, np.random.default_rng(seed))
    start = count(mean_by_row(votes, y, joint), rows)
    bounds = []
    for n_iter in range(1, 6):
        factors = by_item.update_factors(array, joint, class_prior, setting)
        previous, joint = joint, by_item.update_joint(array, factors, y)
        before, after = (by_item.evidence_bound(array, q, factors, class_prior, setting) for q in (previous, joint))
        bounds.append(after)
        (run,) = climb(start, rows, prior, tol=-1, max_iter=n_iter)
        np.testing.assert_allclose(run.posterior.classes[0], factors.tau, rtol=0, atol=1e-10)
        np.testing.assert_allclose(run.posterior.groups[0], factors.pi, rtol=0, atol=1e-10)
        np.testing.assert_allclose(run.posterior.votes[:, :, 0], np.moveaxis(factors.v, 3, 1), rtol=0, atol=1e-10)
        np.testing.assert_allclose(run.elbo_path, bounds, rtol=0, atol=1e-9)
        published = by_item.published_score(joint, previous, before)
        assert run.published_score == pytest.approx(published, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_loop_over_items_knows_dirichlet_densities(seed: int) -> None:
    """Expected log density by sampling and entropy by scipy.stats: what the bound above is made of."""
    rng = np.random.default_rng(seed)
    posterior, prior = rng.gamma(3, size=(2, 4)) + 0.5
    drawn = dirichlet(prior).logpdf(dirichlet(posterior).rvs(20_000, random_state=rng).T)
    expected = drawn.mean() + dirichlet(posterior).entropy()
    assert by_item.prior_and_entropy(posterior, prior) == pytest.approx(expected, abs=6 * drawn.std() / 20_000**0.5)


@pytest.mark.parametrize("seed", range(10))
def test_a_prediction_is_the_last_update_of_the_responsibilities(seed: int) -> None:
    array, y, k = make_task(seed, 60)
    model = EBCC(n_groups=4, n_starts=3, max_iter=2000).fit(tw.Votes(array, n_classes=k), y)
    fitted = model.posterior_
    factors = by_item.Factors(fitted.classes[0], fitted.groups[0], np.moveaxis(fitted.votes[:, :, 0], 1, 3))
    new = np.random.default_rng(seed).integers(-1, k, (30, array.shape[1]))
    for rows in (array, new):
        expected = by_item.update_joint(rows, factors).sum(axis=2)
        np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:EBCC's best start:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(200))
def test_the_bound_never_decreases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    array, y, k = make_task(seed, int(rng.integers(1, 150)), gold=float(rng.choice([0, 0, 0.2, 1])))
    model = EBCC(n_groups=int(rng.integers(1, 12)), n_starts=3, tol=-1, max_iter=60, random_state=seed)
    path = model.fit(tw.Votes(array, n_classes=k), y).elbo_path_
    assert len(path) == 60
    assert (np.diff(path) >= -1e-12 * np.abs(path).max()).all()


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_below_the_evidence_found_by_enumeration(seed: int, n_groups: int) -> None:
    array = np.random.default_rng(seed).integers(-1, 2, (3, 2))
    model = EBCC(n_groups=n_groups, n_starts=20, max_iter=2000).fit(tw.Votes(array, n_classes=2))
    setting = by_item.Setting(2, n_groups)
    prior = np.maximum(by_item.class_shares(array, 2).sum(axis=0), 1)
    states = [np.array(state) for state in product(range(2 * n_groups), repeat=3)]
    terms = [log_joint(array, state // n_groups, state % n_groups, prior, setting) for state in states]
    evidence = float(np.logaddexp.reduce(terms))
    assert model.elbo_ < evidence
    # Three items are little to lose: without a bound on the loss, minus infinity would pass.
    assert model.elbo_ > evidence - 3


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_the_evidence_where_nothing_is_hidden(seed: int) -> None:
    """All classes known and one subtype: the rates have exact Dirichlet posteriors."""
    array, y, k = make_task(seed, 30, gold=2)
    model = EBCC(n_groups=1, n_starts=1).fit(tw.Votes(array, n_classes=k), y)
    prior = np.maximum(np.bincount(y, minlength=k), 1).astype(float)
    exact = log_joint(array, y, np.zeros_like(y), prior, by_item.Setting(k, 1))
    assert model.elbo_ == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("n_items", [1, 2, 7])
def test_a_row_starts_with_the_mean_of_as_many_uniform_splits_as_it_has_items(n_items: int) -> None:
    n_groups, n_starts = 4, 20_000
    votes = tw.Votes(np.repeat([[0, 1, 1]], n_items, axis=0))
    rows = find_rows(votes, np.full(n_items, -1))
    drawn = draw_starts(rows, n_groups, n_starts, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.classes, np.tile([n_items / 3, 2 * n_items / 3], (n_starts, 1)), atol=1e-12)
    means = drawn.groups[:, 1] / drawn.classes[:, 1, None]
    # Dirichlet(1, 1, 1, 1): variance 3/80 of a coordinate, covariance -1/80. Ten standard errors off is a fault.
    expected = (np.eye(4) * 4 - 1) / 80 / n_items
    np.testing.assert_allclose(means.mean(axis=0), 1 / 4, rtol=0, atol=10 * np.sqrt(3 / 80 / n_items / n_starts))
    np.testing.assert_allclose(np.cov(means.T), expected, rtol=0, atol=10 * expected.max() * np.sqrt(2 / n_starts))
    if n_items == 1:
        assert kstest(means[:, 0], beta(1, 3).cdf).pvalue > 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_updates_do_not_know_the_numbers_of_rules_and_classes(seed: int) -> None:
    array, y, k = make_task(seed, 50)
    rng = np.random.default_rng(seed)
    rules, number = rng.permutation(array.shape[1]), rng.permutation(k)
    other, other_y = (np.where(part < 0, -1, number[part]) for part in (array[:, rules], y))
    joint = by_item.draw_joint(by_item.class_shares(array, k, y), 3, rng)
    runs = []
    for part, part_y, part_joint in [(array, y, joint), (other, other_y, joint[:, np.argsort(number)])]:
        votes = tw.Votes(part, n_classes=k)
        rows, prior, _ = pose(votes, part_y, 3)
        runs += climb(count(mean_by_row(votes, part_y, part_joint), rows), rows, prior, tol=-1, max_iter=20)
    plain, moved = (run.posterior for run in runs)
    np.testing.assert_allclose(moved.groups[:, number], plain.groups, rtol=0, atol=1e-8)
    np.testing.assert_allclose(moved.votes[:, number][:, :, :, number], plain.votes[rules], rtol=0, atol=1e-8)
    np.testing.assert_allclose(runs[1].elbo_path, runs[0].elbo_path, rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_starts_do_not_know_the_numbers_of_rules_and_classes(seed: int) -> None:
    """Nor whether there is one more rule that never votes."""
    array, y, k = make_task(seed, 300)
    rng = np.random.default_rng(seed)
    wider = np.insert(array, 0, -1, axis=1)
    rules, number = rng.permutation(wider.shape[1]), rng.permutation(k)
    other, other_y = (np.where(part < 0, -1, number[part]) for part in (wider[:, rules], y))
    plain, moved = (
        draw_starts(find_rows(tw.Votes(part, n_classes=k), part_y), 3, 2, np.random.default_rng(1))
        for part, part_y in [(array, y), (other, other_y)]
    )
    np.testing.assert_allclose(moved.groups[:, number], plain.groups, rtol=0, atol=1e-9)
    back = moved.votes[np.argsort(rules)][1:]
    np.testing.assert_allclose(back[:, number][:, :, :, number], plain.votes, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3, 7))
def test_more_starts_find_no_lower_bound_and_batches_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    array, _, k = make_task(seed, 200)
    votes = tw.Votes(array, n_classes=k)
    models = [EBCC(n_starts=n, max_iter=2000).fit(votes) for n in (1, 5, 25)]
    bounds = [model.elbo_ for model in models]
    assert (np.diff(bounds) >= -1e-9).all()  # the same start in another batch is summed in another order
    assert bounds[0] < bounds[-1]
    monkeypatch.setattr(ebcc, "_CELLS", 1)
    alone = EBCC(n_starts=25, max_iter=2000).fit(votes)
    np.testing.assert_allclose(alone.elbo_path_, models[-1].elbo_path_, rtol=0, atol=1e-9)


def test_known_items_keep_their_label_by_id() -> None:
    array, _, _ = make_task(0, 40)
    votes = tw.Votes(array, n_classes=5, item_ids=[f"item {i}" for i in range(40)])
    y = np.full(40, -1)
    y[[3, 17]] = 4
    model = EBCC(n_starts=3, max_iter=2000).fit(votes, y)
    assert model.predict(votes)[[3, 17]].tolist() == [4, 4]
    assert (model.predict_proba(votes)[[3, 17], 4] == 1).all()


def test_subtypes_find_what_rules_miss_together() -> None:
    """On either half of the items of class 1, three of six rules are mostly wrong."""
    rng = np.random.default_rng(0)
    truth, half = rng.integers(0, 2, (2, 3000))
    misses = (truth == 1)[:, None] & (half[:, None] == np.repeat([0, 1], 3))
    is_right = rng.random((3000, 6)) < np.where(misses, 0.3, np.where(truth == 1, 0.95, 0.8)[:, None])
    votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]))
    plain, split = (EBCC(n_groups=n, n_starts=5, max_iter=500).fit(votes) for n in (1, 2))
    assert split.elbo_ > plain.elbo_ + 500
    assert split.score(votes, truth) > plain.score(votes, truth) + 0.15


def test_copies_of_a_rule_are_followed_all_the_same() -> None:
    """As the documentation says: the start, majority vote, is theirs already."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    is_right = np.hstack([rng.random((2000, 4)) < 0.8, np.repeat(rng.random((2000, 1)) < 0.6, 5, axis=1)])
    votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]))
    predicted = EBCC(n_starts=5, max_iter=500).fit(votes).predict(votes)
    assert np.mean(predicted == votes.array[:, -1]) > 0.99


def test_rates_are_those_of_the_rules() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(20_000) < 0.3).astype(np.int64)
    rates = np.array([[0.9, 0.2], [0.7, 0.1], [0.8, 0.4], [0.95, 0.3]])  # chance to say 0 on items of class 0, 1
    array = (rng.random((20_000, 4)) >= rates[:, truth].T).astype(np.int64)
    model = EBCC(n_groups=1, n_starts=1, max_iter=5000, tol=1e-6).fit(
        np.where(rng.random(array.shape) < 0.1, -1, array)
    )
    np.testing.assert_allclose(model.confusion_.sum(axis=1), 1)
    np.testing.assert_allclose(model.confusion_[:, 0], rates, atol=0.03)
    np.testing.assert_allclose(model.class_frequencies_, [0.7, 0.3], atol=0.03)


def test_a_climb_that_is_cut_off_says_so() -> None:
    array, _, k = make_task(3, 200)
    with pytest.warns(ConvergenceWarning, match=r"tol=1\.0e-09 after 3 iterations"):
        model = EBCC(n_starts=2, tol=1e-9, max_iter=3).fit(tw.Votes(array, n_classes=k))
    assert not model.converged_
    assert model.n_iter_ == len(model.elbo_path_) == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_groups": 0}, "n_groups must be a whole number of at least 1; found 0"),
        ({"n_starts": 2.5}, r"n_starts must be .* found 2\.5"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"rank_by": "luck"}, r'rank_by must be "elbo" or "published"; found .luck'),
        ({"group_prior": 0}, r"group_prior must be positive.* found 0\."),
        ({"prior_wrong": -1.0}, r"prior_wrong must be positive.* found -1"),
    ],
)
def test_impossible_parameters_are_named(parameters: dict[str, float | str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EBCC(**parameters).fit([[0, 1], [1, 1]])  # type: ignore[arg-type]
