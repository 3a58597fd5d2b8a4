"""Documents made strange: edits of parsed JSON, so that most of a file stays well formed, and edits of its bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, TypeAlias

Place: TypeAlias = tuple[Any, ...]

# What the json module cannot write is put in as a marked string, and the mark is taken out of the text.
RAW = {
    "@huge@": "9" * 5000,
    "@long@": "1" * 25,
    "@overflow@": "1e999",
    "@nan@": "NaN",
    "@infinity@": "-Infinity",
    "@minus zero@": "-0",
    "@tiny@": "1e-400",
    "@deep list@": "[" * 3000 + "]" * 3000,
    "@deep object@": '{"a":' * 3000 + "1" + "}" * 3000,
    "@unclosed@": "[[[{",
    "@bad escape@": '"\\ud800\\x"',
    "@control@": '"\x01"',
}
AGAIN = "@again@"
NAMES = [
    *("", " ", "a", "null", "nan", "inf", "-inf", "NaN", "None", "-1", "0", "1e5", "__class__", "__proto__", "kind"),
    *(
        "a\0",
        "\0",
        "\ud800",
        "\udfff\ud800",
        "\U0001f60a",
        "\u202e",
        "\u2028",
        "two\nlines",
        '"',
        "'",
        "\\",
        "%s",
        "{0}",
    ),
    *(
        "'; DROP TABLE votes; --",
        "../../etc/passwd",
        "${x}",
        "=1+1",
        "<script>",
        "x" * 300,
        "ﬁ",
        "I\u0307",
        "é",
        "e\u0301",
    ),
]
NUMBERS = [
    *(0, 1, -1, 2, 3, 0.5, -0.0, 1 + 1e-9, 1 - 1e-16, 1e-9, 1e-100, 1e-300, 5e-324, 1e16, 1e30, 1e99, 1e100, 1e101),
    *(
        1e308,
        -1e308,
        127,
        128,
        255,
        2**31,
        2**53,
        2**53 + 1,
        2**63 - 1,
        2**63,
        -(2**63),
        -(2**63) - 1,
        2**64 - 1,
        2**64,
    ),
]
SHAPES: list[Any] = [[], {}, [[]], [None], [0, 0, 0], {"a": 1}, {"": {}}, [[0.1, 0.9]], [[[[]]]], [True, False, None]]


def seeded(number: int) -> Random:
    """Random numbers that another run can have again."""
    return Random(number)  # noqa: S311  # no secrets


def places(value: Any, path: Place = ()) -> list[Place]:
    """Where all values of a document stand, from the outside in."""
    found: list[Place] = []
    waiting = [(path, value)]
    while waiting:
        place, entry = waiting.pop()
        found.append(place)
        if isinstance(entry, dict):
            waiting += [((*place, key), inner) for key, inner in entry.items()]
        elif isinstance(entry, list):
            waiting += [((*place, i), inner) for i, inner in enumerate(entry)]
    return found


def at(document: Any, place: Place) -> Any:
    """The value at a place."""
    for key in place:
        document = document[key]
    return document


def strange(rng: Random) -> Any:
    """Something that does not belong where it is put."""
    pool: Sequence[Any] = rng.choice([NAMES, NUMBERS, SHAPES, [None, True, False], list(RAW)])
    return copy.deepcopy(rng.choice(pool))


def edit_json(document: Any, rng: Random, spare: Any = None) -> Any:
    """One to four edits of a copy. ``spare`` is another document, to take pieces from."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        found = [place for place in places(document) if place]
        if not found:
            return strange(rng)
        # Arrays hold most of the places; names and kinds, near the top, are as interesting.
        depth = rng.choice(sorted({len(place) for place in found}))
        place = rng.choice([place for place in found if len(place) == depth])
        with suppress(TypeError, OverflowError, ValueError):  # such as a step from infinity
            rng.choice(_EDITS)(document, place, rng, spare if rng.random() < 0.3 and spare is not None else document)
    return document


def _replace(document: Any, place: Place, rng: Random, spare: Any) -> None:
    at(document, place[:-1])[place[-1]] = strange(rng)


def _remove(document: Any, place: Place, rng: Random, spare: Any) -> None:
    del at(document, place[:-1])[place[-1]]


def _repeat(document: Any, place: Place, rng: Random, spare: Any) -> None:
    """An entry of a list twice or many times; a key of an object twice."""
    parent, key = at(document, place[:-1]), place[-1]
    if isinstance(parent, list):
        parent[key:key] = [copy.deepcopy(parent[key]) for _ in range(rng.choice((1, 1, 2, 50)))]
    else:
        parent[key + AGAIN] = copy.deepcopy(parent[key])


def _rename_key(document: Any, place: Place, rng: Random, spare: Any) -> None:
    parent = at(document, place[:-1])
    if isinstance(parent, dict):
        parent[rng.choice(NAMES)] = parent.pop(place[-1])


def _copy_other(document: Any, place: Place, rng: Random, spare: Any) -> None:
    at(document, place[:-1])[place[-1]] = copy.deepcopy(at(spare, rng.choice(places(spare))))


def _exchange(document: Any, place: Place, rng: Random, spare: Any) -> None:
    other = rng.choice([found for found in places(document) if len(found) == len(place)])
    one, two = at(document, place[:-1]), at(document, other[:-1])
    one[place[-1]], two[other[-1]] = two[other[-1]], one[place[-1]]


def _wrap(document: Any, place: Place, rng: Random, spare: Any) -> None:
    parent, key = at(document, place[:-1]), place[-1]
    parent[key] = rng.choice([[parent[key]], {"a": parent[key]}, str(parent[key]), [parent[key], parent[key]]])


def _change_number(document: Any, place: Place, rng: Random, spare: Any) -> None:
    parent, key = at(document, place[:-1]), place[-1]
    value = parent[key]
    if type(value) in (int, float):
        parent[key] = rng.choice([value + 1, value - 1, -value, value * 1e10, float(value), int(value), value / 3, 1])


def _rename_everywhere(document: Any, place: Place, rng: Random, spare: Any) -> None:
    """A name changed in all places alike, also within other names, as a stranger would who knows the format."""
    texts = [entry for found in places(document) if isinstance(entry := at(document, found), str) and entry]
    if texts:
        old, new = rng.choice(texts), rng.choice(NAMES)
        parent, key = at(document, ()), None
        for key in list(parent) if isinstance(parent, dict) else range(len(parent)):
            parent[key] = _renamed(parent[key], old, new)


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_renamed(entry, old, new) for entry in value]
    if isinstance(value, dict):
        return {key.replace(old, new): _renamed(entry, old, new) for key, entry in value.items()}
    return value


Edit: TypeAlias = Callable[[Any, Place, Random, Any], None]
_EDITS: tuple[Edit, ...] = (
    *(_replace, _replace, _remove, _repeat, _rename_key, _copy_other),
    *(_exchange, _wrap, _change_number, _change_number, _rename_everywhere),
)


def dump(document: Any, rng: Random) -> bytes:
    """JSON, with the marks replaced by what they stand for."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5).replace(AGAIN, "")
    for mark, raw in RAW.items():
        if mark in text:
            text = text.replace(f'"{mark}"', raw)
    return text.encode("utf-8", "surrogatepass")


def parse_or_none(content: bytes) -> Any:
    """The document, or None if this is no JSON that could be edited."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def mutate_json(content: bytes, rng: Random, spare: Any = None) -> bytes | None:
    """Another document near this one, or None if this is none."""
    document = parse_or_none(content)
    if not isinstance(document, (dict, list)):
        return None
    try:
        return dump(edit_json(document, rng, spare), rng)
    except RecursionError:
        return None


def damage_bytes(content: bytes, rng: Random) -> bytes:
    """Cut off, or with a few bytes changed, put in, removed or repeated."""
    if rng.random() < 0.2:
        return content[: rng.randrange(len(content) + 1)]
    damaged = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        start = rng.randrange(len(damaged) + 1)
        end = start + rng.choice((0, 1, 1, 2, 8))
        letters = b"0123456789eE+-.,:[]{}\"\\/'ntu\x00\x01\x0b\r\n\t\xff\xc3\xed\xa0 \xef\xbb\xbf"
        piece = bytes(rng.choice((rng.choices(letters, k=rng.choice((0, 1, 2))), [rng.randrange(256)])))
        damaged[start:end] = piece if rng.random() < 0.8 else bytes(damaged[start:end]) * 3
    return bytes(damaged)
