"""Options as a file says them: which there are, and values of the right kind, as they would be typed."""

from __future__ import annotations

import csv
import inspect
import io
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from typer.models import OptionInfo

from thumbwise.exceptions import InvalidFileError

# Texts that hold several values, between commas; of these, those that give each value something.
_LISTED = frozenset(("classes", "columns", "versus", "looks", "values", "methods", "codes"))
_PAIRED = frozenset(("codes", "values", "cost", "precision", "recall"))


@dataclass(frozen=True)
class Option:
    """An option of a command: its argument, how it is typed, and what its value must be."""

    name: str
    typed: str
    kind: type
    is_repeated: bool

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> Option | None:
        """The option that typer makes of a parameter; None for what is no option."""
        annotation, info = parameter.annotation, None
        if get_origin(annotation) is Annotated:
            annotation, *further = get_args(annotation)
            info = next((entry for entry in further if isinstance(entry, OptionInfo)), None)
        if info is None:
            return None
        kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
        is_repeated = get_origin(annotation) is list or any(get_origin(kind) is list for kind in kinds)
        said = [text for text in map(str, (info.default, *(info.param_decls or ()))) if text.startswith("-")]
        typed = max(said, key=len, default=f"--{parameter.name.replace('_', '-')}")
        return cls(parameter.name, typed, str if is_repeated else kinds[0], is_repeated)

    @property
    def key(self) -> str:
        """What the option is called in a file."""
        return self.typed.lstrip("-")

    def as_typed(self, value: Any) -> str:
        """The option with its value, as on the command line."""
        if isinstance(value, bool):
            return self.typed if value else f"no {self.typed}"
        return " ".join(f"{self.typed} {shlex.quote(str(v))}" for v in (value if isinstance(value, list) else [value]))


def take_value(path: Path, key: str, value: Any, option: Option) -> Any:
    """A value as it would be typed, if it is of the right kind."""
    if option.kind is bool:
        return value if isinstance(value, bool) else _refuse(path, key, "true or false", value)
    if option.kind in (int, float):
        is_right = isinstance(value, (int, option.kind)) and not isinstance(value, bool)
        return value if is_right else _refuse(path, key, "a whole number" if option.kind is int else "a number", value)
    if isinstance(value, dict) and option.name in _PAIRED:
        pairs = [f"{inner}={_text(path, key, entry)}" for inner, entry in value.items()]
        return pairs if option.is_repeated else _joined(pairs)
    if isinstance(value, list) and (option.is_repeated or option.name in _LISTED):
        texts = [_text(path, key, entry) for entry in value]
        return texts if option.is_repeated else _joined(texts)
    text = _text(path, key, value, "a list of texts" if option.is_repeated else "a text")
    if issubclass(option.kind, Path):
        return str(path.parent / text)  # what a file names lies beside it
    if issubclass(option.kind, StrEnum) and text not in list(option.kind):
        _refuse(path, key, f"one of {', '.join(option.kind)}", value)
    return [text] if option.is_repeated else text


def _text(path: Path, key: str, value: Any, must: str = "texts or numbers") -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        _refuse(path, key, must, value)
    return str(value)


def _refuse(path: Path, key: str, must: str, value: object) -> Any:
    kinds = {bool: "a truth value", str: "a text", int: "a whole number", float: "a number", list: "a list"}
    kind = kinds.get(type(value), "a table" if isinstance(value, dict) else "a date or time")
    raise InvalidFileError(f"{path} must give {key!r} {must}; found {kind}, {str(value)[:60]!r}.")


def _joined(fields: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()
