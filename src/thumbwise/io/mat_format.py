"""MATLAB's binary format, versions 5 to 7.2, as far as plain arrays of numbers go.

Files come from strangers, and a reader that trusts the sizes it finds in them can be made to crash the interpreter: one
changed byte is enough for the one that scipy has. This one reads nothing that is not there. It knows the header, the
tags of data elements, and arrays of real numbers; of anything else it says what it is and does not look inside.

A file is a header of 128 bytes and then data elements: a tag with a type and a length, and so many bytes. An array is
an element of elements: flags, dimensions, name, numbers in columns. It may be compressed as a whole.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NAME, _DIMENSIONS, _FLAGS = 1, 5, 6
# Types of stored numbers, and classes of arrays with the type that their numbers have.
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_NUMBERS = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_OTHERS = {1: "cell", 2: "struct", 3: "object", 4: "text", 5: "sparse", 16: "function", 17: "opaque"}
_IS_COMPLEX = 0x0800


class DamagedMatError(ValueError):
    """The bytes do not follow the format."""


@dataclass(frozen=True, eq=False)
class MatVariable:
    """A variable; ``array`` is None if it is something else than real numbers, as ``kind`` says, or not wanted."""

    name: str
    kind: str
    shape: tuple[int, ...]
    array: AnyArray | None


def scan_variables(
    content: bytes, *, max_expanded: int, wanted: Collection[str] | None = None
) -> Iterator[MatVariable]:
    """All variables of a file, one after the other; only arrays that are wanted are kept, and all without a wish.

    Parameters
    ----------
    content : bytes
        The whole file.
    max_expanded : int
        Bytes that all compressed variables together may expand to, and that all arrays together may take.
    wanted : collection of str, optional
        Names of the arrays to be read; of others only the shape is.

    Raises
    ------
    DamagedMatError
        The file is cut off or damaged, or of another kind.
    """
    order = _read_order(content)
    position = _HEADER
    left = kept = max_expanded
    while position < len(content):
        kind, start, length = _read_tag(content, position, order)
        body = content[start : start + length]
        if kind == _COMPRESSED:
            body, position = _expand(body, order, left), start + length
            left -= len(body)
        elif kind == _MATRIX:
            position = start + length + -length % 8
        else:
            raise DamagedMatError(f"no array begins at byte {position}")
        variable = _read_variable(body, order, kept, wanted)
        kept -= 0 if variable.array is None else variable.array.nbytes
        yield variable


def _read_order(content: bytes) -> str:
    """Byte order, from the end of the header."""
    if len(content) < _HEADER:
        raise DamagedMatError(f"the header has {_HEADER} bytes, the file {len(content)}")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    version = 0 if order is None else struct.unpack(order + "H", content[124:126])[0] >> 8
    if order is None or version != 1:
        raise DamagedMatError("the header has not the mark of versions 5 to 7.2")
    return order


def _read_tag(content: bytes, position: int, order: str) -> tuple[int, int, int]:
    """Type, first byte and length of an element; up to four bytes may be inside the tag itself."""
    if position + 8 > len(content):
        raise DamagedMatError(f"it is cut off at byte {position}")
    kind, length = struct.unpack_from(order + "II", content, position)
    start = position + 8
    if kind >> 16:
        kind, length, start = kind & 0xFFFF, kind >> 16, position + 4
        if length > 4:
            raise DamagedMatError(f"a short element at byte {position} claims {length} bytes")
    if start + length > len(content):
        raise DamagedMatError(
            f"an element at byte {position} claims {length} bytes, and {len(content) - start} are left"
        )
    return kind, start, length


def _expand(body: bytes, order: str, max_expanded: int) -> bytes:
    expander = zlib.decompressobj()
    try:
        expanded = expander.decompress(body, max_expanded)
    except zlib.error as error:
        raise DamagedMatError(f"compressed bytes are damaged ({error})") from error
    if not expander.eof:
        raise DamagedMatError(
            f"compressed bytes are cut off, or expand to more than the {max_expanded:,} that are left"
        )
    kind, start, length = _read_tag(expanded, 0, order)
    if kind != _MATRIX or start + length != len(expanded):
        raise DamagedMatError("compressed bytes are not one array")
    return expanded[start:]


def _read_variable(body: bytes, order: str, max_expanded: int, wanted: Collection[str] | None) -> MatVariable:
    flags, position = _read_part(body, 0, order, _FLAGS)
    dimensions, position = _read_part(body, position, order, _DIMENSIONS)
    name, position = _read_part(body, position, order, _NAME)
    if len(flags) != 2:
        raise DamagedMatError("the flags of an array are not two numbers")
    code, shape = int(flags[0]) & 0xFF, tuple(map(int, dimensions))
    title = name.astype("u1").tobytes().decode("latin-1")
    kind = _OTHERS.get(code, "unknown") if code not in _NUMBERS else "numbers"
    if kind == "numbers" and int(flags[0]) & _IS_COMPLEX:
        kind = "complex numbers"
    if kind != "numbers" or (wanted is not None and title not in wanted):
        return MatVariable(title, kind, shape, None)
    stored, _ = _read_part(body, position, order, None)
    return MatVariable(title, kind, shape, _arrange(stored, shape, np.dtype(_NUMBERS[code]), max_expanded))


def _read_part(body: bytes, position: int, order: str, expected: int | None) -> tuple[AnyArray, int]:
    kind, start, length = _read_tag(body, position, order)
    if kind not in _STORED or kind != (kind if expected is None else expected):
        raise DamagedMatError(f"part of an array has the type {kind}")
    dtype = np.dtype(order + _STORED[kind])
    if length % dtype.itemsize:
        raise DamagedMatError(f"{length} bytes are no whole number of values of {dtype.itemsize} bytes")
    end = start + length
    return np.frombuffer(body, dtype, length // dtype.itemsize, start), end + -end % 8


def _arrange(stored: AnyArray, shape: tuple[int, ...], dtype: np.dtype[np.generic], max_expanded: int) -> AnyArray:
    size = 1
    for length in shape:
        size *= length
    if len(shape) < 2 or min(shape) < 0 or size != len(stored):
        raise DamagedMatError(f"an array of shape {shape} has {len(stored)} entries")
    if size * dtype.itemsize > max_expanded:
        raise DamagedMatError(f"an array of shape {shape} takes more than the {max_expanded:,} bytes that are left")
    with np.errstate(all="ignore"):
        return stored.astype(dtype).reshape(shape, order="F")
