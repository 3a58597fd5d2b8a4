"""Requests of the page: what of them can be relied on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

LONGEST_NAME, LONGEST_NOTE = 100, 5_000
_LONGEST_TIME = 86_400.0
_KINDS = ("label", "unclear", "skip")


class BadRequestError(ValueError):
    """The page asked for something that is not there; the message is for whoever labels."""


def name_in(request: Mapping[str, Any]) -> str:
    r"""Who labels; may be empty.

    Examples
    --------
    >>> name_in({"by": " ann\n "}), name_in({})
    ('ann', '')
    """
    by = request.get("by", "")
    if not isinstance(by, str):
        raise BadRequestError("a name must be a text")
    return "".join(c for c in by if c.isprintable()).strip()[:LONGEST_NAME]


def place_in(request: Mapping[str, Any]) -> int:
    """The place of an item in the draw."""
    place = request.get("place")
    if not isinstance(place, int) or isinstance(place, bool):
        raise BadRequestError("an answer needs the place of its item")
    return place


def answer_in(request: Mapping[str, Any], classes: tuple[str, ...]) -> tuple[Any, str | None]:
    """The kind of an answer, and the class if it is a label."""
    kind, answer = request.get("kind"), request.get("answer")
    if kind not in _KINDS:
        raise BadRequestError("an answer must be a class, unclear or a skip")
    if (answer not in classes) if kind == "label" else (answer is not None):
        raise BadRequestError("the answer must be one of the classes")
    return kind, answer


def known_in(request: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """The answer that the page knew of when this one was given."""
    mine = request.get("mine")
    return (mine.get("kind"), mine.get("answer")) if isinstance(mine, dict) else None


def note_in(request: Mapping[str, Any]) -> str | None:
    """A note, if there is one."""
    note = request.get("note")
    if not isinstance(note, str) or not note.strip():
        return None
    return note.strip()[:LONGEST_NOTE].encode("utf-8", "replace").decode()


def seconds_in(request: Mapping[str, Any]) -> float | None:
    """How long the answer took, if that is known.

    Examples
    --------
    >>> seconds_in({"seconds": 3.14159}), seconds_in({"seconds": -1}), seconds_in({"seconds": "long"})
    (3.1, 0.0, None)
    """
    seconds = request.get("seconds")
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        return None
    if isinstance(seconds, float) and not math.isfinite(seconds):
        return None
    return round(float(min(max(seconds, 0.0), _LONGEST_TIME)), 1)
