"""Gold lines: the file that labels are appended to as people give them, with the draw and the stopping rule on top.

Specification
-------------
- JSON lines in UTF-8. Line 1 is the header: what may be answered, which items there are, how they were drawn and when
  labeling stops. All of it is written before the first answer, so that no label decides any of it.
- Every further line is one answer, appended and never changed: a label, "unclear", a skip, or an undo.
- A last line without a line break that is no whole object is half written: it is no answer and no error, and is
  reported apart.
- A version other than 1 is refused. Fields that this version does not know are ignored and named; since the file is
  only ever appended to, they are not lost.
"""

from __future__ import annotations

from thumbwise.io.gold_lines.answers import KINDS, Answer, parse_answer
from thumbwise.io.gold_lines.files import GoldLines, is_gold_lines, is_torn, read_gold_lines
from thumbwise.io.gold_lines.headers import (
    UNCLEAR,
    Design,
    Goal,
    Header,
    Items,
    Stopping,
    Stratum,
    parse_header,
)
from thumbwise.io.gold_lines.settling import Pair, Settled, settle

__all__ = [
    "KINDS",
    "UNCLEAR",
    "Answer",
    "Design",
    "Goal",
    "GoldLines",
    "Header",
    "Items",
    "Pair",
    "Settled",
    "Stopping",
    "Stratum",
    "is_gold_lines",
    "is_torn",
    "parse_answer",
    "parse_header",
    "read_gold_lines",
    "settle",
]
