"""thumbwise plan: how much bound more gold labels would buy, on which rules, and when rules are the better buy."""

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
    console.print(
        Text("gain per label: fall of the bound for each further gold label on an item that the rule votes on")
    )
    console.print(
        Text("worth: by how much the bound would be worse without the rule; below 0, it costs more than it brings")
    )
    console.print()
    console.print(Text(visible(planned), style="bold"))


def _rules(planned: Plan) -> Grid:
    """One row per rule, largest gain first."""
    headers = ["rule", "items\nwithout gold", "gain\nper label", "bound\nwithout it", "worth"]
    grid = _grid("Rules", headers)
    worth = {row.rule: row for row in planned.worth}
    for row in planned.next_rules:
        without = worth[row.rule]
        cells = [f"{row.n_unlabeled:,}", f"{row.gain:.5f}", f"{without.bound_without:.3f}", f"{without.worth:+.3f}"]
        grid.add_row(*map(_cell, [row.rule, *cells]))
    return grid
