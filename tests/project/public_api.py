"""The public interface as text: python -m tests.project.public_api writes public_api.txt anew.

Names of ``thumbwise`` and of its public modules, with signatures as they are written; fields, properties and methods of
classes, also of those that are only met as what a function returns; arguments and options of commands; the keys of
their JSON. ``test_public_api`` compares the file with what is there now.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import thumbwise

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from project.public_commands import commands, json_keys
from project.public_members import describe
from project.public_met import find_met

FILE = Path(__file__).with_name("public_api.txt")
_HEAD = """# The public interface of thumbwise, written by python -m tests.project.public_api; do not edit.
# A line that is gone or changed breaks somebody's program: docs/releasing.md says what that takes.
"""


def write() -> None:
    """Write the file anew."""
    FILE.write_text(text(), encoding="utf-8")


def text() -> str:
    """The whole file."""
    public = public_objects()
    sections = {
        "Names": [entry for name, value in public.items() for entry in describe(name, value)],
        "Classes that are met without being imported": find_met(list(public.values())),
        "Commands": commands(),
        "First keys of --json": json_keys(),
    }
    return "\n".join([_HEAD, *(f"## {title}\n\n{_join(entries)}\n" for title, entries in sections.items())])


def _join(entries: list[str]) -> str:
    return "\n".join(sorted(entries))


def public_objects() -> dict[str, Any]:
    """Every public name, and what it is."""
    objects: dict[str, Any] = {}
    for name in thumbwise.__all__:
        value = getattr(thumbwise, name)
        objects[f"thumbwise.{name}"] = value
        if isinstance(value, ModuleType):
            objects |= {f"thumbwise.{name}.{inner}": getattr(value, inner) for inner in value.__all__}
    return objects


if __name__ == "__main__":
    write()
