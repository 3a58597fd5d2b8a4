"""Help of the commands: options in groups, what most people need first; commands in groups; values by what they are.

Sections and examples are written here once, by the names of options and commands, so that a command says only what is
its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from thumbwise.cli.wording import OPTIONS as WORDED

OPTIONS = "Options"
# Sections of a command's help in their order; an option that none of them names is among the options of its own.
SECTIONS: Mapping[str, Sequence[str]] = {
    "Gold": ("gold", "gold_column", "cluster", "strata", "weights", "max_weight", "by_class"),
    OPTIONS: (),
    "Output": (
        "output",
        "review",
        "save",
        "write",
        "shape",
        "for_spreadsheets",
        "json",
        "quiet",
        "overwrite",
        "require_guarantee",
    ),
    "How files are read": (
        "item_id",
        "ignore",
        "classes",
        "codes",
        "abstain",
        "layout",
        "rule",
        "label",
        "gold_id",
        "gold_label",
        "duplicates",
        "null_verdict",
        "scores",
        "scores_are",
        "threshold",
        "ordered",
        "tags",
        "separator",
        "no_tags",
        "empty_means",
        "gold_empty_means",
        "systems",
        "gold_majority",
        "format",
        "delimiter",
        "encoding",
        "decimal",
        "sheet",
        "text",
    ),
    "Seldom needed": (
        "on_infeasible",
        "memory",
        "spill",
        "seed",
        "host",
        "port",
        "no_browser",
        "processes",
        "config",
        "no_config",
        "help",
    ),
}
# Sections of the list of commands; one that none of them names is among the others.
OTHERS = "Others"
GROUPS: Mapping[str, Sequence[str]] = {
    "Start here": ("demo", "label", "rate", "triage", "judges", "draw", "bench"),
    "More from the same files": ("plan", "compare", "check", "report", "certify", "read"),
    "With a saved model": ("predict", "explain", "sql"),
    "Research": ("reproduce",),
    OTHERS: (),
}
EXAMPLES = {
    "demo": "thumbwise demo --write example",
    "read": "thumbwise read votes.csv --gold gold.csv",
    "label": "thumbwise label votes.csv --gold gold.csv -o labels.csv",
    "report": "thumbwise report votes.csv --gold gold.csv -o report.html",
    "draw": "thumbwise draw items.csv -n 100 -o to_label.csv",
    "bench": "thumbwise bench items.csv --classes right,partial,wrong -o gold.jsonl",
    "plan": "thumbwise plan votes.csv --gold gold.csv --target 0.4",
    "check": "thumbwise check votes.csv --gold gold.csv",
    "rate": "thumbwise rate votes.csv --gold gold.csv --of right",
    "judges": "thumbwise judges votes.csv --gold gold.csv --of right",
    "triage": "thumbwise triage votes.csv --gold gold.csv --precision 0.9 -o accepted.csv",
    "compare": "thumbwise compare votes.csv --gold gold.csv",
    "certify": "thumbwise certify labels.csv --votes votes.csv --gold gold.csv",
    "predict": "thumbwise predict model.json votes.csv -o predictions.csv",
    "explain": "thumbwise explain model.json votes.csv --item answer-0000",
    "sql": "thumbwise sql model.json --dialect duckdb",
    "reproduce": "thumbwise reproduce tables --quick",
}
# What stands for a value: as messages have it, or by the type that typer writes for an option without a metavar.
_BY_OPTION = {
    name: value for name, _, value in (text.partition(" ") for text in WORDED.values()) if value[:1].isupper()
}
_BY_TYPE = {"path": "FILE", "file": "FILE", "str": "NAME", "text": "NAME", "list[str]": "NAME"}
_BY_TYPE |= {"int": "N", "integer": "N", "int range": "N", "integer range": "N", "float": "NUMBER"}
_TYPE = re.compile(
    r"(?<=[ :])[<\[{]?(?P<kind>PATH|TEXT|INTEGER RANGE|INTEGER|FLOAT|(?<=[<{])[^<>{}]+|(?<=\[)[^\[\]]+)[>\]}]?$"
)
_DEFAULT = re.compile(r"\s*\[(?:default|required)")
# Letters beside which there is room for a text; choices that need more are listed in the text.
_LONGEST = 27


class GroupedCommand(TyperCommand):
    """A command whose help lists its options by sections, and ends with an example."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Usage in capitals for what is to be typed, as the help names it."""
        arguments = [_name(each) for each in self.get_params(ctx) if each.param_type_name == "argument"]
        return [*([self.options_metavar] if self.options_metavar else []), *arguments]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then options by section; each with what stands for its value."""
        arguments, sections = [], {title: list[tuple[int, tuple[str, str]]]() for title in SECTIONS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and parameter.param_type_name == "argument":
                arguments.append(_as_argument(parameter, record))
            elif record is not None:
                title, place = _section(parameter.name)
                sections[title].append((place, _as_option(record)))
        _write_list(formatter, "Arguments", arguments)
        for title, records in sections.items():
            _write_list(formatter, title, [record for _, record in sorted(records, key=lambda entry: entry[0])])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """An example, as it is typed."""
        super().format_epilog(ctx, formatter)
        if self.name in EXAMPLES:
            formatter.write_paragraph()
            formatter.write(f"Example:\n  {EXAMPLES[self.name]}\n")


class GroupedCommands(TyperGroup):
    """The list of commands by what they are for; a summary is shown whole."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Commands first: of the options, nobody needs one to begin."""
        self.format_commands(ctx, formatter)
        records = [record for each in self.get_params(ctx) if (record := each.get_help_record(ctx)) is not None]
        _write_list(formatter, OPTIONS, records)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command with the first sentence of its help."""
        listed = {name: command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))}
        named = {name for names in GROUPS.values() for name in names}
        for title, names in GROUPS.items():
            chosen = [name for name in listed if name not in named] if title == OTHERS else names
            rows = [(name, summary(listed[name].help)) for name in chosen if name in listed and not listed[name].hidden]
            _write_list(formatter, title, rows)


def summary(text: str | None) -> str:
    r"""The first paragraph of a command's help, without its full stop.

    Examples
    --------
    >>> summary("Label the items.\n\nAnd more.")
    'Label the items'
    """
    return " ".join((text or "").split("\n\n")[0].split()).removesuffix(".")


def _section(name: str | None) -> tuple[str, int]:
    """The section of an option, and its place in it; those of a command's own stay in the order they are written."""
    return next(((title, names.index(name)) for title, names in SECTIONS.items() if name in names), (OPTIONS, 0))


def _name(argument: Any) -> str:
    return (argument.metavar or str(argument.name)).upper()


def _as_argument(parameter: Any, record: tuple[str, str]) -> tuple[str, str]:
    choices = _TYPE.search(record[0])
    text = _with_choices(record[1], choices["kind"].split("|")) if choices and "|" in choices["kind"] else record[1]
    return _name(parameter), re.sub(r"\s*\[required\]$", "", text)


def _as_option(record: tuple[str, str]) -> tuple[str, str]:
    """The names of an option with what stands for its value, and its help with the choices if they are many.

    Examples
    --------
    >>> _as_option(("-o, --output <path>", "Labels.")), _as_option(("--shape <table|crowd-kit|snorkel>", "Columns."))
    (('-o, --output FILE', 'Labels.'), ('--shape NAME', 'Columns. One of table, crowd-kit, snorkel.'))
    """
    names, text = record
    kind = _TYPE.search(names)
    if kind is None:
        return names, text
    before, choices = names[: kind.start()], kind["kind"].split("|")
    if len(choices) == 1:
        option = before.split()[-1]
        return f"{before}{_BY_OPTION.get(option) or _BY_TYPE.get(kind['kind'].lower(), 'VALUE')}", text
    if len(before) + len(kind["kind"]) <= _LONGEST:
        return f"{before}{kind['kind']}", text
    return f"{before}NAME", _with_choices(text, choices)


def _with_choices(text: str, choices: Sequence[str]) -> str:
    default = _DEFAULT.search(text)
    end = len(text) if default is None else default.start()
    return f"{text[:end]} One of {', '.join(choices)}.{text[end:]}"


def _write_list(formatter: Any, title: str, rows: Iterable[tuple[str, str]]) -> None:
    rows = list(rows)
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
