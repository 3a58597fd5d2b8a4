"""One question to files that stay where they are: which values the rules vote, and whether ids are ids.

The database answers from one pass over the columns of votes and one over the others, in one query if the rules are few.
Rows stay there; what comes here are different values and counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.distinct import Distinct
from thumbwise.io.roles import mend_repeated
from thumbwise.tables.delimited import holds_whole
from thumbwise.tables.formats import batched, holds_text, quoted

# Values of one column that are listed; a column of more is none of classes, unless all of them are listed.
MOST_LISTED = 10_000
# GROUPING() takes no more columns.
_COLUMNS_AT_ONCE = 60
_FLOATS = ("FLOAT", "DOUBLE")


@dataclass(frozen=True, eq=False)
class Look:
    """What the files hold.

    Attributes
    ----------
    rules : list of Distinct
        Values of the columns of votes.
    n_rows, n_ids : int
        Rows, and those that have an id.
    n_checked, n_different : int
        Ids that were compared with each other, and how many of them are different.
    whole : set of str
        Columns of texts, other than those of votes, that hold whole numbers only.
    """

    rules: list[Distinct]
    n_rows: int
    n_ids: int
    n_checked: int
    n_different: int
    whole: set[str]


def look_at(relation: Any, rules: Sequence[str], id_name: str | None, others: Sequence[str], one_in: int = 1) -> Look:
    """Ask for the values of the rules and for what the other columns hold.

    Parameters
    ----------
    relation : DuckDB relation
    rules : sequence of str
        Columns of votes.
    id_name : str or None
        Column of ids.
    others : sequence of str
        Columns that are passed on.
    one_in : int
        How many ids are compared with each other: all of one in so many, chosen by their hash, so that ids that are
        equal are chosen together.
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    texts = [name for name in (id_name, *others) if name is not None and kinds[name] == "VARCHAR"]
    taken = [f"{vote_text(quoted(name), kinds[name])} AS c{j}" for j, name in enumerate(rules)]
    taken += [
        f"{'NULL' if id_name is None else quoted(id_name)} AS item",
        *(f"{quoted(name)} AS t{j}" for j, name in enumerate(texts)),
    ]
    inner = relation.project(", ".join(taken))
    asked = [_ask_ids(len(texts), one_in)]
    if len(rules) <= _COLUMNS_AT_ONCE:  # all in one query
        asked = [f"{_ask_values(len(rules))} UNION ALL {asked[0]}"]
    else:
        asked += [_ask_below(some) for some in batched(range(len(rules)))]
    listed: list[dict[str, int]] = [{} for _ in rules]
    totals = [(0, 0)] * len(rules)
    facts: Sequence[int] = ()
    for query in asked:
        for j, value, n, n_values, n_filled, counted in inner.query("thumbwise_items", query).fetchall():
            if counted is not None:
                facts = counted
            else:
                listed[j][value] = n
                totals[j] = (n_values, n_filled)
    of_rules = list(_as_distinct(rules, kinds, listed, totals))
    whole = {name for name, is_whole in zip(texts, facts[4:], strict=True) if is_whole}
    return Look(of_rules, facts[0], facts[1], facts[2], facts[3], whole)


def _as_distinct(
    rules: Sequence[str],
    kinds: Mapping[str, str],
    listed: Sequence[dict[str, int]],
    totals: Sequence[tuple[int, int]],
) -> Iterator[Distinct]:
    for name, counts, (n_values, n_filled) in zip(rules, listed, totals, strict=True):
        in_order = {value: counts[value] for value in sorted(counts)}
        more = (n_values - len(counts), n_filled - sum(counts.values()))
        yield Distinct(name, in_order, holds_text(kinds[name]), None, *more)


def vote_text(column: str, kind: str) -> str:
    """A vote as the text that Python would write, in SQL; NULL where it is missing."""
    if kind == "BOOLEAN":
        return f"CASE WHEN {column} THEN 'True' WHEN NOT {column} THEN 'False' END"
    text = f"CAST({column} AS VARCHAR)"
    return f"CASE WHEN NOT isnan({column}) THEN {text} END" if kind in _FLOATS else text


def _ask_values(n_rules: int) -> str:
    """Each value of each rule, how often it occurs, and how many values and votes the rule has."""
    columns = [f"c{j}" for j in range(n_rules)]
    listed = ", ".join(columns)
    sets = ", ".join(f"({column})" for column in columns)
    # The bit of the column that is grouped by is 0, the first column is the highest bit.
    place = f"CAST({n_rules - 1} - log2({2**n_rules - 1} - GROUPING({listed})) AS INTEGER)"
    return _list_values(
        f"SELECT {place} AS rule, coalesce({listed}, NULL) AS value, count(*) AS n FROM thumbwise_items "  # noqa: S608
        f"GROUP BY GROUPING SETS ({sets})"
    )


def _ask_below(rules: Sequence[int]) -> str:
    """The same of some of many rules: their votes are put below each other and grouped once.

    Each set of GROUPING SETS has a table of its own, and together they take time and memory that grow faster than the
    number of rules.
    """
    votes = (
        f"unnest([{', '.join(f'c{j}' for j in rules)}]) AS value, unnest(range({rules[0]}, {rules[-1] + 1})) AS rule"
    )
    return _list_values(
        f"SELECT rule, value, count(*) AS n FROM (SELECT {votes} FROM thumbwise_items) GROUP BY rule, value"  # noqa: S608
    )


def _list_values(counted: str) -> str:
    return (
        "(SELECT rule, value, n, count(*) OVER rules AS n_values, sum(n) OVER rules AS n_filled, NULL::BIGINT[] "  # noqa: S608
        f"FROM ({counted}) WHERE value IS NOT NULL WINDOW rules AS (PARTITION BY rule) "
        f"QUALIFY row_number() OVER (PARTITION BY rule ORDER BY value) <= {MOST_LISTED})"
    )


def _ask_ids(n_texts: int, one_in: int) -> str:
    # A CASE within the aggregate: with FILTER, DuckDB keeps all ids (ten times the time, and their size in memory).
    chosen = f"CASE WHEN hash(item) % {one_in} = 0 THEN item END" if one_in > 1 else "item"
    facts = ["count(*)", "count(item)", f"count({chosen})", f"count(DISTINCT {chosen})"]
    facts += [f"CAST({holds_whole(f't{j}')} AS BIGINT)" for j in range(n_texts)]
    return f"(SELECT -1, NULL, NULL, NULL, NULL, [{', '.join(facts)}] FROM thumbwise_items)"  # noqa: S608


def refuse_bad_ids(relation: Any, look: Look, id_name: str) -> None:
    """Refuse rows without an id, and ids that occur twice; which one is asked only once it is known that one does."""
    if look.n_ids < look.n_rows:
        raise InvalidVotesError(
            f"every row of the votes must have an id; column {id_name!r} is empty in {look.n_rows - look.n_ids:,} of "
            f"{look.n_rows:,} rows. Fill it in or drop the rows."
        )
    if look.n_different == look.n_checked:
        return
    inner = relation.project(f"{quoted(id_name)} AS item")
    twice = "SELECT item, count(*) AS n FROM thumbwise_items GROUP BY item HAVING n > 1 ORDER BY item LIMIT 1"
    value, n = inner.query("thumbwise_items", twice).fetchall()[0]
    raise InvalidVotesError(
        f"ids must be unique; column {id_name!r} of the votes holds {str(value)!r} in {n:,} rows "
        f"({look.n_checked - look.n_different:,} rows too many among {look.n_checked:,}). ",
        mend_repeated(relation.columns, look.n_different, look.n_checked),
    )
