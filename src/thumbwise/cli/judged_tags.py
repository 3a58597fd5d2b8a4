"""Judges and triage where an item has several tags: one table, one error for all tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from thumbwise.assess.accepting.result import Triage
from thumbwise.assess.judges import judges
from thumbwise.assess.judging.result import Judges, ends, known
from thumbwise.assess.triage import triage
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.judges import JudgeChoices
from thumbwise.cli.judges import as_content as judges_content
from thumbwise.cli.tags import as_content, print_tagged, print_written, read_tag_files, refuse_options, together
from thumbwise.cli.triage import TriageChoices, TriageOutputs
from thumbwise.io.roles import Roles
from thumbwise.io.tag_cells import NO, YES
from thumbwise.io.tagged import TagAnswers, TagReadings
from thumbwise.outward import percent_at_least
from thumbwise.summaries import NOTHING, plural
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, check_table_file, write_table

_JUDGES = (
    "agreement: share of the judge's gold answers on the tag, yes or no, that are right",
    "at least, at most: that share among all its answers",
    "finds: share of the gold items with the tag on which it names the tag",
    "invents: share of the gold items without the tag on which it names the tag",
)
_TRIAGE = (
    "accepted: yes/no labels of the tag that may be used as they are",
    "right, at least: share of these that is right",
    "to look at: items whose label of the tag is not accepted",
)


def judge_tags(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    choices: JudgeChoices,
    *,
    output: Path | None = None,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """How far to trust each judge on each tag, in one table."""
    refuse_options({"--of": choices.of, "--cost": choices.costs, "--output": output})
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    readings = read_tag_files(votes, gold, roles)
    with progress("judging"):
        judged = readings.each(judges, confidence_level=choices.confidence, of=YES)
    if json is not None:
        write_json(as_content({tag: judges_content(one) for tag, one in judged.items()}, judged), json, overwrite)
    if is_stdout(json):
        return
    headers = ["tag", "judge", "gold\nvotes", "agree-\nment", "at\nleast", "at\nmost", "finds", "invents"]
    rows = [row for tag, one in judged.items() for row in _judge_rows(tag, one)]
    console = stdout()
    print_tagged(console, str(votes), readings, "Judges on each tag", headers, rows, _JUDGES, (0, 1))
    console.print(Text(visible(together(judged)), style="bold"))
    print_written(console, json)


def _judge_rows(tag: str, judged: Judges) -> list[list[str]]:
    shown = [*judged.scores[: judged.n_shown], *([] if judged.panel is None else [judged.panel])]
    return [
        [
            tag,
            row.judge,
            f"{row.n_gold:,}",
            known(row.agreement),
            *ends(row.interval),
            known(row.rates[0].true_positive.estimate),
            known(row.rates[0].false_positive.estimate),
        ]
        for row in shown
    ]


def triage_tags(votes: Path, gold: Path | None, roles: Roles, choices: TriageChoices, outputs: TriageOutputs) -> None:
    """Accept labels of each tag, write them with nothing where a person should look, and print one table."""
    refuse_options({"--review": outputs.review, "--text": outputs.text, "--cost": choices.costs})
    refuse_options({"--recall": choices.recall, "--budget": choices.budget})
    refuse_options({"--for-spreadsheets": outputs.for_spreadsheets})
    if outputs.accepted is not None:
        check_table_file(outputs.accepted, inputs=(votes, gold), overwrite=outputs.overwrite)
    check_json(outputs.json, inputs=(votes, gold), overwrite=outputs.overwrite)
    asked: dict[str, Any] = {"precision": choices.precisions, "per_class": choices.per_class}
    readings = read_tag_files(votes, gold, roles)
    with progress("sorting out"):
        sorted_out = readings.each(triage, confidence_level=choices.confidence, random_state=choices.seed, **asked)
    lacking = [one for one in sorted_out.values() if choices.require_guarantee and not one.proves_something]
    if outputs.accepted is not None and not lacking:
        write_table(accepted_tags(readings, sorted_out), outputs.accepted, overwrite=outputs.overwrite)
    if outputs.json is not None and (is_stdout(outputs.json) or not lacking):
        each = {tag: one.as_dict() for tag, one in sorted_out.items()}
        write_json(as_content(each, sorted_out), outputs.json, outputs.overwrite)
    if not is_stdout(outputs.json):
        console = stdout()
        rows = [_triage_row(tag, one) for tag, one in sorted_out.items()]
        headers = ["tag", "accepted", "right,\nat least", "to look\nat"]
        print_tagged(console, str(votes), readings, "Accepted labels of each tag", headers, rows, _TRIAGE)
        console.print(Text(visible(together(sorted_out)), style="bold"))
        if outputs.accepted is not None and not lacking:
            n_items = plural(readings.first.votes.n_items, "row")
            console.print(Text(f"written: {visible(outputs.accepted)} ({n_items}; empty where nothing is accepted)"))
        print_written(console, outputs.json if not lacking else None)
    if lacking:
        lacking[0].require()


def _triage_row(tag: str, sorted_out: Triage) -> list[str]:
    at_least = [row["precision_at_least"] for row in sorted_out.rows() if row["precision_at_least"] is not None]
    right = percent_at_least(min(at_least)) if at_least else NOTHING
    return [tag, f"{sorted_out.n_accepted:,}", right, f"{sorted_out.n_review:,}"]


def accepted_tags(readings: TagReadings, sorted_out: TagAnswers[Triage]) -> Table:
    """A row per item and a column per tag: yes or no where the label is accepted, nothing where it is not."""
    first = readings.first
    columns: dict[str, Column] = {first.id_name or "item": np.ma.asarray(first.votes.item_ids)}
    for tag, one in sorted_out.items():
        said = np.array([NO, YES], dtype=object)[one.proposed]
        columns[tag] = np.ma.MaskedArray(said, mask=~np.asarray(one.accepted, dtype=bool))
    return Table({**columns, **first.passed_on})
