"""Triaged items that stay in files: accepted labels and the review are joined with them and written by the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.io.readings import Reading
from thumbwise.io.triaged import accepted_names, review_names, voted_columns
from thumbwise.tables.formats import Column, as_scanned, quoted
from thumbwise.votes.engines.frames import LazyFrame
from thumbwise.votes.engines.predictions import join_answers, label_names
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.lazy_votes import LazyVotes
from thumbwise.votes.mixed_ids import mixed_key_in_sql

# Of join_answers: what stands in its further columns.
_SURE, _LOOKS, _SPLIT, _PATTERN = "m0", "m1", "m2", "m3"
_VIEW = "thumbwise_items"


@dataclass(frozen=True, eq=False)
class TriagedPatterns:
    """What becomes of the items of each pattern; arrays of shape (n_patterns,).

    Attributes
    ----------
    labels, sureness : ndarray
        Class number that is proposed, and its probability.
    n_looks, n_free : ndarray of int
        Items without a known label: those that people look at, and all of them.
    known : KnownLabels or None
        Items whose label is known and accepted.
    """

    labels: IntArray
    sureness: FloatArray
    n_looks: IntArray
    n_free: IntArray
    known: KnownLabels | None

    @property
    def is_split(self) -> AnyArray:
        """Whether people look at some of the items and not at others, which a hash of their ids tells apart."""
        return np.asarray((self.n_looks > 0) & (self.n_looks < self.n_free))


def accepted_relation(reading: Reading, votes: LazyVotes, decided: TriagedPatterns) -> Any:
    """A DuckDB relation of accepted labels."""
    chosen = ["k0", "said", _SURE, *_passed_on(reading)]
    listed = _listed(chosen, accepted_names(reading))
    query = f"SELECT {listed} FROM {_VIEW} WHERE {_LOOKS} = 0"  # noqa: S608  # quoted
    if decided.is_split.any():
        rest = f"SELECT * FROM {_VIEW} WHERE {_SPLIT} = 1 AND {_LOOKS} > 0 QUALIFY {_place()} > {_LOOKS}"  # noqa: S608
        query += f" UNION ALL SELECT {listed} FROM ({rest})"  # noqa: S608
    return _joined(votes, decided).to_native().query(_VIEW, query)


def review_relation(
    reading: Reading, votes: LazyVotes, decided: TriagedPatterns, why: AnyArray, text: str | None
) -> Any:
    """A DuckDB relation of the items to look at, the least sure label first; ties by id.

    Parameters
    ----------
    why : ndarray of str, of shape (n_reviewed_patterns,)
        Of each pattern with items to look at.
    """
    names = review_names(reading, text)
    used = np.flatnonzero(decided.n_looks > 0)
    voted = {f"v{j}": column for j, column in enumerate(voted_columns(votes, used))}
    frame = _joined(votes, decided).filter(nw.col(_LOOKS) > 0)
    sent = {"place": used, "why": why, **{name: as_scanned(column) for name, column in voted.items()}}
    small = votes.items.engine.send(sent, frame)
    joined = frame.join(small, left_on=_PATTERN, right_on="place", how="inner")
    texts = [] if text is None else [f"k{1 + list(reading.passed_on).index(text)}"]
    some = f"QUALIFY NOT {_SPLIT} = 1 OR {_place()} <= {_LOOKS}" if decided.is_split.any() else ""
    order = f"row_number() OVER (ORDER BY {_SURE}, k0)"
    votes_by_name = [_typed(name, column) for name, column in voted.items()]
    listed = _listed(["rank", "k0", *texts, *votes_by_name, "said", _SURE, "why", "CAST(NULL AS VARCHAR)"], names)
    query = (
        f"SELECT {listed} FROM (SELECT *, {order} AS rank FROM (SELECT * FROM {_VIEW} {some})) "  # noqa: S608  # quoted
        "ORDER BY rank"
    )
    return joined.to_native().query(_VIEW, query)


def _joined(votes: LazyVotes, decided: TriagedPatterns) -> LazyFrame:
    """The items with what is decided of their patterns; nobody looks at those whose label is known."""
    more: dict[str, tuple[AnyArray, float | None]] = {
        "sure": (decided.sureness, 1.0),
        "looks": (decided.n_looks.astype(float), 0.0),
        "split": (decided.is_split.astype(float), 0.0),
        "pattern": (np.arange(len(decided.labels)), None),
    }
    said = label_names(votes.class_names)[decided.labels]
    return join_answers(votes.items, votes.patterns, None, said, decided.known, more)


def _place() -> str:
    """Where an item stands among those with the same votes, in an order that nothing depends on."""
    return f"row_number() OVER (PARTITION BY {_PATTERN} ORDER BY {mixed_key_in_sql('k0')})"


def _listed(columns: list[str], names: list[str]) -> str:
    return ", ".join(f"{column} AS {quoted(name)}" for column, name in zip(columns, names, strict=True))


def _typed(name: str, column: Column) -> str:
    """A column of names, of which the database sees no type where all are missing."""
    return f"CAST({name} AS {'VARCHAR' if column.dtype.kind == 'O' else 'BIGINT'})"


def _passed_on(reading: Reading) -> list[str]:
    return [f"k{j + 1}" for j in range(len(reading.passed_on))]
