"""A plan is today's certificate carried on: its parts are checked against fits that do not go through the planner.

Kills, tried once: further labels taken to be right as often as gold's raw shares say, without making them consistent
(planned boxes that are empty); the part of the budget that a forgotten rule had not given back; kept gold charged as if
it cost something; no stretching of planned intervals to the rates; no part of the budget for a rule that comes to
expect gold votes; gains of the intervals of all rules in place of one; what kept labels save counted as a rule's gain;
opinions that hear a rule that had never been there, or stay where too few rules are left for them; the whole budget for
the counted moments beside a learned opinion; its bound not taken off kept gold; a bound that does not fall.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from scipy.optimize import minimize

import thumbwise as tw
from laws.problems import moments_of, random_votes
from support.problems import item_features
from thumbwise.assess.consistent_rates import Observed, consistent_labeling
from thumbwise.assess.planned_game import pose_without_bounds
from thumbwise.assess.planner import Planner
from thumbwise.assess.planning import Plan, PlanRow, RuleGain, plan
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import count_gold
from thumbwise.box.moments.linear import About, build_moments, one_column
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.opened_gold import open_gold
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.numerics.intervals import hypergeometric_sides

GoldIs = Literal["subset", "separate"]
FEW, MANY = (0.9, 0.8, 0.7), (0.9, 0.8, 0.75, 0.7, 0.7, 0.65, 0.6)  # with and without opinions


def simulate(seed: int, n: int = 400, accuracies: tuple[float, ...] = (0.9, 0.8, 0.7)) -> tuple[tw.Votes, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    right = rng.random((n, len(accuracies))) < accuracies
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    votes[rng.random(votes.shape) < 0.2] = -1
    return tw.Votes(votes, n_classes=2), truth


def certified(gold: tw.Votes, labels: np.ndarray, pool: tw.Votes, gold_is: GoldIs, **options: Any) -> float:
    box = tw.Box.from_gold(gold, labels, pool=pool, gold_is=gold_is, **options)
    return tw.BalsubramaniFreund(caution=1).fit(pool, box=box).certificate_.log_loss_bound


def with_ids(votes: tw.Votes) -> tw.Votes:
    names = [f"item {i}" for i in range(len(votes))]
    return tw.Votes(votes.array, n_classes=votes.n_classes, rule_names=votes.rule_names, item_ids=names)


@pytest.mark.parametrize("accuracies", [FEW, MANY])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_the_first_row_is_the_certificate_of_today(seed: int, gold_is: GoldIs, accuracies: tuple[float, ...]) -> None:
    votes, truth = simulate(seed, accuracies=accuracies)
    pool = votes if gold_is == "subset" else votes.take(range(80, 400))
    gold = votes.take(range(80))
    planned = plan(gold, truth[:80], pool=pool, gold_is=gold_is)
    assert planned.n_gold == 80
    assert planned.bound == pytest.approx(certified(gold, truth[:80], pool, gold_is), abs=1e-6)


@pytest.mark.parametrize("accuracies", [FEW, MANY])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_row_is_the_certificate_of_today_where_gold_keeps_its_label(
    seed: int, accuracies: tuple[float, ...]
) -> None:
    votes, truth = simulate(seed, accuracies=accuracies)
    votes = with_ids(votes)
    gold = votes.take(range(80))
    planned = plan(gold, truth[:80], pool=votes, gold_is="subset")
    loose = plan(gold, truth[:80], pool=votes, gold_is="subset", pin_gold=False)
    assert planned.bound == pytest.approx(certified(gold, truth[:80], votes, "subset"), abs=1e-6)
    assert [row.bound_all for row in planned.rows] == [row.bound * (1 - row.n_gold / 400) for row in planned.rows]
    assert planned.rows[0].bound_all < loose.bound - 0.01  # the mean over all items, of which a fifth costs nothing
    assert planned.rows[-1] == PlanRow(400, 0.0, 0.0)
    assert planned.keeps_gold
    # The floor is about the items without a label: the same game, and nearly the same rates, as without ids.
    assert planned.floor == pytest.approx(loose.floor, abs=0.1)
    assert planned.floor <= planned.bound


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_rules", [3, 5])
@pytest.mark.parametrize("is_kept", [False, True])
def test_worth_is_the_certificate_of_votes_without_the_rule(seed: int, is_kept: bool, n_rules: int) -> None:
    """Of five rules, four are left, and too few for opinions."""
    votes, truth = simulate(seed, accuracies=MANY[:n_rules])
    votes = with_ids(votes) if is_kept else votes
    planned = plan(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    assert {row.rule for row in planned.worth} == set(votes.rule_names)
    for row in planned.worth:
        others = [j for j, name in enumerate(votes.rule_names) if name != row.rule]
        fewer = votes.with_rules(others)
        bound = certified(fewer.take(range(80)), truth[:80], fewer, "subset")
        assert row.bound_without == pytest.approx(bound, abs=1e-6)
        assert row.worth == pytest.approx(bound - planned.bound, abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["subset", "kept", "separate"])
def test_opinions_of_a_box_are_planned_with_and_do_not_hear_a_rule_that_was_never_there(seed: int, kind: str) -> None:
    votes, truth = simulate(seed, accuracies=MANY)
    votes = with_ids(votes) if kind == "kept" else votes
    gold = range(80)
    gold_is: GoldIs = "separate" if kind == "separate" else "subset"
    pool = votes.take(range(80, 400)) if kind == "separate" else votes
    how: dict[str, Any] = {"gold_is": gold_is, "opinions": ("majority",)}
    box = tw.Box.from_gold(votes.take(gold), truth[:80], pool=pool, **how)
    planned = plan(votes.take(gold), truth[:80], pool=pool, gold_is=gold_is, box=box)
    assert planned.bound == pytest.approx(certified(votes.take(gold), truth[:80], pool, **how), abs=1e-6)
    assert planned.bound != pytest.approx(certified(votes.take(gold), truth[:80], pool, gold_is), abs=1e-4)
    for row in planned.worth:
        others = [j for j, name in enumerate(votes.rule_names) if name != row.rule]
        fewer, rest = votes.with_rules(others), pool.with_rules(others)
        bound = certified(fewer.take(gold), truth[:80], rest, **how)
        assert row.bound_without == pytest.approx(bound, abs=1e-6)


def test_worth_beside_a_learned_opinion_is_about_that_of_learning_anew() -> None:
    votes, truth = simulate(1, n=2000, accuracies=MANY)
    planned = plan(votes.take(range(150)), truth[:150], pool=votes, gold_is="subset")
    for row in (planned.worth[0], planned.worth[-1]):
        others = [j for j, name in enumerate(votes.rule_names) if name != row.rule]
        fewer = votes.with_rules(others)
        bound = certified(fewer.take(range(150)), truth[:150], fewer, "subset")
        assert row.bound_without == pytest.approx(bound, abs=0.04)
    assert planned.worth[0].worth > 0.05


@pytest.mark.parametrize("n_gold", [20, 80])
def test_the_learned_opinion_comes_with_thirty_labels_and_its_bound_falls_to_its_loss(n_gold: int) -> None:
    votes, truth = simulate(0, accuracies=MANY)
    sample = open_gold(votes.take(range(n_gold)), truth[:n_gold], votes, "subset")
    box = tw.Box.from_sample(sample)
    planner = Planner(sample, 0.05, False, box)
    learned = planner.panel.learned
    assert learned is not None
    assert [planner.panel.error_for_learned(n) for n in (29, 30)] == [0, 0.9]
    assert planner.bound == pytest.approx(
        certified(votes.take(range(n_gold)), truth[:n_gold], votes, "subset"), abs=1e-6
    )
    bounds = [learned.bound_with(n) for n in (n_gold, 2 * n_gold, 100 * n_gold)]
    excess = np.array(bounds) - learned.loss
    np.testing.assert_allclose(excess[1:], excess[0] * np.array([2, 100]) ** -0.7)
    if n_gold == 80:
        assert bounds[0] == box.upper[-1]
        on_gold = -np.log(_probabilities(box, votes.take(range(80)), truth[:80]))
        assert learned.loss == pytest.approx(on_gold.mean(), abs=1e-12)


def _probabilities(box: tw.Box, gold: tw.Votes, labels: np.ndarray) -> np.ndarray:
    """Those that the learned opinion of a box gives the labels of gold."""
    learned: Any = box.builders[-1]
    return np.asarray(np.exp(-learned.log_losses(gold.patterns))[gold.inverse, labels])


def test_few_labels_are_planned_for_as_if_opinions_would_learn_later() -> None:
    """Without a box of its own the plan makes the same opinions."""
    votes, truth = simulate(0, accuracies=MANY)
    gold = votes.take(range(20))
    sample = open_gold(gold, truth[:20], votes, "subset")
    alone, given = (Planner(sample, 0.05, False, box) for box in (None, tw.Box.from_sample(sample)))
    assert alone.bounds([20, 60, 200]) == pytest.approx(given.bounds([20, 60, 200]), abs=1e-6)
    assert alone.bounds([200])[0] < alone.bound - 0.05


@pytest.mark.parametrize("seed", range(3))
def test_where_no_rule_gains_alone_all_gain_is_through_what_they_say_together(seed: int) -> None:
    votes, truth = simulate(seed, n=2000, accuracies=MANY)
    planned = plan(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    assert [row.gain for row in planned.rule_gains] == pytest.approx([0] * 7, abs=1e-6)
    assert planned.opinion_gain == pytest.approx(planned.random_gain, abs=1e-6)
    assert planned.opinion_gain > 4e-4


def test_a_bound_of_the_learned_opinion_that_no_labeling_reaches_is_stretched_too() -> None:
    votes, truth = simulate(0, accuracies=MANY)
    planner = Planner(open_gold(votes.take(range(80)), truth[:80], votes, "subset"), 0.05, False)
    learned = planner.panel.learned
    assert learned is not None
    sure = replace(learned, bound=learned.least, losses=np.full(80, learned.least))
    game = replace(planner.game, panel=replace(planner.panel, learned=sure))
    assert game.solve_exactly(planner.state).is_infeasible
    solution = game.solve(planner.state)
    assert not solution.is_infeasible
    assert planner.floor() - 1e-6 <= solution.dual_value <= planner.bound


def test_without_opinions_in_the_box_there_are_none_in_the_plan() -> None:
    votes, truth = simulate(0, accuracies=MANY)
    gold = votes.take(range(80))
    box = tw.Box.from_gold(gold, truth[:80], pool=votes, gold_is="subset", opinions=())
    planned = plan(gold, truth[:80], pool=votes, gold_is="subset", box=box)
    assert planned.bound == pytest.approx(certified(gold, truth[:80], votes, "subset", opinions=()), abs=1e-6)
    assert planned.opinion_gain == 0
    assert plan(gold, truth[:80], pool=votes, gold_is="subset").opinion_gain > 1e-4


@pytest.mark.parametrize("accuracies", [FEW, MANY])
@pytest.mark.parametrize("seed", range(5))
def test_more_labels_never_hurt_and_never_pass_the_floor(seed: int, accuracies: tuple[float, ...]) -> None:
    votes, truth = simulate(seed, accuracies=accuracies)
    planned = plan(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    bounds = np.array(planned.frame()["planned_bound"])
    assert planned.frame()["n_gold"][-1] == 400
    assert (bounds >= planned.floor - 1e-6).all()
    # A moment that becomes worth a part of the budget, and rounding of counts, may lift the bound a little.
    assert np.diff(bounds).max() < 0.01
    assert bounds[-1] == pytest.approx(planned.floor, abs=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_the_floor_at_the_truth_is_the_loss_of_the_best_approximator(seed: int) -> None:
    """With nearly all of many items labeled the consistent rates are the true ones."""
    votes, truth = simulate(seed, n=4000)
    planned = plan(votes.take(range(3999)), truth[:3999], pool=votes, gold_is="subset")
    best = tw.BalsubramaniFreund().fit(votes, box=tw.Box.exact(votes, truth)).certificate_.log_loss_bound
    assert planned.floor == pytest.approx(best, abs=0.01)


@pytest.mark.parametrize("kind", ["subset", "kept", "separate"])
@pytest.mark.parametrize("seed", range(2))
def test_gain_is_what_a_box_gains_in_which_one_rule_has_the_votes_of_a_hundred_more_labels(
    seed: int, kind: str
) -> None:
    """The rule's interval from its expected share of 100 further items, at its rate; everything else as it was."""
    votes, truth = simulate(seed)
    votes = with_ids(votes) if kind == "kept" else votes
    pool = votes.take(range(80, 400)) if kind == "separate" else votes
    gold_is: GoldIs = "separate" if kind == "separate" else "subset"
    planned = plan(votes.take(range(80)), truth[:80], pool=pool, gold_is=gold_is)
    gains = [row.gain for row in planned.rule_gains]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 1e-4
    for row in planned.rule_gains:
        rule = votes.rule_names.index(row.rule)
        n_left = int((votes.array[80:, rule] >= 0).sum())
        rates = consistent(votes.take(range(80, 400)) if kind != "subset" else votes, votes, truth[:80], gold_is)
        fresh, rate = round(100 * n_left / 320), float(rates[rule])
        bound = bound_with_more(votes, truth, rule, fresh, rate, kind=kind)
        assert row.gain == pytest.approx((planned.bound - bound) / 100, abs=1e-5)
        assert row.n_unlabeled == n_left


def bound_with_more(
    votes: tw.Votes, truth: np.ndarray, rule: int, fresh: int, rate: float, n: int = 80, kind: str = ""
) -> float:
    """All intervals by counting on the first n items, one rule's with further votes that are right at a rate.

    Between two whole numbers of right ones, in proportion. Kept gold is taken off what is bounded and off the game.
    """
    parts = budget(votes, rule, n, kind)
    bounds = np.zeros((2, votes.n_rules + 2))
    for m in range(votes.n_rules + 2):
        says = votes.array[:, m] if m < votes.n_rules else np.full(len(truth), m - votes.n_rules)
        is_right, more = says == truth, fresh if m == rule else 0
        right, drawn = is_right[:n].sum() + more * rate, (says >= 0)[:n].sum() + more
        everywhere = (says >= 0).sum() + (more if kind == "separate" else 0)
        ends = [
            hypergeometric_sides(int(right) + i, drawn, everywhere, *parts[m])
            for i in (0, 1)
            if int(right) + i <= drawn
        ]
        weights = [1 - right % 1, right % 1]
        total = np.sum([weight * np.array(pair) for weight, pair in zip(weights, ends, strict=False)], axis=0)
        if kind in ("kept", "separate"):
            total, everywhere = total - right, everywhere - drawn
        bounds[:, m] = np.clip(total / everywhere, 0, 1)
    items = votes.take(range(n, len(truth))) if kind in ("kept", "separate") else votes
    box = tw.Box.from_bounds(items, lower=bounds[0], upper=bounds[1])
    return tw.BalsubramaniFreund(caution=1).fit(items, box=box).certificate_.log_loss_bound


def budget(votes: tw.Votes, rule: int, n: int, kind: str) -> list[tuple[float, float]]:
    """Error below and above of each rule and class: as the roots of expected gold votes, 0.6 for both classes together.

    One rule expects those of a hundred labels more.
    """
    n_votes, n_all = (votes.array >= 0).sum(axis=0).astype(float), len(votes)
    expected = n_votes * n / n_all
    if kind == "separate":  # further gold comes on top of the 400 items
        fresh = round(100 * (votes.array[n:, rule] >= 0).sum() / (n_all - n))
        expected[rule] = (n_votes[rule] + fresh) * (n + 100) / (n_all + 100)
    else:
        expected[rule] = n_votes[rule] * (n + 100) / n_all
    weights = np.where(expected >= 3, np.sqrt(expected / max(*expected, n)), 0)
    shares = 0.05 * weights / (weights.sum() + 0.6)
    return [*((0.95 * share, 0.05 * share) for share in shares), *[(0.5 * 0.05 * 0.6 / (weights.sum() + 0.6),) * 2] * 2]


def test_a_rule_that_comes_to_expect_gold_votes_takes_its_part_of_the_budget() -> None:
    """25 votes among 400 items: 0.94 gold votes are expected of 15 labels, 7.2 of 115; below three there is no part."""
    votes, truth = simulate(2)
    array = np.column_stack([votes.array, np.where(np.arange(400) % 16 == 15, truth, -1)])
    array[15, 3], array[14, 3] = -1, truth[14]  # one of the votes is on a gold item
    votes = tw.Votes(array, n_classes=2)
    assert (array[:, 3] >= 0).sum() == 25
    gold = votes.take(range(15))
    planned = plan(gold, truth[:15], pool=votes, gold_is="subset")
    row = next(row for row in planned.rule_gains if row.rule == "rule_3")
    fresh, rate = round(100 * 24 / 385), float(consistent(votes, votes, truth[:15])[3])
    bound = bound_with_more(votes, truth, 3, fresh, rate, 15)
    assert row.gain == pytest.approx((planned.bound - bound) / 100, abs=1e-6)
    assert row.gain < -1e-5  # what its part takes from the others is more than it brings


def consistent(game: tw.Votes, votes: tw.Votes, labels: np.ndarray, gold_is: GoldIs = "subset") -> np.ndarray:
    """Rates on the items of the game, from the labels of the first of all items."""
    pool = game if gold_is == "separate" else votes
    counts = count_gold(votes.take(range(len(labels))), labels, pool, gold_is)
    problem = pose_without_bounds(build_moments(STANDARD, game), game.patterns.counts)
    return consistent_labeling(problem, Observed.of(counts)).moments


@pytest.mark.parametrize("seed", range(4))
def test_consistent_rates_maximise_what_they_should(seed: int) -> None:
    """The same maximum from a general optimiser on labelings, item by item; with the mean of a number beside shares."""
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    votes, truth = random_votes(rng, 12, 3, k)
    gold = rng.permutation(12)[:7]
    column, losses = rng.random((votes.patterns.n_patterns, k)), rng.random(7)
    counts = count_gold(votes.take(gold), truth[gold], votes, "subset")
    rate = (counts.right + 2) / (counts.drawn + 4)
    alike = np.array([counts.keys.count(key) for key in counts.keys])
    seen = np.append((counts.drawn > 0) & (counts.pool > 0), True)
    error2 = np.append(alike * rate * (1 - rate) / np.maximum(counts.drawn, 1), losses.var() / 7)
    observed = np.append(counts.right / np.maximum(counts.drawn, 1), losses.mean())
    sizes = np.maximum(item_features(votes).max(axis=1).sum(axis=0), 1)
    features = np.concatenate([item_features(votes) / sizes, column[votes.inverse][:, :, None] / 12], axis=2)

    def loss(scores: np.ndarray) -> float:
        z = np.exp(scores.reshape(12, k))
        z /= z.sum(axis=1, keepdims=True)
        off = np.einsum("icm,ic->m", features, z) - observed
        entropy = -(z * np.log(z)).sum() / 12
        return float((off[seen] ** 2 / error2[seen]).sum() / 2 - 10 * entropy)

    best = minimize(loss, np.zeros(12 * k), method="BFGS", options={"gtol": 1e-9})
    z = np.exp(best.x.reshape(12, k))
    z /= z.sum(axis=1, keepdims=True)
    moments = build_moments(STANDARD, votes) + one_column(About("number", "number", "own"), column, 12)
    problem = pose_without_bounds(moments, votes.patterns.counts)
    labeling = consistent_labeling(problem, Observed.of(counts).with_mean(losses))
    np.testing.assert_allclose(labeling.moments[:-1], moments_of(votes.array, z), atol=1e-4)
    assert labeling.moments[-1] == pytest.approx((column[votes.inverse] * z).sum() / 12, abs=1e-4)


def test_contradicting_gold_is_planned_for_and_named() -> None:
    """Two rules that always disagree, and gold on which each is right: no labeling does that."""
    rng = np.random.default_rng(0)
    first = rng.integers(2, size=400)
    array = np.column_stack([first, 1 - first])
    array[:50, 1], array[50:100, 0] = -1, -1
    votes = tw.Votes(array, n_classes=2)
    labels = np.where(np.arange(100) < 50, first[:100], 1 - first[:100])
    planned = plan(votes.take(range(100)), labels, pool=votes, gold_is="subset")
    assert not planned.is_consistent
    # On the 300 items where both vote, neither can be much better than chance; the others are settled.
    assert planned.floor == pytest.approx(0.75 * np.log(2), abs=0.005)
    assert all(planned.floor - 1e-6 <= row.bound <= np.log(2) + 1e-6 for row in planned.rows)
    assert "What to do: check the gold labels" in str(planned)


@pytest.mark.parametrize("accuracies", [FEW, MANY])
def test_a_copy_changes_no_plan_and_each_copy_alone_is_worth_nothing(accuracies: tuple[float, ...]) -> None:
    votes, truth = simulate(3, accuracies=accuracies)
    names = ["a", "copy", *(f"other {j}" for j in range(1, len(accuracies)))]
    twice = votes.with_rules([0, *range(len(accuracies))]).with_rule_names(names)
    once = plan(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    often = plan(twice.take(range(80)), truth[:80], pool=twice, gold_is="subset")
    np.testing.assert_allclose(often.frame()["planned_bound"], once.frame()["planned_bound"], atol=1e-6)
    assert often.floor == pytest.approx(once.floor, abs=1e-6)
    worth = {row.rule: row.worth for row in often.worth}
    assert worth["a"] == pytest.approx(0, abs=1e-6)
    assert worth["copy"] == pytest.approx(0, abs=1e-6)
    assert once.worth[0].worth > 0.01


PROVED = Evidence("counted", "pigs fly", 0.95, True)
WRITTEN = Evidence("written", "pigs fly", None, True)
BELIEVED = Evidence("guessed", "pigs fly", 0.95, False)


def made(bounds: list[float], **other: object) -> Plan:
    rows = tuple(PlanRow(100 * 2**i, bound, bound) for i, bound in enumerate(bounds))
    values = {"floor": 0.2, "rule_gains": (), "random_gain": 0.001, "worth": (), "guessing": np.log(2), **other}
    return Plan(rows=rows, **values)


def test_needed_inverts_a_bound_that_falls_with_the_root() -> None:
    planned = made([0.2 + 4 / np.sqrt(100 * 2**i) for i in range(6)])
    for n in (101, 150, 777, 3200):
        assert planned.needed(0.2 + 4 / np.sqrt(n)) == n
    assert planned.needed(0.9) == 100
    assert planned.needed(0.2) is None


def test_needed_does_not_mind_a_bound_that_rises_for_a_while() -> None:
    assert made([0.5, 0.6, 0.3]).needed(0.4) is not None
    assert made([0.5, 0.4, 0.45]).needed(0.41) == made([0.5, 0.4]).needed(0.41)


@pytest.mark.parametrize(
    ("planned", "words"),
    [
        (made([0.6, 0.5, 0.45], floor=0.57), "write better rules; knowing these exactly would take about 0.030 off"),
        (made([0.65, 0.6, 0.58], floor=0.55), "write better rules"),
        (
            made([0.6, 0.5, 0.4], keeps_gold=True, evidence=PROVED),
            "With 95 % confidence the mean log loss on the items without a gold label is at most 0.600 .* caution 1",
        ),
        (made([0.6, 0.5, 0.4]), "label more items drawn at random from .* each lowers the bound by about 0.00100"),
        (made([0.6, 0.5, 0.4]), "^With the 100 gold labels of today the bound is about 0.600"),
        (made([0.6, 0.5, 0.4], evidence=PROVED), "With 95 % confidence .* at most 0.600 .* if pigs fly. Planned"),
        (made([0.6, 0.5, 0.4], evidence=WRITTEN), "The mean log loss .* at most 0.600 .* if pigs fly. Planned"),
        (made([0.6, 0.5, 0.4], evidence=BELIEVED), "No guarantee: the intervals are guessed, and nothing bounds"),
        (made([0.6, 0.5, 0.4], target=0.45), r"needs about 27\d gold labels"),
        (made([0.6, 0.5, 0.4], target=0.1), "No number of gold labels up to 400 is expected to reach 0.1"),
        (made([0.6, 0.5, 0.4], target=0.1), "write better rules"),
        (made([0.6, 0.5, 0.4], target=0.7), "is reached. What to do: nothing more"),
    ],
)
def test_what_to_do(planned: Plan, words: str) -> None:
    import re

    assert re.search(words, str(planned))


@pytest.mark.parametrize("gain", [0.0, 0.002, 1.0])
def test_no_rule_decides_what_is_labeled(gain: float) -> None:
    """Items chosen by a rule's votes would be no random sample."""
    said = str(made([0.6, 0.5, 0.4], rule_gains=(RuleGain("caps", gain, 50),)))
    assert "caps" not in said
    assert said == str(made([0.6, 0.5, 0.4]))


@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_today_is_said_with_the_level_and_the_assumption_of_the_box(gold_is: GoldIs) -> None:
    votes, truth = simulate(0)
    pool = votes if gold_is == "subset" else votes.take(range(80, 400))
    gold = votes.take(range(80))
    said = str(plan(gold, truth[:80], pool=pool, gold_is=gold_is, confidence_level=0.9))
    box = tw.Box.from_gold(gold, truth[:80], pool=pool, gold_is=gold_is, confidence_level=0.9)
    assert said.startswith("With 90 % confidence the mean log loss on these items is at most ")
    assert f"if {box.evidence.assumption}. Planned" in said


def test_gold_that_is_no_random_sample_gets_no_guarantee_from_a_plan() -> None:
    votes, truth = simulate(0)
    picked = np.flatnonzero(votes.array[:, 0] == 1)[:80]
    gold, labels = votes.take(picked), truth[picked]
    box = tw.Box.from_gold(gold, labels, pool=votes, gold_is="subset")
    assert not box.evidence.is_guarantee
    planned = plan(gold, labels, pool=votes, gold_is="subset")
    assert planned.evidence is not None
    assert planned.evidence.weakness == box.evidence.weakness
    assert "confidence the mean" not in str(planned)


def test_bad_arguments() -> None:
    votes, truth = simulate(0)
    with pytest.raises(InvalidBoxError, match="target must be a mean log loss above 0; found -1"):
        plan(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset", target=-1)
    with pytest.raises(InvalidBoxError, match="confidence_level must lie between 0 and 1"):
        plan(votes.take(range(80)), truth[:80], pool=votes, confidence_level=95)
    with pytest.raises(InvalidLabelsError, match="all 400 of the pool are gold"):
        plan(votes, truth, pool=votes, gold_is="subset")


def test_one_gold_label_and_a_rule_without_gold_votes() -> None:
    votes, truth = simulate(1)
    array = votes.array.copy()
    array[:5, 2] = -1
    votes = tw.Votes(array, n_classes=2)
    for n in (1, 5):
        planned = plan(votes.take(range(n)), truth[:n], pool=votes, gold_is="subset")
        assert np.isfinite(planned.frame()["planned_bound"]).all()
        assert np.isfinite([row.gain for row in planned.rule_gains]).all()
