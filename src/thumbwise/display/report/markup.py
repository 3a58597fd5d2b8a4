"""Elements of HTML and SVG, in which every text and every attribute is escaped; and pictures as data."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from html import escape

import numpy as np
import numpy.typing as npt

from thumbwise.summaries import visible


class Markup(str):
    """Text that is markup already, and is not escaped again, here or in a template."""

    def __html__(self) -> str:
        return str(self)


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element. Children that are not Markup are escaped; ``class_`` is class, ``stroke_width`` stroke-width.

    Examples
    --------
    >>> tag("text", "a < b", tag("tspan", "c"), x=1, class_="name")
    '<text x="1" class="name">a &lt; b<tspan>c</tspan></text>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"' for key, value in attributes.items())
    inside = "".join(child if isinstance(child, Markup) else _escaped(child) for child in children)
    return Markup(f"<{name}{given}>" if name == "img" else f"<{name}{given}>{inside}</{name}>")


def _escaped(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(visible(value))


def png(pixels: npt.NDArray[np.uint8]) -> str:
    """An image of shape (height, width, 3) as the address of a PNG that holds it."""
    height, width = pixels.shape[:2]
    rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    body = b"".join(_chunk(kind, content) for kind, content in chunks)
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
