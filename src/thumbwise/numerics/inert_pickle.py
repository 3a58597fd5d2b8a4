"""Contents of a pickle as it describes them, without doing anything that it says.

A pickle is a program for a stack machine that may import and call whatever it likes. Here the program is followed on a
stack of its own, but an import leaves a name, a call leaves a note of the call, and an instruction or a name that was
not expected is an error. The unpickler of the standard library with a list of allowed names would not do: it reserves
memory for any place in its memo that a pickle mentions, and hashes keys of any depth.
"""

from __future__ import annotations

import pickletools
import struct
import warnings
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any, ClassVar

ORDERED_DICT = "collections OrderedDict"


def record_pickle(content: bytes, names: Set[str]) -> Any:
    """Plain values as they are, an ordered dictionary as a plain one, and notes of everything else.

    Lists stay empty, and what would become the state of an object is dropped.

    Parameters
    ----------
    content : bytes
    names : set of str
        What may be mentioned as an import: module and name with a space between them.

    Raises
    ------
    ValueError
        The pickle is broken, or has instructions or imports that were not expected.

    Examples
    --------
    >>> import pickle
    >>> record_pickle(pickle.dumps({"tol": 0.5}, protocol=2), names=set())
    {'tol': 0.5}
    >>> record_pickle(pickle.dumps(print, protocol=2), names=set())
    Traceback (most recent call last):
    ValueError: an import of __builtin__ print
    """
    recorder = _Recorder(names)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # names with strange escapes
            for opcode, argument, _ in pickletools.genops(content):
                if opcode.name == "STOP":
                    return recorder.pop(1)[0]
                recorder.take(opcode.name, argument)
    except (IndexError, KeyError, TypeError, AttributeError, struct.error, Warning) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    raise ValueError("no end")


@dataclass(frozen=True, eq=False)
class Name:
    """Something that a pickle would import."""

    text: str


@dataclass(frozen=True, eq=False)
class Call:
    """Something that a pickle would call."""

    function: Any
    arguments: Any


@dataclass(frozen=True, eq=False)
class Reference:
    """Something outside the pickle that it refers to by a key."""

    key: Any


class _Recorder:
    """Stack and memo of a pickle whose imports and calls are recorded instead of made."""

    fresh: ClassVar[dict[str, Callable[[], Any]]] = {
        "EMPTY_DICT": dict,
        "EMPTY_LIST": list,
        "EMPTY_TUPLE": tuple,
        "NONE": lambda: None,
        "NEWTRUE": lambda: True,
        "NEWFALSE": lambda: False,
    }
    plain = frozenset({"BINUNICODE", "BININT", "BININT1", "BININT2", "BINFLOAT"})
    mark = object()

    def __init__(self, names: Set[str]) -> None:
        self.names = names
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def take(self, opcode: str, argument: Any) -> None:
        """Follow one instruction."""
        if opcode in self.plain:
            self.stack.append(argument)
        elif opcode in self.fresh:
            self.stack.append(self.fresh[opcode]())
        elif opcode in ("TUPLE1", "TUPLE2", "TUPLE3"):
            self.stack.append(tuple(self.pop(int(opcode[-1]))))
        else:
            handler: Callable[[Any], None] | None = getattr(self, f"on_{opcode.lower()}", None)
            if handler is None:
                raise ValueError(f"instruction {opcode}")
            handler(argument)

    def pop(self, count: int) -> list[Any]:
        if count > len(self.stack):
            raise ValueError("an empty stack")
        popped = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return popped

    def pop_to_mark(self) -> list[Any]:
        popped = []
        while (value := self.stack.pop()) is not self.mark:
            popped.append(value)
        return popped[::-1]

    def on_proto(self, _: Any) -> None:
        """Say nothing: the instructions that are known are the same in all protocols."""

    def on_mark(self, _: Any) -> None:
        self.stack.append(self.mark)

    def on_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self.pop_to_mark()))

    def on_binput(self, place: int) -> None:
        self.memo[place] = self.stack[-1]

    def on_binget(self, place: int) -> None:
        self.stack.append(self.memo[place])

    on_long_binput, on_long_binget = on_binput, on_binget

    def on_global(self, text: str) -> None:
        if text not in self.names:
            raise ValueError(f"an import of {text}")
        self.stack.append(Name(text))

    def on_reduce(self, _: Any) -> None:
        function, arguments = self.pop(2)
        is_dict = isinstance(function, Name) and function.text == ORDERED_DICT
        self.stack.append({} if is_dict else Call(function, arguments))

    def on_build(self, _: Any) -> None:
        """Drop the state of an object: torch keeps version numbers there."""
        self.pop(1)

    def on_binpersid(self, _: Any) -> None:
        self.stack.append(Reference(self.pop(1)[0]))

    def on_append(self, _: Any) -> None:
        """Leave lists empty: nothing of interest is in one."""
        self.pop(1)

    def on_appends(self, _: Any) -> None:
        self.pop_to_mark()

    def on_setitem(self, _: Any) -> None:
        self.set_items(self.pop(2))

    def on_setitems(self, _: Any) -> None:
        self.set_items(self.pop_to_mark())

    def set_items(self, pairs: list[Any]) -> None:
        if not isinstance(self.stack[-1], dict) or not all(isinstance(key, (str, int)) for key in pairs[::2]):
            raise ValueError("a dictionary whose keys are neither strings nor numbers")
        self.stack[-1].update(zip(pairs[::2], pairs[1::2], strict=True))
