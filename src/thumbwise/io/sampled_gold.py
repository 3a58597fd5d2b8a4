"""Gold that was drawn by strata or with unequal chances, as columns of the votes tell, before any label is seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.designs import Poisson, Stratified
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import as_text
from thumbwise.votes.labels import UNKNOWN


def read_sampled(source: Any, gold: Any, roles: Roles, **options: Any) -> Reading:
    """:func:`thumbwise.io.sources.read_source`, and how gold was drawn if roles name a column of strata or weights.

    *Guarantee*: that of :class:`thumbwise.designs.Stratified` or :class:`thumbwise.designs.Poisson`, if strata or
    weights, and how many items were drawn, were settled before any gold label was seen.
    """
    named = [name for name in (roles.strata, roles.weights) if name is not None]
    if len(named) > 1:
        raise InvalidChoiceError(
            "gold was drawn in one way: at random within strata, or each item with its own chance; found both ",
            Argument("strata"),
            " and ",
            Argument("weights"),
            ". Drop one of them.",
        )
    if named and roles.cluster is not None:
        raise InvalidChoiceError(
            "gold was drawn in one way: in whole clusters, or item by item within strata or with chances of their own; "
            "found ",
            Argument("cluster"),
            " besides ",
            Argument("strata") if roles.strata is not None else Argument("weights"),
            ". Drop one of them.",
        )
    if roles.max_weight is not None and roles.weights is None:
        raise InvalidChoiceError(
            Argument("max_weight"), " goes with a column of weights; name it with ", Argument("weights", "NAME"), "."
        )
    if not named:
        return read_source(source, gold, roles, **options)
    ignore = (*roles.ignore, *(name for name in named if name not in roles.ignore))
    reading = read_source(source, gold, replace(roles, ignore=ignore), **options)
    _check(reading)
    if not len(reading.gold_labels):
        return reading
    if roles.strata is not None:
        return _with_strata(reading, roles.strata)
    return _with_weights(reading, str(roles.weights), roles.max_weight)


def _check(reading: Reading) -> None:
    if reading.files is not None:
        raise InvalidChoiceError(
            "strata and weights are read with the items in memory; these stay in files. Put the votes into one file of "
            "less than 300 MB, or drop ",
            Argument("strata"),
            " and ",
            Argument("weights"),
            ".",
        )
    if reading.separate is not None:
        raise InvalidChoiceError(
            "strata and weights say how gold was drawn from the votes; these gold items are not among them. Drop ",
            Argument("strata"),
            " and ",
            Argument("weights"),
            ".",
        )
    if reading.gold_design is not None:
        raise InvalidChoiceError(
            "the gold file says itself how its items were drawn; drop ",
            Argument("strata"),
            " and ",
            Argument("weights"),
            ".",
        )


def _with_strata(reading: Reading, name: str) -> Reading:
    texts = as_text(reading.passed_on[name])
    missing = [row for row, text in enumerate(texts) if text is None]
    if missing:
        raise InvalidLabelsError(
            f"every item must be of a stratum; column {name!r} is empty in row {missing[0]}, counting from 0 "
            f"({len(missing)} such rows)."
        )
    strata = np.array([*texts, None], dtype=object)[:-1]
    sizes = Counter(texts)
    drawn = strata[reading.gold != UNKNOWN]
    empty = [text for text in sizes if text not in set(drawn.tolist())]
    note = f"gold was drawn at random within each of {len(sizes)} strata, by column {name!r}"
    if empty:
        note += f"; there is none of {', '.join(map(repr, empty[:5]))}{' and more' if len(empty) > 5 else ''}"
    return replace(
        reading, drawn_by=Stratified("subset", strata=drawn, sizes=dict(sizes)), notes=(*reading.notes, note)
    )


def _with_weights(reading: Reading, name: str, max_weight: float | None) -> Reading:
    weights = _numbers(reading.passed_on[name], name)
    ours = weights[reading.gold != UNKNOWN]
    absent = int(np.isnan(ours).sum())
    if absent:
        raise InvalidLabelsError(f"every gold item must have a weight; column {name!r} has none for {absent} of them.")
    if max_weight is None and np.isnan(weights).any():
        raise InvalidChoiceError(
            f"the largest weight that any item could have had must be known; column {name!r} is empty for "
            f"{int(np.isnan(weights).sum()):,} items. Fill it in, or say ",
            Argument("max_weight", "W"),
            ".",
        )
    largest = float(np.max(weights)) if max_weight is None else float(max_weight)
    note = f"gold was drawn item by item, each with chance 1 / weight, by column {name!r}; weights go up to {largest:g}"
    return replace(reading, drawn_by=Poisson(ours, largest), notes=(*reading.notes, note))


def _numbers(column: Column, name: str) -> FloatArray:
    numbers = []
    for row, text in enumerate(as_text(column)):
        try:
            numbers.append(float("nan" if text is None else text))
        except ValueError:
            raise InvalidLabelsError(
                f"weights must be numbers; column {name!r} holds {str(text)[:60]!r} in row {row}, counting from 0."
            ) from None
    return np.array(numbers)
