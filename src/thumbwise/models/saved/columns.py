"""Columns of a regression on votes, as a file has them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.numerics.panel import Panel
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.tables.json_values import LARGE, Node, plain
from thumbwise.votes.votes import Votes

_ALWAYS = ("log_odds", "counted", "voting", "has_votes")
# Where the panel knows of confusions, and where some items had no vote.
_CONFUSIONS, _SILENT = "confusions", "has_silent"


def write_columns(columns: StackColumns, rules: Sequence[str]) -> dict[str, Any]:
    """By names of rules."""
    together = columns.together
    sometimes: dict[str, Any] = {}
    if together.has_confusions:
        sometimes[_CONFUSIONS] = dict(zip(rules, plain(together.confusions), strict=True))
    if columns.has_silent:
        sometimes[_SILENT] = True
    return {
        "log_odds": dict(zip(rules, plain(together.log_odds), strict=True)),
        **sometimes,
        "counted": [rules[j] for j in np.flatnonzero(together.counted).tolist()],
        "voting": [rules[j] for j in columns.voting.tolist()],
        "has_votes": bool(columns.has_votes),
    }


def read_columns(node: Node, votes: Votes, *others: str) -> tuple[StackColumns, list[Node]]:
    """For a model with the rules and classes of some votes; and the other fields that the object must have."""
    k = votes.n_classes
    names = node.keys((*_ALWAYS, *others), (*_ALWAYS, *others, _CONFUSIONS, _SILENT))
    log_odds, counted, voting, has_votes = (node.child(name) for name in _ALWAYS)
    confusions = np.zeros((0, k, k))
    if _CONFUSIONS in names:
        confusions = node.child(_CONFUSIONS).by_name(votes.rule_names, (k, k), -LARGE, LARGE)
    together = Panel(
        np.isin(np.arange(votes.n_rules), _read_rules(counted, votes)).astype(float),
        log_odds.by_name(votes.rule_names, (), -LARGE, LARGE),
        confusions,
    )
    has_silent = _SILENT in names and node.child(_SILENT).truth()
    columns = StackColumns(together, _read_rules(voting, votes), has_votes.truth(), k, has_silent)
    return columns, [node.child(name) for name in others]


def _read_rules(node: Node, votes: Votes) -> IntArray:
    """Numbers of some rules, in the order of all."""
    place = {rule: j for j, rule in enumerate(votes.rule_names)}
    numbers = [place.get(entry.text(), -1) for entry in node.items()]
    if any(after <= before for before, after in pairwise([-1, *numbers])):
        node.refuse("rules of the model, in their order and none twice", "others")
    return np.array(numbers, dtype=np.int64)
