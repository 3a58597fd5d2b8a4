"""Labeling functions: rules written in Python, applied to items, with their failures kept apart from abstentions."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, overload

import numpy as np

from thumbwise.exceptions import (
    FailedRuleError,
    FailedRuleWarning,
    InvalidChoiceError,
    InvalidRuleError,
    InvalidVotesError,
)
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.rules.applied import AppliedRules, Collected
from thumbwise.rules.items import Items
from thumbwise.rules.returns import ClassNames
from thumbwise.rules.runs import run_here, run_in_processes
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.reading.raw_votes import first_repeated
from thumbwise.votes.votes import Votes

__all__ = ["AppliedRules", "FailedRuleError", "FailedRuleWarning", "InvalidRuleError", "Rule", "apply_rules", "rule"]

_CHUNK = 1024
_CHUNK_OF_PROCESS = 256


class Rule:
    """A function of one item that returns a class, or None to abstain, with a name. Made by :func:`rule`."""

    __qualname__: str

    def __init__(self, function: Callable[[Any], object], name: str | None = None) -> None:
        if not callable(function) or inspect.iscoroutinefunction(function):
            raise InvalidRuleError(f"a rule must be a function of one item, not async; found {function!r:.80}.")
        own_name = getattr(function, "__name__", "<none>")
        if name is None and own_name.startswith("<"):
            raise InvalidRuleError("a rule must have a name; a lambda or an object has none. Pass rule(name=...).")
        if name is not None and (not isinstance(name, str) or not name):
            raise InvalidRuleError(f"the name of a rule must be a string that is not empty; found {name!r}.")
        functools.update_wrapper(self, function)
        self.function = function
        self.name: str = own_name if name is None else name

    def __call__(self, item: Any) -> object:
        return self.function(item)

    def __repr__(self) -> str:
        return f"rule {self.name!r}"

    def __reduce__(self) -> str | tuple[Any, ...]:
        # The decorator puts the rule where the function was, so the rule is what its module knows by that name.
        name = getattr(self, "__qualname__", "")
        place: Any = sys.modules.get(getattr(self, "__module__", None) or "")
        for part in name.split("."):
            place = getattr(place, part, None)
        return name if place is self else (Rule, (self.function, self.name))


@overload
def rule(function: Callable[[Any], object], *, name: str | None = None) -> Rule: ...
@overload
def rule(function: None = None, *, name: str | None = None) -> Callable[[Callable[[Any], object]], Rule]: ...
def rule(
    function: Callable[[Any], object] | None = None, *, name: str | None = None
) -> Rule | Callable[[Callable[[Any], object]], Rule]:
    """Make a rule of a function of one item, as ``@rule`` or ``@rule(name="...")``.

    The function returns a class, by name or number, or None (or -1) to abstain. The rule can be called like the
    function, and pickled where the function can.

    Parameters
    ----------
    function : callable
        Takes one item. Its answer should depend on the item alone.
    name : str, optional
        The function's own name if absent.

    Examples
    --------
    >>> from thumbwise.rules.labeling_functions import rule
    >>> @rule(name="asks for money")
    ... def money(text):
    ...     return "spam" if "$" in text else None
    >>> money.name, money("$100 for you"), money("hello")
    ('asks for money', 'spam', None)
    """
    return functools.partial(Rule, name=name) if function is None else Rule(function, name)


def apply_rules(
    items: Any,
    rules: Iterable[Callable[[Any], object]],
    *,
    class_names: Sequence[Hashable] | None = None,
    item_ids: Any = None,
    processes: int | None = None,
    on_error: Literal["record", "raise"] = "record",
    progress: bool = False,
) -> AppliedRules:
    """Call every rule on every item and collect the votes; an error in a rule is a failure, not an abstention.

    A rule fails on an item if it raises an exception, or returns something that is neither a class nor None nor -1:
    NaN, a score, a list, True or False (unless a class is named so), a class that was not declared. The other rules
    and items go on. What comes out does not depend on the number of processes.

    No label is seen. What gold proves about rules holds if they were written, and chosen, before its labels were seen.

    Parameters
    ----------
    items : list, iterable, column or frame
        An iterable is read once, in chunks. A rule gets one item; of a frame (any that narwhals reads eagerly), one row
        as a dictionary of column name to value, missing values as the frame's library gives them.
    rules : iterable of rules or functions
        With names that differ. Their order is that of the columns of the votes.
    class_names : sequence, optional
        The classes in order. A returned class name stands for that class; if no class is named by a number, numbers
        are class numbers. Absent: classes are the numbers up to the largest one returned, or the names in sorted order.
    item_ids : array-like or str, optional
        Unique ids, or the name of the frame's column (or of the items' key) that holds them. Absent: the index of a
        pandas frame or column if it has one of its own, otherwise positions.
    processes : int, optional
        Run rules in so many new processes. Rules must then be defined at the top of a module. Absent or 1: in this one.
    on_error : {"record", "raise"}
        Whether a failure is recorded, with one warning at the end, or raised at once.
    progress : bool
        Show on standard error how many items are done, if somebody looks, and the summary at the end.

    Raises
    ------
    FailedRuleError
        A rule failed and ``on_error="raise"``; the original exception is its cause. Or a process died.

    Examples
    --------
    >>> from thumbwise.rules.labeling_functions import apply_rules, rule
    >>> @rule
    ... def short(text):
    ...     return "ham" if len(text) < 8 else None
    >>> @rule
    ... def shouting(text):
    ...     return "spam" if text.isupper() else None
    >>> applied = apply_rules(["see you", "BUY NOW!!", "what is it?"], [short, shouting])
    >>> print(applied)
    rule      votes  abstentions  failures
    short         1            2         0
    shouting      1            2         0
    >>> applied.votes.array.tolist(), applied.votes.class_names
    ([[0, -1], [-1, 1], [-1, -1]], ('ham', 'spam'))
    """
    if on_error not in ("record", "raise"):
        raise InvalidChoiceError(f'on_error must be "record" or "raise"; found {on_error!r}.')
    named = _check_rules(rules)
    n_processes = _check_processes(processes)
    declared = _check_classes(class_names)
    source = Items(items, item_ids)
    collected = Collected([one.name for one in named], declared, source)
    size = _chunk_size(source.n_items, n_processes)
    stops = on_error == "raise"
    if n_processes == 1:
        parts = run_here([(one.name, one.function) for one in named], declared, source.chunks(size), stops=stops)
    else:
        whole = [(one.name, one) for one in named]  # a function may be hidden behind its rule, which pickle finds
        parts = run_in_processes(whole, declared, source.chunks(size), n_processes, stops=stops)
    with _shown(source.n_items, is_wanted=progress) as advance:
        for part in parts:
            collected.add(part)
            advance(len(part.codes))
    applied = collected.finish()
    if progress:
        sys.stderr.write(f"{applied}\n")
    if applied.n_failures:
        warnings.warn(_warning(applied), FailedRuleWarning, stacklevel=2)
    return applied


def _warning(applied: AppliedRules) -> str:
    failing = [f"{c.rule!r} ({c.n_failures:,})" for c in applied.counts if c.n_failures]
    shown = ", ".join(failing[:5]) + (", ..." if len(failing) > 5 else "")
    return (
        f"{applied.n_failures:,} of {applied.failed.size:,} calls of rules failed: {shown}. Models will see no vote "
        "there, as if the rule had abstained; .failures and print(...) say what happened."
    )


def _check_rules(rules: Iterable[Callable[[Any], object]]) -> list[Rule]:
    named = [one if isinstance(one, Rule) else Rule(one) for one in ([rules] if callable(rules) else rules)]
    if not named:
        raise InvalidRuleError("there must be at least one rule; found none.")
    repeated = first_repeated([one.name for one in named])
    if repeated is not None:
        raise InvalidRuleError(f"rules must differ in their names; found {repeated!r} more than once. Pass name=...")
    return named


def _check_processes(processes: int | None) -> int:
    if processes is None:
        return 1
    if not isinstance(processes, (int, np.integer)) or isinstance(processes, bool) or processes < 1:
        raise InvalidChoiceError(f"processes must be a whole number of at least 1, or None; found {processes!r}.")
    return int(processes)


def _check_classes(class_names: Sequence[Hashable] | None) -> ClassNames | None:
    """The declared classes, checked before the first rule runs."""
    if class_names is None:
        return None
    names = Votes([[ABSTAIN]], class_names=class_names).class_names
    if any(is_missing(name) or name == ABSTAIN for name in names):
        raise InvalidVotesError(
            "class_names must not hold -1 or a missing value, by which rules abstain. Name the class differently."
        )
    return names


def _chunk_size(n_items: int | None, n_processes: int) -> int:
    """Small enough for all processes to have work, if the items are few and the rules slow."""
    if n_processes == 1:
        return _CHUNK
    return _CHUNK_OF_PROCESS if n_items is None else max(1, min(_CHUNK_OF_PROCESS, n_items // (4 * n_processes)))


@contextmanager
def _shown(n_items: int | None, *, is_wanted: bool) -> Iterator[Callable[[int], object]]:
    """A bar where somebody looks; rich is loaded only if asked for."""
    if not is_wanted:
        yield lambda n: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn  # noqa: PLC0415

    console = Console(stderr=True)
    is_hidden = not (console.is_terminal or console.is_jupyter)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=is_hidden) as bar:
        task = bar.add_task("items", total=n_items)
        yield lambda n: bar.advance(task, n)
