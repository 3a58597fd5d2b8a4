"""Who is asked about: items, groups of them and gold, read from whatever people pass."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.box.designs import ByClass
from thumbwise.box.gold import Design, Gold, GoldIs, GoldSample
from thumbwise.box.opened_gold import as_design, known_gold, open_gold, stopped
from thumbwise.box.opinions.choosing import population_of
from thumbwise.box.stopping import Looks
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.numerics.panel import Panel
from thumbwise.rates.counts import Counts, Rows, Said
from thumbwise.rates.intervals import BY_NAME, Interval, Method
from thumbwise.rates.whenever import whenever
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.inputs import VotesAndGold, as_votes, read_items
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Asked:
    """Items and gold.

    Attributes
    ----------
    sample : GoldSample
    positions : ndarray of shape (n_gold,) or None
        Where the gold items are among the items, if they are and that is known.
    columns : mapping of str to sequence
        Further columns by item, of a reading.
    is_outside : bool
        Whether the gold items are further items, and not among those in question.
    """

    sample: GoldSample
    positions: IntArray | None
    columns: Any
    is_outside: bool = False

    @property
    def is_lazy(self) -> bool:
        """Whether the items are elsewhere, and here only patterns."""
        return not isinstance(self.sample.pool, Votes)

    @cached_property
    def panel(self) -> Panel:
        """From the votes of all that gold was drawn from, so that it does not depend on which items are gold."""
        return Panel.of_informative(population_of(self.sample) if self.is_outside else self.sample.pool.patterns)

    def rows(self, groups: Groups | None = None) -> Rows:
        """A row per item, or per pattern if items are elsewhere."""
        pool, votes = self.sample.pool, self.sample.votes
        pattern = np.arange(pool.patterns.n_patterns) if self.is_lazy else pool.inverse  # type: ignore[attr-defined]
        count = pool.patterns.counts if self.is_lazy else np.ones(len(pattern), dtype=np.int64)
        nothing = np.zeros(len(pattern), dtype=np.int64), np.zeros(len(self.sample), dtype=np.int64)
        of_items, of_gold = nothing if groups is None else (groups.codes, groups.codes[self.placed("by")])
        return Rows(pattern, of_items, count, votes.inverse, of_gold, self.sample.labels, self.is_outside)

    def interval(self, counts: Counts, error: float, method: Method, said: Said) -> Interval:
        """Of the share that was counted, valid for the stopping rule: at whichever look, or whenever labeling stopped.

        Under planned looks ``error`` is what is left for each of them. Whether the order of the draws is used is
        settled before the first label: where it is known, and the panel is to help.
        """
        if not self.sample.stopping.is_anytime:
            return BY_NAME[method](counts, error)
        order = self.sample.design.drawn_order(self.sample) if method == "assisted" else None
        sequence = None if order is None else said.in_order(order)
        return whenever(counts, error, sequence, part=counts.n_items / max(1, self.sample.pool.n_items))

    def values(self, given: Any, argument: str) -> AnyArray:
        """One value for each item, of a column by its name or as given."""
        if self.is_lazy:
            raise InvalidChoiceError(
                Argument(argument),
                " needs the items in memory; these stay in files. Ask for each part on its own, or read one file.",
            )
        if isinstance(given, str):
            given = self._column(given, argument)
        column = np.asarray(in_item_order(given, self.sample.pool, argument), dtype=object)
        if column.shape != (self.sample.pool.n_items,):
            raise InvalidLabelsError(
                Argument(argument),
                f" must have one value for each of {self.sample.pool.n_items:,} items; found shape {column.shape}.",
            )
        self.placed(argument)
        return _all_there(column, argument)

    def _column(self, name: str, argument: str) -> Sequence[Any]:
        if name not in self.columns:
            near = get_close_matches(name, list(self.columns), n=1)
            have = ", ".join(map(repr, self.columns))
            raise InvalidChoiceError(
                Argument(argument),
                f" must name a column of the items that is no rule; found {name!r}, and ",
                f"the columns are {have}. " if have else "there are no such columns. ",
                f"Is {near[0]!r} meant? " if near else "",
                "Name the columns that are no rules with ",
                Argument("ignore", [name]),
                ".",
            )
        column: list[Any] = self.columns[name].tolist()
        return column

    def placed(self, argument: str) -> IntArray:
        """Where the gold items are among the items; an argument that needs it is named if that is not known."""
        if self.positions is None:
            raise InvalidChoiceError(
                Argument(argument),
                " needs gold items that are among the items, so that it is known where they belong; of these gold "
                "items it is not. Put them into the table of votes; if they are there, give the items ids.",
            )
        return self.positions


@dataclass(frozen=True, eq=False)
class Groups:
    """Names of groups in order, and the number of each item's."""

    names: tuple[str, ...]
    codes: IntArray

    @classmethod
    def of(cls, values: AnyArray) -> Groups:
        texts = [str(value) for value in values.tolist()]
        names = tuple(sorted(set(texts)))
        number = {name: i for i, name in enumerate(names)}
        return cls(names, np.array([number[text] for text in texts], dtype=np.int64))

    def number(self, name: str, argument: str) -> int:
        """Of a group by its name."""
        if name in self.names:
            return self.names.index(name)
        raise unknown_name(name, self.names, argument, "a group")


def unknown_name(name: object, names: Sequence[Hashable], argument: str, what: str) -> InvalidChoiceError:
    """The error for a name that does not exist, with the nearest that does."""
    near = get_close_matches(str(name), [str(one) for one in names], n=1)
    shown = ", ".join(repr(str(one)) for one in names[:10]) + (", ..." if len(names) > 10 else "")
    hint = f" Is {near[0]!r} meant?" if near else ""
    return InvalidChoiceError(Argument(argument), f" must name {what} ({shown}); found {str(name)!r}.{hint}")


def class_number(name: Hashable, class_names: Sequence[Hashable], argument: str = "of") -> int:
    """Of a class by its name; texts stand for the names that are written so."""
    if name in class_names:
        return class_names.index(name)
    texts = [str(one) for one in class_names]
    if str(name) in texts:
        return texts.index(str(name))
    raise unknown_name(name, class_names, argument, "a class")


def open_asked(votes: Any, y: Any, gold_is: GoldIs | Design | None, looks: Looks = None) -> Asked:
    """Read votes and gold, wherever each of them is, with the stopping rule."""
    asked = _open_asked(votes, y, gold_is)
    return replace(asked, sample=stopped(asked.sample, looks))


def _open_asked(votes: Any, y: Any, gold_is: GoldIs | Design | None) -> Asked:
    if isinstance(votes, VotesAndGold):
        if y is not None:
            raise InvalidLabelsError(
                "gold must come from one place; a Reading holds its own labels. Drop ", Argument("y"), "."
            )
        sample = _open(votes, None, gold_is)
        gold = getattr(votes, "gold", np.zeros(0))
        is_outside = getattr(votes, "gold_is", sample.gold_is) == "separate"
        is_placed = not is_outside and len(gold) == sample.pool.n_items
        places = np.flatnonzero(gold != UNKNOWN) if is_placed else None
        return Asked(sample, places, getattr(votes, "passed_on", {}), is_outside)
    if isinstance(y, (Gold, GoldSample)):
        sample = _open(y, as_votes(votes), gold_is)
        return Asked(sample, _places_by_id(sample), {}, sample.gold_is == "separate")
    if y is None:
        raise InvalidLabelsError(
            "a rate needs gold labels: about a hundred items whose class somebody checked. Pass ", Argument("y"), "."
        )
    pool, labels = read_items(votes, y)
    gold_votes, coded, known = known_gold(pool, labels, pool)
    design = as_design(gold_is or "subset").in_item_order(gold_votes).take(known) if gold_is else as_design("subset")
    _check_inside(design)
    sample = GoldSample(gold_votes, coded, pool, design)
    design.check(sample)
    return Asked(sample, np.flatnonzero(known), {})


def _open(gold: Any, pool: Any, gold_is: GoldIs | Design | None) -> GoldSample:
    """Gold that was drawn class by class may be part of the pool too."""
    if not isinstance(gold_is, ByClass):
        return open_gold(gold, None, pool, gold_is)
    return replace(open_gold(gold, None, pool, None), design=gold_is)


def _check_inside(design: Design) -> None:
    """Labels of the items themselves cannot be those of further items; drawn by class, either is allowed for."""
    if design.gold_is == "separate" and not isinstance(design, ByClass):
        raise InvalidLabelsError(
            Argument("y"),
            " holds labels of the items, so that gold is a part of them; found ",
            Argument("gold_is", "separate"),
            ". Say that it is a subset, or pass further items with labels as a Gold.",
        )


def _places_by_id(sample: GoldSample) -> IntArray | None:
    pool = sample.pool
    if sample.gold_is != "subset" or not isinstance(pool, Votes) or not (pool.has_ids and sample.votes.has_ids):
        return None
    place = {item: i for i, item in enumerate(pool.item_ids.tolist())}
    return np.array([place[item] for item in sample.votes.item_ids.tolist()], dtype=np.int64)


def _all_there(column: AnyArray, argument: str) -> AnyArray:
    missing = [i for i, value in enumerate(column.tolist()) if is_missing(value)]
    if missing:
        raise InvalidLabelsError(
            Argument(argument),
            f" must have a value for every item; {len(missing):,} have none, the first at row "
            f"{missing[0]}. Fill it in, or leave these items out.",
        )
    return column


def check_not_anytime(asked: Asked, argument: str, needs: str = "") -> None:
    """Refuse what has no interval that would hold whenever labeling stopped."""
    if asked.sample.stopping.is_anytime:
        raise InvalidChoiceError(
            Argument(argument),
            f" needs {needs}a number of labels that was fixed before, or planned looks; this gold was labeled until "
            "somebody stopped, ",
            Argument("looks", '"anytime"'),
            ". Ask for the share of a class without it.",
        )


def check_gold_in(groups: Groups, rows: Rows) -> None:
    """Refuse a group without gold: nothing would be known of it."""
    n_gold = np.bincount(rows.gold_group, minlength=len(groups.names))
    empty = [groups.names[g] for g in np.flatnonzero(n_gold == 0)]
    if empty:
        raise InvalidLabelsError(
            f"every group needs gold items; {len(empty)} of {len(groups.names)} have none, such as {empty[0]!r}. Draw "
            "gold from all items, or leave the group out of the table of votes."
        )


def check_within(clusters: Groups, groups: Groups) -> None:
    """Refuse clusters that cross groups: what is drawn in one group would be drawn in the other too."""
    pairs = np.unique(np.stack([clusters.codes, groups.codes]), axis=1)
    crossing = [clusters.names[c] for c in np.flatnonzero(np.bincount(pairs[0]) > 1)]
    if crossing:
        raise InvalidLabelsError(
            f"each cluster must lie within one group; {len(crossing)} of {len(clusters.names)} cross groups, such as "
            f"{crossing[0]!r}. Name the clusters apart, or ask without ",
            Argument("by"),
            ".",
        )


def check_strata(groups: Groups, strata: IntArray) -> None:
    """Refuse groups that cross those within which gold was drawn: it is no random sample of them."""
    pairs = np.unique(np.stack([groups.codes, strata]), axis=1)
    crossing = [groups.names[g] for g in np.flatnonzero(np.bincount(pairs[0]) > 1)]
    if crossing:
        raise InvalidLabelsError(
            Argument("by"),
            " must lie within the groups that gold was drawn by, for it is a random sample within each of those; "
            f"{len(crossing)} of {len(groups.names)} groups do not, such as {crossing[0]!r}. Ask by those groups.",
        )
