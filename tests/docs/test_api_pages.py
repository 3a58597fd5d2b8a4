"""Every public name is in the API reference, once, and nothing else is."""

from __future__ import annotations

import inspect
from functools import reduce
from types import ModuleType

import thumbwise
from docs.pages import DOCS, find_identifiers, read_text

DOCUMENTED = [name for page in sorted((DOCS / "api").glob("*.md")) for name in find_identifiers(read_text(page))]


def find_object(name: str) -> object:
    """By attributes, as users do: public modules live in rooms of the package under other names."""
    return reduce(getattr, name.split(".")[1:], thumbwise)


def public_names() -> set[str]:
    names: set[str] = set()
    for name in thumbwise.__all__:
        value = getattr(thumbwise, name)
        public = f"thumbwise.{name}"
        names |= {f"{public}.{member}" for member in members(value)} if isinstance(value, ModuleType) else {public}
    return names


def members(module: ModuleType) -> list[str]:
    """What ``__all__`` lists; where there is none, the functions and classes that the module itself defines."""
    return getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if not name.startswith("_") and is_own(module, value)
    ]


def is_own(module: ModuleType, value: object) -> bool:
    is_definition = inspect.isfunction(value) or inspect.isclass(value)
    return is_definition and getattr(value, "__module__", None) == module.__name__


def test_every_public_name_is_documented() -> None:
    """By this name, or by that of the module in which the same thing lives."""
    described = [find_object(name) for name in DOCUMENTED]
    missing = [name for name in public_names() if not any(find_object(name) is value for value in described)]
    assert sorted(missing) == []


def test_nothing_else_is_documented_and_nothing_twice() -> None:
    assert set(DOCUMENTED) - public_names() == set()
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
        "thumbwise.theory.Truth",
        "thumbwise.datasets.load_demo",
    } <= public_names()
    assert "thumbwise.metrics.Literal" not in public_names()
