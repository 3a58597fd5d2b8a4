"""Signatures as typer reads them, of commands that are given further options."""

from __future__ import annotations

import inspect
from collections.abc import Callable


def take_parameters(wrapper: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Let typer see these parameters, and not those of what is wrapped."""
    named = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    wrapper.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
    del wrapper.__wrapped__  # type: ignore[attr-defined]  # typer would look at the command itself
