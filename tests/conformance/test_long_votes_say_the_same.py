"""Votes that come as rows (item, rule, label) get the answers that the same votes get as a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thumbwise import Votes

from .cases import MODELS, NAMES, Case, Task, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)
IDS = [f"item {i}" for i in range(120)]


def wide_and_long(n_classes: int, n_rules: int, abstain: float) -> tuple[Task, Task]:
    """The same task twice; the last items have no vote, and the rows are in a random order."""
    plain = make_task(n_classes=n_classes, n_rules=n_rules, abstain=abstain)
    array = np.array(plain.votes.array)
    array[-3:] = -1
    items, rules = np.nonzero(array >= 0)
    order = np.random.default_rng(0).permutation(len(items))
    rows = [(IDS[i], f"rule_{j}", int(array[i, j])) for i, j in zip(items[order], rules[order], strict=True)]
    names = [f"rule_{j}" for j in range(n_rules)]
    wide = Votes(array, n_classes=n_classes, item_ids=IDS)
    long = Votes.from_long(rows, n_classes=n_classes, item_ids=IDS, rule_names=names)
    assert "array" not in vars(long)
    return replace(plain, votes=wide), replace(plain, votes=long)


@every_model
@pytest.mark.parametrize(("n_classes", "n_rules", "abstain"), [(2, 5, 0.2), (3, 12, 0.7)])
def test_long_votes_get_the_answers_of_the_table(case: Case, n_classes: int, n_rules: int, abstain: float) -> None:
    wide, long = wide_and_long(n_classes, n_rules, abstain)
    model = case.fit(long)
    np.testing.assert_allclose(model.predict_proba(long.votes), case.fit_proba(wide), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.predict(long.votes), case.fit(wide).predict(wide.votes))
    assert "array" not in vars(long.votes), "fitting and predicting need no array of items x rules"


@every_model
def test_rows_of_new_items_go_to_a_model_of_a_table(case: Case) -> None:
    """Rules are matched by name, here in the other order, and a rule of which there is no row abstains."""
    wide, long = wide_and_long(3, 5, 0.2)
    model = case.fit(wide)
    silent = np.array(wide.votes.array)
    silent[:, 4] = -1
    backwards = long.votes.with_rules([4, 3, 2, 1, 0]).take(np.arange(20, 60)).without_ids()
    np.testing.assert_allclose(
        model.predict_proba(backwards), model.predict_proba(wide.votes.array[20:60]), rtol=0, atol=1e-12
    )
    items, rules = np.nonzero(silent >= 0)
    rows = (items, [f"rule_{j}" for j in rules], silent[items, rules])
    few = Votes.from_long(rows, n_classes=3, item_ids=range(120), rule_names=model.rule_names_).without_ids()
    np.testing.assert_allclose(model.predict_proba(few), model.predict_proba(silent), rtol=0, atol=1e-12)
