"""Tables of rules and of pairs of rules, against loops over the items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import thumbwise as tw
from report.problems import small_model, small_reading
from thumbwise.assess import redundancy
from thumbwise.assess.tables.pairs import agreement_table, errors_table, like_together, square
from thumbwise.assess.tables.rules import rules_table


def test_coverage_overlap_and_conflict_are_those_of_a_loop_over_items() -> None:
    votes, table = small_reading().votes, rules_table(small_model(), small_reading().votes)
    for j in range(votes.n_rules):
        said = [(row[j], np.delete(row, j)) for row in votes.array if row[j] >= 0]
        overlap = sum(bool((others >= 0).any()) for _, others in said)
        conflict = sum(bool(((others >= 0) & (others != own)).any()) for own, others in said)
        found = [table[name][j] for name in ("coverage", "overlap", "conflict")]
        np.testing.assert_allclose(found, np.array([len(said), overlap, conflict]) / votes.n_items)
    assert 0 < min(table["conflict"]) < max(table["conflict"]) < min(table["overlap"])


def test_gold_accuracy_is_counted_on_gold_and_bounds_and_weights_are_those_of_the_fit() -> None:
    reading = small_reading()
    box = tw.Box.from_gold(reading, opinions=(), n_permutations=0)
    model = tw.BalsubramaniFreund(caution=1).fit(reading.votes, box=box)  # whose weights meet bounds of rules
    table = rules_table(model, reading.votes, {"rule_1": 0.25})
    array, labels = reading.gold_votes.array, reading.gold_labels
    for j in range(reading.votes.n_rules):
        voted = array[:, j] >= 0
        assert table["gold_votes"][j] == voted.sum()
        assert table["gold_accuracy"][j] == pytest.approx((array[voted, j] == labels[voted]).mean())
        if table["active"][j] == "none":
            assert table["weight"][j] == 0
        else:  # the fit meets the bound that is called active, on all items with gold at its label
            proba = model.predict_proba(reading.votes)
            spoke = np.flatnonzero(reading.votes.array[:, j] >= 0)
            met = proba[spoke, reading.votes.array[spoke, j]].mean()
            assert met == pytest.approx(table[table["active"][j]][j], abs=1e-6)
    assert {"lower"} <= set(table["active"])
    assert table["worth"] == (None, 0.25, None, None, None)
    assert table.facts["chance"] == 0.5


def test_a_rule_that_the_box_does_not_know_has_no_interval() -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, 0]], rule_names=["a", "b"])
    box = tw.Box.from_bounds(votes, {"a": (0.6, 1)})
    table = rules_table(tw.BalsubramaniFreund().fit(votes, box=box), votes)
    assert table["gold_votes"] == table["gold_accuracy"] == (None, None)
    assert table["lower"] == (0.6, 0.0)


@pytest.mark.parametrize(("many_classes", "sparse_cost"), [(1, 1e9), (8, 1e9), (8, 0)])
def test_agreement_is_counted_where_both_vote(
    monkeypatch: pytest.MonkeyPatch, many_classes: int, sparse_cost: float
) -> None:
    monkeypatch.setattr(redundancy, "_CHUNK", 7)  # several chunks
    monkeypatch.setattr(redundancy, "_MANY_CLASSES", many_classes)  # dense and sparse tables
    monkeypatch.setattr(redundancy, "_SPARSE_COST", sparse_cost)
    votes = small_reading().votes
    table = agreement_table(votes)
    for row in table.rows():
        one, other = votes.array[:, row["first"]], votes.array[:, row["second"]]
        both = (one >= 0) & (other >= 0)
        assert row["n_shared"] == both.sum()
        assert row["agreement"] == pytest.approx((one[both] == other[both]).mean())
    assert list(zip(table["first"], table["second"], strict=True)) == list(combinations(range(5), 2))


def test_counts_beyond_what_float32_holds_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redundancy, "_EXACT", 10)
    votes = tw.Votes([[0, 0], [0, 1]])
    many = votes.patterns.take(np.array([0, 1]), np.array([2**25 + 1, 3]))
    counted = redundancy.count_agreement(many)
    assert (counted.n_shared[0, 1], counted.n_same[0, 1]) == (2**25 + 4, 2**25 + 1)


def test_some_rules_are_compared_as_if_there_were_no_others() -> None:
    votes = small_reading().votes
    some, alone = agreement_table(votes, [0, 2, 4]), agreement_table(votes.with_rules([0, 2, 4]))
    assert some.frame() == alone.frame()


def test_error_correlation_is_that_of_numpy() -> None:
    reading = small_reading()
    table = errors_table(reading.gold_votes, reading.gold_labels)
    wrong = reading.gold_votes.array != reading.gold_labels[:, None]
    for row in table.rows():
        i, j = row["first"], row["second"]
        both = (reading.gold_votes.array[:, [i, j]] >= 0).all(axis=1)
        assert row["correlation"] == pytest.approx(np.corrcoef(wrong[both, i], wrong[both, j])[0, 1])
    assert max(table["correlation"]) == table["correlation"][0] > 0.5  # the copy


def test_the_order_puts_copies_side_by_side() -> None:
    matrix = np.full((6, 6), 0.1)
    for group in ([0, 3], [1, 5], [2, 4]):
        matrix[np.ix_(group, group)] = 0.95
    order = like_together(matrix).tolist()
    assert sorted(order) == list(range(6))
    places = [{order.index(a), order.index(b)} for a, b in ((0, 3), (1, 5), (2, 4))]
    assert all(max(place) - min(place) == 1 for place in places)


def test_a_square_is_symmetric_and_unknown_where_the_table_is() -> None:
    votes = tw.Votes([[0, 0, -1], [1, 0, -1], [-1, 1, 1]])
    matrix = square(agreement_table(votes), "agreement", 3)
    np.testing.assert_array_equal(matrix, [[1, 0.5, np.nan], [0.5, 1, 1], [np.nan, 1, 1]])
