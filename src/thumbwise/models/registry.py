"""The models that there are: each registers when it is defined, and is then saved, loaded and compared by name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from thumbwise import models

if TYPE_CHECKING:
    from thumbwise.models.base import LabelModel

_classes: dict[str, type[LabelModel]] = {}


def register(model_class: type[LabelModel]) -> None:
    """List a class under its name; the same class defined again, as a notebook does, takes the place of the first."""
    name = model_class.__name__
    for other in _classes.values():
        if _home(other) == _home(model_class):
            continue
        if other.__name__ == name:
            raise TypeError(
                f"models must have different names, because files call them by name; found {_home(other)} and "
                f"{_home(model_class)}. Rename the class."
            )
        taken = {row.name for row in other._compared} & {row.name for row in model_class._compared}
        if taken:
            raise TypeError(
                f"models must be compared under different names; {min(taken)!r} is said by {_home(other)} and "
                f"{_home(model_class)}. Rename it in _compared."
            )
    _classes[name] = model_class


def registered() -> dict[str, type[LabelModel]]:
    """All models by name: those of this package, each a module in its folder, and those that users defined."""
    for module in iter_modules(models.__path__):
        import_module(f"{models.__name__}.{module.name}")
    return dict(sorted(_classes.items()))


def is_registered(model_class: type[LabelModel]) -> bool:
    """Whether it is listed itself. A subclass that only inherits is not."""
    return _classes.get(model_class.__name__) is model_class


def _home(model_class: type) -> str:
    return f"{model_class.__module__}.{model_class.__qualname__}"
