"""Rules that other processes can import, some of them bad."""

from __future__ import annotations

import os
import threading
from typing import Any

from thumbwise.rules.labeling_functions import rule


class StrangeError(Exception):
    """Cannot be unpickled: its constructor wants two values, and hands on one."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code}: {why}")


@rule
def shouting(text: str) -> str | None:
    return "spam" if text.isupper() else None


@rule(name="has a digit")
def digit(text: str) -> str | None:
    return "ham" if any(c.isdigit() for c in text) else None


@rule
def fragile(text: str) -> str | None:
    if "x" in text:
        raise ValueError(f"cannot read {text!r}")
    return "ham"


@rule
def strange(text: str) -> str | None:
    if "x" in text:
        raise StrangeError(3, "no way back")
    return "spam"


@rule
def interrupts(text: str) -> None:
    raise KeyboardInterrupt


@rule
def deadly(text: str) -> None:
    os._exit(3)


@rule
def locked(item: Any) -> int:
    return int(isinstance(item, type(threading.Lock())))


class Threshold:
    """A rule with a setting."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __call__(self, text: str) -> str:
        return "spam" if len(text) > self.length else "ham"


class Holder:
    """Rules can live in a class."""

    @staticmethod
    @rule
    def long(text: str) -> int:
        return int(len(text) > 3)
