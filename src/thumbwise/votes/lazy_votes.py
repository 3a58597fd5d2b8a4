"""LazyVotes: votes that stay in DuckDB, polars, Spark or Ibis, or in files; only their patterns come here."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.numerics.patterns import Patterns, merge_patterns
from thumbwise.summaries import Shown, ShowsItself, show_votes
from thumbwise.tables.many_files import open_files
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.engines.classes import check_names, settle_classes, settle_columns, settle_rules
from thumbwise.votes.engines.frames import open_frame
from thumbwise.votes.engines.items import Items
from thumbwise.votes.engines.predictions import answer
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.ordered_classes import check_ordered
from thumbwise.votes.reading.raw_votes import check_ids
from thumbwise.votes.votes import Votes

MAX_PATTERNS = 10_000_000


class LazyVotes(CountedVotes, ShowsItself):
    """Votes on items that stay where they are.

    Models need of the votes only how often each pattern occurs: one GROUP BY, done by the engine that holds the items.
    Predictions go the other way: the table of patterns and their probabilities is sent to the engine and joined there.

    Parameters
    ----------
    frame : DuckDB relation, polars LazyFrame, PySpark DataFrame or Ibis table
        A row per item, a column per rule. Numbers are classes ``0..n_classes-1``, strings are class names; NULL is an
        abstention, and so are -1 and NaN among numbers.
    rules : sequence of str, optional
        Columns that hold votes; absent: all but ``item_id`` and ``keep``.
    item_id : str, optional
        Column of unique ids, which predictions carry and gold refers to. Whole numbers or strings.
    keep : sequence of str
        Further columns that predictions carry.
    n_classes, class_names, abstain, ordered
        As in :class:`Votes`. Declare the classes where you can: finding them takes one more pass over the items.
    max_patterns : int
        More distinct rows than these are an error, because they are held in memory.

    Attributes
    ----------
    n_items, n_rules, n_classes : int
    rule_names : tuple of str, of length n_rules
    class_names : tuple, of length n_classes
    patterns : Patterns
        As those of the same votes in memory.

    Notes
    -----
    *Guarantee*: none of its own. Patterns and counts are those of the same votes in memory, so what a model proves is
    the same; the items must not change between the count and the predictions. No gold label is seen.

    Examples
    --------
    >>> import duckdb
    >>> import thumbwise as tw
    >>> mails = duckdb.sql("SELECT * FROM (VALUES (7, 0, 1), (8, NULL, 1), (9, 0, 1)) AS mails(mail, short, loud)")
    >>> votes = tw.LazyVotes(mails, item_id="mail", class_names=["ham", "spam"])
    >>> votes
    LazyVotes: 3 items x 2 rules, 2 patterns; classes 'ham', 'spam'; held by DuckDB
    >>> votes.take_ids([9]).array
    array([[0, 1]], dtype=int8)
    """

    def __init__(
        self,
        frame: Any,
        *,
        rules: Sequence[str] | None = None,
        item_id: str | None = None,
        keep: Sequence[str] = (),
        n_classes: int | None = None,
        class_names: Sequence[Hashable] | None = None,
        abstain: str | None = None,
        ordered: bool = False,
        max_patterns: int = MAX_PATTERNS,
    ) -> None:
        frame, engine = open_frame(frame)
        names = frame.collect_schema().names()
        rule_names = settle_rules(names, rules, item_id, keep)
        inner = {name: f"c{j}" for j, name in enumerate(names)}
        renamed = engine.rename(frame, list(inner.values()))
        columns = settle_columns(renamed, engine, [inner[name] for name in rule_names], rule_names)
        declared = None if class_names is None else check_names(class_names)
        classes = settle_classes(renamed, engine, columns, n_classes, declared, abstain)
        kept = {name: inner[name] for name in [*([] if item_id is None else [item_id]), *keep]}
        item = None if item_id is None else inner[item_id]
        self._hold(Items(renamed, engine, columns, rule_names, classes, abstain, item, kept), max_patterns)
        self.is_ordered = ordered and check_ordered(self.class_names, is_listed=class_names is not None)

    def _hold(self, items: Items, max_patterns: int) -> None:
        self._items, self._max_patterns = items, max_patterns
        self.rule_names, self.class_names, self.group_names = items.rule_names, items.class_names, ()
        # Rows that were fetched, by id: those of gold are asked for more than once.
        self._fetched: dict[Hashable, IntArray] = {}

    @classmethod
    def from_items(cls, items: Items, max_patterns: int = MAX_PATTERNS, *, ordered: bool = False) -> LazyVotes:
        """Votes on items whose columns and classes are settled."""
        votes = cls.__new__(cls)
        votes.is_ordered = ordered
        votes._hold(items, max_patterns)
        return votes

    @classmethod
    def from_files(cls, pattern: str | Path | Sequence[str | Path], **options: Any) -> LazyVotes:
        r"""Votes in Parquet, CSV or TSV files, read by DuckDB as often as needed and never all at once.

        Parameters
        ----------
        pattern : str, Path or sequence of them
            One file, or many by wildcards such as ``"votes/*.parquet"``. All must have the same columns. In CSV and
            TSV an empty field is NULL, and a column is one of numbers if all of its fields are whole numbers.
        **options
            As for :class:`LazyVotes`.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import thumbwise as tw
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "part-1.csv").write_text("mail,short,loud\n007,0,1\n")
        ...     _ = Path(folder, "part-2.csv").write_text("mail,short,loud\n008,,1\n")
        ...     print(tw.LazyVotes.from_files(f"{folder}/*.csv", item_id="mail"))
        LazyVotes: 2 items x 2 rules, 2 patterns; classes 0, 1; held by DuckDB
        """
        return cls(open_files(pattern), **options)

    @cached_property
    def patterns(self) -> Patterns:
        return self._items.count_patterns(self._max_patterns)

    @property
    def items(self) -> Items:
        """Where the items are, and how their columns are read."""
        return self._items

    @property
    def has_ids(self) -> bool:
        return self._items.item is not None

    def contains_ids(self, ids: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each of some ids is that of an item; the engine looks, and ``take_ids`` need not ask again."""
        wanted = self._look_up(ids)
        return np.array([value in self._fetched for value in wanted.tolist()], dtype=bool)

    def take_ids(self, ids: npt.ArrayLike) -> Votes:
        """Votes in memory on the items of these ids, in their order.

        The engine finds them; only they are brought here. All ids must be there.
        """
        wanted = self._look_up(ids)
        asked = wanted.tolist()
        missing = [value for value in asked if value not in self._fetched]
        if missing:
            raise InvalidLabelsError(
                f"ids must be those of items; {len(missing)} of {len(wanted)} are not, such as {missing[0]!r}. "
                "Drop them, or look whether ids are written in the same way on both sides."
            )
        rows = np.array([self._fetched[value] for value in asked]).reshape(len(asked), self.n_rules)
        return Votes(
            rows,
            item_ids=wanted,
            rule_names=self.rule_names,
            class_names=self.class_names,
            ordered=self.is_ordered,
            copy=False,
        )

    def any_id(self) -> Hashable:
        return self._items.any_id()

    def _look_up(self, ids: npt.ArrayLike) -> AnyArray:
        """Ids, checked; the rows of those that items have are here afterwards, by one query if not all were before."""
        wanted = check_ids(ids, np.size(ids))
        if not all(value in self._fetched for value in wanted.tolist()):
            fetched, rows = self._items.fetch_rows(wanted)
            self._fetched = dict(zip(fetched.tolist(), rows, strict=True))
        return wanted

    def with_rules(self, rules: Sequence[int]) -> LazyVotes:
        """The votes of some rules, or of all in another order, by position."""
        other = self.with_rule_names([self.rule_names[j] for j in rules])
        other._items = self._items.with_rules(rules)
        other._fetched = {}
        other.__dict__["patterns"] = merge_patterns(self.patterns.with_rules(rules))[0]
        return other

    def with_rule_names(self, names: Sequence[str]) -> LazyVotes:
        """The same votes under other rule names."""
        other = copy.copy(self)
        other.__dict__.pop("fingerprint", None)
        other.rule_names = tuple(names)
        return other

    def answer(
        self,
        proba: FloatArray | None,
        labels: IntArray,
        known: KnownLabels | None = None,
        more: Mapping[str, tuple[AnyArray, float | None]] | None = None,
    ) -> Any:
        """What a model says of each item: a lazy frame of the same engine, with ids, ``p_<class>`` and ``label``.

        Parameters
        ----------
        proba : ndarray of shape (n_patterns, n_classes) or None
            None leaves the probabilities out.
        labels : ndarray of shape (n_patterns,)
            Class numbers.
        known : KnownLabels, optional
            Items that keep their label; without ids, none does.
        more : mapping of str to (ndarray of shape (n_patterns,), float or None), optional
            Further columns: what holds for the items of each pattern, and for those whose label is known if that
            is something else.

        Notes
        -----
        Rows come in no particular order. A row whose pattern did not occur when patterns were counted, because the
        table has changed since, gets NULL.
        """
        return answer(self._items, self.patterns, proba, labels, known if self.has_ids else None, more or {})

    def _shown(self) -> Shown:
        return show_votes(self)

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self.class_names[:6]) + (", ..." if self.n_classes > 6 else "")
        size = f"{self.n_items:,} items x {self.n_rules:,} rules, {self.patterns.n_patterns:,} patterns"
        return f"LazyVotes: {size}; classes {shown}; held by {type(self._items.engine).__name__}"
