"""Numbers that judges give instead of votes: columns of scores, checked; verdicts with a confidence, taken apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_column

ScoresAre: TypeAlias = Literal["ratings", "probabilities", "log-probabilities", "confidences"]
SCORES_ARE: tuple[ScoresAre, ...] = ("ratings", "probabilities", "log-probabilities", "confidences")
# What may stand between a judge and a class, or the word for confidence, in the name of a column.
_SEPARATORS = (":", "/", "_", ".", "-", " ", "=")
_CONFIDENCE = ("confidence", "conf", "score", "probability", "prob")
# Probabilities of an item are written with few digits, so they sum to 1 up to this.
_SUM_SLACK = 0.02
_LOG_SLACK = 1e-6


def check_scores_are(scores_are: object) -> None:
    """Refuse a kind of scores that there is not."""
    if scores_are not in SCORES_ARE:
        raise InvalidVotesError(
            Argument("scores_are"), f" must be one of {', '.join(map(repr, SCORES_ARE))}; found {scores_are!r}."
        )


def read_numbers(name: str, column: Column) -> FloatArray:
    """A column of scores, NaN where there is none."""
    missing = np.ma.getmaskarray(column)
    if column.dtype.kind in "biuf":
        numbers = np.where(missing, np.nan, np.asarray(column.data, dtype=float))
    else:
        numbers = np.array(
            [np.nan if gone else _number(value) for value, gone in zip(column.data, missing, strict=True)]
        )
        _refuse(name, column, np.isnan(numbers) & ~missing & ~_is_nan(column), "be numbers")
    _refuse(name, column, np.isinf(numbers), "be finite")
    return np.asarray(numbers, dtype=float)


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return np.nan


def _is_nan(column: Column) -> AnyArray:
    return np.array([str(value).strip().lower() in ("nan", "") for value in column.data], dtype=bool)


def _refuse(name: str, column: Column, bad: AnyArray, must: str) -> None:
    if not bad.any():
        return
    row = int(np.argmax(bad))
    raise InvalidVotesError(
        f"scores must {must}; column {name!r} holds {str(column.data[row])[:60]!r} in row {row}, counting from 0 "
        f"({int(bad.sum()):,} such rows). Empty the cells where a judge says nothing; if the column is no judge, say ",
        Argument("ignore", [name]),
        ".",
    )


def check_probabilities(name: str, numbers: FloatArray, scores_are: ScoresAre) -> None:
    """Refuse what lies outside of 0 and 1, or, of log-probabilities, above 0."""
    is_log = scores_are == "log-probabilities"
    bad = numbers > _LOG_SLACK if is_log else (numbers < 0) | (numbers > 1)
    if not bad.any():
        return
    row = int(np.argmax(bad))
    other = "probabilities" if is_log else "log-probabilities"
    where = "be at most 0" if is_log else "lie between 0 and 1"
    raise InvalidVotesError(
        f"{scores_are} must {where}; column {name!r} holds {numbers[row]:g} in row {row}, counting from 0 "
        f"({int(bad.sum()):,} such rows). Divide percentages by 100; if they are something else, say ",
        Argument("scores_are", f'"{other}"'),
        " or ",
        Argument("scores_are", '"ratings"'),
        ".",
    )


def split_by_class(names: Sequence[str], class_names: Sequence[Hashable]) -> dict[str, dict[Hashable, str]]:
    """Columns of each judge by class, where each is called by judge and class: ``gpt:toxic``, ``gpt_ok``."""
    judges: dict[str, dict[Hashable, str]] = {}
    for name in names:
        found = [(c, name.removesuffix(end)) for c in class_names for end in _endings(c) if name.endswith(end)]
        if not found:
            raise _no_class(name, class_names)
        own, judge = min(found, key=lambda pair: len(pair[1]))
        judges.setdefault(judge or "judge", {})[own] = name
    for judge, columns in judges.items():
        gone = [c for c in class_names if c not in columns]
        if gone:
            raise InvalidVotesError(
                f"each judge must have a column for each class; {judge!r} has none for {gone[0]!r} "
                f"({', '.join(map(repr, columns.values()))}). If each column is the probability of one class, name "
                "that class with ",
                Argument("scores", "CLASS"),
                ".",
            )
    return judges


def _endings(name: Hashable) -> list[str]:
    return [f"{sign}{name}" for sign in _SEPARATORS]


def _no_class(name: str, class_names: Sequence[Hashable]) -> InvalidVotesError:
    listed = ", ".join(map(repr, class_names[:8]))
    return InvalidVotesError(
        "probabilities must say of which class they are: name it with ",
        Argument("scores", "CLASS"),
        f" if each column is of that one class, or call each column by judge and class, such as "
        f"'gpt:{class_names[0]}'; column {name!r} ends with none of the classes {listed}.",
    )


def check_sums(judge: str, by_class: FloatArray) -> None:
    """Refuse probabilities of one judge, shape (n_items, n_classes), that do not sum to 1."""
    sums = by_class.sum(axis=1)
    bad = np.abs(sums - 1) > _SUM_SLACK  # what is missing is neither
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidVotesError(
            f"probabilities of a judge must sum to 1 for each item; those of {judge!r} sum to {sums[row]:.4g} in row "
            f"{row}, counting from 0 ({int(bad.sum()):,} such rows). Divide them by their sum, or give "
            "log-probabilities as such: ",
            Argument("scores_are", '"log-probabilities"'),
            ".",
        )


def split_confidences(columns: Mapping[str, Column]) -> tuple[dict[str, Column], dict[str, FloatArray]]:
    """Verdicts and confidences of each judge: columns ``gpt`` and ``gpt_confidence``, or cells such as "pass, 0.8"."""
    pairs = {name: _partner(name, columns) for name in columns}
    partners = {partner for partner in pairs.values() if partner is not None}
    verdicts: dict[str, Column] = {}
    confidences: dict[str, FloatArray] = {}
    for name, partner in pairs.items():
        if name in partners:
            continue
        if partner is None:
            verdicts[name], confidences[name] = _split_cells(name, columns[name])
        else:
            verdicts[name], confidences[name] = columns[name], read_numbers(partner, columns[partner])
        if (confidences[name] < 0).any():
            raise InvalidVotesError(
                f"confidences must not be negative; those of {name!r} are, {(confidences[name] < 0).sum():,} times. If "
                "they are log-probabilities, take their exponentials."
            )
    return verdicts, confidences


def _partner(name: str, columns: Mapping[str, Any]) -> str | None:
    lowered = {other.lower(): other for other in columns}
    wanted = (f"{name.lower()}{sign}{word}" for word in _CONFIDENCE for sign in _SEPARATORS)
    return next((lowered[text] for text in wanted if text in lowered), None)


def _split_cells(name: str, column: Column) -> tuple[Column, FloatArray]:
    """Cells such as "pass, 0.8": what stands before the last comma, and the number behind it."""
    missing = np.ma.getmaskarray(column)
    cells = [
        ("", "", "") if gone else str(value).rpartition(",") for value, gone in zip(column.data, missing, strict=True)
    ]
    numbers = np.array([_number(cell[2]) for cell in cells])
    bad = (np.isnan(numbers) | (np.array([cell[0].strip() for cell in cells]) == "")) & ~missing
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidVotesError(
            f"a verdict must have a confidence beside it, in its cell ('pass, 0.8') or in a column of its own "
            f"({name + '_confidence'!r}); column {name!r} holds {str(column.data[row])[:60]!r} in row {row}, counting "
            f"from 0 ({int(bad.sum()):,} such rows). If it is no judge, say ",
            Argument("ignore", [name]),
            ".",
        )
    return as_column([None if gone else cell[0].strip() for cell, gone in zip(cells, missing, strict=True)]), numbers
