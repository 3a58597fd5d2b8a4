"""The test of gold against pool fires as seldom as it says on random samples, and does fire on others.

Thresholds of the simulations have a false-alarm rate of one in a million. Kills, tried once: ``sf(gold)`` for
``sf(gold - 1)``, no factor in Holm's correction, draws with replacement, separate gold left out of the population
(rates on random samples); sums in place of products of votes (joint shift among rare patterns); keys of patterns that
are plain sums (opposites); the whole error for both parts; a p-value of 0 for gold beyond all draws; no distance of
class shares, or none of agreement; items without votes counted as votes for nothing.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom, hypergeom

import thumbwise as tw
from support.paper import PaperData, load_paper
from thumbwise.box.gold_checks import sample_check, sample_omnibus, sample_population
from thumbwise.box.gold_checks.sample_check import SampleCheck, check_sample

GoldIs = Literal["separate", "subset"]
Array = npt.NDArray[Any]
FALSE_ALARM = 1e-6
MODES: tuple[GoldIs, ...] = ("separate", "subset")


def split(votes: tw.Votes, is_gold: Array, gold_is: GoldIs) -> tuple[tw.Votes, tw.Votes]:
    return votes.take(is_gold), votes if gold_is == "subset" else votes.take(~is_gold)


def draw(rng: np.random.Generator, n_items: int, n_gold: int) -> Array:
    return rng.permutation(n_items) < n_gold


def dependent_rules(rng: np.random.Generator, n: int) -> Array:
    """Three classes; rules that see the same noisy reading, one of them twice, rare rules, a silent rule."""
    shared = rng.choice(3, size=n, p=[0.6, 0.3, 0.1])
    votes = np.column_stack([shared, shared, shared, rng.integers(3, size=n), shared])
    votes = np.where(rng.random(votes.shape) < 0.2, rng.integers(3, size=votes.shape), votes)
    votes[rng.random(votes.shape) < [0.0, 0.2, 0.5, 0.9, 0.97]] = -1
    return np.column_stack([votes, votes[:, 1], np.full(n, -1)])


def assert_rate_is_kept(checks: list[SampleCheck], error: float) -> None:
    n = len(checks)
    assert sum(check.fires for check in checks) <= binom.ppf(1 - FALSE_ALARM, n, error)
    assert sum(check.smallest_p_value <= error / 2 for check in checks) <= binom.ppf(1 - FALSE_ALARM, n, error / 2)
    # The permutation test is exact up to ties: not only seldom enough, but about as often as it may.
    for level in (error / 2, 0.2, 0.5, 0.8):
        low = sum((check.omnibus_p_value or 0.0) <= level for check in checks)
        assert binom.ppf(FALSE_ALARM, n, level) <= low <= binom.ppf(1 - FALSE_ALARM, n, level)


@pytest.mark.parametrize("gold_is", MODES)
def test_random_samples_of_dependent_rules_are_seldom_accused(gold_is: GoldIs) -> None:
    rng = np.random.default_rng(3)
    checks = []
    for trial in range(300):
        votes = tw.Votes(dependent_rules(rng, 300), n_classes=3)
        gold, pool = split(votes, draw(rng, 300, 150), gold_is)
        check = check_sample(gold, pool, gold_is=gold_is, error=0.05, n_permutations=99, random_state=trial)
        checks.append(check)
    assert_rate_is_kept(checks, 0.05)


@pytest.mark.parametrize("gold_is", MODES)
@pytest.mark.parametrize(("name", "n_trials"), [("basketball", 100), ("sms", 60), ("youtube", 150)])
def test_random_redraws_of_real_items_are_seldom_accused(name: str, n_trials: int, gold_is: GoldIs) -> None:
    data = load_paper(name)
    votes = tw.Votes(np.vstack([data.votes.array, data.gold_votes.array]), n_classes=data.votes.n_classes)
    rng = np.random.default_rng(4)
    checks = []
    for trial in range(n_trials):
        gold, pool = split(votes, draw(rng, votes.n_items, 100), gold_is)
        check = check_sample(gold, pool, gold_is=gold_is, error=0.05, n_permutations=99, random_state=trial)
        checks.append(check)
    assert_rate_is_kept(checks, 0.05)


@pytest.mark.parametrize("gold_is", MODES)
def test_very_many_patterns_keep_the_rate_and_the_power(gold_is: GoldIs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a random part of the items is looked at then, here forced by lower limits."""
    monkeypatch.setattr(sample_omnibus, "_MAX_PATTERNS", 60)
    monkeypatch.setattr(sample_omnibus, "_MAX_GOLD", 20)
    rng = np.random.default_rng(5)
    checks, found = [], 0
    for trial in range(200):
        array = rng.integers(-1, 2, size=(150, 8))
        gold, pool = split(tw.Votes(array, n_classes=2), draw(rng, 150, 30), gold_is)
        checks.append(check_sample(gold, pool, gold_is=gold_is, error=0.05, n_permutations=99, random_state=trial))
    assert_rate_is_kept(checks, 0.05)
    for trial in range(20):
        array = rng.integers(-1, 2, size=(150, 8))
        array[:30] = array[:30, :1]  # on gold the rules all say the same
        gold, pool = split(tw.Votes(array, n_classes=2), np.arange(150) < 30, gold_is)
        check = check_sample(gold, pool, gold_is=gold_is, error=0.05, n_permutations=99, random_state=trial)
        found += (check.omnibus_p_value or 0.0) <= 0.025
    assert found >= 15


TINY = [
    np.array([[0, 1], [0, -1], [1, 1], [-1, 0], [0, 0], [-1, -1], [0, 1], [1, -1], [0, -1]]),
    np.array([[0, 0, 2], [1, 0, -1], [2, 0, -1], [0, 0, -1], [1, 0, 2], [0, 0, 0], [0, 0, 1]]),
]


def by_enumeration(array: Array, sample: tuple[int, ...], rule: int, wanted: set[int]) -> float:
    """Twice the smaller share of all samples with as few, or as many, such votes; at most 1."""
    hits = np.isin(array[:, rule], list(wanted))
    seen = int(hits[list(sample)].sum())
    numbers = np.array([hits[list(other)].sum() for other in combinations(range(len(array)), len(sample))])
    return min(1.0, 2 * min(float(np.mean(numbers <= seen)), float(np.mean(numbers >= seen))))


@pytest.mark.parametrize("gold_is", MODES)
@pytest.mark.parametrize("array", TINY)
def test_p_values_of_rules_are_those_of_all_samples_counted(array: Array, gold_is: GoldIs) -> None:
    n_classes, n_gold = int(array.max()) + 1, 4
    votes = tw.Votes(array, n_classes=n_classes)
    whats = [set(range(n_classes)), *({c} for c in range(n_classes))]
    smallest = []
    for sample in combinations(range(len(array)), n_gold):
        is_gold = np.isin(np.arange(len(array)), sample)
        check = check_sample(*split(votes, is_gold, gold_is), gold_is=gold_is, error=0.2, n_permutations=9)
        expected = [by_enumeration(array, sample, rule, what) for rule, what in product(range(array.shape[1]), whats)]
        np.testing.assert_allclose([row.p_value for row in check.rows], expected, rtol=1e-9)
        assert all(row.p_value <= row.adjusted_p_value <= 1 for row in check.rows)
        smallest.append(check.smallest_p_value)
    # Over all equally likely samples, the corrected p-values are valid at every level.
    for level in set(smallest):
        assert np.mean(np.array(smallest) <= level) <= level + 1e-9


@pytest.mark.parametrize(("n_items", "n_gold"), [(7, 3), (200, 90), (5000, 200), (100_000, 150)])
def test_p_values_are_twice_the_tails_that_scipy_has(n_items: int, n_gold: int) -> None:
    rng = np.random.default_rng(n_items)
    everywhere = np.append(rng.integers(0, n_items + 1, 60), [0, n_items, 1, n_items - 1])
    draws = [rng.hypergeometric(whole, n_items - whole, n_gold, 5) for whole in everywhere]
    ends = [(max(0, n_gold - n_items + whole), min(n_gold, whole)) for whole in everywhere]
    gold = np.concatenate([np.append(some, end) for some, end in zip(draws, ends, strict=True)])
    whole = np.repeat(everywhere, 7)
    upper, lower = hypergeom.sf(gold - 1, n_items, whole, n_gold), hypergeom.cdf(gold, n_items, whole, n_gold)
    expected = 2 * np.minimum(upper, lower)
    found = sample_check.two_sided_p_values(gold, n_gold, whole, n_items)
    np.testing.assert_allclose(found, np.minimum(expected, 1), rtol=1e-8, atol=1e-250)


def test_holms_correction_counts_the_tests_that_are_left() -> None:
    """Independent rules, so six tests; the factors are 6, 5, ... down the sorted p-values, and never decrease."""
    rng = np.random.default_rng(6)
    gold, pool = rng.integers(-1, 2, size=(40, 2)), rng.integers(-1, 2, size=(60, 2))
    check = check_sample(tw.Votes(gold, n_classes=2), tw.Votes(pool, n_classes=2), gold_is="separate")
    rows = sorted(check.rows, key=lambda row: row.p_value)
    expected = np.maximum.accumulate([(6 - i) * row.p_value for i, row in enumerate(rows)])
    assert check.n_tests == 6
    np.testing.assert_allclose([row.adjusted_p_value for row in rows], np.minimum(expected, 1))


def test_the_same_comparison_is_counted_once() -> None:
    """Copies of a rule, classes that are each other's opposite, and rules that cannot differ cost nothing."""
    rng = np.random.default_rng(7)
    gold, pool = rng.integers(2, size=(30, 3)), rng.integers(2, size=(70, 3))
    plain = check_sample(tw.Votes(gold), tw.Votes(pool), gold_is="separate")
    more_gold = np.column_stack([gold, gold[:, 0], 1 - gold[:, 1], np.ones(30, int)])
    more_pool = np.column_stack([pool, pool[:, 0], 1 - pool[:, 1], np.ones(70, int)])
    more = check_sample(tw.Votes(more_gold), tw.Votes(more_pool), gold_is="separate")
    assert (plain.n_tests, more.n_tests) == (3, 3)
    np.testing.assert_allclose(
        [row.adjusted_p_value for row in more.rows[:9]], [row.adjusted_p_value for row in plain.rows]
    )


def test_an_opposite_is_not_mistaken_where_some_items_get_neither_vote() -> None:
    """Classes 0 and 1 of one rule, on all items but the silent ones: three comparisons, not two."""
    votes = tw.Votes([[0]] * 10 + [[1]] * 20 + [[-1]] * 30)
    assert check_sample(votes.take(np.arange(5)), votes, gold_is="subset").n_tests == 3


def test_each_part_gets_half_of_the_error() -> None:
    check = SampleCheck(0.05, 0.03, (), 0, "subset")
    assert (check.p_value, check.fires) == (0.06, False)
    assert SampleCheck(0.05, 0.025, (), 0, "subset").fires


def publish(name: str) -> tuple[PaperData, SampleCheck]:
    data = load_paper(name)
    return data, check_sample(data.gold_votes, data.votes, gold_is="separate")


def test_it_fires_on_the_validation_split_of_basketball() -> None:
    data, check = publish("basketball")
    assert check.fires
    assert check.smallest_p_value < 1e-6
    assert check.omnibus_p_value == 1 / 1000
    assert check.strangest is not None
    assert check.strangest.rule == "rule_3"
    rng = np.random.default_rng(8)
    draws = [data.gold_votes.take(rng.permutation(1064)[:100]) for _ in range(100)]
    fired = sum(check_sample(gold, data.votes, gold_is="separate").fires for gold in draws)
    assert fired > binom.ppf(1 - FALSE_ALARM, 100, 0.01)  # a random sample would not be accused so often


def test_the_votes_of_sms_are_those_of_a_random_sample_and_only_its_labels_are_not() -> None:
    """No test of votes can see this split's fault: its labels fit its votes no better than shuffled ones would."""
    data, check = publish("sms")
    assert not check.fires
    assert check.p_value > 0.5
    rng = np.random.default_rng(9)
    for votes, labels, related in (
        (data.gold_votes, data.gold_labels, False),
        (data.votes, data.labels, True),
    ):
        right = (votes.array == labels[:, np.newaxis]).sum()
        shuffled = [(votes.array == rng.permutation(labels)[:, np.newaxis]).sum() for _ in range(99)]
        assert (right > max(shuffled)) == related


def test_gold_with_more_hard_items_is_found_out() -> None:
    """Items on which the rules disagree are four times as likely to be gold. No rule shows it on its own."""
    rng = np.random.default_rng(10)
    checks = []
    for trial in range(20):
        array = dependent_rules(rng, 2000)
        hard = np.array([len(set(row) - {-1}) > 1 for row in array[:, :3]])
        chance = np.where(hard, 4.0, 1.0)
        gold = rng.choice(2000, size=150, replace=False, p=chance / chance.sum())
        votes = tw.Votes(array, n_classes=3)
        checks.append(check_sample(votes.take(gold), votes, gold_is="subset", random_state=trial))
    assert sum(check.fires for check in checks) >= 18
    assert sum(check.smallest_p_value <= 0.005 for check in checks) <= 5


def cube(rows: list[tuple[int, ...]], times: int) -> Array:
    return np.repeat(np.array(rows), times, axis=0)


JOINT_SHIFTS = {
    "two rules that always agree": (cube([(0, 0), (1, 1)], 50), cube([(0, 0), (0, 1), (1, 0), (1, 1)], 250)),
    "three rules of even parity": (
        cube([row for row in product((0, 1), repeat=3) if sum(row) % 2 == 0], 25),
        cube(list(product((0, 1), repeat=3)), 125),
    ),
}


@pytest.mark.parametrize("shift", JOINT_SHIFTS)
def test_a_joint_shift_with_equal_shares_is_seen_by_the_omnibus_part_alone(shift: str) -> None:
    gold, pool = (tw.Votes(array) for array in JOINT_SHIFTS[shift])
    check = check_sample(gold, pool, gold_is="separate")
    assert check.smallest_p_value == 1
    assert check.omnibus_p_value == 1 / 1000
    assert check.fires
    assert "taken together" in str(check)


def test_a_joint_shift_is_seen_where_every_pattern_is_rare() -> None:
    """Fifteen more rules make almost all patterns unique, so that only pairs of votes can show it."""
    rng = np.random.default_rng(11)
    fired = 0
    for trial in range(20):
        gold, pool = (np.array(array) for array in JOINT_SHIFTS["two rules that always agree"])
        gold, pool = np.repeat(gold, 2, axis=1), np.repeat(pool, 2, axis=1)
        noisy = [np.column_stack([a, rng.integers(2, size=(len(a), 15))]) for a in (gold, pool)]
        check = check_sample(*map(tw.Votes, noisy), gold_is="separate", random_state=trial)
        fired += (check.omnibus_p_value or 0.0) <= 0.005
    assert fired >= 18


def rows_by_name(check: SampleCheck) -> dict[tuple[str, str], tuple[float, ...]]:
    return {
        (row.rule, str(row.what)): (row.gold_share, row.population_share, row.p_value, row.adjusted_p_value)
        for row in check.rows
    }


def test_the_answer_depends_on_the_seed_alone_and_not_on_any_order() -> None:
    rng = np.random.default_rng(12)
    votes = tw.Votes(dependent_rules(rng, 200), n_classes=3)
    gold, pool = votes.take(np.arange(60)), votes.take(np.arange(60, 200))
    check = check_sample(gold, pool, gold_is="separate")
    assert check == check_sample(gold, pool, gold_is="separate")
    shuffled = [part.take(rng.permutation(part.n_items)) for part in (gold, pool)]
    assert check == check_sample(*shuffled, gold_is="separate")
    rules = rng.permutation(votes.n_rules).tolist()
    other = check_sample(gold.with_rules(rules), pool.with_rules(rules), gold_is="separate")
    assert other.omnibus_p_value == check.omnibus_p_value
    assert rows_by_name(other) == rows_by_name(check)


def test_gold_that_is_the_whole_pool_or_one_item_is_never_strange() -> None:
    votes = tw.Votes(dependent_rules(np.random.default_rng(13), 50), n_classes=3)
    assert check_sample(votes, votes, gold_is="subset").p_value == 1
    assert not check_sample(votes.take([0]), votes, gold_is="subset").fires
    silent = tw.Votes(np.full((20, 2), -1), n_classes=2)
    assert check_sample(silent, silent, gold_is="separate").p_value == 1


def test_the_sentences() -> None:
    pool = tw.Votes([["ham"]] * 300 + [[None]] * 700, rule_names=["polite"], class_names=["ham", "spam"])
    assert str(check_sample(pool, pool, gold_is="subset")) == (
        "Nothing in the votes speaks against gold being a random sample (smallest corrected p-value 1, omnibus 1), "
        "which proves nothing about the labels themselves."
    )
    fired = check_sample(pool.take(np.arange(100)), pool.take(np.arange(100, 1000)), gold_is="separate")
    assert str(fired).startswith(
        "The votes show that gold was not drawn at random like the items to be labeled: rule 'polite' votes on 100 % "
        "of the gold items but on 30 % of all (p = "
    )
    gives = sample_check.SampleRow("polite", "ham", 0.5, 0.3, 1e-320, 1e-320)
    assert str(SampleCheck(0.01, 0.001, (gives,), 146, "subset")) == (
        "The votes show that gold is not a random sample of all items: rule 'polite' gives class 'ham' to 50 % of the "
        "gold items but to 30 % of all (p < 1e-300 after correction for 146 tests)."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gold_is": "sample"}, "gold_is must be one of 'separate', 'subset'; found 'sample'"),
        ({"error": 1.0}, "error must lie between 0 and 1"),
        ({"error": 0.001}, "n_permutations must be at least .* Pass n_permutations=1999"),
        ({"gold": tw.Votes([[0, 1]] * 9), "gold_is": "subset"}, "found 9 gold items but only 4 items in the pool"),
        ({"gold": tw.Votes([[1, 1]] * 2), "gold_is": "subset"}, "2 gold items but only 1 items .* same votes"),
        ({"gold": tw.Votes([[0, 1, 1]])}, "gold has 3 rules and 2 classes, the pool 2 rules and 2 classes"),
        ({"gold": tw.Votes([[0, 1]], rule_names=["rule_0", "b"])}, "gold says 'b' where the pool says 'rule_1'"),
        ({"gold": tw.Votes([[0, 1]]).take(np.zeros(1, bool))}, "at least one gold item"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, Any], message: str) -> None:
    pool = tw.Votes([[0, 1], [1, 1], [0, 0], [1, 0]])
    with pytest.raises(tw.InvalidLabelsError, match=message):
        check_sample(**{"gold": pool.take([0]), "pool": pool, "gold_is": "separate", **arguments})


def test_of_one_rule_with_two_classes_the_omnibus_part_is_a_hypergeometric_tail() -> None:
    """Every distance grows with how far the count is from what is expected, so samples farther away are counted."""
    n_items, n_ones, n_gold, n_permutations = 60, 24, 20, 1999
    pool = tw.Votes([[1]] * n_ones + [[0]] * (n_items - n_ones))
    expected = n_gold * n_ones / n_items
    possible = np.arange(n_gold + 1)
    for ones in (2, 4, 6, 8, 11, 12, 14):
        gold = tw.Votes([[1]] * ones + [[0]] * (n_gold - ones))
        check = check_sample(gold, pool, gold_is="subset", n_permutations=n_permutations, random_state=ones)
        far = np.abs(possible - expected) >= abs(ones - expected) - 1e-9
        tail = float(np.sum(hypergeom.pmf(possible[far], n_items, n_ones, n_gold)))
        assert check.omnibus_p_value is not None
        others = round(check.omnibus_p_value * (n_permutations + 1)) - 1
        assert binom.ppf(FALSE_ALARM, n_permutations, tail) <= others
        assert others <= binom.ppf(1 - FALSE_ALARM, n_permutations, tail)


def test_shares_of_classes_and_agreement_are_those_counted_item_by_item() -> None:
    rng = np.random.default_rng(14)
    array = dependent_rules(rng, 120)
    array[:5] = -1
    votes = tw.Votes(array, n_classes=3)
    population = sample_population.count_population(votes.take(np.arange(40)), votes, "subset")
    shares, agreement = sample_omnibus._panel_scores(population)
    spoken = [row[row >= 0] for row in array]
    usual = [float(np.mean(np.concatenate(spoken) == c)) for c in range(3)]
    expected = [[float(np.mean(row == c)) for c in range(3)] if len(row) else usual for row in spoken]
    found = sorted(tuple(np.round(row, 9)) for row in np.repeat(shares, population.counts, axis=0))
    assert found == sorted(tuple(np.round(row, 9)) for row in expected)
    np.testing.assert_allclose(agreement[:, 0], shares.max(axis=1))


def crowd(rng: np.random.Generator, n: int, truth: Array) -> Array:
    """Forty workers, of whom five vote on each item and are right three times of four."""
    votes = np.where(rng.random((n, 40)) < 0.75, truth[:, None], 1 - truth[:, None])
    chosen = np.argsort(rng.random((n, 40)), axis=1) < 5
    return np.where(chosen, votes, -1)


def test_gold_that_favours_a_class_or_easy_items_is_found_out_among_many_who_seldom_vote() -> None:
    """One class, or items on which votes agree, three times as likely to be gold; no worker shows it on its own."""
    rng = np.random.default_rng(15)
    fired = {"class": 0, "easy": 0, "random": 0}
    alone = 0
    for trial in range(20):
        truth = rng.integers(2, size=1000)
        array = crowd(rng, 1000, truth)
        agree = np.abs((array == 1).sum(axis=1) - (array == 0).sum(axis=1)) > 1
        votes = tw.Votes(array, n_classes=2)
        for way, favoured in {"class": truth == 1, "easy": agree, "random": np.zeros(1000, bool)}.items():
            chance = np.where(favoured, 3.0, 1.0)
            gold = rng.choice(1000, size=100, replace=False, p=chance / chance.sum())
            check = check_sample(votes.take(gold), votes, gold_is="subset", random_state=trial)
            fired[way] += check.fires
            alone += check.smallest_p_value <= 0.005
    assert fired["class"] >= 12
    assert fired["easy"] >= 12
    assert fired["random"] <= binom.ppf(1 - FALSE_ALARM, 20, 0.01)
    assert alone <= 3


@pytest.mark.parametrize("n_gold", [20, 2_000])
def test_distances_are_those_of_all_patterns(n_gold: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether patterns without gold are skipped or not: differences from the expected counts, in whole tables."""
    rng = np.random.default_rng(n_gold)
    pool = tw.Votes(rng.integers(-1, 3, size=(5_000, 6)), n_classes=3)
    gold = pool.take(rng.choice(5_000, n_gold, replace=False))
    population = sample_population.count_population(gold, pool, "subset")
    measures = sample_omnibus._make_measures(population, np.random.default_rng(1))
    samples = sample_omnibus._draw(population, 30, np.random.default_rng(2))
    excess = samples - population.expected
    by_group = excess @ measures.groups.toarray().T
    expected = [(by_group**2 * measures.weights).mean(axis=1)]
    expected += [((excess @ values) ** 2).mean(axis=1) for values in measures.directions]
    is_few = np.count_nonzero(samples) < 0.1 * samples.size
    assert is_few == (n_gold == 20)
    for most in (0.0, sample_omnibus._FEW, 1.1):
        monkeypatch.setattr(sample_omnibus, "_FEW", most)
        np.testing.assert_allclose(measures.distances(samples), np.stack(expected, axis=1), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("block", [7, 2_000])
def test_signs_are_drawn_for_every_vote_in_the_order_of_names(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for votes that nobody cast, so that blocks and unused votes change no sign; sums by loops over items."""
    rng = np.random.default_rng(3)
    array = rng.integers(-1, 3, size=(200, 5))
    array[array == 1] = -1
    pool = tw.Votes(array, n_classes=3)
    population = sample_population.count_population(pool.take(range(20)), pool, "subset")
    monkeypatch.setattr(sample_omnibus, "_BLOCK", block)
    found = sample_omnibus._random_sums(population, np.random.default_rng(9))
    signs = np.empty((15, found.shape[1]))
    signs[population.order] = np.random.default_rng(9).choice([-1.0, 1.0], size=signs.shape)
    patterns, shares = population.votes.toarray(), population.counts / population.n_items
    sums = np.zeros_like(found)
    for t, row in enumerate(patterns):
        for vote in np.flatnonzero(row):
            sums[t] += (shares @ patterns[:, vote]) ** -0.25 * signs[vote]
    np.testing.assert_allclose(found, sums - shares @ sums, atol=1e-12)
