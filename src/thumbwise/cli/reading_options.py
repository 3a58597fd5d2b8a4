"""The options that say how votes and gold are read: written once, given to every command that reads them."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from thumbwise.cli.signatures import take_parameters
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.roles import LAYOUTS, Roles
from thumbwise.io.tag_roles import TagRoles, check_listed
from thumbwise.tables.file_formats import KIND_ENDINGS
from thumbwise.votes.reading.score_cells import SCORES_ARE

LayoutChoice = StrEnum("LayoutChoice", {name.upper().replace("-", "_"): name for name in LAYOUTS})  # type: ignore[misc]
DuplicateChoice = StrEnum("DuplicateChoice", {"RAISE": "raise", "FIRST": "first", "LAST": "last"})
ScoresAreChoice = StrEnum(  # type: ignore[misc]
    "ScoresAreChoice", {name.upper().replace("-", "_"): name for name in SCORES_ARE}
)
NullVerdictChoice = StrEnum("NullVerdictChoice", {"ABSTAINED": "abstained", "FAILED": "failed"})

FormatChoice = StrEnum("FormatChoice", {name.upper(): name for name in KIND_ENDINGS})  # type: ignore[misc]
DelimiterOption = Annotated[
    str | None, typer.Option(metavar="SIGN", help="What separates fields of CSV: ';', tab. [default: as it shows]")
]
EncodingOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of text: windows-1252, ... [default: as it shows]")
]
SheetOption = Annotated[str | None, typer.Option(metavar="NAME", help="Sheet of a workbook. [default: the first]")]
EmptyMeansChoice = StrEnum("EmptyMeansChoice", {"NO_TAGS": "no-tags", "ABSTAINED": "abstained"})
GoldEmptyMeansChoice = StrEnum("GoldEmptyMeansChoice", {"NO_TAGS": "no-tags", "UNKNOWN": "unknown"})
_ABOUT_TAGS = ("tags", "separator", "no_tags", "empty_means", "gold_empty_means")
# Stands for all tags that occur.
_AUTO = "auto"

VotesArgument = Annotated[
    Path,
    typer.Argument(
        help="Votes: a row per item and a column per rule, or a row per vote (.csv .tsv .parquet .jsonl .xlsx; "
        ".gz .zst; - is standard input); an export of promptfoo, Inspect, Langfuse, Label Studio, MLflow or Prodigy; a "
        "folder of Hugging Face datasets or WRENCH; a .mat file."
    ),
]


def _options(  # never called: its signature is what typer reads
    gold: Annotated[Path | None, typer.Option(help="File of ids and labels of items whose class is known.")] = None,
    gold_column: Annotated[
        str | None, typer.Option(help="Column of VOTES that holds gold labels, empty where unknown.")
    ] = None,
    gold_id: Annotated[str | None, typer.Option(help="Column of ids in the gold file. [default: as in VOTES]")] = None,
    gold_label: Annotated[
        str | None, typer.Option(help="Column of labels in the gold file. [default: the other one]")
    ] = None,
    layout: Annotated[
        LayoutChoice | None, typer.Option(help="How VOTES is laid out. [default: as its names tell]")
    ] = None,
    item_id: Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, task, ...]")] = None,
    rule: Annotated[
        str | None, typer.Option(help="Column of who voted, in a table with a row per vote. [default: worker, ...]")
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Column of votes, in a table with a row per vote. [default: label]")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column that is no rule, passed on to the output; repeat for more.")
    ] = None,
    classes: Annotated[str | None, typer.Option(help="Names of the classes in order: a,b,c.")] = None,
    codes: Annotated[
        str | None,
        typer.Option(help='Class of each value, nothing for abstain: "1=yes,-1=no,0=" (as FlyingSquid codes votes).'),
    ] = None,
    abstain: Annotated[str | None, typer.Option(help="Value that means abstain, besides empty (and -1).")] = None,
    duplicates: Annotated[
        DuplicateChoice, typer.Option(help="If a rule votes on an item twice: an error, the first or the last vote.")
    ] = DuplicateChoice.RAISE,
    null_verdict: Annotated[
        NullVerdictChoice | None, typer.Option(help="What a judge's empty verdict means if the record does not say.")
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Columns are ratings or other scores; high ones speak for this class."),
    ] = None,
    scores_are: Annotated[
        ScoresAreChoice | None, typer.Option(help="What kind of scores they are. [default: ratings, with --scores]")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Rating from which on a verdict is for CLASS. [default: each judge's middle]")
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    decimal: Annotated[
        str | None, typer.Option(metavar="SIGN", help="Decimal sign of CSV. [default: a comma only in files with ;]")
    ] = None,
    sheet: SheetOption = None,
    file_format: Annotated[
        FormatChoice | None,
        typer.Option("--format", help="What VOTES is, if its ending does not say; for - (standard input)."),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of VOTES with strata, if gold was drawn at random within each."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of VOTES with weights, if each item became gold on its own, with chance 1 / weight.",
        ),
    ] = None,
    max_weight: Annotated[
        float | None,
        typer.Option(metavar="W", help="Largest weight that any item could have had. [default: that of the column]"),
    ] = None,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="Classes are steps of a scale: numbers in order, or words in --classes.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of clusters that were drawn and labeled as a whole.")
    ] = None,
    tags: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Cells hold several tags: ask yes or no about each of these; auto: all that occur."
        ),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(metavar="SIGN", help="What separates tags. [default: the one of | ; , that occurs]")
    ] = None,
    no_tags: Annotated[str | None, typer.Option(metavar="VALUE", help="A cell that means: none of the tags.")] = None,
    empty_means: Annotated[
        EmptyMeansChoice | None, typer.Option(help="With --tags: what an empty cell of the votes means.")
    ] = None,
    gold_empty_means: Annotated[
        GoldEmptyMeansChoice | None, typer.Option(help="With --tags: what an empty gold label means.")
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME", help="Rows are comparisons: the columns of both systems. [default: model_a,...]"
        ),
    ] = None,
    gold_majority: Annotated[
        bool,
        typer.Option(
            "--gold-majority", help="Of comparisons: gold is what most people say, a tie if no side has most."
        ),
    ] = False,
) -> None:
    """What :func:`reads_votes` adds to a command."""


# Names of all these options, as Python has them.
NAMES = tuple(inspect.signature(_options).parameters)


# What a saved model knows itself, or has no use for.
_OF_GOLD = ("gold", "gold_column", "gold_id", "gold_label", "classes", "strata", "weights", "max_weight")


def reads_votes(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes ``gold`` and ``roles`` as one that takes the reading options in their place."""
    return _with_options(command, inspect.signature(_options, eval_str=True).parameters)


def reads_new_votes(command: Callable[..., None]) -> Callable[..., None]:
    """The same for votes that a saved model is to label: without gold, which ``command`` does not take, and classes."""
    options = inspect.signature(_options, eval_str=True).parameters
    return _with_options(command, {name: options[name] for name in options if name not in _OF_GOLD})


def _with_options(command: Callable[..., None], options: Mapping[str, inspect.Parameter]) -> Callable[..., None]:
    own = inspect.signature(command).parameters
    annotations = inspect.get_annotations(command, eval_str=True)
    before = [own[name].replace(annotation=annotations[name]) for name in own if name not in ("gold", "roles")]
    required = [parameter for parameter in before if parameter.default is inspect.Parameter.empty]
    optional = [parameter for parameter in before if parameter.default is not inspect.Parameter.empty]

    @wraps(command)
    def wrapper(**given: Any) -> None:
        options_given = {name: given.pop(name) for name in options}
        gold = {"gold": options_given.pop("gold")} if "gold" in options_given else {}
        command(**given, **gold, roles=_as_roles(**options_given))

    take_parameters(wrapper, [*required, *options.values(), *optional])
    return wrapper


def _as_roles(**given: Any) -> Roles:
    classes, codes, ignore = given.pop("classes", None), given.pop("codes"), given.pop("ignore")
    about_tags = {name: given.pop(name) for name in _ABOUT_TAGS}
    systems = given.pop("systems")
    plain: dict[str, Any] = {name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items()}
    return Roles(
        **plain,
        ignore=tuple(ignore or ()),
        class_names=None if classes is None else fields_of(classes),
        codes=None if codes is None else dict(_code(field) for field in fields_of(codes)),
        tags=_as_tags(**about_tags),
        systems=None if systems is None else fields_of(systems),
    )


def _as_tags(tags: str | None, **given: Any) -> TagRoles | None:
    """What is said about tags; None if nothing is."""
    if tags is None and all(value is None for value in given.values()):
        return None
    names = None if tags in (None, _AUTO) else check_listed(fields_of(tags))
    plain: dict[str, Any] = {name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items()}
    return TagRoles(names, **plain)


def fields_of(text: str) -> list[str]:
    """What commas separate; a field in quotes may hold one."""
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise InvalidChoiceError(
            f"a list must be written in one line, with commas between its parts; found {text[:60]!r}, which has a line "
            "break or is too long. A part that holds one is written in double quotes."
        ) from None


def _code(field: str) -> tuple[str, str | None]:
    value, sign, name = field.partition("=")
    if not sign:
        raise InvalidChoiceError(
            f'codes must be a list of VALUE=CLASS, with nothing after = for abstain, such as "1=yes,-1=no,0="; found '
            f"{field!r} without =."
        )
    return value, name or None
