"""The JSON files of a WRENCH folder, checked: they come from strangers and become votes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

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
    with _explained(path):
        return _parse(_read_bytes(path, max_bytes), _unique)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of files and of JSON as one line."""
    try:
        yield
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


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    """What a file holds, if it is not too large as it is, nor when its JSON is read."""
    check_plain(path)
    size = path.stat().st_size
    if size > max_bytes:
        raise InvalidFileError(
            f"{path} must have at most {max_bytes:,} bytes; it has {size:,}.",
            InPython(" If it is what it should be, raise max_bytes; reading takes several times as much memory."),
        )
    content = path.read_bytes()
    check_json(path, content)
    return content


def _parse(content: bytes, as_object: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    return json.loads(content, object_pairs_hook=as_object, parse_constant=_refuse_constant)


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
    with _explained(path):
        content = _read_bytes(path, max_bytes)
        items = _read_alike(_parse(content, tuple)) or _read_each(path, _parse(content, _unique))
    n_rules = _count_rules(path, items.ids, items.n_each)
    return WrenchPart(
        items.ids,
        _as_classes(path, items.ids, items.votes, ABSTAIN, n_classes, "weak_labels").reshape(-1, n_rules),
        _as_classes(path, items.ids, items.labels, UNKNOWN, n_classes, "label"),
        items.texts,
    )


class _Items(NamedTuple):
    """What is kept of the items of a file; the votes of all stand behind each other, ``n_each`` of each."""

    ids: tuple[str, ...]
    votes: Sequence[int]
    n_each: Sequence[int]
    labels: Sequence[int]
    texts: tuple[str, ...] | None


def _read_alike(content: Any) -> _Items | None:
    """Items that have all the same keys with values as they should be; None if one has not.

    ``content`` has objects as tuples of keys and values, which are made and looked at without a step of Python for
    each of them, so that a key that occurs twice is still seen.
    """
    if type(content) is not tuple or not content:
        return None
    ids, items = tuple(map(_FIRST, content)), list(map(_SECOND, content))
    columns = _columns_of(items)
    if columns is None or "weak_labels" not in columns or len(set(ids)) < len(ids):
        return None
    rows = columns.pop("weak_labels")
    labels, data = columns.pop("label", [None] * len(ids)), columns.pop("data", [None] * len(ids))
    if set(map(type, rows)) != {list}:
        return None
    votes, n_each = list(chain.from_iterable(rows)), list(map(len, rows))
    if 0 in n_each or set(map(type, votes)) != {int} or not set(map(type, labels)) <= {int, type(None)}:
        return None
    within = _columns_of(data) if set(map(type, data)) == {tuple} else {"": data}
    if within is None or not all(map(_are_plain, (*columns.values(), *within.values()))):
        return None
    texts = within.get("text", [])
    numbers = labels if None not in labels else [UNKNOWN if label is None else label for label in labels]
    return _Items(ids, votes, n_each, numbers, tuple(texts) if set(map(type, texts)) == {str} else None)


_FIRST, _SECOND = itemgetter(0), itemgetter(1)


def _columns_of(items: Sequence[Any]) -> dict[str, list[Any]] | None:
    """Values by key of objects that have all the same keys in one order, each once; None if they have not."""
    if set(map(type, items)) != {tuple} or len(set(map(len, items))) > 1:
        return None
    columns = {}
    for j in range(len(items[0])):
        pairs = list(map(itemgetter(j), items))
        names = set(map(_FIRST, pairs))
        if len(names) > 1:
            return None
        columns[names.pop()] = list(map(_SECOND, pairs))
    return columns if len(columns) == len(items[0]) else None


def _are_plain(values: Sequence[Any]) -> bool:
    """Whether values are texts, numbers and the like, or lists of them, and no objects."""
    kinds = set(map(type, values))
    if kinds == {list}:
        kinds = set(map(type, chain.from_iterable(values)))
    return not kinds & {list, tuple}


def _read_each(path: Path, content: Any) -> _Items:
    """Items that are looked at one by one."""
    if not isinstance(content, dict) or not content:
        raise InvalidFileError(
            f'{path} must hold an object of ids and items, such as {{"0": {{"label": 1, "weak_labels": [-1, 1]}}}}; '
            f"found {_shown(content)}."
        )
    ids, items = tuple(content), tuple(content.values())
    rows = [_read_row(path, name, item) for name, item in zip(ids, items, strict=True)]
    n_each = list(map(len, rows))
    _count_rules(path, ids, n_each)
    labels = [_read_label(path, name, item) for name, item in zip(ids, items, strict=True)]
    return _Items(ids, list(chain.from_iterable(rows)), n_each, labels, _read_texts(items))


def _read_row(path: Path, name: str, item: object) -> list[int]:
    row = item.get("weak_labels") if isinstance(item, dict) else None
    if not isinstance(row, list) or not row or not all(type(vote) is int for vote in row):
        shown = _shown(item if not isinstance(item, dict) else row)
        raise InvalidFileError(
            f'item {name!r} of {path} must have "weak_labels", a list of whole numbers with one for each rule; '
            f"found {shown}."
        )
    return row


def _count_rules(path: Path, ids: Sequence[str], n_each: Sequence[int]) -> int:
    """How many votes each item has, which must be as many."""
    lengths = np.array(n_each)
    off = np.flatnonzero(lengths != lengths[0])
    if len(off):
        raise InvalidFileError(
            f'all items of {path} must have the same rules; "weak_labels" has {lengths[0]} entries at item {ids[0]!r} '
            f"and {lengths[off[0]]} at item {ids[off[0]]!r} ({len(off)} such items)."
        )
    return int(lengths[0])


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
    path: Path, ids: Sequence[str], values: Sequence[int], lowest: int, n_classes: int, what: str
) -> IntArray:
    """Class numbers in an array; as many of them for each item."""
    try:
        numbers = np.fromiter(values, np.int64, len(values))
    except OverflowError:  # whole numbers of JSON have no limit
        numbers = np.array([n_classes])
    if numbers.min() < lowest or numbers.max() >= n_classes:
        strange = [(i, value) for i, value in enumerate(values) if not lowest <= value < n_classes]
        place, value = strange[0]
        mark = "for abstain" if what == "weak_labels" else "where it is unknown"
        raise InvalidFileError(
            f'"{what}" of {path} must be classes 0 to {n_classes - 1}, or -1 {mark}; found {_shown(value)} at item '
            f"{ids[place * len(ids) // len(values)]!r} ({len(strange)} such entries). Classes are those of label.json."
        )
    return numbers


def _read_texts(items: Sequence[dict[str, Any]]) -> tuple[str, ...] | None:
    maybe_texts = [item["data"].get("text") if isinstance(item.get("data"), dict) else None for item in items]
    texts = tuple(text for text in maybe_texts if isinstance(text, str))
    return texts if len(texts) == len(items) else None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + " ..."
