"""Images of items, told by their first bytes and not by their names."""

from __future__ import annotations

import re
from pathlib import Path

# Larger ones are not images that anybody labels in a browser.
_LARGEST = 2**26
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)
_SVG = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]", re.DOTALL)
# An SVG is a document: opened by itself it may do nothing, in an <img> it can do nothing anyway.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def media_type(start: bytes) -> str | None:
    r"""What kind of image a file is, by how it begins; None if it is none.

    Examples
    --------
    >>> media_type(b"\x89PNG\r\n\x1a\n..."), media_type(b"<html>")
    ('image/png', None)
    """
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    if start[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    known = next((kind for beginning, kind in _BEGINNINGS if start.startswith(beginning)), None)
    return known or ("image/svg+xml" if _SVG.match(start) else None)


def read_image(path: Path) -> tuple[bytes, str] | None:
    """The bytes of an image and what kind it is; None if it is none, too large, or gone."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError:
        return None
    kind = media_type(content[:4096])
    return None if kind is None or len(content) > _LARGEST else (content, kind)
