"""The command line: every command, in the order of its help, and the entry point.

What computes is imported when a command runs, so that help is quick and an interrupt is always met by a message.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from thumbwise import __version__
from thumbwise.cli.commands.bench import bench
from thumbwise.cli.commands.certify import certify
from thumbwise.cli.commands.check import check
from thumbwise.cli.commands.compare import compare
from thumbwise.cli.commands.demo import demo
from thumbwise.cli.commands.draw import draw
from thumbwise.cli.commands.judges import judges
from thumbwise.cli.commands.label import label
from thumbwise.cli.commands.plan import plan
from thumbwise.cli.commands.rate import rate
from thumbwise.cli.commands.report import report
from thumbwise.cli.commands.reproduce import reproduce
from thumbwise.cli.commands.triage import triage
from thumbwise.cli.endings import heed_signals, run_to_end
from thumbwise.cli.shared_options import as_command

LABELS = (label, demo)
GOLD = (plan, draw)
JUDGED = (compare, certify, check, rate, judges, triage, report)
BESIDES = (bench, reproduce)

app = typer.Typer(
    help="Certified labels from rules of thumb.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (*LABELS, *GOLD, *JUDGED, *BESIDES):
    app.command()(as_command(command))


def main() -> None:
    """Entry point: a name that the terminal cannot show is escaped and never an error; signals end it tidily."""
    heed_signals()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    run_to_end(app)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"thumbwise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
