"""Gold items on which judges are wrong, with what everybody says about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.assess.judging.heard import PANEL, Heard
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.io.readings import Reading
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.labels import UNKNOWN

# After the id; then come the judges and the columns that are passed on.
COLUMNS = ("gold", "n_wrong", "n_votes", PANEL)


def list_disagreements(heard: Heard, reading: Reading | None) -> Tidy:
    """Gold items on which at least one judge is wrong, those where most are wrong first, then where fewest are right.

    Columns are the id, the gold class, how many judges are wrong, how many vote, what the panel says, what each judge
    says, and whatever was passed on. Where two would have the same name, the later one's gets longer.
    """
    judges = heard.on_gold[:, : heard.n_judges]
    n_votes, n_right = (judges != ABSTAIN).sum(axis=1), heard.is_right[:, : heard.n_judges].sum(axis=1)
    n_wrong = n_votes - n_right
    order = np.lexsort((n_right, -n_wrong))
    chosen = order[n_wrong[order] > 0]
    passed_on = _passed_on(reading, len(n_wrong))
    panel = heard.on_gold[chosen, -1] if heard.has_panel else np.full(len(chosen), ABSTAIN)
    parts: list[Iterable[Any]] = [
        _ids(heard, reading)[chosen],
        _named(heard, heard.labels[chosen]),
        n_wrong[chosen],
        n_votes[chosen],
        _named(heard, panel),
        *(_named(heard, judges[chosen, j]) for j in range(heard.n_judges)),
        *(column[chosen] for column in passed_on.values()),
    ]
    item = "id" if reading is None or reading.id_name is None else reading.id_name
    names = _distinct([item, *COLUMNS, *heard.names, *passed_on])
    return Tidy.of(dict(zip(names, parts, strict=True)))


def _ids(heard: Heard, reading: Reading | None) -> AnyArray:
    """Ids of the gold items; where there are none, their places among all items."""
    gold = heard.sample.votes
    is_counted = reading is not None and reading.files is None and reading.separate is None and not gold.has_ids
    return np.flatnonzero(reading.gold != UNKNOWN) if is_counted and reading is not None else gold.item_ids


def _passed_on(reading: Reading | None, n_gold: int) -> Mapping[str, AnyArray]:
    """Columns of the gold items that are no rules; none where items stay in files, or gold is not of the pool."""
    if reading is None or reading.files is not None or reading.separate is not None:
        return {}
    rows = np.flatnonzero(reading.gold != UNKNOWN)
    if len(rows) != n_gold:
        return {}
    return {name: column[rows] for name, column in reading.passed_on.items()}


def _named(heard: Heard, classes: IntArray) -> list[Any]:
    """Names of classes, None for silence."""
    names = heard.sample.pool.class_names
    return [None if c == ABSTAIN else names[c] for c in classes.tolist()]


def _distinct(names: Iterable[str]) -> list[str]:
    """Names that differ by more than case, as columns of a file must: the second of two gets longer."""
    used: set[str] = set()
    free = []
    for wanted in names:
        name = wanted or "_"
        while name.casefold() in used:
            name += "_"
        used.add(name.casefold())
        free.append(name)
    return free
