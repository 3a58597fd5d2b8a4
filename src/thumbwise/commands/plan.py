"""thumbwise plan: how much bound more random gold labels would buy, and the draw of the items that are to get them."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from thumbwise import console as printed
from thumbwise.commands.label import read
from thumbwise.console import _cell, _grid, progress, stdout, visible
from thumbwise.io.roles import Roles
from thumbwise.planning import Plan, plan

_HOW_TO_READ = (
    "gain: fall of the bound through this rule's interval, for a hundred more gold labels of items drawn at random "
    "from all; items chosen by a rule's votes would be no random sample, and void the guarantee",
    "worth: by how much the bound would be worse if the rule had been left out before gold was looked at; below 0, it "
    "costs more than it brings",
    "leaving a rule out because of its worth voids the guarantee, for the choice has seen the gold labels; valid is "
    "thumbwise label --drop RULE, which keeps its part of the error budget spent and never lowers the bound",
)


def plan_files(
    votes: Path, gold: Path | None, roles: Roles, *, confidence: float = 0.95, target: float | None = None
) -> None:
    """Read votes and gold, plan, and print the planned bounds, the rules and what to do."""
    reading = read(votes, gold, roles)
    with progress("planning"):
        planned = plan(
            reading.gold_votes,
            reading.gold_labels,
            pool=reading.votes,
            confidence_level=confidence,
            gold_is=reading.gold_is,
            target=target,
        )
    console = stdout()
    printed.print_understood(console, str(votes), reading, roles.abstain)
    console.print()
    print_plan(console, planned)


def print_plan(console: Console, planned: Plan) -> None:
    """The planned bounds, the rules, and the sentences."""
    grid = _grid("Planned bound on the mean log loss", ["gold labels", "bound"])
    for row in planned.rows:
        grid.add_row(*map(_cell, [f"{row.n_gold:,}", f"{row.bound:.3f}"]))
    console.print(grid)
    console.print(_rules(planned))
    for line in _HOW_TO_READ:
        console.print(Text(line))
    console.print()
    console.print(Text(visible(planned), style="bold"))


def _rules(planned: Plan) -> Grid:
    """One row per rule, largest gain first."""
    headers = ["rule", "items\nwithout gold", "gain per\n100 labels", "bound if it\nhad never been", "worth"]
    grid = _grid("Rules", headers)
    worth = {row.rule: row for row in planned.worth}
    for row in planned.rule_gains:
        without = worth[row.rule]
        cells = [
            f"{row.n_unlabeled:,}",
            f"{100 * row.gain:.4f}",
            f"{without.bound_without:.3f}",
            f"{without.worth:+.3f}",
        ]
        grid.add_row(*map(_cell, [row.rule, *cells]))
    return grid
