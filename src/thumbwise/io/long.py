"""Long votes: a table with a row per vote, as crowds deliver them.

Specification
-------------
- Three columns: the item (called ``item``, ``task``, ...), who voted (``worker``, ``performer``, ``rule``, ...), and
  the vote (``label``, ``vote``, ...). Item and voter are there in every row.
- A pair of item and voter without a row, or with an empty vote or -1, is an abstention; such a row keeps its item and
  its voter.
- Votes are class numbers or names, as in wide tables, and the same things are refused.
- A voter who votes on an item twice is an error unless the first or last vote is asked for.
- Other columns are not used. One that is to be passed on must say the same in all rows of an item.
"""

from __future__ import annotations

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidFileError, InvalidVotesError
from thumbwise.io.classes import Classes, settle_classes
from thumbwise.io.distinct import Distinct, distinct_of
from thumbwise.io.doubts import refuse_no_votes
from thumbwise.io.roles import Roles
from thumbwise.tables.coded import Coded
from thumbwise.tables.formats import Column, Columns
from thumbwise.tables.table_files import Table, as_text
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes


def _check_filled(column: Column | Coded, name: str) -> None:
    missing = np.flatnonzero(column.missing if isinstance(column, Coded) else np.ma.getmaskarray(column))
    if len(missing):
        raise InvalidVotesError(
            f"every row of long votes must name its item and who voted; column {name!r} is empty in row {missing[0]}, "
            f"counting from 0 ({len(missing)} such rows). Fill it in or drop the rows."
        )


def read_long(table: Table, names: tuple[str, str, str], gold: Distinct | None, roles: Roles) -> tuple[Votes, Classes]:
    """Votes on the items in the order of their first row, and the classes of votes and gold."""
    item, rule, label = (table.coded(name) for name in names)
    _check_filled(item, names[0])
    _check_filled(rule, names[1])
    voted = distinct_of(names[2], label, is_long=True)
    refuse_no_votes(voted, gold, roles)
    classes = settle_classes([voted], gold, roles)
    votes = Votes.from_long(
        (_filled(item), _filled(rule), classes.code(voted)),
        class_names=classes.names,
        ordered=roles.ordered,
        duplicates=roles.duplicates,
    )
    return votes, classes


def _filled(column: Column | Coded) -> AnyArray | Coded:
    return column if isinstance(column, Coded) else np.asarray(column.data)


def constant_columns(table: Table, item_name: str, names: tuple[str, ...]) -> Columns:
    """Columns by item in the order of their first row, which must say the same in all rows of an item."""
    if not names:
        return {}
    items = table.columns[item_name].data.tolist()
    first: dict[object, int] = {}
    rows = np.array([first.setdefault(value, row) for row, value in enumerate(items)], dtype=np.int64)
    for name in names:
        texts = np.array([*as_text(table.columns[name]), None], dtype=object)[:-1]
        off = np.flatnonzero(texts != texts[rows])
        if len(off):
            raise InvalidFileError(
                f"a column that is passed on must say the same in all rows of an item; {name!r} does not for item "
                f"{items[off[0]]!r}, rows {rows[off[0]]} and {off[0]}, counting from 0 ({len(off)} such rows). Leave "
                "out ",
                Argument("ignore", [name]),
                ": columns that are not named are not used anyway.",
            )
    first_rows = np.array(list(first.values()), dtype=np.int64)
    return {name: table.columns[name][first_rows] for name in names}


def long_table(votes: Votes, names: tuple[str, str, str] = ("item", "worker", "label")) -> Table:
    """Votes as a table that :func:`read_long` reads back; items and rules without votes have rows without a label."""
    patterns, inverse = votes.patterns, votes.inverse
    n_votes = patterns.votes_per_pattern[inverse]
    items = np.repeat(np.arange(votes.n_items), n_votes)
    within = np.arange(len(items)) - np.repeat(np.cumsum(n_votes) - n_votes, n_votes)
    places = patterns.starts[inverse][items] + within
    silent_items = np.flatnonzero(n_votes == 0)
    silent_rules = np.flatnonzero(patterns.votes_per_rule == 0)
    if len(silent_items):  # their rows name rule 0
        silent_rules = silent_rules[silent_rules > 0]
    filler = np.zeros(len(silent_items), dtype=np.int64), np.zeros(len(silent_rules), dtype=np.int64)
    all_items = np.concatenate([items, silent_items, filler[1]])
    all_rules = np.concatenate([patterns.rules[places], filler[0], silent_rules])
    classes = np.concatenate([patterns.classes[places], *(np.full(len(f), UNKNOWN) for f in filler)])
    order = np.argsort(all_items, kind="stable")
    labels = np.array([*map(str, votes.class_names), None], dtype=object)[classes[order]]
    rule_names = np.array([*votes.rule_names, None], dtype=object)
    return Table(
        {
            names[0]: np.ma.asarray(votes.item_ids[all_items[order]]),
            names[1]: np.ma.asarray(rule_names[all_rules[order]]),
            names[2]: np.ma.array(labels, mask=classes[order] < 0),
        }
    )
