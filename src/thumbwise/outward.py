"""How a bound is written down: rounded outward, so that what is printed is still true.

Everything that prints a bound, an end of an interval or a confidence level goes through here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

# Less than this, in units of the last digit, is rounding of floats and not part of the bound: 0.7 is written 0.700.
_NOISE = 1e-9


def round_up(value: float, digits: int = 3) -> float:
    """The smallest number with so many digits after the point that is not below the value.

    Examples
    --------
    >>> round_up(0.57431), round_up(0.7), round_up(-0.0004)
    (0.575, 0.7, 0.0)
    """
    return _rounded(value, digits, math.ceil, -_NOISE)


def round_down(value: float, digits: int = 3) -> float:
    """The largest number with so many digits after the point that is not above the value.

    Examples
    --------
    >>> round_down(0.57431), round_down(0.7), round_down(-0.0004)
    (0.574, 0.7, -0.001)
    """
    return _rounded(value, digits, math.floor, _NOISE)


def _rounded(value: float, digits: int, towards: Callable[[float], float], noise: float) -> float:
    if not math.isfinite(value):
        return value
    return float(towards(value * 10**digits + noise) / 10**digits) + 0.0  # no -0.0


def at_most(value: float, digits: int = 3) -> str:
    """An upper bound in digits.

    Examples
    --------
    >>> at_most(0.57431)
    '0.575'
    """
    return f"{round_up(value, digits):.{digits}f}"


def at_least(value: float, digits: int = 3) -> str:
    """A lower bound in digits.

    Examples
    --------
    >>> at_least(0.57431)
    '0.574'
    """
    return f"{round_down(value, digits):.{digits}f}"


def between(lower: float, upper: float, digits: int = 3) -> str:
    """Both ends of an interval, in words.

    Examples
    --------
    >>> between(0.1234, 0.5678)
    '0.123 to 0.568'
    """
    return f"{at_least(lower, digits)} to {at_most(upper, digits)}"


def level(confidence: float) -> str:
    """A confidence level in per cent, never above what it is.

    Examples
    --------
    >>> level(0.95), level(0.999), level(0.99996)
    ('95 %', '99.9 %', '99.99 %')
    """
    return f"{round_down(100 * confidence, 2):.2f}".rstrip("0").rstrip(".") + " %"


def percent_at_least(share: float, digits: int = 1) -> str:
    """A lower bound of a share, in per cent.

    Examples
    --------
    >>> percent_at_least(0.88274), percent_at_least(0.88), percent_at_least(1)
    ('88.2 %', '88.0 %', '100 %')
    """
    return _percent(round_down(100 * share, digits), digits)


def percent_at_most(share: float, digits: int = 1) -> str:
    """An upper bound of a share, in per cent.

    Examples
    --------
    >>> percent_at_most(0.88274), percent_at_most(0)
    ('88.3 %', '0 %')
    """
    return _percent(round_up(100 * share, digits), digits)


def percent(share: float, digits: int = 0) -> str:
    """A share that is no bound, in per cent; it is 100 % or 0 % only if it is that exactly.

    Examples
    --------
    >>> percent(0.9351), percent(0.99996), percent(1)
    ('94 %', '> 99 %', '100 %')
    """
    nearest = round(100 * share, digits)
    if nearest >= 100 > 100 * share:
        return f"> {_percent(100 - 10.0**-digits, digits)}"
    if nearest <= 0 < share:
        return f"< {_percent(10.0**-digits, digits)}"
    return _percent(nearest, digits)


def _percent(value: float, digits: int) -> str:
    return f"{value:.0f} %" if value in (0, 100) else f"{value:.{digits}f} %"
