"""Axes and whatever else charts share: a scale from numbers to places, ticks, and the frame around a picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thumbwise.display.report.markup import Markup, tag

# Wide enough for a dozen labels, and small enough that letters stay legible when a phone shrinks it.
WIDTH = 420


@dataclass(frozen=True)
class Scale:
    """A line from ``start`` to ``end`` in the picture, for numbers from ``low`` to ``high``."""

    low: float
    high: float
    start: float
    end: float
    transform: Callable[[float], float] = float

    def __call__(self, value: float) -> float:
        low, high, given = (self.transform(v) for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (given - low) / ((high - low) or 1.0)

    def ticks(self, n: int = 5) -> list[float]:
        """Round numbers within the scale, about ``n`` of them.

        Examples
        --------
        >>> Scale(0, 1, 0, 100).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        raw = (self.high - self.low) / n or 1.0
        unit = 10 ** math.floor(math.log10(raw))
        step = min((m * unit for m in (1, 2, 5, 10)), key=lambda s: abs(s - raw))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def compact(value: float) -> str:
    """A number in few letters.

    Examples
    --------
    >>> [compact(value) for value in (0.25, 40, 2500, 10**6)]
    ['0.25', '40', '2.5k', '1M']
    """
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def picture(name: str, title: str, description: str, height: float, *parts: str) -> Markup:
    """An SVG with a title and a description, for those who cannot see it."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", description, id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="chart",
    )


def text(words: str, x: float, y: float, anchor: str = "start", class_: str = "label") -> Markup:
    """One line of letters."""
    return tag("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def dot(x: float, y: float, class_: str, words: str = "", radius: float = 4.0) -> Markup:
    """A dot that says what it is when pointed at."""
    return tag("circle", tag("title", words), cx=float(x), cy=float(y), r=radius, class_=class_)


def path(points: Sequence[tuple[float, float]], class_: str) -> Markup:
    """A line through points."""
    return tag("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=class_)


def axis_below(scale: Scale, y: float, name: str, ticks: Sequence[float] | None = None, top: float = 0) -> Markup:
    """Ticks and their numbers under a line; pale lines up to ``top``."""
    marks = []
    for value in scale.ticks() if ticks is None else ticks:
        x = scale(value)
        marks += [line(x, top, x, y, "grid"), text(compact(value), x, y + 14, "middle")]
    middle = (scale.start + scale.end) / 2
    return tag("g", *marks, line(scale.start, y, scale.end, y, "axis"), text(name, middle, y + 30, "middle", "name"))


def axis_left(scale: Scale, x: float, name: str, right: float, ticks: Sequence[float] | None = None) -> Markup:
    """Ticks and their numbers left of a line, its name above it; pale lines to ``right``."""
    marks = []
    for value in scale.ticks() if ticks is None else ticks:
        y = scale(value)
        marks += [line(x, y, right, y, "grid"), text(compact(value), x - 5, y + 4, "end")]
    return tag("g", *marks, line(x, scale.start, x, scale.end, "axis"), text(name, 4, scale.end - 10, class_="name"))
