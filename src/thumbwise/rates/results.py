"""What is reported: estimates with intervals, in numbers, in sentences and in a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from thumbwise.box.evidence import Evidence, Statement
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.outward import at_least, at_most, level, percent, percent_at_least, percent_at_most
from thumbwise.rates.intervals import Interval
from thumbwise.summaries import Shown, ShowsItself, one_line, plural

Kind = Literal["rate", "difference"]


@dataclass(frozen=True)
class Unit:
    """How numbers are written: shares in per cent and their differences in points, values as they are."""

    is_share: bool = True

    def low(self, value: float, kind: Kind) -> str:
        """A lower end."""
        if not self.is_share:
            return at_least(value)
        return percent_at_least(value) if kind == "rate" else f"{at_least(100 * value, 1)}"

    def high(self, value: float, kind: Kind) -> str:
        """An upper end."""
        if not self.is_share:
            return at_most(value)
        return percent_at_most(value) if kind == "rate" else f"{at_most(100 * value, 1)}"

    def point(self, value: float, kind: Kind) -> str:
        """An estimate."""
        if not self.is_share:
            return f"{value:.3f}"
        return percent(value, 1) if kind == "rate" else f"{round(100 * value, 1) + 0.0:+.1f}"

    @property
    def of_differences(self) -> str:
        return " points" if self.is_share else ""


@dataclass(frozen=True)
class Rate:
    """One number that is reported.

    Attributes
    ----------
    estimate, lower, upper : float
        The truth on these items lies between ``lower`` and ``upper``, as ``assumption`` and level say.
    group : str or None
        Group of items, None for all; for a difference both, "A - B".
    kind : {"rate", "difference"}
    what : str
        Of what, in words.
    method : str
    n_gold, n_items : int
        Gold items that speak of it, and items that it is about.
    asymptotic : Interval or None
        That of PPI++, which is no guarantee.
    unit : Unit
    pair : tuple of str or None
        Of a difference, the names of both.
    """

    interval: Interval
    group: str | None
    kind: Kind
    what: str
    method: str
    n_gold: int
    n_items: int
    asymptotic: Interval | None = None
    unit: Unit = Unit()
    pair: tuple[str, str] | None = None

    @property
    def estimate(self) -> float:
        return self.interval.estimate

    @property
    def lower(self) -> float:
        return self.interval.lower

    @property
    def upper(self) -> float:
        return self.interval.upper

    @property
    def claim(self) -> str:
        """Where the truth lies, in words."""
        low, high = self.unit.low(self.lower, self.kind), self.unit.high(self.upper, self.kind)
        about = f"(estimate {self.unit.point(self.estimate, self.kind)})"
        if self.kind == "rate":
            return f"{self.what} lies between {low} and {high} {about}"
        return f"{self.what} lies between {low} and {high}{self.unit.of_differences} {about}"

    @property
    def verdict(self) -> str:
        """Which of two is higher, as far as that is settled; nothing for a rate."""
        if self.pair is None:
            return ""
        ours, theirs = self.pair
        if self.lower == self.upper == 0:
            return f"{ours} and {theirs} are the same"
        if self.lower > 0:
            return f"{ours} is higher than {theirs}"
        if self.upper < 0:
            return f"{ours} is lower than {theirs}"
        return f"which of {ours} and {theirs} is higher is not settled by these labels"


@dataclass(frozen=True, eq=False)
class Rates(Statement, ShowsItself):
    """Numbers that are reported together, and on what grounds.

    *Guarantee*: with probability at least ``confidence_level`` **all** intervals hold at once, if ``assumption`` holds:
    the error that is allowed is shared evenly among them. What is asked must be settled before gold labels are seen,
    and so must the method.

    Attributes
    ----------
    rows : tuple of Rate
        All items first, then groups, then differences.
    estimate, lower, upper : float
        Of the first row.
    evidence : Evidence
    remarks : tuple of str
        What else a reader should know.
    """

    rows: tuple[Rate, ...]
    evidence: Evidence
    remarks: tuple[str, ...] = ()

    @property
    def estimate(self) -> float:
        return self.rows[0].estimate

    @property
    def lower(self) -> float:
        return self.rows[0].lower

    @property
    def upper(self) -> float:
        return self.rows[0].upper

    @property
    def method(self) -> str:
        return self.rows[0].method

    @property
    def proves_nothing(self) -> bool:
        """Whether no row excludes anything."""
        return all(row.unit.is_share and row.lower <= 0 and row.upper >= 1 for row in self.rows)

    def __iter__(self) -> Iterator[Rate]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, group: str | None) -> Rate:
        """The row of a group, or of a difference, "A - B"; None is all items."""
        for row in self.rows:
            if row.group == group:
                return row
        names = ", ".join("None" if row.group is None else repr(row.group) for row in self.rows)
        raise InvalidChoiceError(f"there must be a row with this name; found {group!r}, and the rows are {names}.")

    def as_dict(self) -> dict[str, Any]:
        """What the command writes as JSON: the first row, and all of them under "rows"."""
        rows = [self._entries(row) for row in self.rows]
        return {**rows[0], "is_guarantee": self.is_guarantee, "rows": rows, "remarks": list(self.remarks)}

    def frame(self) -> dict[str, list[Any]]:
        """Lists by name, as pandas and polars take them."""
        rows = [self._entries(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _entries(self, row: Rate) -> dict[str, Any]:
        beside = row.asymptotic
        return {
            "estimate": row.estimate,
            "lower": row.lower,
            "upper": row.upper,
            "confidence_level": self.confidence_level,
            "method": row.method,
            "assumption": self.assumption,
            "n_gold": row.n_gold,
            "n_items": row.n_items,
            "group": row.group,
            "kind": row.kind,
            "what": row.what,
            "asymptotic_lower": None if beside is None else beside.lower,
            "asymptotic_upper": None if beside is None else beside.upper,
        }

    @property
    def sentences(self) -> list[str]:
        """What may be quoted, a sentence each."""
        if len(self.rows) == 1:
            return [self.evidence.state(self.rows[0].claim)]
        claims = [f"{row.claim}{_after(row.verdict)}" for row in self.rows]
        if not self.is_guarantee:
            return [self.together, *(f"If all intervals held, {claim}." for claim in claims)]
        return [*(f"{claim[0].upper()}{claim[1:]}." for claim in claims), self.together]

    @property
    def together(self) -> str:
        """That all intervals hold at once, or why nothing says that they do."""
        if not self.is_guarantee:
            return f"No guarantee: {self.evidence.weakness}."
        return self.evidence.state(f"all {len(self.rows)} intervals hold at once")

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *self.remarks])

    def __repr__(self) -> str:
        return str(self)

    def _shown(self) -> Shown:
        sure = "" if self.confidence_level is None else f", {level(self.confidence_level)}"
        return Shown(
            f"{plural(len(self.rows), 'rate')} from {self.rows[0].n_gold:,} gold labels{sure}",
            HEADERS,
            tuple(table_row(row) for row in self.rows),
            (self.together if len(self.rows) > 1 else self.sentences[0], *self.remarks),
        )


HEADERS = ("", "estimate", "lower", "upper", "asymptotic*", "gold", "items")


def table_row(row: Rate) -> tuple[str, ...]:
    """A row in texts, as tables show it."""
    beside = row.asymptotic
    width = (
        "-" if beside is None else f"{row.unit.low(beside.lower, row.kind)} .. {row.unit.high(beside.upper, row.kind)}"
    )
    name = "all items" if row.group is None else one_line(row.group)
    ends = row.unit.low(row.lower, row.kind), row.unit.high(row.upper, row.kind)
    return name, row.unit.point(row.estimate, row.kind), *ends, width, f"{row.n_gold:,}", f"{row.n_items:,}"


def _after(verdict: str) -> str:
    return f": {verdict}" if verdict else ""
