"""Progress: valid for the rule of the header, whatever was skipped, and in numbers that other code finds too."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.bench.progress import Measuring, measure, prepare
from thumbwise.bench.reported import Progress
from thumbwise.bench.seen import Seen, Surest
from thumbwise.bench.valid_now import Rule, accepted_share
from thumbwise.box.stopping import StoppingRule
from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.gold_lines import Answer, Design, Goal, Header, Items, Settled, Stopping, settle
from thumbwise.numerics.anytime import anytime_sides
from thumbwise.numerics.intervals import hypergeometric_sides

CLASSES = ("pass", "fail")
N_ITEMS = 600
LOOKS = (40, 80)


@cache
def items() -> tuple[np.ndarray, tw.Votes, np.ndarray]:
    """Truth by row, votes, and the row in each place of the draw."""
    rng = np.random.default_rng(8)
    truth = np.where(rng.random(N_ITEMS) < 0.75, "pass", "fail")
    other = np.where(truth == "pass", "fail", "pass")
    votes = np.where(rng.random((N_ITEMS, 5)) < 0.8, truth[:, None], other[:, None])
    return truth, tw.Votes(votes, class_names=["fail", "pass"]), rng.permutation(N_ITEMS)


def header(stopping: Stopping, design: Design | None = None) -> Header:
    about = Items("a.csv", N_ITEMS, "0" * 64)
    return Header("2024-05-01T12:00:00Z", CLASSES, "id", about, design or Design("random", 1), stopping)


def answers(n: int, *, skipped: Collection[int] = (), unclear: Collection[int] = ()) -> Settled:
    truth, _, order = items()

    def said(place: int) -> Answer:
        kind = "skip" if place in skipped else "unclear" if place in unclear else "label"
        label = str(truth[order[place - 1]]) if kind == "label" else None
        return Answer(f"q{place}", place, label, kind, "ann", float(place % 7), "2024-05-01T12:00:09Z")  # type: ignore[arg-type]

    return settle(said(place) for place in range(1, n + 1))


def measuring(stopping: Stopping, *, with_votes: bool = True) -> Measuring:
    _, votes, order = items()
    return prepare(header(stopping), votes, order) if with_votes else prepare(header(stopping))


def rate_of(n: int, **asked: object) -> tw.Rates:
    truth, votes, order = items()
    gold = tw.Gold(votes.take(order[:n]), truth[order[:n]], tw.designs.Subset(in_drawn_order=True))
    return tw.rate(votes, gold, of="pass", **asked)  # type: ignore[arg-type]


def ends(found: Progress | tw.Rates) -> tuple[object, object]:
    return found.lower, found.upper


def test_a_fixed_number_of_labels_has_no_interval_before_it_is_reached_and_none_that_later_labels_change() -> None:
    ready = measuring(Stopping("fixed", 80, of="pass"))
    early = measure(ready, answers(79))
    assert (early.n_counted, early.lower, early.accuracy_at_least, early.accepted) == (None, None, None, None)
    assert early.labels_left == 1
    assert early.estimate is not None
    assert measure(ready, answers(0)).estimate is None
    for n in (80, 97):
        found = measure(ready, answers(n))
        assert ends(found) == ends(rate_of(80))
        assert found.n_counted == 80


def test_at_looks_the_last_one_counts_with_its_part_of_the_error() -> None:
    ready = measuring(Stopping("looks", None, LOOKS, of="pass"))
    assert measure(ready, answers(39)).lower is None
    for n, look in ((40, 40), (79, 40), (80, 80), (120, 80)):
        assert ends(measure(ready, answers(n))) == ends(rate_of(look, looks=LOOKS))
    assert measure(ready, answers(50)).labels_left == 30
    assert "it holds at each of the planned looks (40, 80)" in measure(ready, answers(50)).sentences[0]


@pytest.mark.parametrize("with_votes", [True, False])
def test_at_any_moment_progress_says_what_rates_say(with_votes: bool) -> None:
    ready = measuring(Stopping("anytime", of="pass", confidence_level=0.9), with_votes=with_votes)
    for n in (1, 33, 90):
        method = "assisted" if with_votes else "exact"
        expected = rate_of(n, looks="anytime", method=method, confidence_level=0.9)
        found = measure(ready, answers(n))
        assert ends(found) == ends(expected)
        assert found.estimate == pytest.approx(expected.estimate)
        assert "whenever labeling stops" in found.sentences[0]
    assert (found.accuracy_at_least is None) == (not with_votes)
    assert measure(ready, answers(0)).n_counted is None


@pytest.mark.parametrize("rule", [Stopping("fixed", 80, of="pass"), Stopping("anytime", of="pass")])
def test_what_is_skipped_counts_against_every_bound(rule: Stopping) -> None:
    """Kills progress that leaves skipped items out: it would be tighter for skipping what is hard."""
    ready = measuring(rule)
    whole, part = measure(ready, answers(80)), measure(ready, answers(80, skipped=range(3, 70, 11)))
    assert part.n_open == 7
    assert part.lower is not None and whole.lower is not None and part.upper is not None and whole.upper is not None
    assert part.lower < whole.lower <= whole.upper < part.upper
    assert part.accuracy_at_least is not None and whole.accuracy_at_least is not None
    assert part.accuracy_at_least < whole.accuracy_at_least
    truth, _, order = items()
    alone = prepare(header(rule))
    right = int(sum(truth[order[p - 1]] == "pass" for p in range(1, 81) if (p - 3) % 11 or p > 69))
    bounds = anytime_sides if rule.rule == "anytime" else hypergeometric_sides
    low = bounds([right], [80], [N_ITEMS], 0.025, 0.025)[0][0]
    high = bounds([right + 7], [80], [N_ITEMS], 0.025, 0.025)[1][0]
    found = measure(alone, answers(80, skipped=range(3, 70, 11)))
    assert ends(found) == (low / N_ITEMS, high / N_ITEMS)
    assert any("7 skipped or open items count against all of this" in sentence for sentence in found.sentences)
    assert measure(alone, answers(80, skipped=[80])).n_counted == 80
    if rule.rule == "anytime":  # bets see values one after the other: none is laid behind an open place
        assert ends(measure(ready, answers(80, skipped=[41, 60]))) == ends(measure(ready, answers(40)))
        assert ends(measure(ready, answers(80, skipped=[1]))) == (0, 1)


def test_unclear_items_are_of_no_class() -> None:
    ready = measuring(Stopping("anytime", of="pass"), with_votes=False)
    truth, _, order = items()
    unclear = [place for place in range(1, 61) if truth[order[place - 1]] == "pass"][:10]
    whole, part = measure(ready, answers(60)), measure(ready, answers(60, unclear=unclear))
    assert part.n_labels == 60
    assert part.n_open == 0
    assert part.estimate == pytest.approx((whole.estimate or 0) - 10 / 60)


def test_the_accuracy_of_the_panels_labels_is_bounded_by_what_gold_counts() -> None:
    truth, _, order = items()
    ready = measuring(Stopping("looks", None, LOOKS, of="pass"))
    assert ready.panel is not None
    verdict = np.array(CLASSES)[ready.panel.verdict]
    assert (verdict == truth[order]).mean() > 0.85
    right = int((verdict[:80] == truth[order[:80]]).sum())
    low = hypergeometric_sides(right, 80, N_ITEMS, 0.025, 0.0)[0]
    assert measure(ready, answers(80)).accuracy_at_least == int(low) / N_ITEMS


@pytest.mark.parametrize(("within", "reached"), [(0.3, True), (0.01, False)])
def test_a_rate_is_reached_when_its_interval_is_narrow_enough(within: float, reached: bool) -> None:
    ready = measuring(Stopping("anytime", of="pass", goal=Goal("rate", within=within)))
    found = measure(ready, answers(60))
    assert found.is_reached is reached
    assert found.labels_left == 0 if reached else (found.labels_left or 0) > 60
    assert found.seconds_each == np.median([place % 7 for place in range(1, 61)])
    assert found.seconds_left == pytest.approx((found.seconds_each or 0) * (found.labels_left or 0))
    assert json.loads(json.dumps(found.as_dict()))["goal"] == found.goal


def test_enough_is_accepted_if_every_set_on_the_way_is_shown_to_be_precise() -> None:
    """Set by set, with the bound of each reckoned on its own."""
    rng = np.random.default_rng(1)
    sureness = rng.choice([0.6, 0.8, 0.9, 0.99], N_ITEMS)
    is_right = rng.random(N_ITEMS) < np.where(sureness > 0.7, 1.0, 0.5)
    for rule in (StoppingRule.of((50, 150)), StoppingRule.of("anytime")):
        whole, n = Rule(rule, None, 0.9, N_ITEMS), 150
        surest = Surest.of(sureness, 0.33)
        accepted, failed = 0.0, False
        for bar in (0.99, 0.9, 0.8, 0.6):
            size, here = int((sureness >= bar).sum()), sureness[:n] >= bar
            wrong, error = int((here & ~is_right[:n]).sum()), 0.1 / rule.n_looks
            if rule.is_anytime:
                most = anytime_sides(wrong, int(here.sum()), size, 0.0, error, horizon=120 * size / N_ITEMS)[1]
            else:
                most = hypergeometric_sides(wrong, int(here.sum()), size, 0.0, error)[1]
            failed |= int(most) > int(0.1 * size + 1e-9)
            accepted = accepted if failed else size / N_ITEMS
        found = accepted_share(whole, Seen(np.zeros(n, dtype=np.int64)), is_right[:n], surest, 0.9)
        assert found == accepted
        assert 0 < found < 1
    assert (surest.sizes == [(sureness >= bar).sum() for bar in surest.bars]).all()
    assert accepted_share(whole, Seen(np.zeros(3, dtype=np.int64)), is_right[:3], surest, 0.999) == 0.0


def test_sets_are_bounded_as_their_part_of_the_draws_suggests() -> None:
    rule = Rule(StoppingRule.of("anytime"), None, 0.9, N_ITEMS)
    wrong, drawn, size = (np.array(part) for part in ([1, 3], [20, 70], [100, 450]))
    found = rule.sides(wrong, drawn, size, 0.0, 0.1)
    np.testing.assert_array_equal(found, anytime_sides(wrong, drawn, size, 0.0, 0.1, horizon=120 * size / N_ITEMS))


@pytest.mark.parametrize(
    ("bar", "n_wrong", "accepted"), [(0.9, 0, 0.95), (0.9, 4, 0.0), (0.7, 20, 0.35), (0.5, 20, 0.65)]
)
def test_the_first_set_that_fails_ends_the_sequence(bar: float, n_wrong: int, accepted: float) -> None:
    """The smallest set is too small to be shown to be precise, and is passed over; open places are wrong.

    Kills a sequence that begins at the smallest set, and one that goes on after a set that fails.
    """
    sureness = np.tile([0.95, 0.9, 0.9, 0.9, 0.7, 0.7, 0.7, 0.5, 0.5, 0.5], 60)
    sureness = np.where((sureness == 0.95) & (np.arange(N_ITEMS) % 20 == 10), 0.3, sureness)
    is_right = np.ones(N_ITEMS, dtype=bool)
    is_right[np.flatnonzero(sureness == bar)[:n_wrong]] = False
    rule, surest = Rule(StoppingRule.of((200,)), None, 0.95, N_ITEMS), Surest.of(sureness)
    seen = Seen(np.where(sureness[:200] == 0.3, -2, 0))
    found = accepted_share(rule, seen, is_right[:200], surest, 0.95)
    assert found == pytest.approx(accepted)


def test_what_is_accepted_is_precise_however_somebody_stops() -> None:
    """All sets are a little too imprecise, so that every acceptance is false; false-alarm rate one in a million."""
    rng = np.random.default_rng(2)
    n_items, error = 240, 0.2
    sureness = rng.choice([0.7, 0.8, 0.9], n_items)
    is_right = np.ones(n_items, dtype=bool)
    for bar in (0.7, 0.8, 0.9):
        some = np.flatnonzero(sureness == bar)
        is_right[some[: int(np.ceil(0.21 * len(some)))]] = False
    rule = Rule(StoppingRule.of("anytime"), None, 1 - error, n_items)
    n_runs, false = 60, 0
    for _ in range(n_runs):
        order = rng.permutation(n_items)
        surest = Surest.of(sureness[order])
        false += any(
            accepted_share(rule, Seen(np.zeros(n, dtype=np.int64)), is_right[order][:n], surest, 0.8) > 0
            for n in (30, 60, 120)
        )
    assert false <= binom.ppf(1 - 1e-6, n_runs, error)


def test_strata_are_weighed_and_have_no_interval_for_every_moment() -> None:
    truth, votes, _ = items()
    drawn = tw.draw_stratified(votes, 80, random_state=3)
    for stopping in (Stopping("fixed", 80, of="pass"), Stopping("anytime", of="pass")):
        said = [
            Answer(
                f"q{place}", place, str(truth[row]), "label", "ann", 1.0, "2024-05-01", stratum=drawn.places[place - 1]
            )
            for place, row in enumerate(drawn.order[:80].tolist(), 1)
        ]
        head = header(stopping, Design("stratified", 3, drawn.strata))
        found = measure(prepare(head, votes, drawn.order), settle(said))
        gold = tw.Gold(votes.take(drawn.order[:80]), truth[drawn.order[:80]], drawn.design())
        expected = tw.rate(votes, gold, of="pass")
        assert found.estimate == pytest.approx(expected.estimate)
        if stopping.rule == "fixed":
            assert ends(found) == ends(expected)
            assert found.accuracy_at_least is not None
        else:
            assert found.lower is None
            assert "no interval that would hold at every moment" in found.sentences[0]


def test_votes_on_other_items_are_refused() -> None:
    _, votes, order = items()
    with pytest.raises(InvalidVotesError, match="votes on each of the 600 items"):
        prepare(header(Stopping("anytime")), votes.take(range(10)), order)
