"""Judges against gold: counts by hand, coverage of all intervals together, and what is said about few, many and silent.

Kills, tried once: rates over all gold items in place of those with a vote; the error not split; a best judge among all,
however few their votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom
from sklearn.metrics import cohen_kappa_score

import thumbwise as tw
from support.problems import make_votes
from thumbwise.assess.judges import effective_judges
from thumbwise.assess.judging.heard import hear
from thumbwise.assess.judging.scores import JudgeScore, score_judges, share_error
from thumbwise.assess.redundancy import correlate_errors
from thumbwise.box.gold import GoldIs
from thumbwise.box.opened_gold import open_gold
from thumbwise.exceptions import InvalidBoxError, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.agreement import cohen_kappa

IntArray = npt.NDArray[np.int64]


def make_case(seed: int, n_items: int = 300, n_rules: int = 4, k: int = 2) -> tuple[IntArray, IntArray]:
    return make_votes(np.random.default_rng(seed), n_items, n_rules, k)


def with_gold(labels: IntArray, n_gold: int, seed: int = 0) -> IntArray:
    """Labels of a random part, -1 elsewhere."""
    chosen = np.random.default_rng(seed).choice(len(labels), n_gold, replace=False)
    y = np.full(len(labels), -1)
    y[chosen] = labels[chosen]
    return y


def score_of(judged: tw.Judges, judge: str) -> JudgeScore:
    return next(row for row in judged.scores if row.judge == judge)


@pytest.mark.parametrize("k", [2, 4])
def test_everything_is_counted_on_gold_items_with_a_vote(k: int) -> None:
    labels, array = make_case(1, k=k)
    y = with_gold(labels, 100)
    judged = tw.judges(tw.Votes(array, n_classes=k), y)
    gold = y >= 0
    assert judged.class_names == ((1,) if k == 2 else (0, 1, 2, 3))
    for j in range(4):
        row = score_of(judged, f"rule_{j}")
        voted = gold & (array[:, j] >= 0)
        assert (row.n_votes, row.n_gold) == ((array[:, j] >= 0).sum(), voted.sum())
        assert row.agreement == pytest.approx((array[voted, j] == labels[voted]).mean())
        for rates in row.rates:
            for rate, among in (
                (rates.true_positive, voted & (labels == rates.class_name)),
                (rates.false_positive, voted & (labels != rates.class_name)),
            ):
                assert rate.n_gold == among.sum()
                assert rate.estimate == pytest.approx((array[among, j] == rates.class_name).mean())
                assert rate.interval[0] <= rate.estimate <= rate.interval[1]
    agreements = [row.agreement for row in judged.scores]
    assert agreements == sorted(agreements, reverse=True)
    assert judged.n_intervals == 5 * (1 + 2 * len(judged.class_names))


def test_kappa_is_its_textbook_formula() -> None:
    """Observed agreement 0.7 and 0.5 by chance: (0.7 - 0.5) / 0.5."""
    votes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 5, 10, 15], axis=0)
    judged = tw.judges(tw.Votes(votes[:, :1], n_classes=2), votes[:, 1])
    assert judged.scores[0].kappa == pytest.approx(0.4)


@pytest.mark.parametrize("k", [2, 5])
def test_kappa_is_that_of_scikit_learn_where_the_judge_votes(k: int) -> None:
    labels, array = make_case(16, k=k)
    kappas = cohen_kappa(array, labels, k)
    for j, kappa in enumerate(kappas):
        voted = array[:, j] >= 0
        assert kappa == pytest.approx(cohen_kappa_score(array[voted, j], labels[voted]))


def all_hold(array: IntArray, labels: IntArray, scores: Sequence[JudgeScore]) -> bool:
    """Whether every interval of every judge holds what it speaks of, which all labels tell."""
    pairs = []
    for votes, row in zip(array.T, scores, strict=True):
        voted = votes >= 0
        pairs.append((row.interval, votes[voted] == labels[voted]))
        for rates in row.rates:
            given, is_so = votes == rates.class_name, labels == rates.class_name
            pairs.append((rates.true_positive.interval, given[voted & is_so]))
            pairs.append((rates.false_positive.interval, given[voted & ~is_so]))
    return all(low - 1e-9 <= among.mean() <= high + 1e-9 for (low, high), among in pairs)


@pytest.mark.parametrize(("k", "n_gold", "gold_is"), [(2, 40, "subset"), (3, 80, "subset"), (2, 40, "separate")])
def test_all_intervals_hold_together(k: int, n_gold: int, gold_is: GoldIs) -> None:
    """Of 200 draws no more may miss than a binomial with chance 0.5 would once in 10^6 times; the pool is small."""
    labels, array = make_case(5, n_items=160, k=k)
    votes = tw.Votes(array, n_classes=k)
    n_missed = 0
    for seed in range(200):
        order = np.random.default_rng(seed).permutation(160)
        gold, pool = order[:n_gold], order[n_gold:] if gold_is == "separate" else order
        heard = hear(open_gold(votes.take(gold), labels[gold], votes.take(pool), gold_is))
        asked = [1] if k == 2 else range(k)
        scores = score_judges(heard, asked, share_error(heard, asked, 0.5), {})[:4]
        rates_only = [replace(row, interval=(0.0, 1.0)) for row in scores]
        agreements_only = [replace(row, rates=()) for row in scores]
        n_missed += not (all_hold(array, labels, rates_only) and all_hold(array[pool], labels[pool], agreements_only))
    assert n_missed <= binom.ppf(1 - 1e-6, 200, 0.5)
    assert n_missed > 0  # at this level some must, or the test sees nothing


def test_the_panel_is_settled_by_votes_alone() -> None:
    labels, array = make_case(2, n_rules=5)
    votes = tw.Votes(array, n_classes=2)
    y = with_gold(labels, 100)
    first, second = tw.judges(votes, y), tw.judges(votes, np.where(y >= 0, 1 - y, -1))
    assert first.panel is not None
    assert second.panel is not None
    assert first.panel.n_gold == second.panel.n_gold
    assert first.panel.n_right + second.panel.n_right == first.panel.n_gold
    assert first.n_intervals == second.n_intervals


def test_separate_gold_and_gold_in_two_parts() -> None:
    labels, array = make_case(3, n_items=500)
    votes = tw.Votes(array, n_classes=2)
    pool, gold = votes.take(range(400)), votes.take(range(400, 500))
    judged = tw.judges(pool, tw.Gold(gold, labels[400:]))
    assert (judged.n_items, judged.n_gold) == (400, 100)
    assert "from the same source" in judged.guarantee
    assert sum(judged.disagreements["n_wrong"]) == sum(row.n_gold - row.n_right for row in judged.scores)


def test_what_the_pool_never_shows_is_not_certain_if_gold_outside_of_it_does() -> None:
    labels, array = make_case(15, n_items=500)
    array[:400, 0] = 1
    array[400:, 0] = np.arange(100) % 2
    votes = tw.Votes(array, n_classes=2)
    judged = tw.judges(votes.take(range(400)), tw.Gold(votes.take(range(400, 500)), labels[400:]))
    rates = score_of(judged, "rule_0").rates[0]
    assert rates.true_positive.interval[0] < rates.true_positive.estimate < 0.7


def test_votes_that_stay_in_files_give_the_same(tmp_path: Path) -> None:
    labels, array = make_case(4)
    lines = [f"q{i},{','.join('' if v < 0 else str(v) for v in row)}" for i, row in enumerate(array)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c,d", *lines]) + "\n")
    ids = np.array([f"q{i}" for i in range(len(array))])
    lazy = tw.LazyVotes.from_files(tmp_path / "*.csv", item_id="id", n_classes=2)
    chosen = np.flatnonzero(with_gold(labels, 100) >= 0)
    elsewhere = tw.judges(lazy, tw.Gold(lazy.take_ids(ids[chosen]), labels[chosen], "subset"))
    votes = tw.Votes(array, n_classes=2, rule_names=list("abcd"), item_ids=ids)
    here = tw.judges(votes, with_gold(labels, 100))
    assert same(elsewhere.frame(), here.frame())
    assert same(elsewhere.rates_frame(), here.rates_frame())
    assert (elsewhere.krippendorff_alpha, elsewhere.effective_judges) == (
        here.krippendorff_alpha,
        here.effective_judges,
    )
    assert elsewhere.disagreements.frame() == here.disagreements.frame()


def same(first: dict[str, list[Any]], second: dict[str, list[Any]]) -> bool:
    """Equal, NaN being equal to NaN."""
    return str(first) == str(second)


def test_one_judge_is_no_panel() -> None:
    labels, array = make_case(6, n_rules=1)
    judged = tw.judges(tw.Votes(array, n_classes=2), with_gold(labels, 50))
    assert judged.panel is None
    assert judged.best_judge is None
    assert judged.effective_judges == 1
    assert np.isnan(judged.krippendorff_alpha)
    assert judged.n_intervals == 3
    assert "alpha" not in str(judged)


def test_copies_share_their_intervals_and_their_errors() -> None:
    labels, array = make_case(7, n_rules=2)
    y = with_gold(labels, 100)
    once = tw.judges(tw.Votes(array, n_classes=2), y)
    twice = tw.judges(tw.Votes(array[:, [0, 1, 0]], n_classes=2), y)
    assert once.n_intervals == twice.n_intervals
    assert score_of(once, "rule_0").interval == score_of(twice, "rule_2").interval
    assert twice.error_pairs[0].correlation == pytest.approx(1)


def test_a_judge_that_never_votes_on_gold() -> None:
    labels, array = make_case(8)
    y = with_gold(labels, 60)
    array[y >= 0, 3] = -1
    judged = tw.judges(tw.Votes(array, n_classes=2), y)
    last = judged.scores[-1]
    assert last.judge == "rule_3"
    assert (last.n_gold, last.interval) == (0, (0.0, 1.0))
    assert np.isnan(last.agreement)
    assert np.isnan(last.kappa)
    assert "<td>-</td>" in judged._repr_html_()


def test_a_judge_with_few_votes_costs_no_error() -> None:
    """Of 300 items with 60 gold labels, fourteen votes bring fewer than three on gold, whichever those are."""
    labels, array = make_case(9)
    array[:, 3] = -1
    array[:14, 3] = labels[:14]
    judged = tw.judges(tw.Votes(array, n_classes=2), with_gold(labels, 60))
    assert score_of(judged, "rule_3").interval == (0.0, 1.0)
    assert judged.n_intervals == 3 * 4


def test_what_votes_alone_tell_is_certain_and_free() -> None:
    labels, array = make_case(10)
    array[:, 3] = np.where(array[:, 3] >= 0, 1, -1)
    judged = tw.judges(tw.Votes(array, n_classes=2), with_gold(labels, 100))
    row = score_of(judged, "rule_3")
    assert row.rates[0].true_positive.interval == row.rates[0].false_positive.interval == (1.0, 1.0)
    assert judged.n_intervals == 3 * 5 - 2
    other = tw.judges(tw.Votes(array, n_classes=2), with_gold(labels, 100), of=0)
    assert score_of(other, "rule_3").rates[0].true_positive.interval == (0.0, 0.0)


def test_a_thousand_judges_are_a_screenful() -> None:
    labels, array = make_case(11, n_items=400, n_rules=1000)
    judged = tw.judges(tw.Votes(array, n_classes=2), with_gold(labels, 100))
    assert len(judged.frame()["judge"]) == 1001
    assert judged._repr_html_().count("<tr>") == 22
    assert "980 judges more" in judged._repr_html_()
    assert len(tw.judges(tw.Votes(array[:, :30], n_classes=2), labels, n_shown=3)._shown().rows) == 4


def test_effective_number_of_judges() -> None:
    """Independent errors count all, copies count one, and a pair weighs as many items as it shares."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.random((3, 20_000)) < 0.3).astype(int)
    truth = np.zeros(20_000, int)
    assert effective_judges(correlate_errors(tw.Votes(np.stack([a, b, c]).T, n_classes=2), truth))[1] > 2.9
    assert effective_judges(correlate_errors(tw.Votes(np.stack([a, a, a]).T, n_classes=2), truth))[1] == pytest.approx(
        1
    )
    mean, effective = effective_judges(correlate_errors(tw.Votes(np.stack([a, a, b]).T, n_classes=2), truth))
    assert effective == pytest.approx(3 / (1 + 2 * mean))
    assert mean == pytest.approx(1 / 3, abs=0.02)
    half = np.where(np.arange(20_000) < 2000, a, -1)
    weighed = effective_judges(correlate_errors(tw.Votes(np.stack([a, half, b]).T, n_classes=2), truth))[0]
    assert weighed == pytest.approx(2000 / 24_000, abs=0.02)


def test_errors_that_cancel_count_as_independent() -> None:
    mean, effective = effective_judges(correlate_errors(tw.Votes([[0, 1], [1, 0]]), [0, 0]))
    assert (mean, effective) == (-1.0, 2.0)


def test_the_best_judge_beside_the_panel() -> None:
    """One judge is always right and three copies of another's errors outvote it."""
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=600)
    bad = np.where(rng.random(600) < 0.6, truth, 1 - truth)
    noisy = [np.where(rng.random(600) < 0.97, bad, 1 - bad) for _ in range(3)]
    votes = tw.Votes(np.stack([truth, *noisy]).T, rule_names=["good", "x", "y", "z"])
    best = tw.judges(votes, with_gold(truth, 100)).best_judge
    assert best is not None
    assert (best.judge, best.n_right, best.is_as_good, best.is_real) == ("good", 100, True, True)
    assert "The best single judge, good, is better than the panel: right on 100 of the 100 gold items" in str(best)


def test_a_judge_that_hardly_votes_is_no_match_for_the_panel() -> None:
    """One that is always right, on a tenth of the items."""
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=1000)
    others = [np.where(rng.random(1000) < 0.8, truth, 1 - truth) for _ in range(5)]
    rare = np.where(rng.random(1000) < 0.1, truth, -1)
    judged = tw.judges(tw.Votes(np.stack([rare, *others]).T), with_gold(truth, 200))
    assert judged.scores[0].judge == "rule_0"
    assert judged.best_judge is not None
    assert judged.best_judge.judge != "rule_0"
    assert not judged.best_judge.is_as_good
    assert "is as good as" not in str(judged)


def test_the_best_judge_is_compared_on_its_own_items() -> None:
    """It is silent on a quarter, where the panel may be right as often as it likes."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=1000)
    others = [np.where(rng.random(1000) < 0.75, truth, 1 - truth) for _ in range(2)]
    good = np.where(rng.random(1000) < 0.9, truth, 1 - truth)
    good[rng.random(1000) < 0.25] = -1
    y = with_gold(truth, 200)
    best = tw.judges(tw.Votes(np.stack([*others, good]).T), y).best_judge
    assert best is not None
    assert (best.judge, best.n_gold) == ("rule_2", ((good >= 0) & (y >= 0)).sum())
    assert best.n_right == ((good == truth) & (y >= 0)).sum()
    assert best.panel_right <= best.n_gold


def test_costs() -> None:
    labels, array = make_case(12, n_rules=2)
    votes, y = tw.Votes(array, n_classes=2, rule_names=["a", "b"]), with_gold(labels, 100)
    judged = tw.judges(votes, y, costs={"a": 0.5, "b": 0.1})
    a, b = score_of(judged, "a"), score_of(judged, "b")
    assert a.cost_per_right == pytest.approx(0.5 * a.n_gold / a.n_right)
    assert judged.panel is not None
    assert judged.panel.cost == pytest.approx((0.5 * a.n_votes + 0.1 * b.n_votes) / judged.panel.n_votes)
    some = tw.judges(votes, y, costs={"a": 0.5})
    assert some.panel is not None
    assert np.isnan(some.panel.cost)
    assert np.isnan(score_of(some, "b").cost_per_right)
    assert not tw.judges(votes, y).has_costs


def test_disagreements_with_what_is_passed_on() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "gold": ["q1", "q2", "q3", "q4"],  # ids that are called like one of our own columns
            "a": ["yes", "no", "no", "yes"],
            "Panel": ["yes", None, "no", "no"],
            "c": ["no", "no", "no", "no"],
            "url": ["u1", "u2", "u3", None],
        }
    )
    labels = {"q1": "yes", "q3": "yes", "q4": "yes", "q2": "no"}
    reading = tw.read_votes(frame, item_id="gold", ignore=["url"], gold=labels)
    table = tw.judges(reading).disagreements
    assert [*table.columns] == ["gold", "gold_", "n_wrong", "n_votes", "panel", "a", "Panel_", "c", "url"]
    assert table["gold"] == ("q3", "q4", "q1")
    assert table["n_wrong"] == (3, 2, 1)
    assert table["a"] == ("no", "yes", "yes")
    assert table["url"] == ("u3", None, "u1")


def test_items_without_ids_are_counted() -> None:
    judged = tw.judges([[0, 0], [1, 1], [1, 0], [0, 1]], [-1, 1, -1, 0])
    assert judged.disagreements["id"] == (3,)


def test_gold_that_is_no_random_sample_is_no_guarantee() -> None:
    labels, array = make_case(13, n_items=1000)
    order = np.argsort(array[:, 0], kind="stable")
    y = np.where(np.arange(1000) < 200, labels[order], -1)
    judged = tw.judges(tw.Votes(array[order], n_classes=2), y)
    assert not judged.evidence.is_guarantee
    assert judged.guarantee.startswith("No guarantee: the votes show")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"of": "pas"}, InvalidChoiceError, r"of must be one of the classes 'fail', 'pass'; found 'pas'\. .*'pass'\?"),
        ({"costs": {"smal": 1}}, InvalidChoiceError, r"no judge 'smal' among 2\. Did you mean 'small'\?"),
        ({"costs": {"small": -0.1}}, InvalidChoiceError, r"not negative.*found -0\.1 for 'small'"),
        ({"costs": {"small": float("nan")}}, InvalidChoiceError, "found nan"),
        ({"costs": {"small": "1"}}, InvalidChoiceError, "found '1'"),
        ({"n_shown": 0}, InvalidChoiceError, "n_shown must be at least 1"),
        ({"confidence_level": 95}, InvalidBoxError, "between 0 and 1"),
        ({"y": None}, InvalidLabelsError, "Pass their classes as y"),
        ({"y": [None, None, None]}, InvalidLabelsError, "gold labels are needed"),
        ({"y": ["pass", "maybe", None]}, InvalidLabelsError, "maybe"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], message: str) -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, 0]], rule_names=["small", "large"], class_names=["fail", "pass"])
    given = {"y": ["pass", "fail", None], **options}
    with pytest.raises(error, match=message):
        tw.judges(votes, given.pop("y"), **given)


def test_other_designs_and_two_golds_are_refused() -> None:
    labels, array = make_case(14)
    groups = np.arange(300) % 2
    votes = tw.Votes(array, n_classes=2, item_groups=groups)
    with pytest.raises(InvalidBoxError, match="plain random sample"):
        tw.judges(votes, with_gold(labels, 100), gold_is=tw.designs.Stratified("subset"))
    import pandas as pd

    reading = tw.read_votes(pd.DataFrame({"id": ["p", "q"], "a": ["x", "y"]}), gold={"p": "x"})
    with pytest.raises(InvalidLabelsError, match="y was given too"):
        tw.judges(reading, ["x", None])
