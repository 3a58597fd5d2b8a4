"""Steps: how often each rule is at most one step from the truth, where classes are ordered, and what that weighs."""

from __future__ import annotations

from typing import Any

from thumbwise.assess.tables.fitted import moment_columns, read_fitted
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.models.balsubramani_freund import BalsubramaniFreund


def steps_table(model: BalsubramaniFreund, votes: Any) -> Tidy:
    """One row per rule whose votes the box bounds to lie within one step of the truth; none without ordered classes.

    *Guarantee*: intervals hold as the box says; all else is counted.

    Parameters
    ----------
    model, votes
        As for :func:`rules_table`.

    Returns
    -------
    Tidy
        Columns ``rule``, ``gold_votes``, ``gold_within`` (of these, at most one step off), ``gold_share``, ``lower``,
        ``upper``, ``weight`` (log-odds that a vote adds to its class and to those next to it) and ``active``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [2], [2]], rule_names=["ann"], ordered=True)
    >>> model = tw.BalsubramaniFreund().fit(votes, [0, 2, 0, -1])
    >>> table = tw.displays.steps_table(model, votes)
    >>> table["rule"], table["gold_votes"], table["gold_within"]
    (('ann',), (3,), (2,))
    """
    pool = read_fitted(model, votes)
    columns = moment_columns(model.box_, model, "within one step", pool.rule_names)
    there = [j for j, lower in enumerate(columns["lower"]) if lower is not None]
    drawn, within = ([columns[name][j] for j in there] for name in ("gold_drawn", "gold_right"))
    pairs = list(zip(within, drawn, strict=True))
    return Tidy.of(
        {
            "rule": [pool.rule_names[j] for j in there],
            "gold_votes": drawn,
            "gold_within": within,
            "gold_share": [near / n if n and near is not None else None for near, n in pairs],
            **{name: [columns[name][j] for j in there] for name in ("lower", "upper", "weight", "active")},
        }
    )
