"""Explanations against formulas written item by item, and against predict_proba of votes with one vote taken away."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import thumbwise as tw
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.box.moments.linear import About, Moments
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate, class_accuracies, confusion_cells
from thumbwise.box.moments.written import LinearMoment
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.base import LabelModel
from thumbwise.models.explained import explaining
from thumbwise.models.explained.explaining import explain, explain_many
from thumbwise.numerics.vote_rates import KINDS

SIZES = [(k, seed) for k in (2, 3, 4, 5) for seed in range(2)]


def make_problem(k: int, seed: int, **names: Any) -> tuple[IntArray, tw.Votes]:
    """Labels and votes with abstentions; the last item has no vote."""
    rng = np.random.default_rng(100 * k + seed)
    labels, array = make_votes(rng, 40, 5, k)
    array[-1] = -1
    return labels, tw.Votes(array, n_classes=k, **names)


def wide_box(votes: tw.Votes, labels: IntArray) -> tw.Box:
    exact = tw.Box.exact(votes, labels)
    return tw.Box.from_bounds(votes, lower=np.clip(exact.lower - 0.06, 0, 1), upper=np.clip(exact.upper + 0.03, 0, 1))


def fit_all(votes: tw.Votes, labels: IntArray) -> list[LabelModel]:
    models: list[LabelModel] = [tw.BalsubramaniFreund().fit(votes, box=wide_box(votes, labels))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models += [tw.DawidSkene(kind=kind, prior_right=2, prior_wrong=1).fit(votes) for kind in KINDS]
        models += [tw.DawidSkene().fit(votes), tw.DataProgramming(max_iter=200).fit(votes)]
    return models


def softmax(scores: FloatArray) -> FloatArray:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def written_scores(model: Any, row: npt.NDArray[np.integer[Any]], k: int) -> FloatArray:
    """Scores of one item, as the text of each model says it."""
    scores = np.zeros(k)
    if isinstance(model, tw.BalsubramaniFreund):
        for j, vote in enumerate(row):
            if vote >= 0:
                scores[vote] += model.weights_[j]
        return scores + model.weights_[len(row) :]
    is_snorkel = isinstance(model, tw.DataProgramming)
    rates = model.vote_rates_ if is_snorkel else model.rates_
    frequencies = model.class_balance_ if is_snorkel else model.class_frequencies_
    for c in range(k):
        scores[c] = np.log(max(frequencies[c], 1e-300))
        for j, vote in enumerate(row):
            if vote >= 0:
                scores[c] += np.log(max(rates[j, vote, c], 1e-300))
    return scores


@pytest.mark.parametrize(("k", "seed"), SIZES)
def test_terms_sum_to_the_scores_and_these_give_the_prediction(k: int, seed: int) -> None:
    labels, votes = make_problem(k, seed)
    for model in fit_all(votes, labels):
        proba = model.predict_proba(votes)
        for i in [*range(0, 40, 5), 39]:
            found = explain(model, votes, i)
            np.testing.assert_array_equal(found.proba, proba[i])
            total = found.contributions.sum(axis=0) + sum(found.background.values())
            np.testing.assert_allclose(softmax(total), proba[i], atol=1e-10, rtol=0)
            np.testing.assert_allclose(softmax(found.scores), proba[i], atol=1e-10, rtol=0)
            expected = softmax(written_scores(model, votes.array[i], k))
            np.testing.assert_allclose(softmax(found.scores), expected, atol=1e-10, rtol=0)
            assert found.label == model.predict(votes)[i]


@pytest.mark.parametrize(("k", "seed"), SIZES)
def test_without_a_vote_is_the_prediction_with_that_vote_an_abstention(k: int, seed: int) -> None:
    labels, votes = make_problem(k, seed)
    for model in fit_all(votes, labels):
        chosen = list(range(k, 40, 6))
        columns = explain_many(model, votes, chosen)
        rows = iter(range(len(columns["rule"])))
        for i in chosen:
            row = votes.array[i]
            voted = np.flatnonzero(row >= 0)
            found = explain(model, votes, i)
            assert found.rules == tuple(votes.rule_names[j] for j in voted)
            for e, j in enumerate(voted):
                fewer = row.copy()
                fewer[j] = -1
                expected = model.predict_proba(tw.Votes(fewer[None], n_classes=k))[0]
                np.testing.assert_allclose(found.without[e], expected, atol=1e-10, rtol=0)
                r = next(rows)
                assert (columns["item_id"][r], columns["rule"][r], columns["vote"][r]) == (i, f"rule_{j}", row[j])
                assert columns["proba"][r] == pytest.approx(found.proba[row[j]], abs=1e-10)
                assert columns["proba_without"][r] == pytest.approx(expected[row[j]], abs=1e-10)
                assert columns["contribution"][r] == pytest.approx(found.contributions[e, row[j]], abs=1e-9)
        assert next(rows, None) is None


@pytest.mark.parametrize(("k", "seed"), SIZES)
def test_a_vote_of_the_game_or_of_one_coin_adds_its_weight_to_its_class_alone(k: int, seed: int) -> None:
    labels, votes = make_problem(k, seed)
    for model in (
        tw.BalsubramaniFreund().fit(votes, box=wide_box(votes, labels)),
        tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes),
    ):
        for i, row in enumerate(votes.array[:15]):
            voted = np.flatnonzero(row >= 0)
            expected = np.zeros((len(voted), k))
            expected[np.arange(len(voted)), row[voted]] = model.weights_[voted]
            found = explain(model, votes, i)
            np.testing.assert_allclose(found.contributions, expected, atol=1e-10)
            assert list(found.background) == ["class frequency"]
            np.testing.assert_allclose(found.background["class frequency"], model.weights_[5:], atol=1e-10)


def test_a_vote_of_a_confusion_matrix_is_measured_against_the_other_classes() -> None:
    """The log rate of the class voted for, less the mean log rate of the others."""
    _, votes = make_problem(4, 0)
    model = tw.DawidSkene(kind="full", prior_right=2, prior_wrong=1).fit(votes)
    columns = explain_many(model, votes)
    for r in range(0, len(columns["rule"]), 7):
        logs = np.log(model.rates_[votes.rule_names.index(columns["rule"][r]), columns["vote"][r]])
        own = columns["vote"][r]
        assert columns["contribution"][r] == pytest.approx(logs[own] - np.delete(logs, own).mean(), abs=1e-10)


def fit_rich_box(seed: int) -> tuple[Any, tw.Votes]:
    """Every kind of moment at once, in groups. Any weights are a prediction, so that none of them is 0."""
    rng = np.random.default_rng(seed)
    labels, array = make_votes(rng, 60, 4, 3)
    array[-1] = -1
    votes = tw.Votes(array, n_classes=3, item_groups=rng.choice(["A", "B"], 60))
    kinds = (
        class_accuracies,
        confusion_cells,
        group_frequencies,
        ConditionalRate("rule_0", 1, 1, 0.55),
        LinearMoment("cost", {"A": {0: 2.0, 1: -1.0}, "B": {2: 0.5}}),
    )
    model = tw.BalsubramaniFreund().fit(votes, box=wide_box(votes, labels).with_bounds(votes, {}, moments=kinds))
    model.weights_ = rng.normal(size=len(model.box_))
    model.active_ = np.sign(model.weights_).astype(np.int64)
    return model, votes


@pytest.mark.parametrize("seed", range(4))
def test_moments_of_all_kinds_are_taken_apart(seed: int) -> None:
    model, votes = fit_rich_box(seed)
    features = model.box_.moments(votes).features.toarray().reshape(-1, 3, len(model.box_))
    proba = model.predict_proba(votes)
    for i in [*range(0, 60, 7), 59]:
        found = explain(model, votes, i)
        np.testing.assert_allclose(softmax(found.scores), proba[i], atol=1e-10, rtol=0)
        for m, name in enumerate(model.box_.names):
            parts = [term.by_class for term in found.terms if term.name == name]
            expected = features[votes.inverse[i], :, m] * model.weights_[m]
            np.testing.assert_allclose(sum(parts, np.zeros(3)), expected, atol=1e-12)
        voted = np.flatnonzero(votes.array[i] >= 0)
        for e, j in enumerate(voted):
            fewer = votes.array[i].copy()
            fewer[j] = -1
            group = votes.group_names[votes.groups[i]]
            other = tw.Votes([fewer] * 2, n_classes=3, item_groups=["A", "B"])
            expected = model.predict_proba(other)[["A", "B"].index(str(group))]
            np.testing.assert_allclose(found.without[e], expected, atol=1e-10, rtol=0)


def test_what_no_vote_changes_belongs_to_no_vote() -> None:
    """Of a rate's moment, 1 [vote] - 0.55, the vote has the 1, and -0.55 is there without it."""
    model, votes = fit_rich_box(1)
    i = int(np.flatnonzero(votes.array[:, 0] == 1)[0])
    m = model.box_.names.index("rate(rule_0: 1 called 1) - 0.55")
    mine = {term.rule: term.by_class[1] for term in explain(model, votes, i).terms if term.name == model.box_.names[m]}
    assert mine == pytest.approx({"rule_0": model.weights_[m], None: -0.55 * model.weights_[m]})
    rules = {term.rule for term in explain(model, votes, i).terms if term.name.startswith("confusion(rule_0: ")}
    assert rules == {"rule_0"}


def agreement(votes: tw.Votes) -> Moments:
    """Share of items of class 0 on which the first two rules agree: no sum over votes."""
    rows = votes.patterns.to_rows()
    agree = (rows[:, 0] == rows[:, 1]) & (rows[:, 0] >= 0)
    column = np.zeros((len(rows), votes.n_classes))
    column[:, 0] = agree
    features = sp.csr_array(column.reshape(-1, 1))
    return Moments.of_shares([About("agree", "agree", "agreement")], features, np.array([votes.n_items]), ["agree"])


def test_a_moment_of_two_votes_together_still_adds_up() -> None:
    labels, votes = make_problem(3, 1)
    box = wide_box(votes, labels).with_bounds(votes, {"agree": (0.3, 1)}, moments=[agreement])
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    assert model.weights_[-1] > 0
    i = int(np.flatnonzero((votes.array[:, 0] == votes.array[:, 1]) & (votes.array[:, 0] >= 0))[0])
    found = explain(model, votes, i)
    np.testing.assert_allclose(softmax(found.scores), model.predict_proba(votes)[i], atol=1e-10)
    assert sum(term.by_class[0] for term in found.terms if term.name == "agree") == pytest.approx(model.weights_[-1])
    for e, j in enumerate(np.flatnonzero(votes.array[i] >= 0)):
        fewer = votes.array[i].copy()
        fewer[j] = -1
        np.testing.assert_allclose(found.without[e], model.predict_proba(fewer[None])[0], atol=1e-10)


def test_active_bounds_are_those_that_the_moments_of_the_prediction_lie_on() -> None:
    labels, votes = make_problem(3, 0)
    model = tw.BalsubramaniFreund().fit(votes, box=wide_box(votes, labels))
    reached = model.box_.moments(votes).averages(
        np.stack([model.predict_proba(votes)[votes.inverse == t].sum(axis=0) for t in range(votes.inverse.max() + 1)])
    )
    value = dict(zip(model.box_.names, reached, strict=True))
    seen = set()
    for i in range(40):
        for term in explain(model, votes, i).terms:
            seen.add(term.active)
            assert term.lower is not None
            assert term.upper is not None
            if term.active == 1:
                assert value[term.name] == pytest.approx(term.lower, abs=1e-7)
                assert (
                    f"lower bound {math.floor(term.lower * 1000 + 1e-6) / 1000:.3f} of {term.name} decides"
                    in term.bound
                )
            elif term.active == -1:
                assert value[term.name] == pytest.approx(term.upper, abs=1e-7)
                assert (
                    f"upper bound {math.ceil(term.upper * 1000 - 1e-6) / 1000:.3f} of {term.name} decides" in term.bound
                )
            else:
                assert not term.by_class.any()
                assert term.bound.startswith(f"no bound of {term.name} (")
    assert {1, -1} <= seen


def test_gold_items_are_said_to_be_known() -> None:
    labels, votes = make_problem(3, 2, item_ids=[f"q{i}" for i in range(40)])
    y = np.where(np.arange(40) < 20, labels, -1)
    model = tw.BalsubramaniFreund().fit(votes, y)
    known, other = explain(model, votes, "q3"), explain(model, votes, "q30")
    assert (known.is_known, other.is_known) == (True, False)
    assert known.label == labels[3]
    np.testing.assert_array_equal(known.without, np.tile(np.eye(3)[labels[3]], (len(known.rules), 1)))
    assert str(known).startswith(f"item q3: {labels[3]}, a known label that no vote changes\n")
    assert "known" not in str(other)
    np.testing.assert_allclose(softmax(known.scores), model.predict_proba(votes.without_ids())[3], atol=1e-10)
    columns = explain_many(model, votes)
    np.testing.assert_array_equal(columns["is_known"], [int(name[1:]) < 20 for name in columns["item_id"]])
    proba = model.predict_proba(votes)
    at = [int(name[1:]) for name in columns["item_id"]], columns["vote"].astype(int)
    np.testing.assert_allclose(columns["proba"], proba[at], atol=1e-10)
    for column in ("proba", "proba_without"):
        np.testing.assert_array_equal(columns[column][columns["is_known"]], proba[at][columns["is_known"]])


def test_an_item_without_votes_has_what_the_classes_have() -> None:
    labels, votes = make_problem(3, 0)
    for model in fit_all(votes, labels):
        found = explain(model, votes, 39)
        assert found.rules == ()
        assert found.without.shape == (0, 3)
        assert "no rule votes on it" in str(found)
        empty = explain_many(model, votes, items=[39])
        assert {len(column) for column in empty.values()} == {0}


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, votes = fit_rich_box(2)
    whole = explain_many(model, votes)
    monkeypatch.setattr(explaining, "_BLOCK", 50)
    parts = explain_many(model, votes)
    assert len(list(explaining._blocks(votes.patterns))) > 5
    for name, column in whole.items():
        np.testing.assert_array_equal(column, parts[name])


def test_items_are_chosen_by_id_position_or_truth_value_in_the_order_given() -> None:
    _, votes = make_problem(2, 0, item_ids=[f"q{i}" for i in range(40)])
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)
    by_id, by_position = (explain_many(model, votes, items) for items in (["q7", "q2", "q7"], [7, 2, 7]))
    assert list(dict.fromkeys(by_id["item_id"].tolist())) == ["q7", "q2"]
    whole = explain_many(model, votes)
    mask = explain_many(model, votes, np.arange(40) % 4 == 0)
    for name in whole:
        np.testing.assert_array_equal(by_id[name], by_position[name])
        pieces = [whole[name][whole["item_id"] == item] for item in ("q7", "q2", "q7")]
        np.testing.assert_array_equal(by_id[name], np.concatenate(pieces))
        chosen = [int(item[1:]) % 4 == 0 for item in whole["item_id"]]
        np.testing.assert_array_equal(mask[name], whole[name][chosen])
    numbered = tw.Votes(votes.array, n_classes=2, item_ids=np.arange(40)[::-1])
    np.testing.assert_array_equal(explain(model, numbered, 0).proba, model.predict_proba(votes)[39])


def test_long_votes_are_explained_as_wide_ones() -> None:
    labels, votes = make_problem(3, 1)
    i, j = np.nonzero(votes.array >= 0)
    long = tw.Votes.from_long(
        (i, np.array(votes.rule_names)[j], votes.array[i, j]),
        n_classes=3,
        rule_names=votes.rule_names,
        item_ids=np.arange(40),
    )
    for model in fit_all(votes, labels):
        wide_columns, long_columns = explain_many(model, votes), explain_many(model, long)
        for name, column in wide_columns.items():
            np.testing.assert_array_equal(column, long_columns[name])


@pytest.mark.parametrize("item", ["q77", 40, -1, 2.5, True, None, ["q1"], "\x1b[2J"])
def test_an_item_that_is_not_there_is_refused(item: Any) -> None:
    _, votes = make_problem(2, 0, item_ids=[f"q{i}" for i in range(40)])
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)
    with pytest.raises(InvalidChoiceError, match=r"an item must be") as error:
        explain(model, votes, item)
    assert str(error.value).isprintable()
    with pytest.raises(InvalidChoiceError):
        explain_many(model, votes, [*range(3), item])


def test_other_mistakes_are_refused() -> None:
    _, votes = make_problem(2, 0)
    with pytest.raises(InvalidChoiceError, match="found MajorityVote"):
        explain(tw.MajorityVote().fit(votes), votes, 0)
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)
    with pytest.raises(InvalidChoiceError, match="found MajorityVote"):
        explain_many(tw.MajorityVote().fit(votes), votes)
    with pytest.raises(InvalidChoiceError, match=r"Write \['q1'\]"):
        explain_many(model, votes, "q1")
    with pytest.raises(InvalidChoiceError, match="one per item, 40; found 2"):
        explain_many(model, votes, [True, False])


HOSTILE: list[Hashable] = [
    "caps, +9.90 links",
    "a\nspam 1.00: ",
    "\x1b[31mred",
    " lead",
    "",
    "class frequency",
    "x" * 10_000,
    "\u202eevil",
    "emoji \U0001f600",
    "(spam)",
]


def test_hostile_names_cannot_forge_the_text() -> None:
    rng = np.random.default_rng(0)
    array = rng.integers(0, 2, (30, len(HOSTILE)))
    votes = tw.Votes(
        array, rule_names=[str(name) for name in HOSTILE], class_names=["ham\n", "x" * 10_000], item_ids=range(30)
    )
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.exact(votes, rng.integers(0, 2, 30)))
    shown = str(explain(model, votes, 3))
    assert len(shown.split("\n")) == 4
    assert all(line.isprintable() for line in shown.split("\n"))
    assert len(shown) < 6_000
    assert "\n  log-odds of " in shown
    assert shown.count(" class frequency") - shown.count(" class frequency (") >= 1
    assert ", +9.90 links" not in shown.replace("'caps, +9.90 links'", "").replace("caps, +9.90 links)'", "")
    columns = explain_many(model, votes, items=[3])
    assert columns["rule"].tolist() == HOSTILE


def test_the_text_says_what_the_numbers_say() -> None:
    votes = tw.Votes(
        [[1, 1, 0], [0, 0, 0], [1, 0, -1], [0, -1, 1]],
        rule_names=["links", "caps", "short"],
        class_names=["ham", "spam"],
        item_ids=["a", "b", "c", "d"],
    )
    box = tw.Box.from_bounds(votes, {"links": (0.75, 1), "caps": (0, 0.4), "spam": (0.4, 0.4)})
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    u, found = model.weights_, explain(model, votes, "c")
    lines = str(found).split("\n  ")
    spam = model.predict_proba(votes)[2, 1]
    assert lines[0] == f"item c: spam {spam:.2f}, ham {1 - spam:.2f}"
    total = np.log(spam / (1 - spam))
    frequency = u[4] - u[3]
    assert u[1] < 0 < u[0]
    parts = sorted([(u[0], "links (spam)"), (-u[1], "caps (ham)")], key=lambda part: -abs(part[0]))
    expected = ", ".join(f"{value:+.2f} {name}" for value, name in [*parts, (frequency, "class frequency")])
    assert lines[1] == f"log-odds of spam against ham {total:+.2f}: {expected}"
    assert (
        "the lower bound 0.750 of accuracy(links) decides; the upper bound 0.400 of accuracy(caps) decides" in lines[2]
    )
    assert "short" not in str(found)
    free = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"links": (0.75, 1)}))
    text = str(explain(free, votes, "c"))
    assert "\n  bounds: the lower bound 0.750 of accuracy(links) decides; no bound of accuracy(caps) does\n" in text
    assert "the exact value 0.4 of frequency(spam) decides" in lines[2]
    without = 1 / (1 + np.exp(-(total - u[0])))
    assert f"{without:.2f} without links" in lines[3]
    assert lines[3].startswith("spam would be ")
    assert lines[3].endswith("(same weights, not refitted)")


def test_a_widened_box_is_said_to_be_one() -> None:
    votes = tw.Votes([[0, 1], [1, 0]], rule_names=["a", "b"])
    box = tw.Box.from_bounds(votes, {"a": (0.8, 0.9), "b": (0.8, 0.9)})
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    assert "bounds (before all were widened by a factor of 7" in str(explain(model, votes, 0))


def fit_opinions(k: int, caution: float | str = "auto") -> tuple[Any, tw.Votes]:
    """Gold of a panel; weights on all moments, since any weights are a prediction."""
    rng = np.random.default_rng(k)
    labels, array = make_votes(rng, 200, 6, k)
    array[-1] = -1
    votes = tw.Votes(array, n_classes=k)
    box = tw.Box.from_gold(votes.take(np.arange(80)), labels[:80], pool=votes, gold_is="subset")
    model: Any = tw.BalsubramaniFreund(caution=caution, on_infeasible="widen").fit(votes, box=box)  # type: ignore[arg-type]
    model.weights_ = np.append(rng.normal(size=len(box) - 1), -1.5)
    model.active_ = np.sign(model.weights_).astype(np.int64)
    return model, votes


@pytest.mark.parametrize("k", [2, 3])
def test_opinions_are_shown_whole_and_the_sum_stays_right(k: int) -> None:
    model, votes = fit_opinions(k)
    proba = model.predict_proba(votes)
    features = model.box_.moments(votes).features.toarray().reshape(-1, k, len(model.box_))
    seen = set()
    for i in [*range(0, 200, 9), 199]:
        explained = explain(model, votes, i)
        parts = [*explained.contributions, *explained.background.values(), *explained.opinions.values()]
        np.testing.assert_allclose(softmax(sum(parts, np.zeros(k))), proba[i], atol=1e-10, rtol=0)
        np.testing.assert_allclose(softmax(explained.scores), proba[i], atol=1e-10, rtol=0)
        whole = features[votes.inverse[i], :, -1] * model.weights_[-1]
        np.testing.assert_allclose(explained.opinions["learned from gold"], whole, atol=1e-12)
        own = [model.weights_[j] * np.eye(k)[v] for j, v in enumerate(votes.array[i]) if v >= 0]
        np.testing.assert_allclose(explained.contributions, np.reshape(own, (-1, k)), atol=1e-12)
        assert not set(explained.background) - {"class frequency"}
        seen |= set(explained.opinions)
    assert seen == {"majority vote", "panel as a whole", "learned from gold"}


def test_without_a_vote_counts_what_opinions_then_say() -> None:
    model, votes = fit_opinions(3)
    columns = explain_many(model, votes, range(0, 200, 17))
    rows = iter(range(len(columns["rule"])))
    for i in range(0, 200, 17):
        explained = explain(model, votes, i)
        for e, j in enumerate(np.flatnonzero(votes.array[i] >= 0)):
            fewer, r, voted = votes.array[i].copy(), next(rows), votes.array[i, j]
            fewer[j] = -1
            expected = model.predict_proba(tw.Votes(fewer[None], n_classes=3))[0]
            np.testing.assert_allclose(explained.without[e], expected, atol=1e-10, rtol=0)
            assert columns["proba_without"][r] == pytest.approx(expected[voted], abs=1e-10)
            assert columns["contribution"][r] == pytest.approx(model.weights_[j], abs=1e-9)


def test_bounds_decide_only_where_the_weights_follow_nothing_else() -> None:
    cautious, votes = fit_opinions(2, caution=1)
    text = str(explain(cautious, votes, 0))
    assert "of log loss(learned opinion) decides" in text
    assert "counts" not in text
    aiming, votes = fit_opinions(2, caution=0.3)
    text = str(explain(aiming, votes, 0))
    assert "decide" not in text
    assert "bounds (weights follow gold too, caution 0.3; those that count enter the certificate): the" in text
    assert "the upper bound" in text and "of log loss(learned opinion) counts" in text
    term = next(term for term in explain(aiming, votes, 0).terms if term.opinion == "learned from gold")
    assert (term.rule, term.active, term.follows_gold) == (None, -1, True)
    assert term.bound.endswith("of log loss(learned opinion) counts")


def test_votes_that_only_opinions_count_are_counted_not_listed() -> None:
    model, votes = fit_opinions(2)
    model.weights_ = np.append(np.zeros(len(model.box_) - 1), -1.5)
    model.active_ = np.sign(model.weights_).astype(np.int64)
    explained = explain(model, votes, 3)
    line = str(explained).split("\n  ")[1]
    assert f", +0.00 {len(explained.rules)} votes by themselves, " in line
    best, other = np.argsort(-explained.proba)
    learned = explained.opinions["learned from gold"]
    assert f": {learned[best] - learned[other]:+.2f} learned from gold, +0.00 " in line
    assert "no rule votes on it" in str(explain(model, votes, 199))
