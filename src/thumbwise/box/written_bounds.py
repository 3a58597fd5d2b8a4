"""Bounds that users write: arrays in the order of the moments, mappings from names, frames."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.moments.linear import Moments
from thumbwise.exceptions import InvalidBoxError
from thumbwise.votes.reading.raw_votes import first_repeated


def split_bounds(bounds: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Lower and upper bounds by name, from a mapping to pairs or a frame with columns name, lower and upper."""
    if isinstance(bounds, Mapping):
        pairs = dict(bounds)
    else:
        frame = nw.from_native(bounds, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame) or not {"name", "lower", "upper"} <= set(frame.columns):
            raise InvalidBoxError(
                "bounds must map names to (lower, upper), or be a frame with columns name, lower and upper; "
                f"found {type(bounds).__name__}."
            )
        columns = [frame[name].to_list() for name in ("name", "lower", "upper")]
        repeated = first_repeated(columns[0])
        if repeated is not None:
            raise InvalidBoxError(f"each name must be bounded once; the frame names {repeated!r} several times.")
        pairs = {name: (low, high) for name, low, high in zip(*columns, strict=True)}
    for name, pair in pairs.items():
        if np.shape(pair) != (2,):
            raise InvalidBoxError(f"each of the bounds must be a pair (lower, upper); found {pair!r} for {name!r}.")
    return {name: pair[0] for name, pair in pairs.items()}, {name: pair[1] for name, pair in pairs.items()}


def fill_bounds(moments: Moments, given: Any, default: float | FloatArray, what: str) -> FloatArray:
    """One bound per moment: in order, or by name with a default for what is not mentioned."""
    values = np.array(np.broadcast_to(default, len(moments)), dtype=float)
    if given is None:
        return values
    if isinstance(given, Mapping):
        named: dict[int, Hashable] = {}
        for name, value in given.items():
            m = _find(moments, name)
            if m in named:
                raise InvalidBoxError(
                    f"{moments.names[m]} is bounded twice, as {named[m]!r} and as {name!r}. Keep one."
                )
            named[m] = name
            values[m] = _number(value, name)
        return values
    values = np.array([_number(value, place) for place, value in enumerate(np.asarray(given, dtype=object).ravel())])
    values = values.reshape(np.shape(given))
    if values.shape != (len(moments),):
        raise InvalidBoxError(
            f"{what} must hold one bound per moment, rules first, then classes: {len(moments)} in all; found shape "
            f"{values.shape}. To bound only some, pass a mapping from names."
        )
    return values


def _number(value: Any, name: Hashable) -> float:
    if value is None:
        return float("nan")  # refused with its interval, like every bound that is not finite
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidBoxError(f"bounds must be numbers between 0 and 1; found {value!r} for {name!r}.") from None


def _find(moments: Moments, name: Hashable) -> int:
    text = str(name)
    if text in moments.names:
        return moments.names.index(text)
    places = [m for m, moment in enumerate(moments.about) if moment.subject == text]
    if len(places) == 1:
        return places[0]
    if places:
        both = " and ".join(moments.names[m] for m in places)
        raise InvalidBoxError(f"the name {text!r} fits several moments: {both}. Write one of these names.")
    known = ", ".join(moments.names[:12]) + (", ..." if len(moments) > 12 else "")
    raise InvalidBoxError(f"bounds must name a moment, a rule or a class; found {text!r}. Known: {known}.")


def check_same_moments(names: Sequence[str], others: Sequence[str]) -> None:
    """Refuse votes whose rules and classes are not those of a box."""
    if tuple(names) != tuple(others):
        strange = sorted(set(others) ^ set(names)) or ["the same names in another order"]
        raise InvalidBoxError(
            f"the box must speak of the rules and classes of the votes; {len(strange)} differ: "
            f"{', '.join(strange[:5])}. Make the box from votes with the same rule names and class names."
        )


def check_bounds(
    names: Sequence[str],
    lower: FloatArray,
    upper: FloatArray,
    least: FloatArray | float,
    most: FloatArray | float,
) -> None:
    """Refuse bounds that are no intervals within what their moments can be."""
    are_shares = np.ndim(least) == 0
    inside = "shares between 0 and 1" if are_shares else "within what the moment can be"
    hint = "Shares are not percentages: 80 % is 0.8." if are_shares else "Look at the coefficients."
    for what, bad, advice in (
        ("finite numbers", ~(np.isfinite(lower) & np.isfinite(upper)), "Write 0 and 1 where nothing is known."),
        (inside, (lower < least) | (upper > most), hint),
        ("ordered, lower <= upper,", lower > upper, "Exchange the two bounds."),
    ):
        if bad.any():
            m = int(np.argmax(bad))
            raise InvalidBoxError(
                f"bounds must be {what}; found [{lower[m]:.6g}, {upper[m]:.6g}] for {names[m]} "
                f"({int(bad.sum())} such intervals). {advice}"
            )
