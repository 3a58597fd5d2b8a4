"""Options that many commands have, and what all commands share: messages in place of tracebacks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any

import typer

from thumbwise.cli.endings import reported


class OnInfeasible(StrEnum):
    """What to do if the intervals contradict each other."""

    RAISE = "raise"
    WIDEN = "widen"


Confidence = Annotated[float, typer.Option(help="Probability that all intervals hold at once.")]
OnInfeasibleOption = Annotated[
    OnInfeasible, typer.Option(help="If the intervals contradict each other: stop, or widen them (no guarantee).")
]
RequireGuarantee = Annotated[
    bool,
    typer.Option(
        "--require-guarantee", help="Write nothing and exit with 3 if there is no guarantee or it proves nothing."
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there already, whatever they are.")
]


def as_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command as typer is given it: a user's mistake is one message and an exit code."""
    annotations = inspect.get_annotations(command, eval_str=True)
    own = [
        parameter.replace(annotation=annotations[name])
        for name, parameter in inspect.signature(command).parameters.items()
    ]

    @wraps(command)
    def wrapper(**given: Any) -> None:
        with reported():
            command(**given)

    take_parameters(wrapper, own)
    return wrapper


def take_parameters(wrapper: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Let typer see these parameters, and not those of what is wrapped."""
    named = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    wrapper.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
    del wrapper.__wrapped__  # type: ignore[attr-defined]  # typer would look at the command itself
