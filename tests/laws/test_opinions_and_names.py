"""What must not matter with opinions, learned opinion and caution on: copies of a rule, order of items, names.

Kills, tried once each: copies that count in the majority or in the panel; a column of its own for each copy; gold in
the order of its rows where there are ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.box.gold import GoldIs

from .problems import Floats, Ints, random_votes

N_ITEMS, N_GOLD, N_RULES = 240, 60, 7
ROLES: tuple[GoldIs, ...] = ("subset", "separate")


def make(seed: int, n_classes: int) -> tuple[Ints, Ints]:
    votes, truth = random_votes(np.random.default_rng(seed), N_ITEMS, N_RULES, n_classes, accuracy=(0.4, 0.9))
    return np.asarray(votes.array, dtype=np.int64), truth


def fit(
    array: Ints, truth: Ints, gold: Ints, gold_is: GoldIs, *, ids: Any = None, pin_gold: bool = True, **names: Any
) -> tuple[float, Floats]:
    """Bound, and probabilities of all items in the order of the rows."""
    votes = tw.Votes(array, item_ids=ids, **names)
    pool = votes if gold_is == "subset" else votes.take(np.setdiff1d(np.arange(len(array)), gold))
    labels = [votes.class_names[y] for y in truth[gold]]
    box = tw.Box.from_gold(votes.take(gold), labels, pool=pool, gold_is=gold_is, n_permutations=0)
    kinds = [about.kind for about in box.about]
    assert kinds.count("opinion") == 2
    assert kinds.count("learned opinion") == 1
    model = tw.BalsubramaniFreund(tol=1e-11, pin_gold=pin_gold).fit(pool, box=box)
    assert model.certificate_.caution < 1
    return model.certificate_.log_loss_bound, model.predict_proba(tw.Votes(array, **names))


def assert_same(one: tuple[float, Floats], other: tuple[float, Floats], tolerance: float = 1e-9) -> None:
    assert one[0] == pytest.approx(other[0], abs=tolerance)
    np.testing.assert_allclose(one[1], other[1], rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("copied", [(0,), (3, 3, 6)])
def test_a_copied_rule_changes_nothing(copied: tuple[int, ...], n_classes: int, gold_is: GoldIs) -> None:
    array, truth = make(n_classes, n_classes)
    gold = np.random.default_rng(1).permutation(N_ITEMS)[:N_GOLD]
    names: dict[str, Any] = {"n_classes": n_classes}
    alone = fit(array, truth, gold, gold_is, **names)
    among = fit(array[:, [*range(N_RULES), *copied]], truth, gold, gold_is, **names)
    within = fit(
        array[:, [*range(N_RULES - 2), *copied[:-1], *range(N_RULES - 2, N_RULES)]], truth, gold, gold_is, **names
    )
    assert_same(among, alone)
    assert_same(within, alone)


@pytest.mark.parametrize("pin_gold", [True, False])
@pytest.mark.parametrize("gold_is", ROLES)
def test_the_order_of_items_with_ids_changes_nothing(gold_is: GoldIs, pin_gold: bool) -> None:
    array, truth = make(3, 2)
    rng = np.random.default_rng(2)
    gold, ids = rng.permutation(N_ITEMS)[:N_GOLD], np.array([f"item {i}" for i in range(N_ITEMS)])
    before = fit(array, truth, gold, gold_is, ids=ids, pin_gold=pin_gold, n_classes=2)
    order = rng.permutation(N_ITEMS)
    place = np.argsort(order)
    again = rng.permutation(place[gold])
    after = fit(array[order], truth[order], again, gold_is, ids=ids[order], pin_gold=pin_gold, n_classes=2)
    assert_same((after[0], after[1][place]), before)


@pytest.mark.parametrize("gold_is", ROLES)
def test_names_of_rules_and_classes_change_nothing(gold_is: GoldIs) -> None:
    array, truth = make(4, 3)
    gold = np.random.default_rng(5).permutation(N_ITEMS)[:N_GOLD]
    before = fit(array, truth, gold, gold_is, n_classes=3)
    rules = ["majority", "panel", "learned opinion", "opinion(panel)", "é", "a b", "'; --"]
    assert fit(array, truth, gold, gold_is, class_names=["learned", "-1", "ja"], rule_names=rules)[0] == before[0]
    np.testing.assert_array_equal(
        fit(array, truth, gold, gold_is, class_names=["learned", "-1", "ja"], rule_names=rules)[1], before[1]
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_rules_and_classes_changes_nothing_that_can_be_seen(n_classes: int) -> None:
    """Sums are added in another order, and searches end a little elsewhere. Measured: at most 1.2e-5 in the bound."""
    array, truth = make(6, n_classes)
    gold = np.random.default_rng(5).permutation(N_ITEMS)[:N_GOLD]
    before = fit(array, truth, gold, "subset", n_classes=n_classes)
    turned = fit(array[:, ::-1], truth, gold, "subset", n_classes=n_classes)
    assert_same(turned, before, tolerance=1e-4)
    swapped = np.where(array >= 0, n_classes - 1 - array, -1)
    other = fit(swapped, n_classes - 1 - truth, gold, "subset", n_classes=n_classes)
    assert_same((other[0], other[1][:, ::-1]), before, tolerance=1e-4)
