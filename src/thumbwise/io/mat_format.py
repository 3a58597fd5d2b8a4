"""MATLAB's binary format, versions 5 to 7.2, as far as plain arrays of numbers go.

Files come from strangers, and a reader that trusts the sizes it finds in them can be made to crash the interpreter: one
changed byte is enough for the one that scipy has. This one reads nothing that is not there. It knows the header, the
tags of data elements, and arrays of real numbers; of anything else it says what it is and does not look inside.

A file is a header of 128 bytes and then data elements: a tag with a type and a length, and so many bytes. An array is
an element of elements: flags, dimensions, name, numbers in columns. It may be compressed as a whole.
"""

from __future__ import annotations

import math
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
# Flags, dimensions and name, of which MATLAB allows 63 letters.
_LONGEST_HEAD = 2**12


class DamagedMatError(ValueError):
    """The bytes do not follow the format."""


class TooLargeMatError(ValueError):
    """What is wanted takes too many bytes; words for how, and the number."""


@dataclass(frozen=True, eq=False)
class MatVariable:
    """A variable; ``array`` is None if it is something else than real numbers, as ``kind`` says, or not wanted."""

    name: str
    kind: str
    shape: tuple[int, ...]
    array: AnyArray | None


def scan_variables(content: bytes, *, max_bytes: int, wanted: Collection[str] | None = None) -> Iterator[MatVariable]:
    """All variables of a file, one after the other; only arrays that are wanted are kept, and all without a wish.

    Of a compressed variable that is not wanted only the beginning is expanded, which tells its name and shape.

    Parameters
    ----------
    content : bytes
        The whole file.
    max_bytes : int
        What all arrays that are wanted may take together while they are read and counted (:func:`memory_of`). It is
        held against what they say of themselves before they are expanded.
    wanted : collection of str, optional
        Names of the arrays to be read; of others only the shape is.

    Raises
    ------
    DamagedMatError
        The file is cut off or damaged, or of another kind.
    TooLargeMatError
        Arrays that are wanted take more.
    """
    order, source = _read_order(content), memoryview(content)
    position, n_bytes = _HEADER, 0
    while position < len(content):
        kind, start, length = _read_tag(source, position, order)
        body = source[start : start + length]
        if kind not in (_COMPRESSED, _MATRIX):
            raise DamagedMatError(f"no array begins at byte {position}")
        position = start + length + (0 if kind == _COMPRESSED else -length % 8)
        inside, n_inside = _begin(body, order) if kind == _COMPRESSED else (body, length)
        head = _read_head(inside, order)
        if head.kind != "numbers" or (wanted is not None and head.name not in wanted):
            yield MatVariable(head.name, head.kind, head.shape, None)
            continue
        if math.prod(head.shape) > n_inside:
            raise DamagedMatError(f"an array of shape {head.shape} has {n_inside} bytes")
        n_bytes += memory_of(n_inside, head.shape)
        if n_bytes > max_bytes:
            raise TooLargeMatError(f"reading {head.name!r}, of shape {head.shape}, would take", n_bytes)
        if kind == _COMPRESSED:
            inside = _expand(body, n_inside)
        stored, _ = _read_part(inside, head.end, order, None)
        yield MatVariable(head.name, head.kind, head.shape, _arrange(stored, head.shape, head.dtype))


def memory_of(n_bytes: int, shape: tuple[int, ...]) -> int:
    """Bytes that an array of so many stored bytes takes until its rows are votes and counted.

    Each entry is held again as a class number of 16 and of 8 bits and compared, each row has a pattern and an id.
    """
    return n_bytes + 6 * math.prod(shape) + 80 * max(shape, default=0)


def _read_order(content: bytes) -> str:
    """Byte order, from the end of the header."""
    if len(content) < _HEADER:
        raise DamagedMatError(f"the header has {_HEADER} bytes, the file {len(content)}")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    version = 0 if order is None else struct.unpack(order + "H", content[124:126])[0] >> 8
    if order is None or version != 1:
        raise DamagedMatError("the header has not the mark of versions 5 to 7.2")
    return order


def _read_tag(content: bytes | memoryview, position: int, order: str) -> tuple[int, int, int]:
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


def _begin(body: memoryview, order: str) -> tuple[memoryview, int]:
    """The beginning of a compressed array, and how many bytes it has when expanded."""
    try:
        begun = zlib.decompressobj().decompress(body, 8 + _LONGEST_HEAD)
    except zlib.error as error:
        raise DamagedMatError(f"compressed bytes are damaged ({error})") from error
    if len(begun) < 8:
        raise DamagedMatError("compressed bytes are cut off")
    kind, length = struct.unpack_from(order + "II", begun)
    if kind != _MATRIX:
        raise DamagedMatError("compressed bytes are not one array")
    return memoryview(begun)[8 : 8 + length], length


def _expand(body: memoryview, length: int) -> memoryview:
    """All of a compressed array of so many bytes."""
    expander = zlib.decompressobj()
    try:
        expanded = expander.decompress(body, 8 + length + 1)
    except zlib.error as error:
        raise DamagedMatError(f"compressed bytes are damaged ({error})") from error
    if not expander.eof or len(expanded) != 8 + length:
        raise DamagedMatError("compressed bytes are cut off, or are not one array")
    return memoryview(expanded)[8:]


@dataclass(frozen=True)
class _Head:
    """What a variable says of itself before its numbers, which begin at ``end``."""

    name: str
    kind: str
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    end: int


def _read_head(body: memoryview, order: str) -> _Head:
    flags, position = _read_part(body, 0, order, _FLAGS)
    dimensions, position = _read_part(body, position, order, _DIMENSIONS)
    name, position = _read_part(body, position, order, _NAME)
    if len(flags) != 2:
        raise DamagedMatError("the flags of an array are not two numbers")
    code, shape = int(flags[0]) & 0xFF, tuple(map(int, dimensions))
    kind = _OTHERS.get(code, "unknown") if code not in _NUMBERS else "numbers"
    if kind == "numbers" and int(flags[0]) & _IS_COMPLEX:
        kind = "complex numbers"
    if kind == "numbers" and (len(shape) < 2 or min(shape) < 0):
        raise DamagedMatError(f"an array has the shape {shape}")
    title = name.astype("u1").tobytes().decode("latin-1")
    return _Head(title, kind, shape, np.dtype(_NUMBERS.get(code, "u1")), position)


def _read_part(body: bytes | memoryview, position: int, order: str, expected: int | None) -> tuple[AnyArray, int]:
    kind, start, length = _read_tag(body, position, order)
    if kind not in _STORED or kind != (kind if expected is None else expected):
        raise DamagedMatError(f"part of an array has the type {kind}")
    dtype = np.dtype(order + _STORED[kind])
    if length % dtype.itemsize:
        raise DamagedMatError(f"{length} bytes are no whole number of values of {dtype.itemsize} bytes")
    end = start + length
    return np.frombuffer(body, dtype, length // dtype.itemsize, start), end + -end % 8


def _arrange(stored: AnyArray, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> AnyArray:
    """Numbers in their shape, in the type in which they are stored if it is the narrower one."""
    if math.prod(shape) != len(stored):
        raise DamagedMatError(f"an array of shape {shape} has {len(stored)} entries")
    with np.errstate(all="ignore"):
        numbers = stored if np.can_cast(stored.dtype, dtype) else stored.astype(dtype)
    return numbers.reshape(shape, order="F")
