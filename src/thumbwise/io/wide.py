"""Wide votes: a table with a row per item and a column per rule.

Specification
-------------
- A column that holds ids: named, or called ``id``, ``item``, ``item_id`` or the like. Ids are there and unique.
- Columns that are no rules are named and passed on; a column of gold labels is named. Every other column is a rule.
- Votes are class numbers 0, 1, ... with -1, an empty field or NaN where the rule abstains (Snorkel, WRENCH, cleanlab),
  or names of classes with an empty field or a named mark where it abstains. Truth values are classes 0 and 1.
- Classes that are not listed are those that occur in votes or gold: numbers up to the largest, names in sorted order.
- Refused, because it may mean two things: numbers without any 0 (classes may be numbered from 1, or -1 be a class),
  marks such as ``?`` or ``none``, columns of numbers beside columns of names. Other codings are said with ``codes``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.classes import Classes, settle_classes
from thumbwise.io.distinct import Distinct, distinct_of
from thumbwise.io.doubts import refuse_no_rules
from thumbwise.io.roles import Roles, listed
from thumbwise.tables.table_files import Table, stored_column
from thumbwise.votes.votes import Votes


def rule_columns(table: Table, id_name: str | None, roles: Roles) -> list[str]:
    """Columns that have no other role."""
    taken = {id_name, roles.gold_column, *roles.ignore}
    rules = [name for name in table.names if name not in taken]
    if not rules:
        raise InvalidVotesError(
            f"the votes must have at least one rule, a column that holds votes; {listed(table)} None of them is left "
            "for a rule. If fields are separated by something else than the ending says (.csv: comma, .tsv: tab), "
            "convert the file."
        )
    return rules


def read_wide(
    table: Table, rules: Sequence[str], ids: AnyArray, gold: Distinct | None, roles: Roles
) -> tuple[Votes, Classes]:
    """Votes of the rules, and the classes of votes and gold.

    Parameters
    ----------
    table : Table
    rules : sequence of str
        Columns that hold votes.
    ids : ndarray of shape (n_items,)
    gold : Distinct or None
        Gold labels.
    roles : Roles
    """
    columns = [distinct_of(name, stored_column(table, name)) for name in rules]
    refuse_no_rules(columns, gold, roles)
    classes = settle_classes(columns, gold, roles)
    array = np.column_stack([classes.code(column) for column in columns])
    votes = Votes(array, class_names=classes.names, rule_names=rules, item_ids=ids, ordered=roles.ordered, copy=False)
    return votes, classes


def wide_table(votes: Votes, id_name: str = "id") -> Table:
    """Votes as a table that :func:`read_wide` reads back: ids, then a column of class names per rule."""
    names = np.array([*map(str, votes.class_names), None], dtype=object)
    columns = {id_name: np.ma.asarray(votes.item_ids)}
    for j, rule in enumerate(votes.rule_names):
        votes_of_rule = votes.array[:, j]
        columns[rule] = np.ma.array(names[votes_of_rule], mask=votes_of_rule < 0)
    return Table(columns)
