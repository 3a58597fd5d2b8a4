"""thumbwise rate: the share of a class, or a mean, with an interval that holds; by group, and between groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from thumbwise.assess.win_rates import win_rate
from thumbwise.box.designs import ByClass
from thumbwise.box.stopping import ANYTIME, Looks
from thumbwise.cli.console import print_table, print_understood, progress, stdout, visible
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.progress import while_reading
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled
from thumbwise.io.sources import lacks_gold
from thumbwise.rates.asking import rate
from thumbwise.rates.intervals import Method
from thumbwise.rates.results import HEADERS, Rates, table_row
from thumbwise.tables.databases import database

_GUARANTEED = "lower, upper: between these the truth on these items lies, guaranteed"
_NOT_GUARANTEED = "lower, upper: ends of intervals for which there is no guarantee, as is said below"
_ASYMPTOTIC = "*asymptotic: PPI++, which other tools print; it holds in the limit of many labels, and is no guarantee"
_POINTS = "differences are in points: +2.3 is 2.3 % of the items"


@dataclass(frozen=True)
class RateChoices:
    """What the options ask for.

    Attributes
    ----------
    of : str or None
        Class whose share is wanted.
    by : str or None
        Column of groups.
    versus : sequence of str or None
        Two groups, or two columns of predictions.
    values : mapping of str to float or None
        Number of each class, if a mean is wanted.
    method : str
    by_class : bool
        Whether gold was drawn class by class.
    confidence : float
    looks : sequence of int, "anytime" or None
        When labeling could stop.
    system : str or None
        The system whose win rate is wanted, if votes are comparisons.
    """

    of: str | None = None
    by: str | None = None
    versus: Sequence[str] | None = None
    values: Mapping[str, float] | None = None
    method: Method = "assisted"
    by_class: bool = False
    confidence: float = 0.95
    looks: Looks = None
    system: str | None = None


def read_looks(fields: Sequence[str] | None, anytime: bool) -> Looks:
    """When labeling could stop: at numbers of labels, or at any moment.

    Examples
    --------
    >>> read_looks(["50", "100"], False), read_looks(["anytime"], False), read_looks(None, True)
    ([50, 100], 'anytime', 'anytime')
    """
    if anytime and fields not in (None, [ANYTIME]):
        raise InvalidChoiceError(
            "labeling stops by one rule: at planned looks or at any moment; found both, ",
            Argument("looks"),
            " and --anytime. Drop one of them.",
        )
    if anytime or fields == [ANYTIME]:
        return ANYTIME
    if fields is None:
        return None
    if not all(field.strip().isdecimal() for field in fields):
        raise InvalidChoiceError(
            Argument("looks"),
            f' must be numbers of gold labels, such as "50,100,150,200", or "anytime"; found {",".join(fields)!r}.',
        )
    return [int(field) for field in fields]


def read_values(fields: Sequence[str]) -> dict[str, float]:
    """The number of each class: as it is, or behind its name.

    Examples
    --------
    >>> read_values(["1", "2"]), read_values(["poor=1", "good=2.5"])
    ({'1': 1.0, '2': 2.0}, {'poor': 1.0, 'good': 2.5})
    """
    return dict(_value(field) for field in fields)


def _value(field: str) -> tuple[str, float]:
    name, sign, number = field.rpartition("=")
    try:
        return (name if sign else number), float(number)
    except ValueError:
        raise InvalidChoiceError(
            '--values must be numbers, or classes with a number each, such as "1,2,3,4,5" or "poor=1,good=2"; found '
            f"{field!r}."
        ) from None


def rate_files(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    choices: RateChoices,
    *,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Read votes and gold, write what is to be written, and print what was found; or JSON on stdout, and no more."""
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    if lacks_gold(votes, gold, roles):
        raise no_gold()
    roles = _with_columns(roles, choices)
    stays = are_many(votes, roles) or is_large(votes, roles)
    with database() if stays else nullcontext() as home:
        with while_reading(home):
            reading = read_sampled(votes, gold, roles, home=home, stays=stays)
        with progress("bounding"):
            reported = ask(reading, choices)
    if json is not None:
        write_json(reported.as_dict(), json, overwrite)
    if not is_stdout(json):
        _print(str(votes), reading, roles.abstain, reported, json)


def _with_columns(roles: Roles, choices: RateChoices) -> Roles:
    """Columns of groups are no rules, and classes with numbers are the classes there are."""
    if choices.system is not None:
        return roles
    taken = {roles.cluster, *roles.ignore}
    named = [] if choices.by is None or choices.by in taken else [choices.by]
    names = roles.class_names
    if names is None and choices.values is not None:
        names = list(choices.values)
    return replace(roles, ignore=(*roles.ignore, *named), class_names=names)


def ask(reading: Reading, choices: RateChoices) -> Rates:
    """What the options ask for, of what was read."""
    if not len(reading.gold_labels):
        raise no_gold()
    if choices.system is not None:
        return _ask_wins(reading, choices)
    return rate(
        reading,
        of=choices.of,
        by=choices.by,
        versus=choices.versus,
        values=choices.values,
        method=choices.method,
        gold_is=ByClass({}) if choices.by_class else None,
        confidence_level=choices.confidence,
        looks=choices.looks,
    )


def _ask_wins(reading: Reading, choices: RateChoices) -> Rates:
    """How often a system wins; other options that say what is counted have no place beside it."""
    given = {"--of": choices.of, "--versus": choices.versus, "--values": choices.values, "--by-class": choices.by_class}
    for option, value in given.items():
        if value:
            raise InvalidChoiceError(
                f"--system asks for a win rate: a win counts 1, a tie 1/2, a loss 0; found {option} besides. Drop one."
            )
    return win_rate(
        reading,
        system=choices.system or "",
        by=choices.by,  # type: ignore[arg-type]  # it is looked at there
        method=choices.method,
        confidence_level=choices.confidence,
        looks=choices.looks,
    )


def _print(source: str, reading: Reading, abstain: str | None, reported: Rates, json: str | None) -> None:
    console = stdout()
    print_understood(console, source, reading, abstain)
    console.print()
    if len(reported) > 1 or reported.rows[0].asymptotic is not None:
        _print_table(console, reported)
    for sentence in reported.sentences:
        console.print(Text(visible(sentence), style="bold"))
    for remark in reported.remarks:
        console.print(Text(visible(remark)))
    if json is not None:
        console.print(Text(f"written: {visible(json)}"))


def _print_table(console: Console, reported: Rates) -> None:
    print_table(console, "Rates", HEADERS, [table_row(row) for row in reported])
    has_points = any(row.kind == "difference" and row.unit.is_share for row in reported)
    ends = _GUARANTEED if reported.is_guarantee else _NOT_GUARANTEED
    for line in (ends, _ASYMPTOTIC, *([_POINTS] if has_points else [])):
        console.print(Text(line))
    console.print()
