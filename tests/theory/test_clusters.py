"""Gold that was drawn in whole clusters: boxes and judges hold as often as they say, and are what loops make of them.

At a level of 0.8, so that misses are seen; thresholds have a false-alarm rate of one in a million. Kills, tried once:
gold items in place of clusters as what is drawn; sizes of clusters in which a rule abstains; the whole error on both
sides; a guess that looks at labels; the number of gold items in the budget.
"""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.box.budget import split_error
from thumbwise.box.designs import Clusters, Subset
from thumbwise.exceptions import ThumbwiseError
from thumbwise.numerics.bounded_totals import Kinds, total_bounds
from thumbwise.numerics.even_panel import panel_of

LEVEL, N_TRIALS, N_CLUSTERS = 0.8, 60, 150
ALLOWED = binom.ppf(1 - 1e-6, N_TRIALS, 1 - LEVEL)


def make(seed: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Clusters of 1 to 7 items, their labels, votes that are right or wrong together in a cluster, and a draw."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(N_CLUSTERS), rng.integers(1, 8, size=N_CLUSTERS))
    n = len(clusters)
    truth = rng.integers(n_classes, size=N_CLUSTERS)[clusters]
    truth = np.where(rng.random(n) < 0.15, rng.integers(n_classes, size=n), truth)
    trusted = rng.beta(0.5, 0.3, size=(N_CLUSTERS, 3))[clusters]
    votes = np.where(rng.random((n, 3)) < trusted, truth[:, None], (truth[:, None] + 1) % n_classes)
    votes[rng.random((n, 3)) < 0.2] = -1
    gold = np.flatnonzero(np.isin(clusters, rng.choice(N_CLUSTERS, 40, replace=False)))
    return clusters, truth, votes, gold


def test_boxes_hold_where_items_one_by_one_would_not() -> None:
    misses = {"clusters": 0, "items": 0}
    for seed in range(N_TRIALS):
        clusters, truth, array, gold = make(seed)
        pool = tw.Votes(array, n_classes=2)
        for name in misses:
            drawn = Clusters(clusters[gold], clusters) if name == "clusters" else Subset()
            box = tw.Box.from_gold(
                pool.take(gold), truth[gold], pool=pool, gold_is=drawn, confidence_level=LEVEL, n_permutations=0
            )
            misses[name] += not box.holds(pool, truth)
    assert misses["clusters"] <= ALLOWED < misses["items"]


def test_intervals_are_those_of_units_that_are_counted_item_by_item() -> None:
    """Low, high, guess and value of each cluster by loops, and each side by twice its error on both."""
    clusters, truth, array, gold = make(3)
    pool = tw.Votes(array, n_classes=2)
    drawn = Clusters(clusters[gold], clusters)
    box = tw.Box.from_gold(pool.take(gold), truth[gold], pool=pool, gold_is=drawn, opinions=())
    assert box.gold is not None and box.evidence.is_guarantee and box.evidence.sample_check is None
    errors = split_error(0.05, box.gold.counts)
    log_odds = panel_of(pool.patterns)[1]
    order = sorted({str(c) for c in clusters})  # that of the names
    for m, name in enumerate(box.names):
        low, high, guess, value = (dict.fromkeys(order, 0.0) for _ in range(4))
        size = 0
        for i, row in enumerate(array.tolist()):
            scores = [sum(float(log_odds[j]) for j, vote in enumerate(row) if vote == c) for c in (0, 1)]
            proba = [exp(score) / sum(map(exp, scores)) for score in scores]
            counts = [row[m] == c for c in (0, 1)] if m < 3 else [c == m - 3 for c in (0, 1)]
            if m < 3 and row[m] < 0:
                continue
            size += 1
            here = str(clusters[i])
            high[here] += 1
            guess[here] += sum(p * counts_so for p, counts_so in zip(proba, counts, strict=True))
            value[here] += i in set(gold.tolist()) and counts[truth[i]]
        used = [name for name in order if high[name] > 0]
        shapes = sorted({(low[c], high[c], round(guess[c], 9)) for c in used})
        place = {shape: k for k, shape in enumerate(shapes)}
        of_unit = np.array([place[low[c], high[c], round(guess[c], 9)] for c in used])
        least, most, guessed = np.array(shapes).T
        kinds = Kinds(least, most, guessed, np.bincount(of_unit))
        is_drawn = np.isin(used, np.unique(clusters[gold]).astype(str))
        values = np.array([value[c] for c in used])[is_drawn]
        lower = total_bounds(kinds, of_unit[is_drawn], values, 2 * errors[0, m])[0] / size
        upper = total_bounds(kinds, of_unit[is_drawn], values, 2 * errors[1, m])[1] / size
        assert (box.lower[m], box.upper[m]) == pytest.approx((lower, upper), abs=1e-9), name


def test_the_budget_does_not_know_how_large_the_drawn_clusters_are() -> None:
    clusters, truth, array, _ = make(1)
    pool, sizes = tw.Votes(array, n_classes=2), np.bincount(clusters)
    for few in (np.argsort(sizes)[:40], np.argsort(sizes)[-40:]):
        gold = np.flatnonzero(np.isin(clusters, few))
        drawn = Clusters(clusters[gold], clusters)
        box = tw.Box.from_gold(pool.take(gold), truth[gold], pool=pool, gold_is=drawn)
        assert box.gold is not None
        np.testing.assert_allclose(box.gold.counts.expected, box.gold.counts.pool * 40 / N_CLUSTERS)


def test_judges_hold_too_and_say_what_has_no_interval() -> None:
    misses = 0
    for seed in range(N_TRIALS):
        clusters, truth, array, gold = make(seed, n_classes=4)
        pool = tw.Votes(array, n_classes=4, ordered=True)
        drawn = tw.Gold(pool.take(gold), truth[gold], Clusters(clusters[gold], clusters))
        judged, inside = tw.judges(pool, drawn, confidence_level=LEVEL), []
        assert judged.n_intervals == 2 * 4, "agreement and within one step, of three judges and the panel"
        for score in judged.scores:
            j = pool.rule_names.index(score.judge)
            off = np.abs(array[:, j] - truth)[array[:, j] >= 0]
            assert score.steps is not None
            pairs = [(score.interval, (off == 0).mean()), (score.steps.interval, (off <= 1).mean())]
            inside += [low - 1e-9 <= share <= high + 1e-9 for (low, high), share in pairs]
            assert all(
                side.interval == (0, 1) for one in score.rates for side in (one.true_positive, one.false_positive)
            )
        misses += not all(inside)
    assert misses <= ALLOWED
    assert "have no intervals here: gold was drawn in whole clusters" in str(judged)


def test_the_best_judge_is_tested_by_cluster() -> None:
    """One cluster of nine items on which the judge alone is right is one piece of evidence, and not nine."""
    truth = np.zeros(60, dtype=int)
    array = np.zeros((60, 3), dtype=int)
    array[:9, 1:] = 1
    array[9:30, 0] = -1
    clusters = np.concatenate([np.zeros(9, dtype=int), np.arange(1, 52)])
    pool, gold = tw.Votes(array, n_classes=2), np.arange(40)
    drawn = tw.Gold(pool.take(gold), truth[gold], Clusters(clusters[gold], clusters))
    by_cluster, by_item = (
        tw.judges(pool, given).best_judge for given in (drawn, tw.Gold(drawn.votes, drawn.labels, "subset"))
    )
    assert by_cluster is not None and by_item is not None and by_cluster.judge == by_item.judge == "rule_0"
    assert by_item.p_value < 0.05 < by_cluster.p_value == 1


POOL = tw.Votes(np.zeros((6, 1), dtype=int), n_classes=2)
OF_POOL = np.array(["a", "a", "b", "b", "c", "d"])
BAD = {
    "partly": (
        Clusters(OF_POOL[[0, 2, 3]], OF_POOL),
        [0, 2, 3],
        "1 of 2 clusters with gold are labeled in part, such as 'a' ",
    ),
    "elsewhere": (Clusters(["a", "z"], OF_POOL), [0, 1], "gold must be of clusters of the pool; 'z' is none"),
    "short pool": (
        Clusters(["a", "a"], OF_POOL[:4]),
        [0, 1],
        "one cluster for each of the 6 items of the pool; found 4",
    ),
    "short gold": (Clusters(["a"], OF_POOL), [0, 1], "there must be one cluster per gold label; found shape (1,)"),
    "missing": (
        Clusters(["a", "a"], [*OF_POOL[:5], None]),
        [0, 1],
        "every item must be of a cluster; of 1 item of the pool none is given",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused(case: str) -> None:
    drawn, gold, words = BAD[case]
    with pytest.raises(ThumbwiseError, match=words.replace("(", r"\(").replace(")", r"\)")):
        tw.Box.from_gold(POOL.take(gold), np.zeros(len(gold), dtype=int), pool=POOL, gold_is=drawn)


def test_what_speaks_of_single_items_is_refused_or_left_out() -> None:
    clusters, truth, array, gold = make(0)
    pool = tw.Votes(np.hstack([array, array[:, ::-1]]), n_classes=2)
    drawn = Clusters(clusters[gold], clusters)
    given = tw.Gold(pool.take(gold), truth[gold], drawn)
    for ask in (
        lambda: tw.triage(pool, given),
        lambda: tw.compare(given, pool=pool),
        lambda: tw.plan(given, pool=pool),
    ):
        with pytest.raises(ThumbwiseError, match="found gold that was drawn in whole clusters"):
            ask()
    with pytest.raises(ThumbwiseError, match=r"looks.* count gold labels, and gold .* comes in clusters"):
        tw.Box.from_gold(given, pool=pool, looks=[len(gold)])
    with pytest.raises(ThumbwiseError, match="a learned opinion needs gold that is a plain random sample"):
        tw.Box.from_gold(given, pool=pool, opinions=["learned"])
    assert not any("learned" in name for name in tw.Box.from_gold(given, pool=pool).names)


def test_a_rate_takes_the_clusters_of_the_draw() -> None:
    clusters, truth, array, gold = make(0)
    pool = tw.Votes(array, n_classes=2, item_ids=np.arange(len(array)))
    drawn = tw.Gold(pool.take(gold), truth[gold], Clusters(clusters[gold], clusters))
    hidden = np.full(len(truth), -1)
    hidden[gold] = truth[gold]
    told, said = tw.rate(pool, drawn, of=1), tw.rate(pool, hidden, of=1, cluster=clusters)
    assert (told.lower, told.upper, told.assumption) == (said.lower, said.upper, said.assumption)
