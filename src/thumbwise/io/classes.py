"""The classes that there are, and which of them each value stands for: settled once, from distinct values.

Files, frames, long tables, records of judges and votes that stay elsewhere all bring :class:`Distinct` values here, so
that the same values mean the same classes, and are refused in the same words, whoever read them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidLabelsError, InvalidVotesError
from thumbwise.io.distinct import Distinct, are_numbers, is_number, spelling
from thumbwise.io.ordered_numbers import numbers_in_order
from thumbwise.io.roles import Roles
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.reading.coding import (
    not_whole,
    out_of_range,
    settle_n_classes,
    settle_names,
    smallest_dtype,
    unknown_name,
)

MAX_INFERRED_NAMES = 100
_TRUTHS = {"true", "false"}


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes, and what each value of the votes stands for.

    Attributes
    ----------
    names : tuple
        Names of the classes, or 0, 1, ...
    numbers : mapping of str to int
        Class number of each value of the votes, by its text; -1 for a value that means abstain.
    gold_texts : mapping of str to str or None
        Gold labels whose text is not that of their class; None for one that is unknown.
    """

    names: tuple[Hashable, ...]
    numbers: Mapping[str, int]
    gold_texts: Mapping[str, str | None] = field(default_factory=dict)

    def code(self, column: Distinct) -> IntArray:
        """Class number of each row, -1 where nobody votes; the rows must be here."""
        return column.map(self.numbers.__getitem__, smallest_dtype(len(self.names)))

    def code_gold(self, gold: Distinct) -> IntArray:
        """Class number of each label; a label that is a number and no name of a class counts the classes from 0."""
        spelled = [self.gold_texts.get(text, text) for text in gold.counts]
        classes: list[Hashable | None] = [*_like_votes(spelled, self.names)]
        are_truths = self.names == (0, 1) and {*classes} <= {"True", "False", None}
        is_numeric = not gold.is_text or are_truths or are_numbers(text for text in spelled if text is not None)
        if is_numeric and not {*classes} & {*self.names}:
            classes = [None if value is None else _whole(value) for value in classes]
        listed = np.array([*classes, None], dtype=object)
        labels = code_labels(listed[gold.index], self.names, len(np.asarray(gold.index)))
        if (labels == UNKNOWN).all():
            raise InvalidLabelsError(
                "there must be at least one gold label; all are unknown. Fill in the class of some items."
            )
        return labels


def settle_classes(votes: Sequence[Distinct], gold: Distinct | None, roles: Roles) -> Classes:
    """Find out which classes there are. Those that are not listed are those of the votes and of gold together.

    Parameters
    ----------
    votes : sequence of Distinct
        Values of the columns of votes.
    gold : Distinct or None
        Values of the gold labels.
    roles : Roles
        Of these: ``class_names``, ``codes`` and ``abstain``.
    """
    if roles.codes is not None:
        return _settle_codes(votes, gold, roles)
    heard = [column.without(roles.abstain) for column in votes]
    gold = None if gold is None else gold.without(roles.abstain)
    _check_not_silent(heard, gold)
    marked = {} if roles.abstain is None else {roles.abstain: ABSTAIN}
    if roles.ordered and roles.class_names is None:
        return _settle_spelled(heard, gold, numbers_in_order(heard, gold), marked)
    if roles.class_names is None:
        names, by_name = _infer(heard, gold)
    else:
        names, by_name = tuple(roles.class_names), not all(column.is_numeric for column in heard)
        if are_numbers(map(str, names)):
            return _settle_spelled(heard, gold, names, marked)
    numbers = _by_name(heard, names) if by_name else _by_number(heard, len(names))
    settle_n_classes(0, None, names)
    return Classes(names, {**numbers, **marked})


def _by_name(votes: Sequence[Distinct], names: Sequence[Hashable]) -> dict[str, int]:
    numbers = {str(name): c for c, name in enumerate(names)}
    strange = {text for column in votes for text in column.counts if text not in numbers}
    if strange:
        value, place = find_place(votes, strange)
        raise unknown_name(names, f"{value!r} {place}")
    return numbers


def _by_number(votes: Sequence[Distinct], n_classes: int) -> dict[str, int]:
    numbers = {text: _as_class(text) for column in votes for text in column.counts}
    fractions = {text for text, number in numbers.items() if number != np.floor(number) or abs(number) >= 2**53}
    if fractions:
        value, place = find_place(votes, fractions)
        raise not_whole(f"{float(value)} {place}")
    strange = {text for text, number in numbers.items() if not ABSTAIN <= number < n_classes}
    if strange:
        value, place = find_place(votes, strange)
        raise out_of_range(numbers[value], n_classes, f"{int(numbers[value])} {place}")
    return {text: int(number) for text, number in numbers.items()}


def find_place(votes: Sequence[Distinct], strange: set[str]) -> tuple[str, str]:
    """The first of some values, and in words where it is and how many there are."""
    total = sum(column.count(strange) for column in votes)
    firsts = [(column.rows_of(strange), j) for j, column in enumerate(votes) if strange & column.counts.keys()]
    rows, j = min(firsts, key=lambda first: (first[0][0] if first[0] is not None else 0, first[1]))
    column = votes[j]
    if rows is None or column.index is None:
        return min(strange & column.counts.keys()), f"of rule {column.name!r} ({total} such votes)"
    where = f"row {rows[0]} of column" if column.is_long else f"item {rows[0]}, rule"
    return list(column.counts)[column.index[rows[0]]], f"at {where} {column.name!r} ({total} such votes)"


def _settle_spelled(
    votes: Sequence[Distinct], gold: Distinct | None, names: tuple[Hashable, ...], marked: Mapping[str, int]
) -> Classes:
    """Classes that are called 1 and 2 are names, and votes 1 and 2 mean these and not the second and third class."""
    spelled = {text: _spell(text, names) for column in votes for text in column.counts}
    heard = {text: name for text, name in spelled.items() if name is not None}
    number = {str(name): c for c, name in enumerate(names)}
    strange = {text for text, name in heard.items() if name not in number}
    if strange:
        value, place = find_place(votes, strange)
        raise unknown_name(names, f"{value!r} {place}")
    settle_n_classes(0, None, names)
    numbers = {text: ABSTAIN if name is None else number[name] for text, name in spelled.items()}
    gold_texts = {} if gold is None else {text: _spell(text, names) for text in gold.counts}
    return Classes(names, {**numbers, **marked}, gold_texts)


def _spell(text: str, names: Sequence[Hashable]) -> str | None:
    """A number in the spelling of its class, so that ``1.0`` is ``1``; -1 is an abstention unless it is a class."""
    if text in map(str, names) or not is_number(text):
        return text
    return {float(str(name)): str(name) for name in names}.get(float(text), None if float(text) == UNKNOWN else text)


def _settle_codes(votes: Sequence[Distinct], gold: Distinct | None, roles: Roles) -> Classes:
    """Classes that the codes say; gold may be written in codes or in classes."""
    codes = {spelling(value): None if name is None else str(name) for value, name in (roles.codes or {}).items()}
    if roles.class_names is not None or roles.abstain is not None:
        beside = "class_names" if roles.class_names is not None else "abstain"
        raise InvalidVotesError(
            "codes say all about the values; found ", Argument(beside, ...), " besides. Drop one of the two."
        )
    names = [name for name in dict.fromkeys(codes.values()) if name is not None]
    if len(names) < 2:
        raise InvalidVotesError(f"codes must name at least two classes; found {len(names)} ({names}).")
    for column in votes:
        _refuse_uncoded(column, codes, f"column {column.name!r}")
    of_gold = {name: name for name in names} | codes
    if gold is not None:
        _refuse_uncoded(gold, of_gold, "the gold labels")
    number = {name: c for c, name in enumerate(names)} | {None: ABSTAIN}
    numbers = {text: number[codes[spelling(text)]] for column in votes for text in column.counts}
    gold_texts = {} if gold is None else {text: of_gold[spelling(text)] for text in gold.counts}
    if all(n == ABSTAIN for n in numbers.values()):
        raise _no_vote()
    if gold is not None and not any(gold_texts.values()):
        raise _no_gold()
    return Classes(tuple(names), numbers, gold_texts)


def _refuse_uncoded(column: Distinct, codes: Mapping[str, str | None], where: str) -> None:
    unknown = sorted(text for text in column.counts if spelling(text) not in codes)
    if unknown:
        known = ", ".join(map(repr, list(codes)[:10]))
        rows = column.rows_of(unknown[:1])
        row = "" if rows is None else f" in row {rows[0]}, counting from 0"
        raise InvalidVotesError(
            f"every value must be one of the codes ({known}) or empty; {where} holds {unknown[0]!r}{row} "
            f"({column.count(unknown[:1])} such rows). Add it to ",
            Argument("codes"),
            ", with nothing as its class if it means abstain.",
        )


def _check_not_silent(votes: Sequence[Distinct], gold: Distinct | None) -> None:
    if not any(column.counts for column in votes):
        raise _no_vote()
    if gold is not None and not gold.counts:
        raise _no_gold()


def _no_vote() -> InvalidVotesError:
    return InvalidVotesError("some rule must vote on some item; every vote is empty or the mark for abstain.")


def _no_gold() -> InvalidLabelsError:
    return InvalidLabelsError("there must be at least one gold label; all are empty. Fill in the class of some items.")


def _infer(votes: Sequence[Distinct], gold: Distinct | None) -> tuple[tuple[Hashable, ...], bool]:
    """Names of the classes, and whether the votes name them."""
    _check_one_kind(votes)
    by_name = not all(column.is_numeric for column in votes)
    texts = set().union(*(column.counts for column in votes))
    if gold is None:
        labels: list[str] = []
    else:
        labels = [text for text in _like_votes(gold.counts, sorted(texts) if by_name else (0, 1)) if text is not None]
        _check_same_kind(gold, labels, texts if by_name else None)
    if by_name:
        every = sorted({*texts, *labels})
        return settle_names([(every, np.empty(0, dtype=np.int64))]), True
    numbers = [_as_class(text) for text in (*texts, *labels)]
    _check_counted_from_zero(numbers)
    whole = [number for number in numbers if np.isfinite(number) and number == np.floor(number)]
    return tuple(range(settle_n_classes(int(max(whole, default=UNKNOWN)), None, None))), False


def _check_same_kind(gold: Distinct, labels: Sequence[str], named: set[str] | None) -> None:
    """Names beside names, numbers beside numbers; ``named`` are the names of the votes, None if these are numbers."""
    by_name = named is not None
    are_truths = not gold.is_text and not (named is not None and named.issuperset(labels))
    is_numeric = are_truths or all(is_number(text) or (not by_name and text in ("True", "False")) for text in labels)
    if by_name == is_numeric:
        kinds = ("votes", "gold labels") if by_name else ("gold labels", "votes")
        raise InvalidLabelsError(
            f"gold labels must be classes of the votes; the {kinds[1]} are numbers but the {kinds[0]} are names (the "
            f"first of {gold.n_filled} gold labels is {gold.example!r}). List the names in the order of the numbers: ",
            Argument("class_names", [...]),
            *(() if by_name else ("; if the votes are ratings or scores, say ", Argument("scores", "CLASS"))),
            ".",
        )


def _like_votes(labels: Sequence[str | None] | Mapping[str, int], names: Sequence[Hashable]) -> list[str | None]:
    """Labels that are truth values in the spelling of the classes, which are names, or 0 and 1; others as they are."""
    lowered = {text.strip().lower() for text in labels if text is not None}
    are_truths = tuple(names) == (0, 1)
    spelled = {"true": "True", "false": "False"} if are_truths else {str(n).strip().lower(): str(n) for n in names}
    if not lowered or not lowered <= _TRUTHS or not lowered <= set(spelled):
        return list(labels)
    return [None if text is None else spelled[text.strip().lower()] for text in labels]


def _as_class(text: str) -> float:
    """The number that a text is; truth values are 1 and 0."""
    return float(text == "True") if text in ("True", "False") else float(text)


def _whole(value: Hashable) -> Hashable:
    """A whole number, or the number that it is."""
    number = _as_class(str(value))
    return int(number) if np.isfinite(number) and number == np.floor(number) else number


def _check_counted_from_zero(numbers: Sequence[float]) -> None:
    """Without a 0 anywhere, classes may be numbered from 1, or class 0 be rare: not for us to say."""
    seen: AnyArray = np.unique(np.array(numbers, dtype=float))
    if len(seen) and (seen != 0).all() and (seen >= UNKNOWN).all() and (seen == np.floor(seen)).all():
        raise no_class_zero([int(value) for value in seen if np.isfinite(value)])


def no_class_zero(numbers: Sequence[int]) -> InvalidVotesError:
    """The error for class numbers without a 0."""
    shown = ", ".join(map(str, numbers[:8]))
    named = [value for value in numbers if value > 0][:4]
    return InvalidVotesError(
        f"classes must be numbered from 0, or be listed; found {shown} and no 0 among votes and gold labels. If "
        "classes are numbered from 1, list them: ",
        Argument("class_names", [*named, ...]),
        "; if class 0 is only never seen, begin that list with 0; if -1 is a class, say ",
        Argument("codes", {-1: "NAME", 1: "NAME"}),
        ".",
    )


def _check_one_kind(votes: Sequence[Distinct]) -> None:
    """No column of numbers beside one of names, and none with so many names that it must be something else."""
    speaking = [column for column in votes if column.counts]
    are_numeric = [are_numbers(column.counts) for column in speaking]
    numbers = [column.name for column, is_numeric in zip(speaking, are_numeric, strict=True) if is_numeric]
    textual = [column.name for column, is_numeric in zip(speaking, are_numeric, strict=True) if not is_numeric]
    if textual and numbers:
        raise InvalidVotesError(
            f"votes must be all numbers or all names of classes; column {textual[0]!r} holds names, column "
            f"{numbers[0]!r} numbers ({len(textual)} columns of names, {len(numbers)} of numbers). A column that is no "
            "rule is named with ",
            Argument("ignore", "[NAME]"),
            ", a column of ids with ",
            Argument("item_id", "NAME"),
            "; if numbers are names of classes here, list all of them with ",
            Argument("class_names", [...]),
            ".",
        )
    for column in speaking if textual else ():
        if column.n_values > MAX_INFERRED_NAMES:
            raise InvalidVotesError(
                f"column {column.name!r} holds {column.n_values} different values, too many to be taken for classes. "
                "If it is no rule, say ",
                Argument("ignore", [column.name]),
                "; if there are that many classes, list them with ",
                Argument("class_names", [...]),
                ".",
            )
