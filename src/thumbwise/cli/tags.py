"""Several tags per item on the command line: each command once for every tag, with one error for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from thumbwise.assess.tables.accuracy import accuracy_table
from thumbwise.cli.console import print_table, progress, stdout, visible
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.label import FitChoices, label_by
from thumbwise.cli.progress import while_reading
from thumbwise.cli.rate import RateChoices, ask
from thumbwise.cli.right_labels import as_json
from thumbwise.cli.wording import in_command_words
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.elsewhere import are_many
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.roles import Roles
from thumbwise.io.tag_cells import YES
from thumbwise.io.tag_labels import tag_output_names, write_tags
from thumbwise.io.tag_sources import read_tagged
from thumbwise.io.tagged import TagAnswers, TagReadings
from thumbwise.outward import level, percent, percent_at_least, percent_at_most
from thumbwise.rates.asking import rate
from thumbwise.rates.results import Rates
from thumbwise.summaries import NOTHING, plural
from thumbwise.tables.outputs import LABELS
from thumbwise.tables.table_files import check_table_file

_LABELS = (
    "labeled: items that get the tag, gold items among them",
    "share, at least, at most: of all items that have the tag, in truth",
    "right, at least: share of the yes/no labels of the tag that are right, on items without gold",
)


def read_tag_files(votes: Path, gold: Path | None, roles: Roles) -> TagReadings:
    """Votes and gold of each tag, with the items in memory."""
    if gold is None and roles.gold_column is None:
        raise no_gold()
    if are_many(votes, roles):
        raise InvalidChoiceError(
            f"several tags per item are read from one file; {votes} stands for many. Put them together."
        )
    with while_reading():
        readings = read_tagged(votes, gold, roles)
    if not len(readings.first.gold_labels):
        raise no_gold()
    return readings


def refuse_options(given: Mapping[str, object]) -> None:
    """Refuse options that say nothing where an item has several tags."""
    for option, value in given.items():
        if value not in (None, False, (), []):
            raise InvalidChoiceError(
                f"{option} is for one class per item; found it beside --tags. Drop one of the two."
            )


def label_tags(
    votes: Path,
    gold: Path | None,
    output: Path | None,
    roles: Roles,
    choices: FitChoices,
    *,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Label every tag, write the labels in the shape that they came in, and print one table."""
    check_json(json, inputs=(votes, gold, output), overwrite=overwrite)
    if output is not None:
        check_table_file(output, LABELS, inputs=(votes, gold), overwrite=overwrite)
    readings = read_tag_files(votes, gold, roles)
    names = tag_output_names(readings)

    def labeled(reading: Reading, confidence_level: float) -> Any:
        return label_by(reading, replace(choices, confidence=confidence_level))

    by = readings.each(labeled, confidence_level=choices.confidence)
    with progress("bounding"):
        shares = readings.each(rate, confidence_level=choices.confidence, of=YES)
        found = {tag: as_json(readings[tag], by[tag].model, by[tag].method) for tag in readings}
    models = TagAnswers({tag: one.model for tag, one in by.items()}, by.confidence_level, by.each_level)
    lacking = [m for m in models.values() if choices.require_guarantee and not m.certificate_.proves_something]
    if output is not None and not lacking:
        write_tags(readings, models, output, overwrite=overwrite)
    if json is not None and (is_stdout(json) or not lacking):
        each = {tag: {**found[tag], "share": shares[tag].as_dict()} for tag in readings}
        write_json(as_content(each, models), json, overwrite)
    if not is_stdout(json):
        console = stdout()
        rows = [_label_row(tag, found[tag], models[tag], shares[tag]) for tag in readings]
        headers = ["tag", "labeled", "share", "at\nleast", "at\nmost", "right,\nat least"]
        print_tagged(console, str(votes), readings, "Tags", headers, rows, _LABELS)
        both = [("right labels", models), ("shares", shares)]
        for what, answers in both:
            console.print(Text(visible(f"{what}: {together(answers)}"), style="bold"))
        if output is not None and not lacking:
            console.print(
                Text(f"written: {visible(output)} ({readings.first.votes.n_items:,} rows, {len(names)} columns)")
            )
        print_written(console, json if not lacking else None)
    if lacking:
        lacking[0].certificate_.require()


def _label_row(tag: str, found: Mapping[str, Any], model: Any, share: Rates) -> list[str]:
    right = accuracy_table(model.certificate_).facts["accuracy_at_least"]
    ends = percent_at_least(share.lower), percent_at_most(share.upper)
    at_least = NOTHING if right is None else percent_at_least(right)
    return [tag, f"{found['counts'][YES]:,}", percent(share.estimate, 1), *ends, at_least]


def rate_tags(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    choices: RateChoices,
    *,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """The share of every tag, by group if asked, in one table."""
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    refuse_options({"--of": choices.of, "--values": choices.values})
    named = [] if choices.by is None or choices.by in roles.ignore else [choices.by]
    readings = read_tag_files(votes, gold, replace(roles, ignore=(*roles.ignore, *named)))

    def asked(reading: Reading, confidence_level: float) -> Rates:
        return ask(reading, replace(choices, of=YES, confidence=confidence_level))

    with progress("bounding"):
        shares = readings.each(asked, confidence_level=choices.confidence)
    if json is not None:
        write_json(as_content({tag: reported.as_dict() for tag, reported in shares.items()}, shares), json, overwrite)
    if is_stdout(json):
        return
    several = any(len(reported) > 1 for reported in shares.values())
    headers = ["tag", *["group"] * several, "share", "at\nleast", "at\nmost", "gold", "items"]
    rows = [_rate_row(tag, row, several) for tag, reported in shares.items() for row in reported]
    console = stdout()
    says = "at least, at most: between these the share of the items that have the tag lies"
    points = "differences are in points: +2.3 is 2.3 % of the items" if choices.versus is not None else ""
    left = range(1 + several)
    print_tagged(
        console, str(votes), readings, "Share of each tag", headers, rows, [says, *filter(None, [points])], left
    )
    console.print(Text(visible(together(shares)), style="bold"))
    print_written(console, json)


def _rate_row(tag: str, row: Any, several: bool) -> list[str]:
    group = [] if not several else ["all items" if row.group is None else row.group]
    ends = row.unit.low(row.lower, row.kind), row.unit.high(row.upper, row.kind)
    return [tag, *group, row.unit.point(row.estimate, row.kind), *ends, f"{row.n_gold:,}", f"{row.n_items:,}"]


def together(answers: TagAnswers[Any]) -> str:
    """That all hold at once, and on what grounds; or why there is no guarantee."""
    if not answers.is_guarantee:
        return answers.together
    first = next(iter(answers.values()))
    evidence = getattr(first, "certificate_", first).evidence
    what = f"what is said of the {len(answers)} tags holds for all of them" if len(answers) > 1 else "this holds"
    return f"With {level(answers.confidence_level)} confidence {what}, if {evidence.assumption}."


def as_content(each: Mapping[str, Any], answers: TagAnswers[Any]) -> dict[str, Any]:
    """What is found, for JSON: all of each tag under "tags"."""
    return {
        "confidence_level": answers.confidence_level,
        "each_level": answers.each_level,
        "is_guarantee": answers.is_guarantee,
        "n_tags": len(answers),
        "tags": dict(each),
    }


def print_tagged(
    console: Console,
    source: str,
    readings: TagReadings,
    title: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    says: Sequence[str],
    left: Sequence[int] = (0,),
) -> None:
    """What was understood, one table, and how to read it."""
    votes = readings.first.votes
    shown = ", ".join(map(visible, readings.tags[:10])) + (", ..." if len(readings) > 10 else "")
    sizes = [plural(votes.n_items, "item"), plural(votes.n_rules, "judge"), plural(len(readings), "tag")]
    console.print(Text(f"{visible(source)}: {', '.join(sizes)} ({shown})"))
    for note in readings.notes:
        console.print(Text(visible(in_command_words(note))))
    console.print(Text(f"gold: {plural(len(readings.first.gold_labels), 'item')} with known tags"))
    console.print()
    print_table(console, title, headers, rows, left=left)
    for line in says:
        console.print(Text(line))
    console.print()


def print_written(console: Console, json: str | None) -> None:
    """Where JSON went."""
    if json is not None:
        console.print(Text(f"written: {visible(json)} (JSON)"))
