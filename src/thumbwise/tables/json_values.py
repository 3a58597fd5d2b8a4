"""Strict JSON in and out, and values that know where in a file they stand, so that a check can say what is wrong.

Nothing in a file names code. What is read is checked first: a file is refused, with the place, unless every value has
the type, the shape and the range that the reader asks for, and no field is missing, unknown or given twice.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.exceptions import InvalidFileError

T = TypeVar("T")
Scalar: TypeAlias = str | int | float | bool | None

# Beyond this, sums and products of what a file says could overflow. No fit comes near it.
LARGE = 1e100
# Strict JSON has no words for these.
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_LONGEST_INTEGER = 20
_SHOWN = 60


@dataclass(frozen=True)
class Form:
    """What a file should have been, in the words of the error that refuses it.

    Attributes
    ----------
    isnt : str
        Follows the path: "is not ...".
    mend : str
        What to do about it, a sentence.
    needs : str
        What would never be nested so deeply.
    spells : str
        How numbers are written for which JSON has no words; empty if there are none.
    """

    isnt: str
    mend: str
    needs: str
    spells: str = ""


MODEL = Form(
    "is not a model that can be loaded",
    "Save the model again, or undo what was edited.",
    "deeper than a model needs",
    '. Write "nan", "inf" or "-inf"',
)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a file, and its place in it."""

    value: Any
    place: str
    path: Path
    form: Form = MODEL

    def refuse(self, must: str, instead: str | None = None) -> NoReturn:
        seen = _show(self.value) if instead is None else instead
        refuse(self.path, f"{self.place or 'it'} must be {must}; found {seen}", form=self.form)

    def fields(self, *names: str) -> list[Node]:
        """Values of an object that must have these fields and no others, in this order."""
        return [self.child(name) for name in self.keys(names, names)]

    def keys(self, required: Sequence[str], allowed: Sequence[str]) -> list[str]:
        """Names of the fields of an object, in the order of ``allowed``."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        unknown = self.value.keys() - set(allowed)
        if unknown:
            self.refuse("an object without unknown fields", f"the field {_show(min(unknown))} ({len(unknown)} unknown)")
        missing = [name for name in required if name not in self.value]
        if missing:
            self.refuse("an object with all of its fields", f"no field {_show(missing[0])} ({len(missing)} missing)")
        return [name for name in allowed if name in self.value]

    def child(self, name: str) -> Node:
        plain = name if name.isidentifier() else f"[{_show(name)}]"
        return Node(self.value[name], f"{self.place}.{plain}" if self.place else plain, self.path, self.form)

    def items(self, length: int | None = None) -> list[Node]:
        """Values of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list")
        if length is not None and len(self.value) != length:
            self.refuse(f"a list of {length} values", f"{len(self.value)}")
        return [Node(value, f"{self.place}[{i}]", self.path, self.form) for i, value in enumerate(self.value)]

    def text(self, choices: Sequence[str] | None = None) -> str:
        if type(self.value) is not str or (choices is not None and self.value not in choices):
            self.refuse("a string" if choices is None else f"one of {', '.join(map(repr, choices))}")
        return self.value

    def truth(self) -> bool:
        if type(self.value) is not bool:
            self.refuse("true or false")
        return self.value

    def whole(self, least: int = 0, most: int = 2**63 - 1) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def number(self, least: float = -LARGE, most: float = LARGE, *, special: bool = False) -> float:
        """A number; with ``special`` also "nan", "inf" and "-inf", whatever the range."""
        if special and type(self.value) is str and self.value in SPECIAL:
            return SPECIAL[self.value]
        if type(self.value) not in (int, float) or not least <= self.value <= most:
            self.refuse(f"a number from {least:g} to {most:g}" + (', or "nan", "inf" or "-inf"' if special else ""))
        return float(self.value)

    def scalar(self) -> Scalar:
        """A name: a string, a number, true, false or null."""
        is_large = type(self.value) is int and not -(2**63) <= self.value < 2**64
        if isinstance(self.value, (dict, list)) or is_large:
            self.refuse("a string, a number of at most 64 bits, true, false or null")
        return self.value  # type: ignore[no-any-return]

    def optional(self, read: Callable[[Node], T]) -> T | None:
        return None if self.value is None else read(self)

    def array(
        self, shape: tuple[int, ...], least: float = -LARGE, most: float = LARGE, *, special: bool = False
    ) -> FloatArray:
        """Nested lists of numbers, of exactly this shape."""
        flat = [leaf.number(least, most, special=special) for leaf in self._leaves(shape)]
        return np.array(flat, dtype=float).reshape(shape)

    def by_name(
        self, names: Sequence[str], shape: tuple[int, ...], least: float, most: float, *, special: bool = False
    ) -> FloatArray:
        """One array per name, stacked in the order of the names."""
        arrays = [node.array(shape, least, most, special=special) for node in self.fields(*names)]
        return np.array(arrays, dtype=float).reshape(len(names), *shape)

    def _leaves(self, shape: tuple[int, ...]) -> Iterator[Node]:
        if not shape:
            yield self
            return
        for item in self.items(shape[0]):
            yield from item._leaves(shape[1:])


def refuse(path: Path, what: str, cause: Exception | None = None, *, form: Form = MODEL) -> NoReturn:
    """Raise the error that every bad file gives."""
    raise InvalidFileError(f"{path} {form.isnt}: {what}. {form.mend}") from cause


def _show(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHOWN else f"{value[:_SHOWN]!r}... ({len(value):,} characters)"
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def parse(path: Path, content: bytes, form: Form = MODEL) -> Node:
    """The value that strict JSON in UTF-8 describes: no repeated keys, no NaN, no numbers that a float cannot hold."""
    try:
        value = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_parse_int,
            parse_float=partial(_parse_float, form=form),
            parse_constant=partial(_refuse_constant, form=form),
        )
    except RecursionError as error:
        refuse(path, f"lists and objects must not be nested {form.needs}; they are", error, form=form)
    except ValueError as error:
        gist = f"byte {error.start} is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        refuse(path, f"it must be strict JSON in UTF-8; {gist}", error, form=form)
    return Node(value, "", path, form)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        repeated = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the field {_show(repeated)} is given twice in one object")
    return fields


def _parse_int(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError(f"whole numbers must have at most {_LONGEST_INTEGER} characters; found {len(text):,}")
    return int(text)


def _parse_float(text: str, form: Form) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"numbers must fit a float; found {_show(text)}{form.spells}")
    return value


def _refuse_constant(text: str, form: Form) -> NoReturn:
    raise ValueError(f"{text} is not JSON{form.spells}")


def plain(values: AnyArray | float) -> Any:
    """Numbers as JSON has them: nested lists, with strings for what is not finite."""
    array = np.asarray(values)
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    return [plain(part) for part in array] if array.ndim else repr(float(array))  # "nan", "inf" or "-inf"


def write_name(name: Hashable, what: str) -> Any:
    """A class, group or item as JSON has it."""
    value = name.item() if isinstance(name, np.generic) else name
    is_plain = value is None or type(value) in (str, bool)
    is_plain |= type(value) is int and -(2**63) <= value < 2**64
    is_plain |= type(value) is float and bool(np.isfinite(value))
    if not is_plain:
        raise InvalidFileError(
            f"a {what} must be a string, a finite number, true, false or None to be saved; found {str(value)[:60]!r} "
            f"of type {type(value).__name__}. Name it by a string."
        )
    return value


def render(value: Any, indent: str = "") -> str:
    """JSON with a line for each field, and for each entry of a list that holds lists or objects."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{deeper}{_text(name)}: {render(entry, deeper)}" for name, entry in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, (list, dict)) for entry in value):
        return "[\n" + ",\n".join(deeper + _line(entry, deeper) for entry in value) + f"\n{indent}]"
    return _line(value, indent)


def _line(value: Any, indent: str) -> str:
    """A list or object of scalars on one line."""
    if isinstance(value, dict) and not any(isinstance(entry, (list, dict)) for entry in value.values()):
        return "{" + ", ".join(f"{_text(name)}: {_line(entry, indent)}" for name, entry in value.items()) + "}"
    if isinstance(value, list) and not any(isinstance(entry, (list, dict)) for entry in value):
        return "[" + ", ".join(_line(entry, indent) for entry in value) + "]"
    if isinstance(value, (list, dict)):
        return render(value, indent)
    return _text(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def _text(text: str) -> str:
    """As it is, but for half a surrogate pair, which UTF-8 cannot hold."""
    return json.dumps(text, ensure_ascii=any("\ud800" <= letter <= "\udfff" for letter in text))
