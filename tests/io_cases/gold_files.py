"""Gold lines that the tests share: a header, answers in the order of a draw, and the file of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from thumbwise.io.gold_lines import Answer, Design, Header, Items, Stopping, Stratum

AT = "2024-05-01T12:00:09+00:00"


def header(n: int = 40, **changes: Any) -> Header:
    plain = Header(AT, ("pass", "fail"), "id", Items("items.csv", n, "ab" * 32), Design("random", 3), Stopping(n=20))
    return replace(plain, **changes)


def stratified(n: int = 40, n_drawn: int = 10) -> Design:
    return Design("stratified", 3, (Stratum("easy", n - 10, n_drawn), Stratum("hard", 10, n_drawn)))


def answer(
    item: Any, place: int, said: str | None = "pass", kind: Any = "label", by: str = "ann", **more: Any
) -> Answer:
    return Answer(item, place, said if kind == "label" else None, kind, by, 1.5, AT, **more)


def write(path: Path, head: Header, answers: Iterable[Answer], tail: bytes = b"") -> Path:
    lines = [head.line(), *(one.line() for one in answers)]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode() + tail)
    return path
