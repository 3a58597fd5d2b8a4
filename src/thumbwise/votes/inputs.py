"""Votes from whatever people pass as votes, and what they say of the items in the order of the items.

Every public function that takes votes takes arrays and frames too, and goes through one of these at its first line:
:func:`as_votes` for votes alone, :func:`read_items` for votes with labels or other values per item, :func:`read_gold`
for gold and pool.

Classes that nobody declared are settled once for all that is read together: numbers go up to the largest vote or label
in any of it, names are those that are voted for anywhere in it. Votes that are read already, a box and a model bring
their classes, and what is read beside them must keep to these.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidLabelsError, InvalidVotesError
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.reading.coding import MAX_INFERRED_CLASSES, settle_n_classes, settle_names
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.reading.raw_votes import RawVotes, open_votes
from thumbwise.votes.votes import Votes


class VotesAndGold(ABC):
    """Votes that were read, with the gold labels that came with them: taken wherever votes are, or votes and gold.

    Attributes
    ----------
    votes : Votes or LazyVotes
        The pool.
    """

    votes: Any

    @property
    @abstractmethod
    def gold_votes(self) -> Votes:
        """Votes on the gold items."""

    @property
    @abstractmethod
    def gold_labels(self) -> IntArray:
        """Class numbers of the gold items."""

    @property
    @abstractmethod
    def gold_drawn(self) -> Any:
        """How gold was drawn: "subset", "separate", or a design."""


def as_votes(votes: Any, class_names: Sequence[Hashable] | None = None) -> Any:
    """Votes as they are, or read from an array, a frame, a lazy frame or files; classes as declared, or as voted."""
    return _read_together([_open_if_lazy(held_votes(votes), class_names)], None, class_names)[0]


def held_votes(votes: Any) -> Any:
    """The votes of a reading, or of rules that were applied; what was given if it holds none."""
    held = getattr(votes, "votes", None)
    return held if isinstance(held, CountedVotes) else votes


def read_items(votes: Any, labels: Any, *more: Any, class_names: Sequence[Hashable] | None = None) -> tuple[Any, ...]:
    """Votes in memory, and labels and more in the order of their items. Labels may show classes that no vote does."""
    votes = held_votes(votes)
    ordered = [in_item_order(values, votes) for values in (labels, *more)]
    (read,) = _read_together([_open_if_lazy(votes, class_names)], ordered[0], class_names)
    return in_memory(read), *ordered


def read_gold(
    gold_votes: Any, pool: Any, gold_labels: Any, *more: Any, class_names: Sequence[Hashable] | None = None
) -> tuple[Any, ...]:
    """Gold votes and pool under one coding, and gold labels and more in the order of the gold items.

    Of two arrays, the classes are those of both together and of the labels. A side that is read already brings its
    classes. Gold without names of rules has those of the pool, column by column; named columns are matched by name.
    ``gold_votes`` may be None.
    """
    ordered = [in_item_order(values, gold_votes) for values in (gold_labels, *more)]
    if isinstance(gold_votes, CountedVotes) and isinstance(pool, CountedVotes):
        return gold_votes, pool, *ordered
    pool = _open_if_lazy(pool, _settled_classes(class_names, gold_votes))
    classes = _settled_classes(class_names, pool, gold_votes)
    gold_votes, pool = _read_together([gold_votes, pool], ordered[0], classes)
    matched = None if gold_votes is None else match_rules(gold_votes, pool.rule_names)
    return gold_votes if matched is None else matched, pool, *ordered


def _settled_classes(class_names: Sequence[Hashable] | None, *votes: Any) -> Sequence[Hashable] | None:
    """Classes that are declared, or those of the first votes that are read already."""
    known = (some.class_names for some in votes if isinstance(some, CountedVotes))
    return next(known, None) if class_names is None else class_names


def classes_of(model: Any) -> tuple[Hashable, ...] | None:
    """Classes of a fitted model; None if it has none."""
    return tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None


def _open_if_lazy(votes: Any, class_names: Sequence[Hashable] | None = None) -> Any:
    lazy = None if _is_read(votes) else open_lazy(votes, class_names=class_names)
    return votes if lazy is None else lazy


def _is_read(votes: Any) -> bool:
    return votes is None or isinstance(votes, CountedVotes)


def _read_together(tables: Sequence[Any], labels: Any, class_names: Sequence[Hashable] | None) -> list[Any]:
    """Tables in memory under the same classes; what is read already, or None, is passed on."""
    for table in tables:
        check_table(table)
    opened = [table if _is_read(table) else open_votes(table, None, None) for table in tables]
    raw = [table for table in opened if isinstance(table, RawVotes)]
    options = _settle_classes(raw, labels) if raw and class_names is None else {"class_names": class_names}
    return [Votes(table, copy=False, **options) if isinstance(table, RawVotes) else table for table in opened]


def _settle_classes(tables: Sequence[RawVotes], labels: Any) -> dict[str, Any]:
    """What votes and labels show, as arguments for Votes."""
    numbers = [table.numbers for table in tables if table.numbers is not None]
    if not numbers:
        return {"class_names": settle_names([column for table in tables for column in table.strings])}
    if len(numbers) < len(tables):
        raise InvalidVotesError(
            "gold and pool must name classes in the same way; one holds numbers and the other strings. Convert them to "
            "one kind."
        )
    largest = max(*map(_largest_vote, numbers), largest_label(labels))
    return {"n_classes": settle_n_classes(largest, None, None)}


def _largest_vote(table: AnyArray) -> int:
    """Rounded up, so that what is no class number is left for whoever checks it."""
    if table.dtype.kind != "f":
        return int(table.max())
    return int(np.ceil(np.max(table, initial=UNKNOWN, where=np.isfinite(table))))


def largest_label(labels: Any) -> int:
    """Largest class number among labels, or the last column of probabilities; -1 for names, or if there are none."""
    given = np.asarray([] if labels is None else labels)
    if given.ndim == 2 and given.shape[1] > 1:
        return int(given.shape[1]) - 1
    if given.dtype.kind == "O":  # numbers among missing values
        given = np.array([v for v in given.ravel().tolist() if isinstance(v, (int, float)) and not is_missing(v)])
    if given.size == 0 or given.dtype.kind not in "biuf":
        return UNKNOWN
    largest = np.nanmax(np.append(given, UNKNOWN)) if given.dtype.kind == "f" else given.max()
    if largest >= MAX_INFERRED_CLASSES:
        raise InvalidLabelsError(
            f"labels must be class numbers; found {largest}, which would make more than {MAX_INFERRED_CLASSES} "
            "classes. If these are ids, pass the labels; if that many classes are meant, pass ",
            InPython("Votes with "),
            Argument("n_classes"),
            ".",
        )
    return int(largest)


def match_rules(votes: Any, rule_names: tuple[str, ...]) -> Any:
    """The votes with their rules in this order, by name, or by place if one side has no names; None if they differ."""
    if votes.rule_names == rule_names:
        return votes
    position = {name: j for j, name in enumerate(votes.rule_names)}
    if set(position) == set(rule_names):
        return votes.with_rules([position[name] for name in rule_names])
    if len(position) == len(rule_names) and (is_unnamed(votes.rule_names) or is_unnamed(rule_names)):
        return votes.with_rule_names(rule_names)
    return None


def is_unnamed(rule_names: tuple[str, ...]) -> bool:
    """Whether the names are those that rules without names get."""
    return rule_names == tuple(f"rule_{j}" for j in range(len(rule_names)))


def in_memory(votes: Any, asked: str | None = None) -> Votes:
    """Votes whose items have an order, which labels by position need, and so does whatever else is ``asked`` for."""
    if isinstance(votes, Votes):
        return votes
    if asked is not None:
        raise InvalidVotesError(
            f"{asked} needs the items in memory; these {votes.n_items:,} are held elsewhere. Read them from one file "
            "that fits into memory",
            InPython(", or take a random part of them: votes.take_ids(ids)"),
            ".",
        )
    raise InvalidLabelsError(
        "labels in the order of the items need items in memory; these votes are held elsewhere, and their rows have no "
        "order.",
        InPython(
            " Pass the votes on the labeled items, votes.take_ids(ids); to fit, a box from them: "
            'Box.from_gold(votes.take_ids(ids), labels, pool=votes, gold_is="subset").'
        ),
    )


def open_lazy(votes: Any, rule_names: tuple[str, ...] | None = None, **options: Any) -> Any:
    """Lazy votes of a lazy frame, or of files, whose other columns are carried along; None for anything else."""
    is_path = isinstance(votes, (str, os.PathLike))
    if not is_path and not _is_lazy(votes):
        return None
    # Engines are imported when items are held by one: votes in memory do without.
    from thumbwise.tables.many_files import open_files  # noqa: PLC0415
    from thumbwise.votes.lazy_votes import LazyVotes  # noqa: PLC0415

    native = open_files(votes) if is_path else votes
    names = nw.from_native(native).collect_schema().names()
    if rule_names is not None and set(rule_names) <= set(names):
        options |= {"rules": rule_names, "keep": [name for name in names if name not in set(rule_names)]}
    return LazyVotes(native, **options)


def _is_lazy(votes: Any) -> bool:
    try:
        return isinstance(nw.from_native(votes, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:  # a frame in memory, whose reader will say so
        return False


def check_table(votes: Any) -> None:
    """Refuse in scikit-learn's words what none of its estimators takes."""
    if not isinstance(votes, np.ndarray):
        return
    if votes.dtype.kind == "c":
        raise InvalidVotesError(f"votes must be class numbers or names. Complex data not supported: {votes.dtype}.")
    if votes.ndim == 1:
        raise InvalidVotesError(
            f"votes must be two-dimensional (items, rules); found shape {votes.shape}. Reshape your data: "
            "votes.reshape(-1, 1) if this is one rule, votes.reshape(1, -1) if it is one item."
        )
    if votes.ndim == 2 and len(votes) and votes.shape[1] == 0:
        raise InvalidVotesError(
            "votes must hold at least one rule; found no rules",
            InPython(f", or 0 feature(s) (shape={votes.shape}) while a minimum of 1 is required"),
            ". Give each rule a column.",
        )
