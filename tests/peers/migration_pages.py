"""What a migration page holds: "before" blocks, what it says they print, and what its doctests print.

A "before" block is fenced as ``python`` without prompts; the next fence, ``text``, is its output. Lines such as
``votes: 123`` that both sides print are how a page shows that it is about the same numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from doctest import DocTestParser
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "migrating"

# Printed with three digits; half of the last one may go either way on each side.
TOLERANCE = 0.00101

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)")
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Page:
    text: str

    @classmethod
    def read(cls, name: str) -> Page:
        return cls((FOLDER / name).read_text(encoding="utf-8"))

    @property
    def before(self) -> list[tuple[str, str]]:
        """Each block and what the page says that it prints."""
        fences = [*_FENCE.findall(self.text), ("", "")]
        found = [pair for pair in pairwise(fences) if pair[0][0] == "python" and ">>>" not in pair[0][1]]
        unshown = [code for (_, code), (kind, _) in found if kind != "text"]
        if unshown:
            raise ValueError(f"a block without prompts must be followed by its output in a text block: {unshown[0]}")
        return [(code, shown) for (_, code), (_, shown) in found]

    @property
    def after(self) -> str:
        """What its doctests print."""
        return "".join(example.want for example in DocTestParser().get_examples(self.text))

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.text)


def labelled_lines(printed: str, label: str) -> list[str]:
    """What follows ``label:`` at the start of a line, in order."""
    return [line.removeprefix(f"{label}: ") for line in printed.splitlines() if line.startswith(f"{label}: ")]


def first_difference(one: str, other: str) -> str | None:
    """Where two outputs differ; spaces do not count, numbers with a point may differ by the tolerance."""
    left, right = (_NUMBER.split(" ".join(text.split())) for text in (one, other))
    for a, b in zip(left, right, strict=False):
        if a.strip() != b.strip() and not _are_close(a, b):
            return f"{a!r} is not {b!r}"
    return None if len(left) == len(right) else f"{len(left) // 2} numbers are not {len(right) // 2}"


def _are_close(a: str, b: str) -> bool:
    if not (_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b) and "." in a and "." in b):
        return False
    return abs(float(a) - float(b)) <= TOLERANCE
