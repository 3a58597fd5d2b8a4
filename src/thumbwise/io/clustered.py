"""Clusters of items in a reading: the column that says which rows were drawn, and labeled, together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.summaries import plural
from thumbwise.votes.labels import UNKNOWN


def with_cluster(roles: Roles) -> Roles:
    """The column of clusters is no rule, and is passed on."""
    if roles.cluster is None or roles.cluster in roles.ignore:
        return roles
    return replace(roles, ignore=(*roles.ignore, roles.cluster))


def in_clusters(reading: Reading, roles: Roles) -> Reading:
    """The reading with its clusters, if a column is named: every item has one, and gold is not said to be drawn else.

    Nothing is decided by gold labels; that whole clusters are labeled is checked where gold is used.
    """
    if roles.cluster is None:
        return reading
    column = reading.passed_on[roles.cluster]
    missing = np.flatnonzero(np.ma.getmaskarray(column))
    if len(missing):
        raise InvalidLabelsError(
            Argument("cluster"),
            f" must have a value for every item; column {roles.cluster!r} is empty in row {missing[0]}, counting from "
            f"0 ({plural(len(missing), 'such row')}). Fill it in; an item that stands alone is a cluster of its own.",
        )
    if reading.gold_design is not None:
        raise InvalidChoiceError(
            "gold must have been drawn in one way; its file tells of a draw of single items, and ",
            Argument("cluster", repr(roles.cluster)),
            " says that whole clusters were drawn. Drop ",
            Argument("cluster"),
            ".",
        )
    values = np.asarray(column.tolist(), dtype=object).astype(str)
    n_gold = len(np.unique(values[reading.gold != UNKNOWN]))
    what = f"{plural(len(np.unique(values)), 'cluster')} by column {roles.cluster!r}, {n_gold:,} of them with gold"
    return replace(reading, cluster=roles.cluster, notes=(*reading.notes, what))


def refuse_clusters(roles: Roles) -> None:
    """Refuse clusters of items that stay in files."""
    if roles.cluster is not None:
        raise InvalidVotesError(
            Argument("cluster"),
            " needs the items in memory; these stay in files. Put the votes into one file.",
        )
