"""thumbwise plan: how much bound more random gold labels would buy, and the draw of the items that are to get them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from thumbwise.assess.planning import Plan, plan
from thumbwise.box.box import Box
from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.label import read
from thumbwise.cli.plan_json import plan_records
from thumbwise.cli.planned_rates import LOSS, Aims, plan_aims, print_aims
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.exports.exported import GOLD
from thumbwise.io.gold_draws import gold_to_label
from thumbwise.io.readings import Reading
from thumbwise.io.roles import EXPORTS, Roles
from thumbwise.outward import at_most
from thumbwise.summaries import plural
from thumbwise.tables.table_files import check_table_file, write_table

_HOW_TO_READ = (
    "bounds are the best that gold proves, those of thumbwise label --caution 1; with a caution of its own choice, "
    "label may give up to 10 % of them for labels that are more often right",
    "gain: fall of the bound through this rule's interval, for a hundred more gold labels of items drawn at random "
    "from all; items chosen by a rule's votes would be no random sample, and void the guarantee",
    "worth: by how much the bound would be worse if the rule had been left out before gold was looked at; below 0, it "
    "costs more than it brings",
    "leaving a rule out because of its worth voids the guarantee, for the choice has seen the gold labels; valid is "
    "thumbwise label --drop RULE, which keeps its part of the error budget spent and never lowers the bound",
)


@dataclass(frozen=True)
class Draw:
    """How many items are to be drawn, by which seed, and where they are written."""

    n_items: int
    output: Path
    seed: int


def check_draw(votes: Path, gold: Path | None, n_items: int | None, output: Path | None, seed: int) -> Draw | None:
    """What is to be drawn, if anything; whatever is wrong with the output is said before anything is computed."""
    if n_items is None and output is None:
        return None
    if n_items is None or output is None:
        raise InvalidChoiceError(
            "--draw N says how many items to draw, and --output FILE where to write them; found one without the other."
        )
    if output.exists():  # it may hold labels that somebody filled in
        raise InvalidFileError(f"{output} must be a new file; it is there already. Choose another name, or move it.")
    check_table_file(output, inputs=(votes, gold))
    return Draw(n_items, output, seed)


def plan_files(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    *,
    confidence: float = 0.95,
    aims: Aims = LOSS,
    draw: Draw | None = None,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Read votes and gold, plan, draw if asked to, and print the planned bounds, the rules and what to do.

    Without any gold only a share can be planned for, but the first items can be drawn. With JSON on stdout, nothing
    else is printed.
    """
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    reading = read(votes, gold, roles, is_gold_needed=draw is None and aims.is_gold_needed)
    with progress("counting gold"):
        box = reading.box(confidence_level=confidence) if _needs_box(reading, aims) else None
    planned = _plan(reading, confidence, aims.target, box) if box is not None and aims.is_loss_planned else None
    others = plan_aims(reading, aims, confidence, box)
    if draw is not None:
        with progress("writing"):
            write_table(gold_to_label(reading, draw.n_items, seed=draw.seed), draw.output)
    if json is not None:
        write_json(plan_records([*([] if planned is None else [planned]), *others]), json, overwrite)
    if is_stdout(json):
        return
    console = stdout()
    printed.print_understood(console, str(votes), reading, roles.abstain)
    console.print()
    if planned is not None:
        print_plan(console, planned)
    print_aims(console, others)
    if draw is not None:
        console.print()
        _print_draw(console, str(votes), draw, len(reading.gold_labels), _beside(reading, gold, roles))
    if json is not None:
        console.print(Text(f"written: {visible(json)}"))


def _needs_box(reading: Reading, aims: Aims) -> bool:
    return len(reading.gold_labels) > 0 and aims.is_box_needed


def _plan(reading: Reading, confidence: float, target: float | None, box: Box) -> Plan:
    with progress("planning"):
        return plan(reading, confidence_level=confidence, target=target, box=box)


def _beside(reading: Reading, gold: Path | None, roles: Roles) -> str:
    """What is said beside a gold file where votes bring labels of their own, which the file repeats or replaces."""
    is_inside = gold is None and roles.gold_column is None and len(reading.gold_labels) > 0
    return " --ignore gold" if reading.layout in EXPORTS and (is_inside or GOLD in roles.ignore) else ""


def _print_draw(console: Console, votes: str, draw: Draw, n_gold: int, beside: str) -> None:
    output = visible(draw.output)
    before = f"{plural(n_gold, 'gold label')} as before, and " if n_gold else ""
    items = plural(draw.n_items, "item")
    console.print(Text(f"written: {output} ({before}{items} drawn at random with seed {draw.seed}, to be labeled)"))
    console.print(
        Text(
            "fill in column 'label' of every row, from top to bottom, by somebody who does not see the votes; then: "
            f"thumbwise label {visible(votes)} --gold {output}{beside}"
        )
    )
    if n_gold:
        console.print(
            Text(
                "if what gold shows decides whether more is labeled, the level is that of all looks together: two "
                "looks with --confidence 0.975 hold at 95 %"
            )
        )


def print_plan(console: Console, planned: Plan) -> None:
    """The planned bounds, the rules, and the sentences."""
    columns = ["gold labels", "items\nwithout gold", "all items"] if planned.keeps_gold else ["gold labels", "bound"]
    rows = [[f"{row.n_gold:,}", at_most(row.bound), at_most(row.bound_all)][: len(columns)] for row in planned.rows]
    printed.print_table(console, "Planned bound on the mean log loss", columns, rows)
    headers = ["rule", "items\nwithout gold", "gain per\n100 labels", "bound if it\nhad never been", "worth"]
    printed.print_table(console, "Rules", headers, _rule_rows(planned))
    if planned.opinion_gain:
        gain = f"{100 * planned.opinion_gain:.4f} per 100 labels"
        console.print(Text(f"gain through what the rules say together: {gain}"))
    for line in _HOW_TO_READ:
        console.print(Text(line))
    console.print()
    console.print(Text(visible(planned), style="bold"))


def _rule_rows(planned: Plan) -> Iterator[list[str]]:
    """One row per rule, largest gain first."""
    worth = {row.rule: row for row in planned.worth}
    for row in planned.rule_gains:
        without = worth[row.rule]
        gain = [f"{row.n_unlabeled:,}", f"{100 * row.gain:.4f}"]
        yield [row.rule, *gain, at_most(without.bound_without), f"{without.worth:+.3f}"]
