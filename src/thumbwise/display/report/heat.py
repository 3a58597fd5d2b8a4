"""A heat map of all pairs of rules as an image of a few kilobytes, whatever their number."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.tables.pairs import like_together
from thumbwise.display.report.axes import WIDTH, picture, text
from thumbwise.display.report.markup import Markup, png, tag
from thumbwise.summaries import one_line

Kind = Literal["agreement", "correlation"]
Pixels: TypeAlias = npt.NDArray[np.uint8]

# From low to high; told apart in every kind of colour blindness, by lightness or by blue against orange.
_COLOURS: dict[Kind, tuple[tuple[float, ...], ...]] = {
    "agreement": ((255, 247, 220), (90, 170, 190), (12, 44, 100)),
    "correlation": ((0, 90, 181), (245, 245, 240), (196, 82, 0)),
}
_RANGES: dict[Kind, tuple[float, float]] = {"agreement": (0.0, 1.0), "correlation": (-1.0, 1.0)}
_UNKNOWN = (150, 150, 150)
_MOST_NAMED = 30
_SIDE = 400


def heat_map(kind: Kind, matrix: FloatArray, names: Sequence[str], title: str, description: str) -> Markup:
    """The matrix in an order that puts like rules side by side, with the values for the script to read out."""
    order = like_together(matrix)
    ordered = matrix[np.ix_(order, order)]
    is_named = len(names) <= _MOST_NAMED
    left, side = (126.0, WIDTH - 130.0) if is_named else (30.0, WIDTH - 34.0)
    cell = side / len(names)
    image = tag(
        "image", href=png(enlarge(colour(kind, ordered))), x=left, y=4.0, width=side, height=side, class_="heat"
    )
    labels = [text(name, left - 4, 4 + cell * (i + 0.5) + 4, "end") for i, name in _labels(order, names, is_named)]
    frame = tag("rect", x=left, y=4.0, width=cell, height=cell, class_="cursor")
    drawn = picture(kind, title, description, side + 12, image, *labels, frame)
    return tag(
        "div",
        drawn,
        _legend(kind),
        tag("p", class_="readout", aria_live="polite"),
        class_="heatmap",
        tabindex=0,
        role="group",
        aria_label=f"{title}: move with the arrow keys to hear each pair",
        data_values=_packed(kind, ordered),
        data_order=" ".join(map(str, order.tolist())),
        data_left=left,
        data_side=side,
    )


def enlarge(cells: Pixels) -> Pixels:
    """Several pixels to a cell, so that cells have sharp edges."""
    size = max(1, _SIDE // len(cells))
    return cells.repeat(size, axis=0).repeat(size, axis=1)


def colour(kind: Kind, matrix: FloatArray) -> Pixels:
    """One pixel to a value, shape (*matrix.shape, 3)."""
    low, high = _RANGES[kind]
    place = np.clip((np.nan_to_num(matrix) - low) / (high - low), 0, 1) * (len(_COLOURS[kind]) - 1)
    stops = np.array(_COLOURS[kind], dtype=float)
    cells = np.stack([np.interp(place, np.arange(len(stops)), stops[:, c]) for c in range(3)], axis=-1)
    cells[np.isnan(matrix)] = _UNKNOWN
    return np.asarray(np.rint(cells), dtype=np.uint8)


def _labels(order: IntArray, names: Sequence[str], is_named: bool) -> list[tuple[int, str]]:
    if is_named:
        return [(i, one_line(names[j], 15)) for i, j in enumerate(order.tolist())]
    return [(i, str(i + 1)) for i in range(len(names)) if (i + 1) % 10 == 0]


def _legend(kind: Kind) -> Markup:
    low, high = _RANGES[kind]
    bar = png(colour(kind, np.tile(np.linspace(low, high, 100), (8, 1))))
    ends = [f"{low:g}", f"{high:g}"]
    image = tag("img", src=bar, alt="", width=120, height=10)
    return tag("p", ends[0], " ", image, f" {ends[1]}; grey: not known", class_="legend")


def _packed(kind: Kind, matrix: FloatArray) -> str:
    """Values in hundredths as signed bytes, -128 where unknown."""
    hundredths = np.where(np.isnan(matrix), -128, np.rint(100 * np.nan_to_num(matrix)))
    return b64encode(hundredths.astype(np.int8).tobytes()).decode()
