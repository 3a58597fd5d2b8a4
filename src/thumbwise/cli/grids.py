"""Tables and sentences that fit the screen: no number is ever split over two lines.

Where a table is too wide, names are folded first; then its columns are dealt to several tables, each of which begins
with the names of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box as borders
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from thumbwise.summaries import visible

# Columns between two cells, and before the first.
_GAP = 2
# How far texts may be folded before columns are dealt to several tables: those
# that name rows, and others; and the least that is left of a name on a very narrow screen.
_KEY, _TEXT, _LEAST = 16, 12, 4
# A space before these belongs to the number before it.
_UNIT = re.compile(r"(?<=\d) (?=%)")
_KEPT = "\u00a0"
# After one of these a name may be broken.
_BREAK = re.compile(r"[ \-_/.,:]")


class Screen(Console):
    """A console that wraps sentences between words, with a number and its per cent sign in one line."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, wrapped where somebody looks."""
        super().print(
            *(wrapped(entry, self.width) if isinstance(entry, (str, Text)) else entry for entry in objects), **options
        )


def wrapped(text: str | Text, width: int) -> Text:
    r"""A text with line breaks in place of some spaces, so that all lines fit; a longer word is left to the console.

    Examples
    --------
    >>> wrapped("at least 85.1 % of all", 13).plain
    'at least\n85.1 % of all'
    """
    shown = Text(text) if isinstance(text, str) else text.copy()
    plain = _UNIT.sub(_KEPT, shown.plain)
    if all(cell_len(line) <= width for line in plain.split("\n")):
        return shown
    broken = "\n".join(_broken(line, width) for line in plain.split("\n"))
    shown.plain = broken.replace(_KEPT, " ")
    return shown


def _broken(line: str, width: int) -> str:
    """Spaces at which a line must break become line breaks; it keeps its length, and so what is bold stays bold."""
    words = re.split("( )", line)
    filled, out = 0, list[str]()
    for word in words:
        if word != " " and filled + cell_len(word) > width and out and out[-1] == " ":
            out[-1], filled = "\n", 0
        out.append(word)
        filled += cell_len(word)
    return "".join(out)


def print_table(
    console: Console,
    title: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Sequence[int] = (0,),
    groups: Sequence[int] = (),
) -> None:
    """A table of texts; the columns in ``left`` begin at their left side and may be folded, the others may not.

    Columns that stand at the left before any that does not are names of rows: each part of a table that is too wide
    begins with them. Columns from one in ``groups`` to the next stay in one part if they can.
    """
    title, headers = visible(title), [visible(header, keep_lines=True) for header in headers]  # they may hold names
    texts = [[visible(cell) for cell in row] for row in rows]
    n_columns = len(headers)
    n_keys = max(1, next((j for j in range(n_columns) if j not in left), n_columns))
    natural = [max(map(_widest, [headers[j], *(row[j] for row in texts)])) for j in range(n_columns)]
    widest = max((natural[j] for j in range(n_keys, n_columns) if j not in left), default=0)
    key = max(_LEAST, min(_KEY, (console.width - widest - _GAP * (n_keys + 1)) // n_keys))
    least = [min(n, key if j < n_keys else _TEXT) if j in left else n for j, n in enumerate(natural)]
    units = _units(range(n_keys, n_columns), groups)
    for number, columns in enumerate(_parts(least, n_keys, units, console.width)):
        room = _shrunk({j: natural[j] for j in columns}, least, console.width)
        grid = Grid(box=borders.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
        for j in columns:
            grid.add_column(Text(headers[j]), justify="left" if j in left else "right", no_wrap=True)
        for row in texts:
            grid.add_row(*(Text(folded(row[j], room[j]) if j in left else row[j]) for j in columns))
        console.print(Text(f"{title}, continued" if number else title, style="italic"))
        console.print(grid)


def _units(columns: Sequence[int], groups: Sequence[int]) -> list[list[int]]:
    """Columns that should stay together: those from the start of a group to the next, or each by itself."""
    units: list[list[int]] = []
    for j in columns:
        if units and groups and j not in groups:
            units[-1].append(j)
        else:
            units.append([j])
    return units


def _parts(least: Sequence[int], n_keys: int, units: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """Columns of each table that is printed: all in one, if there is room for them."""
    keys = list(range(n_keys))
    parts = [[*keys]]
    for unit in units:
        for together in [unit] if _needed(least, [*keys, *unit]) <= width else [[j] for j in unit]:
            if len(parts[-1]) > n_keys and _needed(least, [*parts[-1], *together]) > width:
                parts.append([*keys])
            parts[-1] += together
    return parts


def _needed(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[j] + _GAP for j in columns)


def _shrunk(room: dict[int, int], least: Sequence[int], width: int) -> dict[int, int]:
    """Room for each column: the widest that may shrink gives way, until all fit or none can give more."""
    while sum(room.values()) + _GAP * len(room) > width:
        can = [j for j in room if room[j] > least[j]]
        if not can:
            break
        room[max(can, key=lambda j: room[j])] -= 1
    return room


def folded(text: str, width: int) -> str:
    r"""A name in lines of at most a width, broken after a space, a hyphen or the like where there is one.

    Examples
    --------
    >>> folded("gpt-4o-mini-2026-01-05", 12), folded("something else", 12), folded("abcdefgh", 4)
    ('gpt-4o-mini-\n2026-01-05', 'something\nelse', 'abcd\nefgh')
    """
    lines = []
    while cell_len(text) > width:
        n_letters = max(1, next(n for n in range(len(text)) if cell_len(text[: n + 1]) > width))
        breaks = [
            found.end()
            for found in _BREAK.finditer(text[: n_letters + 1])
            if found.start() <= n_letters - (found[0] != " ")
        ]
        at = max((end for end in breaks if end > n_letters // 2), default=n_letters)
        lines.append(text[:at].rstrip(" "))
        text = text[at:]
    return "\n".join([*lines, text])


def _widest(text: str) -> int:
    return max(map(cell_len, text.split("\n")))
