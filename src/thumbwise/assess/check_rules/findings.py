"""Findings of the checks: each with its code, the numbers, what to do, and where to read more."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thumbwise.assess.check_rules.codes import CODES, SEVERITIES, Severity, anchor_of
from thumbwise.assess.comparison import Comparison
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.outward import percent_at_most
from thumbwise.summaries import findings_as_html, one_line

# Checks that test, and do not just count; how often each of them is wrong is bounded.
_CLAIMING = ("TW101", "TW201")
_SHOWN_NAMES = 5
_LONGEST_NAME = 60
# Items that a finding names; how many there are in all is another number.
MOST_ITEMS = 20


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth knowing.

    Attributes
    ----------
    code : str
        Such as "TW101".
    severity : {"error", "warning", "note"}
    title, explanation, advice : str
        What it is called, what was found with its numbers, and what to do.
    anchor : str
        Where the documentation speaks of it.
    rules, classes : tuple
        Names of those concerned.
    items : tuple
        Ids of the first 20 items concerned.
    n_items : int
        How many items are concerned in all.

    Examples
    --------
    >>> import thumbwise as tw
    >>> finding = tw.check([[0, 0, -1], [1, 1, -1]], skip=["TW105"]).findings[0]
    >>> finding.code, finding.severity, finding.rules
    ('TW104', 'warning', ('rule_2',))
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    advice: str
    anchor: str
    rules: tuple[str, ...] = ()
    classes: tuple[Hashable, ...] = ()
    items: tuple[Hashable, ...] = ()
    n_items: int = 0

    def __str__(self) -> str:
        return f"{self.code} {self.severity}: {self.title}. {self.explanation} {self.advice}"


def find(code: str, explanation: str, **concerned: Any) -> Finding:
    """A finding with the severity, title, advice and anchor of its code."""
    about = CODES[code]
    return Finding(code, about.severity, about.title, explanation, about.advice, anchor_of(code), **concerned)


def listed(names: Sequence[object]) -> str:
    """The first five names in quotes, shortened if long, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    shown = ", ".join(f"'{one_line(name, _LONGEST_NAME)}'" for name in names[:_SHOWN_NAMES])
    return shown if len(names) <= _SHOWN_NAMES else f"{shown} and {len(names) - _SHOWN_NAMES:,} more"


def count_rules(n: int, one: str = "is", many: str = "are") -> str:
    """A number of rules, and the verb that goes with it.

    Examples
    --------
    >>> count_rules(1), count_rules(1200, "votes", "vote")
    ('1 rule is', '1,200 rules vote')
    """
    return f"1 rule {one}" if n == 1 else f"{n:,} rules {many}"


@dataclass(frozen=True)
class Checks:
    """All that was found, errors first, and what could not be looked at.

    Attributes
    ----------
    findings : tuple of Finding
    skipped : mapping of str to str
        Codes that were not looked at, and why.
    error : float or None
        Probability, at most, that TW101 or TW201 speaks although nothing is wrong; None if no such statement holds.
    classes : Tidy or None
        How many items get each class, beside gold; see :func:`thumbwise.assess.tables.classes_table`.
    comparison : Comparison or None
        What TW302 rests on, if it was looked at.

    Examples
    --------
    >>> import thumbwise as tw
    >>> checks = tw.check([[0, 1], [1, 0], [-1, -1]])
    >>> checks.codes, checks.has_errors, checks.skipped["TW201"]
    (('TW401',), False, 'needs gold labels')
    >>> checks.frame()["n_items"]
    [1]
    """

    findings: tuple[Finding, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    error: float | None = None
    classes: Tidy | None = field(default=None, compare=False, repr=False)
    comparison: Comparison | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """What was found, in short."""
        return tuple(finding.code for finding in self.findings)

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    @property
    def has_warnings(self) -> bool:
        return any(finding.severity == "warning" for finding in self.findings)

    def frame(self) -> dict[str, list[Any]]:
        """One entry per finding in each column, as pandas and polars take them."""
        names = ("code", "severity", "title", "explanation", "advice", "anchor", "rules", "classes", "items", "n_items")
        return {name: [_plain(getattr(finding, name)) for finding in self.findings] for name in names}

    @property
    def false_alarms(self) -> str | None:
        """How often what makes a statistical claim speaks for nothing, at most, if that is known."""
        if self.error is None:
            return None
        speaking = " or ".join(code for code in _CLAIMING if code not in self.skipped)
        return f"if nothing is wrong, {speaking} speaks with a probability of {percent_at_most(self.error)} at most"

    @property
    def summary(self) -> str:
        """How many errors, warnings and notes, and how many checks were left out."""
        counts = [(s, sum(finding.severity == s for finding in self.findings)) for s in SEVERITIES]
        listing = ", ".join(f"{n} {severity}{'s' * (n > 1)}" for severity, n in counts if n) or "nothing found"
        n_done = len(CODES) - len(self.skipped)
        return f"{n_done} of {len(CODES)} checks made: {listing}."

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        """Always true: whether something was found is ``len(checks) > 0``, and an error is ``has_errors``."""
        return True

    def __str__(self) -> str:
        left_out = [f"{code} not checked: {why}" for code, why in self.skipped.items()]
        return "\n".join([self.summary, *map(str, self.findings), *left_out])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return findings_as_html(self.summary, self.findings, self.skipped)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors first, then warnings, then notes; by code among these."""
    return tuple(sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.code)))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
