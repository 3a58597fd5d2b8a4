"""Costs of judges as they are typed, and the table of the stages that they make."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from thumbwise.assess.accepting.cascades import Cascade
from thumbwise.cli.console import print_table
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.outward import percent
from thumbwise.summaries import NOTHING, one_line

_LONGEST_NAMES = 16
_STAGES = (
    "asked: items that come to the stage; decided: those that stop there",
    "gold agrees: with these labels, of gold that was kept back to certify (estimate)",
    "spent: cost of the votes up to the stage, divided by the number of all items",
)


def read_costs(texts: Sequence[str]) -> dict[str, float]:
    """Cost of one vote of each judge that is named."""
    return dict(_cost(text) for text in texts)


def _cost(text: str) -> tuple[str, float]:
    """NAME=COST; a name may hold an equals sign."""
    name, sign, number = text.rpartition("=")
    try:
        return name, float(number if sign else "")
    except ValueError:
        raise InvalidChoiceError(
            f"--cost must be NAME=COST, a judge and the cost of one of its votes, such as small=0.002; found {text!r}."
        ) from None


def print_stages(console: Console, cascade: Cascade) -> None:
    """Who is asked when, what is decided there, and what was spent."""
    headers = ["judges", "cost of\na vote", "asked", "decided", "share", "gold\nagrees", "spent"]
    rows = [
        [
            f"{number}. {_names(row['judges'])}",
            f"{row['cost_per_vote']:.3g}",
            f"{row['n_asked']:,}",
            f"{row['n_decided']:,}",
            percent(row["decided"]),
            NOTHING if row["estimate"] is None else f"{percent(row['estimate'])} of {row['n_gold']:,}",
            f"{row['cost_so_far']:.3g}",
        ]
        for number, row in enumerate(cascade.rows(), 1)
    ]
    print_table(console, "Stages, the cheapest judges first", headers, rows)
    for line in _STAGES:
        console.print(Text(line))
    console.print()


def _names(judges: Sequence[str]) -> str:
    more = f" +{len(judges) - 1:,}" if len(judges) > 1 else ""
    return one_line(judges[0], _LONGEST_NAMES - len(more)) + more
