"""Rates: what share of the items is of a class, or what is the mean of a number, by group and between groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.designs import ByClass, Stratified, Subset
from thumbwise.box.designs.clusters import clusters_are, clusters_of
from thumbwise.box.estimates import EXACT, check_level, gold_evidence
from thumbwise.box.evidence import Evidence
from thumbwise.box.gold import Design, GoldIs, gold_items_are
from thumbwise.box.stopping import Looks
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.rates.asked import (
    Asked,
    Groups,
    check_gold_in,
    check_not_anytime,
    check_strata,
    check_within,
    class_number,
    open_asked,
)
from thumbwise.rates.columns import Columns
from thumbwise.rates.intervals import METHODS, Method
from thumbwise.rates.other_designs import BY_CLASS, ask_design
from thumbwise.rates.questions import Line, Means, Question, Shares
from thumbwise.rates.results import Rates, Unit
from thumbwise.votes.ordered_classes import class_numbers

# Of the check whether votes speak against a random draw.
_PERMUTATIONS = 999


def rate(
    votes: Any,
    y: Any = None,
    *,
    of: Hashable | None = None,
    by: Any = None,
    versus: Sequence[str] | None = None,
    cluster: Any = None,
    values: Mapping[Any, float] | Sequence[float] | None = None,
    method: Method = "assisted",
    gold_is: GoldIs | Design | None = None,
    confidence_level: float = 0.95,
    looks: Looks = None,
) -> Rates:
    """The share of a class among the items, or the mean of a number: estimate and guaranteed interval.

    Parameters
    ----------
    votes : Reading, Votes, array-like or frame
        All items; gold items that are among them count too.
    y : array-like of shape (n_items,) or Gold, optional
        Label of each item, -1 or missing where nobody looked; or gold items of their own. A reading holds its own.
    of : hashable, optional
        The class whose share is asked for.
    by : str or array-like, optional
        Groups of items: a column of the reading, or a value per item. The rate of each group is reported too.
    versus : pair of str, optional
        With ``by``, two groups: the difference of their rates, the first less the second. Without, two columns of
        predictions, rules or columns of the reading: how often each is right, and the difference.
    cluster : str or array-like, optional
        Clusters of items (conversations, films) that were drawn and labeled as a whole, if the votes do not say.
    values : mapping of class to number, or sequence, optional
        The mean of these numbers is asked for instead of a share; a sequence gives the classes in order their numbers.
        Without ``of``, ordered classes that are numbers stand for these.
    method : {"assisted", "exact", "asymptotic"}
        Helped by the panel of rules, from gold alone, or PPI++, which is no guarantee.
    gold_is : {"subset", "separate"} or Design, optional
        How gold was drawn, if the votes do not say.
    confidence_level : float
        That all intervals hold at once.
    looks : sequence of int or "anytime", optional
        When labeling could stop, settled before the first label was seen: at one of these numbers of gold labels, of
        which this must be one; or at any moment. By default the number was fixed, or is what gold says of itself.

    Notes
    -----
    *Guarantee*: with probability at least ``confidence_level`` all intervals hold at once, if gold was drawn as
    ``assumption`` says. Everything but the labels themselves is used before any of them is: the panel's verdict is made
    from votes, the way to an interval is chosen by numbers of items, the error is shared evenly among the intervals.
    So the class, the groups, the method and the level must be settled before gold labels are seen.

    With ``looks``, gold are the first items of a random order, and which planned look labeling stopped at may depend on
    labels: the error is divided by their number. With ``"anytime"`` labeling may have stopped after any label, for any
    reason: intervals hold after every label at once. They lean on the panel only where the order of the draws is known
    (``designs.Subset(in_drawn_order=True)``, or a file that tells); means and clusters need planned looks.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = np.where(rng.random(1000) < 0.7, "pass", "fail")
    >>> others = np.where(truth == "pass", "fail", "pass")
    >>> judges = np.where(rng.random((1000, 5)) < 0.9, truth[:, None], others[:, None])
    >>> gold = np.where(np.arange(1000) < 100, truth, None)
    >>> reported = tw.rate(judges, gold, of="pass")
    >>> print(reported)  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence the share of pass among all 1,000 items lies between 64.3 % and 70.7 % (estimate 67.9 %), if
    the 100 gold items are a random sample of all 1,000 items.
    >>> tw.rate(judges, gold, of="pass", method="exact").lower < reported.lower
    True
    """
    check_level(confidence_level)
    check_method(method)
    asked, cluster = _in_clusters(open_asked(votes, y, gold_is, looks), cluster)
    if of is None and values is None and not (versus is not None and by is None):
        values = _numbers_of(asked)
    asking = _Asking(asked, of, by, versus, cluster, values, method)
    lines = asking.lines()
    error = asking.asked.sample.stopping.each(1 - confidence_level)
    rows = tuple(line(error / len(lines)) for line in lines)
    return Rates(rows, asking.evidence(confidence_level), asking.remarks)


def _in_clusters(asked: Asked, cluster: Any) -> tuple[Asked, Any]:
    """Clusters as they are passed, or as the draw of gold tells: then whole ones are drawn, as from a plain pool."""
    drawn = clusters_of(asked.sample)
    if drawn is None:
        return asked, cluster
    plain = replace(asked, sample=replace(asked.sample, design=Subset()))
    return plain, np.asarray(drawn.of_pool, dtype=object) if cluster is None else cluster


def _numbers_of(asked: Asked) -> list[float] | None:
    """What the mean is of if neither class nor numbers are asked for: the numbers that ordered classes are."""
    pool = asked.sample.pool
    is_for_means = pool.is_ordered and asked.sample.design.is_plain
    numbers = class_numbers(pool.class_names) if is_for_means else None
    return None if numbers is None else numbers.tolist()


def check_method(method: object) -> None:
    """Refuse a way to an interval that does not exist."""
    if method not in METHODS:
        raise InvalidChoiceError(
            Argument("method"), f" must be one of {', '.join(map(repr, METHODS))}; found {method!r}."
        )


@dataclass(frozen=True, eq=False)
class _Asking:
    """A question as it was put."""

    asked: Asked
    of: Hashable | None
    by: Any
    versus: Sequence[str] | None
    cluster: Any
    values: Mapping[Any, float] | Sequence[float] | None
    method: Method

    @cached_property
    def groups(self) -> Groups | None:
        return None if self.by is None else Groups.of(self.asked.values(self.by, "by"))

    @cached_property
    def clusters(self) -> Groups | None:
        return None if self.cluster is None else Groups.of(self.asked.values(self.cluster, "cluster"))

    @property
    def design(self) -> Design:
        return self.asked.sample.design

    def lines(self) -> list[Line]:
        """What is reported: all items first, then groups, then a difference."""
        if self.versus is not None and self.by is None:
            self._check_plain()
            return self._columns().lines()
        self._check()
        if not self.design.is_plain and not self._is_apart:
            self._check_plain()
            what = f"the share of {self.of} among all {self.asked.sample.pool.n_items:,} items"
            return [lambda error: ask_design(self.asked, self._class, what, error)]
        # Where gold was drawn within the groups, it is a random sample of each, and not of all items.
        return self._question().lines(self._pair, has_all=not self._is_apart)

    @cached_property
    def _is_apart(self) -> bool:
        """Whether gold was drawn within groups, and is asked about by these."""
        if not isinstance(self.design, Stratified) or self.groups is None or self.cluster is not None:
            return False
        if self.design.sizes is not None:  # which items the strata hold is not known
            return False
        pool: Any = self.asked.sample.pool  # in memory, as the groups are, and with those that gold was drawn by
        check_strata(self.groups, pool.groups)
        return True

    def _columns(self) -> Columns:
        for argument, given in (("of", self.of), ("cluster", self.cluster), ("values", self.values)):
            if given is not None:
                raise InvalidChoiceError(
                    Argument("versus"),
                    " without ",
                    Argument("by"),
                    " compares how often two columns of predictions are right; found ",
                    Argument(argument),
                    " besides. Drop it, or name the groups with ",
                    Argument("by", "NAME"),
                    ".",
                )
        ours, theirs = self._two_names("columns")
        return Columns(self.asked, (ours, theirs), self.method)

    def _question(self) -> Question:
        names = self.asked.sample.pool.class_names
        name = "the mean" if self.of is None else f"the share of {self.of}"
        about = self.asked, self.groups, self.method, name, self._is_apart
        if self.values is not None:
            return Means(*about, class_values(self.values, names), Unit(is_share=False), self.clusters)
        if self.clusters is not None:
            return Means(*about, np.eye(len(names))[self._class], Unit(), self.clusters)
        return Shares(*about, self._class)

    @property
    def _class(self) -> int:
        return class_number(self.of, self.asked.sample.pool.class_names)

    @property
    def _pair(self) -> tuple[int, int] | None:
        if self.versus is None or self.groups is None:
            return None
        ours, theirs = (self.groups.number(name, "versus") for name in self._two_names("groups"))
        return ours, theirs

    def _two_names(self, of_what: str) -> Sequence[str]:
        is_list = isinstance(self.versus, (Sequence, np.ndarray)) and not isinstance(self.versus, (str, bytes))
        names = [str(name) for name in self.versus or ()] if is_list else []
        if len(names) != 2 or names[0] == names[1]:
            shown = ", ".join(map(repr, names)) if is_list else repr(self.versus)
            raise InvalidChoiceError(Argument("versus"), f" must name two different {of_what}; found {shown}.")
        return names

    def _check(self) -> None:
        if self.method == "asymptotic":
            check_not_anytime(self.asked, "method")
        for argument, given in (("values", self.values), ("cluster", self.cluster)):
            if given is not None:
                check_not_anytime(self.asked, argument)
        if (self.of is None) == (self.values is None):
            names = ", ".join(repr(str(name)) for name in self.asked.sample.pool.class_names[:10])
            raise InvalidChoiceError(
                "a rate needs either the class whose share is asked for, ",
                Argument("of", "NAME"),
                ", or the number that each class stands for, ",
                Argument("values", ...),
                f"; found {'neither' if self.of is None else 'both'}. The classes are {names}.",
            )
        if self.groups is not None:
            check_gold_in(self.groups, self.asked.rows(self.groups))
        if self.groups is not None and self.clusters is not None:
            check_within(self.clusters, self.groups)

    def _check_plain(self) -> None:
        if self.design.is_plain:
            return
        is_asymptotic = "asymptotic" if self.method == "asymptotic" else None
        asked = {"by": self.by, "versus": self.versus, "cluster": self.cluster, "values": self.values}
        for name, given in {**asked, "method": is_asymptotic}.items():
            if given is not None:
                raise InvalidChoiceError(
                    Argument(name, is_asymptotic if name == "method" else None),
                    " is for gold that is a plain random sample; this gold was drawn otherwise "
                    f"({self.design.called}). Ask for the share of a class among all items, without it.",
                )

    @property
    def remarks(self) -> tuple[str, ...]:
        return (BY_CLASS,) if isinstance(self.design, ByClass) else ()

    def evidence(self, confidence_level: float) -> Evidence:
        """On what grounds intervals hold; single items of clusters are no random sample, and not checked as one."""
        n_permutations = 0 if self.clusters is not None else _PERMUTATIONS
        evidence = gold_evidence(self.asked.sample, confidence_level, EXACT, n_permutations, holds_anytime=True)
        if self.method == "asymptotic":
            evidence = replace(evidence, is_implied=False, method="asymptotic (PPI++)")
        if isinstance(self.design, ByClass):
            about = f"within each class {gold_items_are(len(self.asked.sample))} drawn at random"
            return replace(evidence, assumption=about)
        if self.clusters is None:
            return evidence
        n_drawn = len(np.unique(self.clusters.codes[self.asked.placed("cluster")]))
        about = clusters_are(n_drawn, len(self.clusters.names))
        return replace(evidence, assumption=about, sample_check=None)


def class_values(given: Mapping[Any, float] | Sequence[float], names: Sequence[Hashable]) -> FloatArray:
    """The number that each class stands for."""
    by_name = {str(name): value for name, value in given.items()} if isinstance(given, Mapping) else None
    is_list = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes))
    missing = [] if by_name is None else [str(name) for name in names if str(name) not in by_name]
    numbers = list(given) if by_name is None and is_list else [(by_name or {}).get(str(name)) for name in names]
    if missing or len(numbers) != len(names) or not all(map(_is_finite, numbers)):
        shown = ", ".join(repr(str(name)) for name in names)
        raise InvalidLabelsError(
            Argument("values"),
            f" must give each of the {len(names)} classes ({shown}) a finite number; found {given!r}"
            + (f", and {missing[0]!r} lies outside of what was declared." if missing else "."),
        )
    return np.asarray(numbers, dtype=float)


def _is_finite(number: object) -> bool:
    is_number = isinstance(number, (int, float, np.number)) and not isinstance(number, np.complexfloating)
    return is_number and bool(np.isfinite(number))  # type: ignore[call-overload]
