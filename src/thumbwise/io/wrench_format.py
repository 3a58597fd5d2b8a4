"""The JSON files of a WRENCH folder, checked: they come from strangers and become votes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import InPython, InvalidFileError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.budgets import check_json
from thumbwise.tables.given_paths import check_plain
from thumbwise.tables.many_objects import many_objects
from thumbwise.votes.labels import UNKNOWN

# The largest public set has files of about 100 MB; parsed, a file takes several times its size.
MAX_BYTES = 500 * 10**6


@dataclass(frozen=True, eq=False)
class WrenchPart:
    """One file of items.

    Attributes
    ----------
    ids : tuple of str
    votes : ndarray of shape (n_items, n_rules)
        Class numbers, -1 where a rule abstains.
    labels : ndarray of shape (n_items,)
        Class numbers, -1 where unknown.
    texts : tuple of str, or None
        The text of each item, if all have one.
    """

    ids: tuple[str, ...]
    votes: IntArray
    labels: IntArray
    texts: tuple[str, ...] | None


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """The content of a JSON file that is not too large, has no key twice in one object and no NaN."""
    try:
        check_plain(path)
        size = path.stat().st_size
        if size > max_bytes:
            raise InvalidFileError(
                f"{path} must have at most {max_bytes:,} bytes; it has {size:,}.",
                InPython(" If it is what it should be, raise max_bytes; reading takes several times as much memory."),
            )
        content = path.read_bytes()
        check_json(path, content)
        return json.loads(content, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except FileNotFoundError:
        raise InvalidFileError(f"there is no file {path}. Check its name and folder.") from None
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror}.") from error
    except InvalidFileError:
        raise
    except (ValueError, RecursionError) as error:
        gist = " ".join(str(error).split())[:200].rstrip(".")
        raise InvalidFileError(
            f"{path} must be JSON, as its ending says; it cannot be read as such: {gist}."
        ) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return content


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")


def read_class_names(path: Path, max_bytes: int = MAX_BYTES) -> tuple[str, ...]:
    """Names of the classes in the order of their numbers, from an object such as ``{"0": "ham", "1": "spam"}``."""
    content = read_json(path, max_bytes)
    expected = 'an object of class numbers 0, 1, ... and their names, such as {"0": "ham", "1": "spam"}'
    if not isinstance(content, dict) or len(content) < 2:
        raise InvalidFileError(f"{path} must hold {expected}, of two or more; found {_shown(content)}.")
    missing = [str(c) for c in range(len(content)) if str(c) not in content]
    if missing:
        keys = ", ".join(map(repr, list(content)[:10]))
        raise InvalidFileError(f"{path} must hold {expected}; class {missing[0]} is missing, the keys are {keys}.")
    names = tuple(content[str(c)] for c in range(len(content)))
    seen: set[str] = set()
    for c, name in enumerate(names):
        if not isinstance(name, str) or name in seen:
            raise InvalidFileError(
                f"{path} must give every class a name of its own, a string; class {c} is called {_shown(name)}."
            )
        seen.add(name)
    return names


def read_labeled_ids(path: Path, max_bytes: int = MAX_BYTES) -> tuple[str, ...]:
    """All ids of a file ``labeled_ids.json``: one list, or an object of lists."""
    content = read_json(path, max_bytes)
    lists = list(content.values()) if isinstance(content, dict) else [content]
    for ids in lists:
        if not isinstance(ids, list):
            raise InvalidFileError(f"{path} must hold a list of ids, or an object of such lists; found {_shown(ids)}.")
        for value in ids:
            if not isinstance(value, (str, int)) or isinstance(value, bool):
                raise InvalidFileError(f"{path} must hold ids, strings or whole numbers; found {_shown(value)}.")
    return tuple(dict.fromkeys(str(value) for ids in lists for value in ids))


@many_objects()
def read_part(path: Path, n_classes: int, max_bytes: int = MAX_BYTES) -> WrenchPart:
    """Items of one file, an object of ids and ``{"label": ..., "weak_labels": [...], "data": {"text": ...}}``."""
    content = read_json(path, max_bytes)
    if not isinstance(content, dict) or not content:
        raise InvalidFileError(
            f'{path} must hold an object of ids and items, such as {{"0": {{"label": 1, "weak_labels": [-1, 1]}}}}; '
            f"found {_shown(content)}."
        )
    ids, items = tuple(content), tuple(content.values())
    rows = _read_rows(path, ids, items)
    _check_lengths(path, ids, rows)
    labels = [_read_label(path, name, item) for name, item in zip(ids, items, strict=True)]
    return WrenchPart(
        ids,
        _as_classes(path, ids, rows, ABSTAIN, n_classes, "weak_labels"),
        _as_classes(path, ids, [[label] for label in labels], UNKNOWN, n_classes, "label").ravel(),
        _read_texts(items),
    )


def _read_rows(path: Path, ids: Sequence[str], items: Sequence[object]) -> list[list[int]]:
    """Votes of all items; those of one are looked at alone only if something is wrong somewhere."""
    rows: list[Any] = [item.get("weak_labels") if isinstance(item, dict) else None for item in items]
    if set(map(type, rows)) == {list} and all(rows) and set(map(type, chain.from_iterable(rows))) == {int}:
        return rows
    return [_read_row(path, name, item) for name, item in zip(ids, items, strict=True)]


def _read_row(path: Path, name: str, item: object) -> list[int]:
    row = item.get("weak_labels") if isinstance(item, dict) else None
    if not isinstance(row, list) or not row or not all(type(vote) is int for vote in row):
        shown = _shown(item if not isinstance(item, dict) else row)
        raise InvalidFileError(
            f'item {name!r} of {path} must have "weak_labels", a list of whole numbers with one for each rule; '
            f"found {shown}."
        )
    return row


def _check_lengths(path: Path, ids: Sequence[str], rows: Sequence[list[int]]) -> None:
    lengths = np.array([len(row) for row in rows])
    off = np.flatnonzero(lengths != lengths[0])
    if len(off):
        raise InvalidFileError(
            f'all items of {path} must have the same rules; "weak_labels" has {lengths[0]} entries at item {ids[0]!r} '
            f"and {lengths[off[0]]} at item {ids[off[0]]!r} ({len(off)} such items)."
        )


def _read_label(path: Path, name: str, item: dict[str, Any]) -> int:
    label = item.get("label")
    if label is None:
        return UNKNOWN
    if type(label) is not int:
        raise InvalidFileError(
            f'item {name!r} of {path} must have a "label", the number of a class; found {_shown(label)}. Sets with '
            "several labels for an item are not supported."
        )
    return label


def _as_classes(
    path: Path, ids: Sequence[str], rows: Sequence[list[int]], lowest: int, n_classes: int, what: str
) -> IntArray:
    # Before there is an array: whole numbers of JSON have no limit.
    if min(map(min, rows)) < lowest or max(map(max, rows)) >= n_classes:
        strange = [(i, value) for i, row in enumerate(rows) for value in row if not lowest <= value < n_classes]
        item, value = strange[0]
        mark = "for abstain" if what == "weak_labels" else "where it is unknown"
        raise InvalidFileError(
            f'"{what}" of {path} must be classes 0 to {n_classes - 1}, or -1 {mark}; found {_shown(value)} at item '
            f"{ids[item]!r} ({len(strange)} such entries). Classes are those of label.json."
        )
    n_values = len(rows) * len(rows[0])
    return np.fromiter(chain.from_iterable(rows), np.int64, n_values).reshape(len(rows), -1)


def _read_texts(items: Sequence[dict[str, Any]]) -> tuple[str, ...] | None:
    maybe_texts = [item["data"].get("text") if isinstance(item.get("data"), dict) else None for item in items]
    texts = tuple(text for text in maybe_texts if isinstance(text, str))
    return texts if len(texts) == len(items) else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + " ..."
