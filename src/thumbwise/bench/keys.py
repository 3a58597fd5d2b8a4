"""Keys: which key stands for which class, so that hands stay on the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

# What the page does with a letter whatever the classes are: undo, skip, unclear, note, go to, list, votes, second look.
TAKEN = "usxnglvt"


def keys_of(classes: Sequence[str]) -> list[list[str]]:
    """Keys of each class: a digit for each of the first nine, and the first letter of its name that is free.

    Examples
    --------
    >>> keys_of(["pass", "fail", "spam"])
    [['1', 'p'], ['2', 'f'], ['3', 'a']]
    """
    used = set(TAKEN)
    keys: list[list[str]] = []
    for number, name in enumerate(classes, 1):
        letter = next((c for c in name.lower() if c.isascii() and c.isalpha() and c not in used), "")
        used.add(letter)
        keys.append([*([str(number)] if number < 10 else []), *([letter] if letter else [])])
    return keys
