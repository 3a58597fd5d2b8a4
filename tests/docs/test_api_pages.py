"""Every public name is in the API reference, once, and nothing else is."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType

import thumbwise
from docs.pages import DOCS, find_identifiers, read_text
from thumbwise import plots

DOCUMENTED = [name for page in sorted((DOCS / "api").glob("*.md")) for name in find_identifiers(read_text(page))]
# Public, though imported from modules of their own.
ELSEWHERE = {
    "thumbwise.assess.checks.check",
    "thumbwise.assess.check_rules.findings.Checks",
    "thumbwise.assess.check_rules.findings.Finding",
}


def find_object(name: str) -> object:
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def public_names() -> set[str]:
    names = members(plots)
    for name in thumbwise.__all__:
        value = getattr(thumbwise, name)
        names |= members(value) if isinstance(value, ModuleType) else {f"thumbwise.{name}"}
    return names


def members(module: ModuleType) -> set[str]:
    """What ``__all__`` lists; where there is none, the functions and classes that the module itself defines."""
    listed = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if not name.startswith("_") and is_own(module, value)
    ]
    return {f"{module.__name__}.{name}" for name in listed}


def is_own(module: ModuleType, value: object) -> bool:
    is_definition = inspect.isfunction(value) or inspect.isclass(value)
    return is_definition and getattr(value, "__module__", None) == module.__name__


def test_every_public_name_is_documented() -> None:
    """By this name, or by that of the module in which the same thing lives."""
    described = [find_object(name) for name in DOCUMENTED]
    missing = [name for name in public_names() if not any(find_object(name) is value for value in described)]
    assert sorted(missing) == []


def test_nothing_else_is_documented_and_nothing_twice() -> None:
    assert set(DOCUMENTED) - public_names() - ELSEWHERE == set()
    described = [find_object(name) for name in DOCUMENTED]
    twice = [name for i, name in enumerate(DOCUMENTED) if any(described[i] is value for value in described[:i])]
    assert twice == []


def test_every_documented_name_exists_and_says_what_it_is() -> None:
    for name in DOCUMENTED:
        value = find_object(name)
        assert inspect.getdoc(value) or isinstance(value, (int, tuple, dict)), name


def test_modules_are_looked_into() -> None:
    assert {
        "thumbwise.metrics.log_loss",
        "thumbwise.paper.theory.Truth",
        "thumbwise.datasets.load_demo",
    } <= public_names()
    assert "thumbwise.metrics.Literal" not in public_names()
