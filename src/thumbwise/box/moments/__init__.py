"""What is constrained: averages that are linear in a labeling, one file a subject.

A kind of moments that stands in a file of this folder, or that a user defines with :func:`moment_kind`, is an attribute
of this module under its name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thumbwise.box.moments.kinds import find_kind as find_kind
    from thumbwise.box.moments.kinds import moment_kind as moment_kind
    from thumbwise.box.moments.linear import About as About
    from thumbwise.box.moments.linear import Moments as Moments
    from thumbwise.box.moments.of_classes import class_frequencies as class_frequencies
    from thumbwise.box.moments.of_classes import group_frequencies as group_frequencies
    from thumbwise.box.moments.of_rules import ConditionalRate as ConditionalRate
    from thumbwise.box.moments.of_rules import accuracies as accuracies
    from thumbwise.box.moments.of_rules import class_accuracies as class_accuracies
    from thumbwise.box.moments.of_rules import confusion_cells as confusion_cells
    from thumbwise.box.moments.of_steps import within_one_step as within_one_step
    from thumbwise.box.moments.standard import STANDARD as STANDARD
    from thumbwise.box.moments.written import LinearMoment as LinearMoment

# Where public names live; they are imported when first used, and so are kinds that are not listed here.
_HOMES = {
    "About": "linear",
    "Moments": "linear",
    "accuracies": "of_rules",
    "class_accuracies": "of_rules",
    "confusion_cells": "of_rules",
    "ConditionalRate": "of_rules",
    "class_frequencies": "of_classes",
    "group_frequencies": "of_classes",
    "within_one_step": "of_steps",
    "LinearMoment": "written",
    "STANDARD": "standard",
    "moment_kind": "kinds",
    "find_kind": "kinds",
}
__all__ = [name for name in _HOMES if name != "STANDARD"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    builder = None if name.startswith("_") else import_module(f"{__name__}.kinds").find_kind(name)
    if builder is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return builder
