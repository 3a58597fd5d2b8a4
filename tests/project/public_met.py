"""Classes that users meet as what a public function returns or a public class holds, and aliases of types."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

from project.public_members import bases_told, describe_class, fields, is_inside, is_ours, is_public, plain


def find_met(public: list[Any]) -> list[str]:
    """Entries of classes of thumbwise that public names return, hold or extend, and of the aliases that they take."""
    waiting, met, aliases = [*public], list[type](), dict[tuple[str, str], str]()
    while waiting:
        for module, annotation, is_taken in _annotated(waiting.pop()):
            for word in re.findall(r"\b[A-Za-z]\w+\b", re.sub(r"\"[^\"]*\"|'[^']*'", "", annotation)):
                value, home = _find(module, word)
                if inspect.isclass(value):
                    if is_ours(value) and not (is_taken or is_inside(value) or value in public or value in met):
                        met.append(value)
                        waiting.append(value)
                elif home is not None and (home, word) not in aliases and (text := _alias(home, word)) is not None:
                    aliases[home, word] = text
                    waiting.append(_Alias(home, text, is_taken))
    return [
        *(entry for kind in met for entry in describe_class(kind.__name__, kind)),
        *(f"{name} = {text}" for (_, name), text in aliases.items()),
    ]


class _Alias:
    """The text of an alias, the module that it is read in, and whether it is of an argument."""

    def __init__(self, module: str, text: str, is_taken: bool) -> None:
        self.module, self.text, self.is_taken = module, text, is_taken


def _annotated(value: Any) -> Iterator[tuple[str, str, bool]]:
    """Annotations of a function, of the public members of a class, or of an alias: module, text, if of an argument."""
    if isinstance(value, _Alias):
        yield value.module, value.text, value.is_taken
    elif inspect.isclass(value):
        yield from ((value.__module__, base.__name__, False) for base in value.__bases__ if is_ours(base))
        for base in bases_told(value):
            yield from ((base.__module__, plain(text), False) for text in fields(base).values() if text is not None)
            for key, member in vars(base).items():
                if is_public(base, key, member) or key == "__init__":
                    yield from _annotated_member(member)
    elif isinstance(value, FunctionType):
        yield from _annotated_member(value)


def _annotated_member(member: Any) -> Iterator[tuple[str, str, bool]]:
    inner = getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member)))
    if inner.__module__.startswith("thumbwise"):
        for name, annotation in inner.__annotations__.items():
            yield inner.__module__, plain(annotation), name != "return"


def _find(module: str, word: str) -> tuple[Any, str | None]:
    """What a word in an annotation means in a module, which may import it for type checkers only; and its home."""
    imported = _imports(module).get(word)
    if imported is not None and imported.startswith("thumbwise"):
        import_module(imported)
        return _find(imported, word) if word in _imports(imported) else (_value(imported, word), imported)
    return _value(module, word), module


def _value(module: str, word: str) -> Any:
    return getattr(sys.modules[module], word, None)


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


@cache
def _imports(module: str) -> dict[str, str]:
    """Names that are imported from another module, wherever in the file."""
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _alias(module: str, word: str) -> str | None:
    """Text of an alias of types, as it is written in its module."""
    for node in _tree(module).body if module.startswith("thumbwise") else []:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _names(targets) == [word]:
            return ast.unparse(node.value)
    return None


def _names(targets: Sequence[ast.AST | None]) -> list[str]:
    return [target.id for target in targets if isinstance(target, ast.Name)]
