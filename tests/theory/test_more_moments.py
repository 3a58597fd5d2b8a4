"""Class accuracies, confusion cells, rates, groups and written moments, against loops over items."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray, make_votes
from thumbwise.box.moments.linear import MomentBuilder, build_moments
from thumbwise.box.moments.of_classes import class_frequencies, group_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate, accuracies, class_accuracies, confusion_cells
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.moments.written import LinearMoment


def make(seed: int) -> tuple[tw.Votes, FloatArray]:
    rng = np.random.default_rng(seed)
    _, array = make_votes(rng, 60, 3, 3)
    votes = tw.Votes(array, n_classes=3, class_names=["x", "y", "z"], item_groups=rng.choice(["A", "B"], 60))
    return votes, rng.dirichlet(np.ones(3), size=60)


def by_pattern(votes: tw.Votes, labeling: FloatArray) -> FloatArray:
    masses = np.zeros((votes.patterns.n_patterns, votes.n_classes))
    np.add.at(masses, votes.inverse, labeling)
    return masses


@pytest.mark.parametrize("seed", range(5))
def test_class_accuracies_and_confusion_cells_are_shares_of_a_rules_votes(seed: int) -> None:
    votes, z = make(seed)
    right = class_accuracies(votes).averages(by_pattern(votes, z)).reshape(3, 3)
    cells = confusion_cells(votes).averages(by_pattern(votes, z)).reshape(3, 3, 3)
    for j in range(3):
        said = votes.array[:, j]
        n_votes = max(1, (said >= 0).sum())
        for true in range(3):
            assert right[j, true] == pytest.approx(z[said == true, true].sum() / n_votes)
            for c in range(3):
                assert cells[j, true, c] == pytest.approx(z[said == c, true].sum() / n_votes)


@pytest.mark.parametrize("seed", range(5))
def test_they_refine_accuracies_and_frequencies(seed: int) -> None:
    votes, z = make(seed)
    masses = by_pattern(votes, z)
    whole = accuracies(votes).averages(masses)
    np.testing.assert_allclose(class_accuracies(votes).averages(masses).reshape(3, 3).sum(axis=1), whole)
    cells = confusion_cells(votes).averages(masses).reshape(3, 3, 3)
    np.testing.assert_allclose(np.trace(cells, axis1=1, axis2=2), whole)
    np.testing.assert_allclose(cells.sum(axis=(1, 2)), 1)
    groups = group_frequencies(votes)
    parts = (groups.averages(masses) * groups.sizes).reshape(2, 3).sum(axis=0) / 60
    np.testing.assert_allclose(parts, class_frequencies(votes).averages(masses))


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_a_rate_is_compared_by_its_sign(rate: float) -> None:
    votes, z = make(1)
    hard = np.eye(3)[z.argmax(axis=1)]
    value = ConditionalRate("rule_1", "x", "y", rate)(votes).averages(by_pattern(votes, hard))[0]
    is_x = hard[:, 0] == 1
    share = (votes.array[is_x, 1] == 1).mean()
    assert value == pytest.approx(is_x.mean() * (share - rate))


def test_written_moments_average_coefficients_over_items() -> None:
    votes, z = make(2)
    moment = LinearMoment("score", {"A": {"x": 2.0, "z": -1.0}, "B": {"y": 0.5}})(votes)
    in_a = votes.groups == 0
    expected = (2 * z[in_a, 0] - z[in_a, 2]).sum() + 0.5 * z[~in_a, 1].sum()
    assert moment.averages(by_pattern(votes, z))[0] == pytest.approx(expected / 60)
    assert (moment.least[0], moment.most[0]) == (-1.0, 2.0)


def test_a_share_within_a_group_binds() -> None:
    """At least 80 % of the items of group A are z: the fit obeys, and says so in its bound's assumption."""
    votes, _ = make(3)
    box = tw.Box.from_bounds(votes).with_bounds(votes, {"frequency(z in A)": (0.8, 1)}, moments=[group_frequencies])
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    proba = model.predict_proba(votes)
    assert proba[votes.groups == 0, 2].mean() == pytest.approx(0.8, abs=1e-8)
    np.testing.assert_allclose(proba[votes.groups == 1], 1 / 3, atol=1e-8)
    share = (votes.groups == 0).mean()
    entropy = -(0.8 * np.log(0.8) + 0.2 * np.log(0.1))
    assert model.certificate_.log_loss_bound == pytest.approx(share * entropy + (1 - share) * np.log(3), abs=1e-8)
    assert "the bounds that were added hold" in str(model.certificate_)


def test_a_written_moment_binds() -> None:
    votes, _ = make(4)
    moment = LinearMoment("x against y", {"A": {"x": 1.0, "y": -1.0}, "B": {"x": 1.0, "y": -1.0}})
    box = tw.Box.from_bounds(votes).with_bounds(votes, {"x against y": (0.25, 1.0)}, moments=[moment])
    proba = tw.BalsubramaniFreund().fit(votes, box=box).predict_proba(votes)
    assert (proba[:, 0] - proba[:, 1]).mean() == pytest.approx(0.25, abs=1e-8)


@pytest.mark.parametrize("builder", [class_accuracies, confusion_cells])
def test_more_moments_from_gold_are_exact_when_everything_is_known(builder: MomentBuilder) -> None:
    rng = np.random.default_rng(5)
    labels, array = make_votes(rng, 80, 2, 3)
    votes = tw.Votes(array, n_classes=3)
    box = tw.Box.from_gold(votes, labels, pool=votes, gold_is="subset", moments=[*STANDARD, builder])
    truth = build_moments(box.builders, votes).averages(by_pattern(votes, np.eye(3)[labels]))
    used = build_moments(box.builders, votes).sizes > 0
    np.testing.assert_allclose(box.lower[used], truth[used])
    np.testing.assert_allclose(box.upper[used], truth[used])


def test_finer_moments_never_loosen_a_bound_of_the_truth() -> None:
    rng = np.random.default_rng(6)
    labels, array = make_votes(rng, 200, 4, 2)
    votes = tw.Votes(array, n_classes=2)
    bounds = []
    for builders in (STANDARD, (*STANDARD, class_accuracies), (*STANDARD, confusion_cells)):
        box = tw.Box.from_gold(votes, labels, pool=votes, gold_is="subset", moments=builders)
        bounds.append(tw.BalsubramaniFreund().fit(votes, box=box).certificate_.log_loss_bound)
    assert bounds[0] >= bounds[1] - 1e-9 >= bounds[2] - 2e-9


def test_identical_rules_share_their_part_of_the_error_for_every_kind() -> None:
    rng = np.random.default_rng(7)
    labels, array = make_votes(rng, 200, 2, 2)
    twice = np.column_stack([array, array[:, 0]])
    widths = []
    for table in (array, twice):
        pool = tw.Votes(table, n_classes=2)
        box = tw.Box.from_gold(
            pool.take(np.arange(60)), labels[:60], pool=pool, gold_is="subset", moments=[*STANDARD, class_accuracies]
        )
        widths.append(dict(zip(box.names, box.upper - box.lower, strict=True)))
    for name, width in widths[0].items():
        assert widths[1][name] == pytest.approx(width), name


def test_unknown_groups_and_classes_are_refused() -> None:
    votes, _ = make(0)
    with pytest.raises(tw.InvalidBoxError, match="group of the votes"):
        LinearMoment("m", {"C": {"x": 1.0}})(votes)
    with pytest.raises(tw.InvalidBoxError, match="class of the votes"):
        LinearMoment("m", {"A": {"w": 1.0}})(votes)
    with pytest.raises(tw.InvalidBoxError, match="item_groups"):
        group_frequencies(tw.Votes([[0, 1], [1, 0]]))
    with pytest.raises(tw.InvalidVotesError, match="one group per item"):
        tw.Votes([[0, 1], [1, 0]], item_groups=["A"])
