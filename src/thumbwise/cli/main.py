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
from thumbwise.cli.commands.explain import explain
from thumbwise.cli.commands.judges import judges
from thumbwise.cli.commands.label import label
from thumbwise.cli.commands.plan import plan
from thumbwise.cli.commands.predict import predict
from thumbwise.cli.commands.rate import rate
from thumbwise.cli.commands.read import read
from thumbwise.cli.commands.report import report
from thumbwise.cli.commands.reproduce import reproduce
from thumbwise.cli.commands.sql import sql
from thumbwise.cli.commands.triage import triage
from thumbwise.cli.endings import heed_signals, open_closed_streams, run_to_end
from thumbwise.cli.help import GroupedCommand, GroupedCommands
from thumbwise.cli.shared_options import as_command

LABELS = (label, demo, read)
SAVED = (predict, explain, sql)
GOLD = (plan, draw)
JUDGED = (compare, certify, check, rate, judges, triage, report)
BESIDES = (bench, reproduce)

# In one line, as typer joins them: who writes a script looks here.
EXIT_CODES = (
    "Exit codes: 0 all went well; 1 check found errors, or --strict something; 2 a mistake in options or files; "
    "3 a guarantee was required and there is none; 130, 143 interrupted; 141 nobody reads the "
    "output."
)
app = typer.Typer(
    cls=GroupedCommands,
    help="Labels, from many unsure votes and a hundred sure ones, with a guarantee.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (*LABELS, *SAVED, *GOLD, *JUDGED, *BESIDES):
    app.command(cls=GroupedCommand)(as_command(command))


def main() -> None:
    """Entry point: a name that the terminal cannot show is escaped and never an error; signals end it tidily."""
    open_closed_streams()
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
