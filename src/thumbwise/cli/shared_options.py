"""Options that many commands have, and what all commands share: messages, quiet, and a file that says options once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from thumbwise.cli.console import hushed, remarks, visible
from thumbwise.cli.endings import reported
from thumbwise.cli.json_output import STDOUT
from thumbwise.cli.project_file import in_words, remember_options, use_file, without_rivals
from thumbwise.cli.signatures import take_parameters
from thumbwise.exceptions import InvalidChoiceError


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
ForSpreadsheets = Annotated[
    bool,
    typer.Option(
        "--for-spreadsheets",
        help="Put an apostrophe before texts that a spreadsheet would run as formulas (.csv, .tsv).",
    ),
]
ModelArgument = Annotated[Path, typer.Argument(help="A saved model (.json), as label --save writes it.")]
Json = Annotated[
    str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
]


def _options(  # never called: its signature is what typer reads
    context: typer.Context,
    no_config: Annotated[
        bool, typer.Option("--no-config", is_eager=True, help="Use no file of options, though there is one.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            is_eager=True,
            callback=use_file,
            help="File of options. [default: thumbwise.toml, here or further up in the repository]",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors, and what is asked to go to stdout, and no more.")
    ] = False,
) -> None:
    """What :func:`as_command` adds to every command."""


def as_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command as typer is given it: with the options that all have, and one message for a user's mistake."""
    annotations = inspect.get_annotations(command, eval_str=True)
    own = [
        parameter.replace(annotation=annotations[name])
        for name, parameter in inspect.signature(command).parameters.items()
    ]
    shared = inspect.signature(_options, eval_str=True).parameters

    @wraps(command)
    def wrapper(**given: Any) -> None:
        context, _, _, is_quiet = (given.pop(name) for name in ("context", "config", "no_config", "quiet"))
        with reported(), hushed(results=is_quiet or given.get("json") == STDOUT, remarks=is_quiet):
            _check_stdout(given)
            given = without_rivals(context, given)
            for line in in_words(context):
                remarks().print(visible(line))
            command(**given)

    remember_options(command.__name__, own)
    take_parameters(wrapper, [*own, *shared.values()])
    return wrapper


def _check_stdout(given: Mapping[str, Any]) -> None:
    """Two outputs on stdout could not be told apart."""
    if given.get("json") == STDOUT and str(given.get("output")) == STDOUT:
        raise InvalidChoiceError(
            "one output can go to stdout; found both --json - and --output -. Write one of them to a file."
        )
