"""Entries of the command line: commands, arguments, options, and the first keys of their JSON."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import typer

from thumbwise.cli.main import app

PAGE_OF_JSON = Path(__file__).parents[2] / "docs" / "automation.md"


def commands() -> list[str]:
    """Entries of arguments and options, as they are typed."""
    root: Any = typer.main.get_command(app)
    found = [f"thumbwise {_option(each, '')}" for each in root.params if each.name == "version"]
    for registered in app.registered_commands:
        types = {each.name: each.annotation for each in inspect.signature(registered.callback).parameters.values()}  # type: ignore[arg-type]
        name = registered.callback.__name__  # type: ignore[union-attr]
        params = root.commands[name].params
        found += [f"thumbwise {name}", *(f"thumbwise {name} {_option(each, types[each.name])}" for each in params)]
    return found


def _option(each: Any, annotation: Any) -> str:
    if each.param_type_name == "argument":
        return (each.name.upper() if each.required else f"[{each.name.upper()}]") + ("..." if each.nargs != 1 else "")
    takes = "" if each.is_flag else f" {_values(annotation)}"
    default = "" if each.is_flag or not each.default else f" (default {each.default})"
    many, needed = " (repeatable)" if each.multiple else "", " (required)" if each.required else ""
    return ", ".join([*each.opts, *each.secondary_opts]) + takes + default + many + needed


def _values(annotation: Any) -> str:
    """What may be given: the words of a choice, or the kind of value."""
    kinds = [kind for kind in _leaves(annotation) if inspect.isclass(kind) and kind is not NoneType]
    return "|".join(str(each.value) for each in kinds[0]) if issubclass(kinds[0], Enum) else kinds[0].__name__


def _leaves(annotation: Any) -> Iterator[Any]:
    """Types within an annotation; of what is annotated, the type alone."""
    inner = [annotation.__origin__] if hasattr(annotation, "__metadata__") else get_args(annotation)
    if not inner:
        yield annotation
    for each in inner:
        yield from _leaves(each)


def json_keys() -> list[str]:
    """Keys that the documentation promises; tests hold them beside what commands write."""
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (.*) \|$", PAGE_OF_JSON.read_text(encoding="utf-8"), re.MULTILINE)
    found = []
    for listed, keys in rows:
        common, _, further = keys.partition(";")
        own = re.findall(r"`(\w+)` also", further)
        for name in re.findall(r"`(\w+)`", listed):
            more = further if name in own else ""
            found += [f"thumbwise {name} --json: {key}" for key in re.findall(r"`(\w+)`", common + more) if key != name]
    return found
