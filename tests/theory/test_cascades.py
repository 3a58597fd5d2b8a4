"""Cascades: false claims are as rare as is said, and sets, labels and costs are those that plain loops over items find.

Kills, tried once: the label of the last stage in place of the one that decides; certifying items counted as wrong by
every stage, not by the one where they stop; sizes and draws of the first stage; doubts of early stages counted once or
twice; no running maximum over stages; a stage too much or too little that is paid for; stages in falling order; a stage
that sees votes of later judges, or of its own alone; twice the error for a target; the whole error for each of two
targets; misses of all classes counted for one; the curve of the chosen labels; later items with labels of the last
stage.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, hypergeom

import thumbwise as tw
from thumbwise.assess.accepting.cascades import Cascade, climb_stages, good_in_stages, open_cascade
from thumbwise.assess.accepting.ranked import Parts, Ranked
from thumbwise.assess.accepting.stages import Stage
from thumbwise.assess.accepting.targets import Targets
from thumbwise.numerics.regression import Regression
from thumbwise.rates.asked import open_asked

ACCURACIES = [0.7, 0.7, 0.75, 0.85, 0.95]
COSTS = {"rule_0": 1, "rule_1": 1, "rule_2": 2, "rule_3": 5, "rule_4": 20}
STAGES = [["rule_0", "rule_1"], ["rule_2"], ["rule_3"], ["rule_4"]]


def make(n_items: int = 3000, seed: int = 0, abstain: float = 0.1) -> tuple[tw.Votes, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n_items)
    array = np.where(rng.random((n_items, 5)) < ACCURACIES, truth[:, None], 1 - truth[:, None])
    array[rng.random(array.shape) < abstain] = -1
    return tw.Votes(array), truth


def some_gold(truth: np.ndarray, n_gold: int, seed: int) -> np.ndarray:
    y = np.full(len(truth), -1)
    gold = np.random.default_rng(seed).choice(len(truth), n_gold, replace=False)
    y[gold] = truth[gold]
    return y


VOTES, TRUTH = make()
Y = some_gold(TRUTH, 300, 1)
FOUND = tw.triage(VOTES, Y, precision=0.9, costs=COSTS)


def cascade_of(found: tw.Triage) -> Cascade:
    assert found.cascade is not None
    return found.cascade


def by_loops(cascade: Cascade, pattern: int, level: float) -> tuple[int, int]:
    """The stage at which items of a pattern stop, and their label; a doubt counts three times before the last stage."""
    for s, stage in enumerate(cascade.stages):
        proba = np.round(stage.ranked.proba[pattern], 9)
        times = 1 if s == len(cascade.stages) - 1 else 3
        if round(1 - times * (1 - proba.max()), 9) >= level:
            return s, int(np.argmax(proba))
    return len(cascade.stages), int(np.argmax(proba))


def made_by_hand(proba: list[np.ndarray], certify: np.ndarray, labels: np.ndarray) -> Cascade:
    """Items that are patterns of their own, with these probabilities of class 1 at each stage; none teaches."""
    n_items = len(proba[0])
    stages = []
    for s, ones in enumerate(proba):
        both = np.column_stack([1 - ones, ones])
        ranked = Ranked(both, np.ones(n_items, dtype=np.int64), certify, labels[certify], 0, False)
        taught: Regression = None  # type: ignore[assignment]  # nobody asks about later items
        stages.append(Stage((f"judge {s}",), (), 1.0, np.ones(n_items), taught, ranked))
    return Cascade(tuple(stages), np.ones(n_items, dtype=np.int64), (0, 1))


def test_a_false_claim_is_as_rare_as_is_said_in_every_small_population() -> None:
    """All 70 draws of four certifying items out of eight, for some truths; the stages often propose other labels."""
    rng, error, most, precision = np.random.default_rng(3), 0.3, 0.0, 0.6
    n_changed, targets = 0, Targets({None: precision}, {})
    draws = [np.array(draw) for draw in combinations(range(8), 4)]
    for _ in range(10):
        proba = [rng.random(8), rng.random(8)]
        truth = (rng.random(8) < proba[int(rng.integers(2))]).astype(np.int64)
        n_false = 0
        for draw in draws:
            cascade = made_by_hand(proba, draw, truth)
            ladder = climb_stages(cascade)
            for step in np.flatnonzero(good_in_stages(cascade, ladder, targets, error))[-1:]:
                stops = [by_loops(cascade, i, ladder.threshold[step]) for i in range(8)]
                wrong = [label != truth[i] for i, (stage, label) in enumerate(stops) if stage < 2]
                n_false += sum(wrong) > (1 - precision) * len(wrong) + 1e-9
                n_changed += any(s == 0 and label != (proba[1][i] > 0.5) for i, (s, label) in enumerate(stops))
        most = max(most, n_false / len(draws))
    assert 0.05 < most <= error
    assert n_changed > 100, "labels of items that stop early differ from those of the last stage"


def test_sets_labels_and_numbers_are_those_of_plain_loops() -> None:
    """For every threshold of the ladder; teaching items are no part of it."""
    cascade = cascade_of(FOUND)
    ladder, last = climb_stages(cascade), cascade.stages[-1].ranked
    assert np.all(np.diff(ladder.threshold) < 0)
    for step in range(0, len(ladder), 7):
        stops = [by_loops(cascade, t, ladder.threshold[step]) for t in range(cascade.n_patterns)]
        size = sum(int(n) for n, (stage, _) in zip(last.size, stops, strict=True) if stage < 4)
        of_gold = [(stops[t], y) for t, y in zip(last.place, last.labels, strict=True)]
        assert ladder.size[step] == size
        assert ladder.drawn[step] == sum(stage < 4 for (stage, _), _ in of_gold)
        assert ladder.wrong[step] == sum(stage < 4 and label != y for (stage, label), y in of_gold)
    assert last.size.sum() == 3000 - 60 and len(last.labels) == 240


def test_the_claim_is_the_last_of_a_row_of_exact_tests() -> None:
    for precision in (0.85, 0.9, 0.93):
        found = tw.triage(VOTES, Y, precision=precision, costs=COSTS)
        ladder, step = found.families[0].family.ladder, found.families[0].step
        at = ladder.start(precision, 0.05)
        assert at is not None
        while at < len(ladder):
            size, allowed = int(ladder.size[at]), int(np.floor((1 - precision) * ladder.size[at] + 1e-9))
            if hypergeom.cdf(ladder.wrong[at], size, allowed + 1, ladder.drawn[at]) > 0.05:
                break
            at += 1
        assert step == at - 1
        assert cascade_of(found).level == ladder.threshold[step]


def test_what_each_item_gets_and_costs() -> None:
    """Item by item: the votes of the stages up to the one that decides are paid for, all of them if none does."""
    cascade, price = cascade_of(FOUND), [COSTS[name] for name in VOTES.rule_names]
    stage_of = [next(s for s, names in enumerate(STAGES) if name in names) for name in VOTES.rule_names]
    assert [list(stage.judges) for stage in cascade.stages] == STAGES
    spent, everything, so_far = 0.0, 0.0, np.zeros(4)
    for i, row in enumerate(VOTES.array.tolist()):
        stop, label = by_loops(cascade, int(VOTES.inverse[i]), cascade.level or 0.0)
        paid = [(stage_of[j], price[j]) for j, vote in enumerate(row) if vote >= 0]
        everything += sum(cost for _, cost in paid)
        spent += sum(cost for s, cost in paid if s <= stop)
        so_far += [sum(cost for s, cost in paid if s <= min(stop, k)) for k in range(4)]
        if Y[i] < 0:
            assert FOUND.accepted[i] == (stop < 4)
            assert FOUND.proposed[i] == label
    assert cascade.cost_per_item == pytest.approx(spent / 3000)
    assert cascade.cost_of_all == pytest.approx(everything / 3000)
    assert cascade.saved == pytest.approx(1 - spent / everything)
    assert [row["cost_so_far"] for row in cascade.rows()] == pytest.approx(so_far / 3000)
    assert 0.2 < cascade.saved < 0.9


def test_rows_add_up() -> None:
    rows = cascade_of(FOUND).rows()
    (all_of_them,) = FOUND.rows()
    for total, part in (("n_accepted", "n_decided"), ("n_gold", "n_gold"), ("n_wrong", "n_wrong")):
        assert all_of_them[total] == sum(row[part] for row in rows)
    assert rows[0]["n_asked"] == 3000
    for before, after in pairwise(rows):
        assert after["n_asked"] == before["n_asked"] - before["n_decided"]
    assert FOUND.as_dict()["cascade"]["stages"] == rows
    last = rows[-1]["threshold"]
    assert last == FOUND.rows()[0]["threshold"]
    assert rows[0]["threshold"] == pytest.approx(1 - (1 - last) / 3)


def test_thresholds_that_are_told_are_probabilities() -> None:
    """When the last stage decides all that comes to it, the level goes on to fall, and more items stop before."""
    found = tw.triage(VOTES, Y, precision=0.65, costs=COSTS)
    level = cascade_of(found).level
    assert level is not None and level < 0 and found.n_review == 0
    assert found.rows()[0]["threshold"] == cascade_of(found).rows()[-1]["threshold"] == 0
    assert min(row["threshold"] for row in cascade_of(found).rows()) == 0
    assert all(row["threshold"] is None or row["threshold"] >= 0 for row in FOUND.curve((0.6, 0.9)).rows())


def test_lower_thresholds_never_ask_more() -> None:
    cascade, before = cascade_of(FOUND).at(None), None
    assert cascade.saved == 0 and (cascade.stop == 4).all()
    for level in climb_stages(cascade).threshold[::9]:
        now = cascade.at(float(level))
        assert now.cost_per_item <= cascade.cost_per_item + 1e-12
        assert before is None or (now.stop <= before).all()
        cascade, before = now, now.stop


@pytest.mark.parametrize("asked", [{"precision": 0.9}, {"precision": 0.85, "recall": {1: 0.9}}, {"recall": {0: 0.9}}])
def test_judges_that_cost_the_same_are_plain_triage(asked: dict[str, Any]) -> None:
    plain, staged = tw.triage(VOTES, Y, **asked), tw.triage(VOTES, Y, **asked, costs=dict.fromkeys(COSTS, 3))
    assert staged.rows() == plain.rows() and plain.n_accepted > 1000
    np.testing.assert_array_equal(staged.accepted, plain.accepted)
    np.testing.assert_array_equal(staged.ranked.proba, plain.ranked.proba)
    np.testing.assert_array_equal(staged.in_review_order(), plain.in_review_order())
    assert staged.curve().columns == plain.curve().columns
    assert cascade_of(staged).saved == 0


def test_gold_from_outside_is_plain_triage_too() -> None:
    gold = tw.Gold(VOTES.take(range(300)), TRUTH[:300], "separate")
    pool = VOTES.take(range(300, 3000))
    plain, staged = (tw.triage(pool, gold, precision=0.9, costs=costs) for costs in (None, dict.fromkeys(COSTS, 0)))
    assert staged.rows() == plain.rows() and plain.n_accepted > 1000
    found = tw.triage(pool, gold, precision=0.9, costs=COSTS)
    by_rule = found.accepts[pool.inverse]
    assert (found.proposed == TRUTH[300:])[by_rule].mean() > 0.9
    assert sum(row["n_decided"] for row in cascade_of(found).rows()) == by_rule.sum() == found.n_accepted


def test_the_order_of_judges_makes_no_difference() -> None:
    order = [3, 0, 4, 2, 1]
    names = [VOTES.rule_names[j] for j in order]
    turned = tw.triage(tw.Votes(VOTES.array[:, order], rule_names=names), Y, precision=0.9, costs=COSTS)
    np.testing.assert_array_equal(turned.accepted, FOUND.accepted)
    np.testing.assert_array_equal(turned.proposed, FOUND.proposed)
    assert cascade_of(turned).cost_per_item == pytest.approx(cascade_of(FOUND).cost_per_item)


def test_a_stage_knows_no_votes_of_later_ones() -> None:
    """Other votes of the dearest judge change nothing of what the stages before propose."""
    array = VOTES.array.copy()
    array[:, 4] = np.random.default_rng(0).permutation(array[:, 4])
    other = tw.Votes(array)
    ours, theirs = (
        open_cascade(sample, Parts.of(sample, 0), COSTS)
        for sample in (open_asked(votes, Y, None).sample for votes in (VOTES, other))
    )
    for s in range(3):
        mine, its = (c.stages[s].ranked.proba[v.inverse] for c, v in ((ours, VOTES), (theirs, other)))
        np.testing.assert_allclose(mine, its, atol=1e-8)


def test_claims_hold_as_often_as_is_said() -> None:
    """The false-alarm rate is 1e-6; 80 draws, with judges that err together and a precision near
    what the cheap ones reach, so that there is something to get wrong."""
    rng, n_false, n_claims, n_draws = np.random.default_rng(8), 0, 0, 80
    truth = rng.integers(2, size=1500)
    hard = rng.random(1500) < 0.25
    right = rng.random((1500, 5)) < np.where(hard[:, None], 0.45, np.array([0.85, 0.85, 0.85, 0.9, 0.95]))
    votes = tw.Votes(np.where(right, truth[:, None], 1 - truth[:, None]))
    for seed in range(n_draws):
        asked = open_asked(votes, some_gold(truth, 200, seed), None)
        parts = Parts.of(asked.sample, 0)
        cascade = open_cascade(asked.sample, parts, COSTS)
        ladder = climb_stages(cascade)
        for step in np.flatnonzero(good_in_stages(cascade, ladder, Targets({None: 0.85}, {}), 0.05))[-1:]:
            chosen = cascade.at(float(ladder.threshold[step]))
            decided = (chosen.stop < 4)[votes.inverse]
            decided[asked.placed("by")[parts.teach]] = False
            n_false += (chosen.ranked.proposed[votes.inverse] != truth)[decided].mean() > 0.15 + 1e-9
            n_claims += 1
    assert n_claims > 40, "something is claimed"
    assert n_false <= binom.ppf(1 - 1e-6, n_draws, 0.05)


def test_items_of_a_class_that_are_missed_are_counted_in_loops() -> None:
    """Both targets are tested at the whole error: the bound of the share that is missed is that of 1 - error."""
    found = tw.triage(VOTES, Y, precision=0.8, recall={1: 0.93}, costs=COSTS)
    alone = tw.triage(VOTES, Y, precision=0.8, costs=COSTS)
    cascade, last = cascade_of(found), cascade_of(found).stages[-1].ranked
    ladder, step = found.families[0].family.ladder, found.families[0].step
    assert step is not None and alone.families[0].step is not None and step < alone.families[0].step
    n_so = int((last.labels == 1).sum())
    missed = [
        sum(
            y == 1 and stop < 4 and label == 0
            for (stop, label), y in zip((by_loops(cascade, t, level) for t in last.place), last.labels, strict=True)
        )
        for level in ladder.threshold[step : step + 2]
    ]
    # Clopper and Pearson at 0.05 on one side, which holds without replacement too as long as few are missed.
    passes = [binom.cdf(n, n_so, 0.07) <= 0.05 for n in missed]
    assert passes[0] and not passes[1]
    wrongly = found.accepts[VOTES.inverse] & (found.proposed != TRUTH) & (TRUTH == 1)
    assert wrongly.sum() <= 0.07 * (TRUTH == 1).sum()
    assert "at most 7.0 % of the items of 1 are accepted under another label" in found.sentences()[0]


def test_the_curve_is_of_the_cascade() -> None:
    """Each row accepts what a cascade does with a seventh of the error, or more, and loops find the same of it."""
    cascade, last = cascade_of(FOUND), cascade_of(FOUND).stages[-1].ranked
    rows = [row for row in FOUND.curve().rows() if row["threshold"]]
    assert len(rows) >= 2
    for row in rows:
        alone = tw.triage(VOTES, Y, precision=row["precision"], costs=COSTS, confidence_level=1 - 0.05 / 7)
        assert row["accepted"] >= alone.accepts[VOTES.inverse].mean() - 1e-12
        stops = [by_loops(cascade, t, row["threshold"]) for t in range(cascade.n_patterns)]
        assert row["accepted"] == pytest.approx(np.mean([stops[t][0] < 4 for t in VOTES.inverse]))
        of_gold = [(stops[t], y) for t, y in zip(last.place, last.labels, strict=True) if stops[t][0] < 4]
        assert row["estimate"] == pytest.approx(np.mean([label == y for (_, label), y in of_gold]))


def test_later_items_stage_by_stage_are_decided_as_those_at_hand() -> None:
    cascade, frame = cascade_of(FOUND), pd.DataFrame(VOTES.array, columns=VOTES.rule_names)
    left, labels, stages = np.arange(3000), np.full(3000, None), np.zeros(3000, dtype=int)
    asked: list[str] = []
    for names in STAGES:
        asked = [*names, *asked]
        decided = cascade.decide(frame.loc[left, asked])
        labels[left], stages[left] = decided.labels, decided.stage
        assert set(decided.stage[decided.stage > 0]) <= {len(asked) - len(names) + 1, *range(1, 5)}
        left = left[decided.undecided]
    assert decided.ask == () and "let a person look at the other" in str(decided)
    stop = cascade.stop[VOTES.inverse]
    np.testing.assert_array_equal(stages, np.where(stop < 4, stop + 1, 0))
    expected = cascade.ranked.proposed[VOTES.inverse]
    assert all(label is None if s == 4 else label == y for label, s, y in zip(labels, stop, expected, strict=True))
    at_once = cascade.decide(VOTES)
    np.testing.assert_array_equal(at_once.stage, stages)
    assert at_once.labels == labels.tolist()
    np.testing.assert_array_equal(at_once.sureness, cascade.ranked.sureness[VOTES.inverse])
    first = cascade.decide(frame[STAGES[0]])
    assert first.ask == ("rule_2",) and "No guarantee" in str(first) and "ask rule_2 about" in str(first)


def test_nothing_is_decided_where_nothing_can_be() -> None:
    rng = np.random.default_rng(0)
    coins = tw.Votes(rng.integers(2, size=(1000, 5)))
    found = tw.triage(coins, some_gold(rng.integers(2, size=1000), 200, 0), precision=0.9, costs=COSTS)
    assert found.proves_nothing and found.n_review == 800
    cascade = cascade_of(found)
    assert cascade.saved == 0 and cascade.cost_per_item == 29
    assert cascade.decide(coins).labels == [None] * 1000
    assert [row["n_decided"] for row in cascade.rows()] == [0, 0, 0, 0]
    assert "No label can be accepted" in str(found) and "0 % saved" in str(found)


def test_what_is_not_saved_is_nothing_exactly() -> None:
    """Costs that floats do not hold: no rounding is shown as a saving."""
    costs = dict(zip(COSTS, [0.1, 0.2, 0.3, 0.0007, 1e-9], strict=True))
    found = tw.triage(VOTES, Y, precision=0.9, costs=costs)
    assert cascade_of(found).at(None).saved == 0
    assert "0 % saved" in cascade_of(found).at(None).sentence and "<" not in cascade_of(found).at(None).sentence


def test_later_judges_that_saw_gold_alone_leave_no_guarantee() -> None:
    """Then the votes show which items are gold."""
    array = VOTES.array.copy()
    array[Y < 0, 4] = -1
    found = tw.triage(tw.Votes(array), Y, precision=0.9, costs=COSTS)
    assert not found.is_guarantee and str(found).startswith("No guarantee")


def test_sentences() -> None:
    cascade = cascade_of(FOUND)
    sentence = f"At least 90.0 % of the {FOUND.rows()[0]['n_accepted']:,} labels that judges decide agree with people"
    assert f"With 95 % confidence {sentence[0].lower()}{sentence[1:]} (estimate " in str(FOUND)
    assert cascade.sentence == str(FOUND).splitlines()[-1]
    assert str(cascade).splitlines()[1].startswith("Stage 1, rule_0, rule_1: ")
    assert repr(cascade) == str(cascade)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"rule_0": 1, "rule_1": 1}, r"must name every judge; 3 of 5 have no cost: 'rule_2', 'rule_3', 'rule_4'"),
        ({}, "5 of 5 have no cost"),
        ({**COSTS, "rule_44": 1}, "no judge 'rule_44' among 5. Did you mean 'rule_4'"),
        ({**COSTS, "rule_1": -1}, "not negative.*found -1 for 'rule_1'"),
        ({**COSTS, "rule_1": float("nan")}, "found nan for 'rule_1'"),
        ({**COSTS, "rule_1": float("inf")}, "found inf for 'rule_1'"),
        ({**COSTS, "rule_1": "2"}, "found '2' for 'rule_1'"),
    ],
)
def test_costs_that_are_refused(costs: dict[str, float], message: str) -> None:
    with pytest.raises(tw.InvalidChoiceError, match=message):
        tw.triage(VOTES, Y, precision=0.9, costs=costs)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"precision": 0.9, "per_class": True}, "one threshold for all classes"),
        ({"precision": {0: 0.9}}, "one threshold for all classes"),
        ({"budget": 5}, "found both, budget and costs"),
        ({}, "needs to know how good"),
    ],
)
def test_what_a_cascade_does_not_do(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.InvalidChoiceError, match=message):
        tw.triage(VOTES, Y, **asked, costs=COSTS)


def test_too_little_gold_says_how_much_it_takes() -> None:
    with pytest.raises(tw.InvalidLabelsError, match="59"):
        tw.triage(VOTES, some_gold(TRUTH, 40, 0), precision=0.95, costs=COSTS)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["rule_0", "rule_2"], "'rule_1' is missing from stage 1"),
        (["rule_0", "rule_1", "rule_3"], "'rule_2' is missing from stage 2"),
        (["rule_0", "rule_7"], "judges of the cascade; 1 are none, such as 'rule_7'"),
    ],
)
def test_columns_of_later_items_say_who_was_asked(names: list[str], message: str) -> None:
    with pytest.raises(tw.InvalidVotesError, match=message):
        cascade_of(FOUND).decide(tw.Votes(VOTES.array[:5, : len(names)], n_classes=2, rule_names=names))
