"""The formats of exports: how each is recognised, and how it is read.

To add one: a module with ``recognise`` and ``read``, a line here, its name in :data:`thumbwise.io.roles.EXPORTS`, a
section of ``docs/exports.md``, and its test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports import inspect_ai, label_studio, langfuse, mlflow, prodigy, promptfoo
from thumbwise.io.exports.exported import Exported
from thumbwise.io.exports.opened import JSON, Opened, described
from thumbwise.io.roles import EXPORTS, Layout, Roles


@dataclass(frozen=True)
class Format:
    """A format of exports.

    Attributes
    ----------
    recognise : callable
        Whether a file has this format, by its path, its fields or its columns; it must not raise but for a file that
        cannot be read at all.
    read : callable
        What the file comes to; raises ``InvalidFileError`` for what it cannot understand.
    """

    recognise: Callable[[Opened], bool]
    read: Callable[[Opened, Roles], Exported]


FORMATS: dict[Layout, Format] = {
    "promptfoo": Format(promptfoo.recognise, promptfoo.read),
    "inspect": Format(inspect_ai.recognise, inspect_ai.read),
    "langfuse": Format(langfuse.recognise, langfuse.read),
    "label-studio": Format(label_studio.recognise, label_studio.read),
    "mlflow": Format(mlflow.recognise, mlflow.read),
    "prodigy": Format(prodigy.recognise, prodigy.read),
}


def find_export(path: Path, roles: Roles) -> tuple[Layout, Exported] | None:
    """Name of the format and what the file comes to; None if this is no export, and another layout is to be tried.

    A .json file must be an export, because votes in tables are no .json files.
    """
    if roles.layout is not None and roles.layout not in EXPORTS:
        return None
    opened = Opened(path)
    name = roles.layout or next((name for name, kind in FORMATS.items() if kind.recognise(opened)), None)
    if name is not None:
        try:
            return name, FORMATS[name].read(opened, roles)
        except RecursionError as error:  # read with a little stack left, and written again with less
            opened.refuse(f"lists and objects must not be nested {opened.form.needs}; they are", error)
    if opened.ending in JSON:
        raise _unknown(opened)
    return None


def may_be_export(path: Path, roles: Roles) -> bool:
    """Whether this may be an export, which may hold gold labels; without reading it."""
    if roles.layout is not None:
        return roles.layout in EXPORTS
    opened = Opened(path)
    return opened.ending in JSON or any(kind.recognise(opened) for kind in FORMATS.values())


def find_export_frame(frame: Any, roles: Roles) -> tuple[Layout, Exported] | None:
    """The same of a frame: of its kinds only rows of ``mlflow.search_traces`` are no votes in a table."""
    if roles.layout not in (None, "mlflow"):
        return None
    columns = mlflow.columns_of(frame)
    return None if columns is None else ("mlflow", mlflow.read(Opened(Path("the frame"), frame=columns), roles))


def _unknown(opened: Opened) -> InvalidFileError:
    return InvalidFileError(
        f"{opened.path} must be an export of a known tool ({', '.join(FORMATS)}); it is none by what it holds: "
        f"{described(opened.value)}. Say which it is with ",
        Argument("layout", "NAME"),
        ", or write votes as .csv, .parquet or .jsonl.",
    )
