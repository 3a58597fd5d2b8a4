"""The command line: parses, calls and turns errors into messages.

What computes is imported when a command runs, so that help is quick and an interrupt is always met by a message.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thumbwise import __version__
from thumbwise.cli.endings import heed_signals, reported, run_to_end
from thumbwise.cli.reading_options import DelimiterOption, EncodingOption, SheetOption, VotesArgument, reads_votes
from thumbwise.cli.standard_output import table_to
from thumbwise.io.roles import Roles

if TYPE_CHECKING:
    from thumbwise.assess.baselines import MethodChoice

app = typer.Typer(
    help="Certified labels from rules of thumb.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class ShapeChoice(StrEnum):
    """Columns of the output."""

    TABLE = "table"
    CROWD_KIT = "crowd-kit"
    SNORKEL = "snorkel"


class OnInfeasible(StrEnum):
    """What to do if the intervals contradict each other."""

    RAISE = "raise"
    WIDEN = "widen"


def main() -> None:
    """Entry point: a name that the terminal cannot show is escaped and never an error; signals end it tidily."""
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


_Confidence = Annotated[float, typer.Option(help="Probability that all intervals hold at once.")]
_OnInfeasible = Annotated[
    OnInfeasible, typer.Option(help="If the intervals contradict each other: stop, or widen them (no guarantee).")
]
_RequireGuarantee = Annotated[
    bool,
    typer.Option(
        "--require-guarantee", help="Write nothing and exit with 3 if there is no guarantee or it proves nothing."
    ),
]
_Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there already, whatever they are.")
]


@app.command()
@reads_votes
def label(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help='Who labels: a name that compare prints, or "auto" for the lowest cross-fitted log loss on gold; '
            "any gets a certificate. [default: Balsubramani-Freund]",
        ),
    ] = None,
    caution: Annotated[
        str | None,
        typer.Option(
            metavar="C",
            help="For Balsubramani-Freund: 1 plays the worst case, less aims at gold too; the bound holds for all. "
            "[default: auto, a bound at most 5 % above the best]",
        ),
    ] = None,
    reviewed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Items that people looked at, not at random: ids and a column label, empty where nobody did. They "
            "keep their label and are no gold.",
        ),
    ] = None,
    confidence: _Confidence = 0.95,
    on_infeasible: _OnInfeasible = OnInfeasible.RAISE,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Leave this rule out, its part of the error budget spent; repeat for more."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Labels and probabilities; - is standard output, as CSV.")
    ] = None,
    shape: Annotated[ShapeChoice, typer.Option(help="Columns of the output: ours, crowd-kit's or Snorkel's.")] = (
        ShapeChoice.TABLE
    ),
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="What is proved, as JSON; - prints it and nothing else.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory for data that stays in files: 4GB. [default: 80 % of the machine's]")
    ] = None,
    spill: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for what exceeds it. [default: the system's]")
    ] = None,
    overwrite: _Overwrite = False,
    require_guarantee: _RequireGuarantee = False,
) -> None:
    """Turn votes and gold labels into labels with a bound on their error."""
    with reported():
        from thumbwise.cli.label import FitChoices, label_files  # noqa: PLC0415
        from thumbwise.cli.methods import read_caution  # noqa: PLC0415
        from thumbwise.tables.databases import Limits  # noqa: PLC0415

        wanted = read_caution(caution)
        choices = FitChoices(confidence, on_infeasible.value, drop or (), require_guarantee, method, wanted)
        limits = Limits(memory, spill)
        run = partial(label_files, shape=shape.value, limits=limits)
        with table_to(output, json) as place:
            run(votes, gold, place, roles, choices, json=json, overwrite=overwrite, reviewed=reviewed)


@app.command()
def demo(
    write: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write votes.csv and gold.csv there.")] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Label a made-up case that needs no file, and compare with the truth."""
    with reported():
        from thumbwise.cli.demo import show_demo  # noqa: PLC0415

        show_demo(write, overwrite=overwrite)


@app.command()
@reads_votes
def plan(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    confidence: _Confidence = 0.95,
    target: Annotated[float | None, typer.Option(help="A bound on the mean log loss that is wanted.")] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Plan for the share of this class instead; see --within.")
    ] = None,
    within: Annotated[
        float | None, typer.Option(metavar="SHARE", help="With --rate: how near the share is wanted, such as 0.03.")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Plan for a guaranteed share of right labels instead: 0.9.")
    ] = None,
    precision: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Plan for labels that triage accepts at this precision.")
    ] = None,
    draw: Annotated[
        int | None, typer.Option(metavar="N", help="Draw N random items without a gold label, to be labeled next.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="With --draw: gold so far and the items drawn, to fill in.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="The plans, as JSON; - prints them and nothing else.")
    ] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Say what more gold labels would buy: loss, points, right or accepted labels; draw the items to be labeled."""
    with reported():
        from thumbwise.cli.plan import check_draw, plan_files  # noqa: PLC0415
        from thumbwise.cli.planned_rates import check_aims  # noqa: PLC0415

        aims = check_aims(target, rate, within, accuracy, precision)
        wanted = check_draw(votes, gold, draw, output, seed)
        plan_files(votes, gold, roles, confidence=confidence, aims=aims, draw=wanted, json=json, overwrite=overwrite)


class DrawnFormat(StrEnum):
    """What drawn items are written as."""

    TABLE = "table"
    LABEL_STUDIO = "label-studio"


@app.command()
def draw(
    items: Annotated[Path, typer.Argument(help="A row per item, no votes needed (.csv .tsv .parquet .jsonl).")],
    n: Annotated[int, typer.Option("-n", metavar="N", help="How many items to draw at random.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Table to fill in, or tasks for Label Studio (.json); a new file.")
    ],
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    item_id: Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, ...]")] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Columns to pass on, besides the ids. [default: all]")
    ] = None,
    format: Annotated[  # noqa: A002  # the name of the option
        DrawnFormat | None, typer.Option(help="What to write. [default: as the ending of the output says]")
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
) -> None:
    """Draw random items to be labeled by hand; filled in, the file is gold that says how it was drawn."""
    with reported():
        from thumbwise.cli.draw import draw_items  # noqa: PLC0415
        from thumbwise.cli.reading_options import fields_of  # noqa: PLC0415
        from thumbwise.tables.file_formats import FileFormat  # noqa: PLC0415

        passed_on = None if columns is None else fields_of(columns)
        is_studio = None if format is None else format is DrawnFormat.LABEL_STUDIO
        form = FileFormat(delimiter, encoding, sheet=sheet)
        with table_to(output) as place:
            draw_items(
                items, n, place or output, seed=seed, item_id=item_id, columns=passed_on, is_studio=is_studio, form=form
            )


@app.command()
@reads_votes
def compare(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    methods: Annotated[
        str, typer.Option(help='"default", "all", or names as the table shows them, separated by commas.')
    ] = "default",
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
) -> None:
    """Compare methods on gold labels that they have not seen, and say which differences are real."""
    with reported():
        from thumbwise.cli.compare import compare_files  # noqa: PLC0415

        compare_files(votes, gold, roles, methods=_method_choice(methods), confidence=confidence)


def _method_choice(text: str) -> MethodChoice:
    if text == "all":
        return "all"
    return "default" if text == "default" else [name.strip() for name in text.split(",") if name.strip()]


class MetricChoice(StrEnum):
    """What is certified."""

    ACCURACY = "accuracy"
    LOG_LOSS = "log_loss"
    BRIER = "brier"
    ALL = "all"


@app.command()
@reads_votes
def certify(
    predictions: Annotated[
        Path, typer.Argument(help="Ids and a column label or prediction, or a column p_<class> for each class.")
    ],
    votes: Annotated[Path, typer.Option(help="Votes: a row per item, a column per rule.")],
    gold: Path | None,
    roles: Roles,
    metric: Annotated[MetricChoice, typer.Option(help="Score to certify.")] = MetricChoice.ACCURACY,
    versus: Annotated[Path | None, typer.Option(help="Another model's predictions: certify the difference.")] = None,
    gold_unseen: Annotated[
        bool,
        typer.Option("--gold-unseen", help="The models have not seen the gold labels: use how right they are there."),
    ] = False,
    confidence: _Confidence = 0.95,
) -> None:
    """Guarantee a range for the score of any model's predictions."""
    with reported():
        from thumbwise.cli.certify import certify_files  # noqa: PLC0415

        certify_files(
            predictions,
            votes,
            gold,
            roles,
            metric=metric.value,
            versus=versus,
            gold_unseen=gold_unseen,
            confidence=confidence,
        )


@app.command()
@reads_votes
def check(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    confidence: _Confidence = 0.95,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on warnings too.")] = False,
    skip: Annotated[list[str] | None, typer.Option(help="Code that is not looked at; repeat for more.")] = None,
) -> None:
    """Look for what commonly goes wrong; exit with 1 if there are errors."""
    with reported():
        from thumbwise.cli.check import check_files  # noqa: PLC0415

        code = check_files(votes, gold, roles, confidence=confidence, strict=strict, skip=skip or ())
    raise typer.Exit(code)


class MethodOfRates(StrEnum):
    """How intervals for rates are made."""

    ASSISTED = "assisted"
    EXACT = "exact"
    ASYMPTOTIC = "asymptotic"


@app.command()
@reads_votes
def rate(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    of: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class whose share is wanted, such as pass.")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Column of groups, such as system.")] = None,
    versus: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Difference of two groups; without --by, of two columns of predictions."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of clusters that were drawn and labeled as a whole.")
    ] = None,
    values: Annotated[
        str | None, typer.Option(metavar="1,2,...", help="The mean of these labels instead of a share; or a=1,b=2.")
    ] = None,
    method: Annotated[
        MethodOfRates, typer.Option(help="Helped by the rules, from gold alone, or PPI++ (no guarantee).")
    ] = MethodOfRates.ASSISTED,
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Gold was drawn class by class, so many of each.")
    ] = False,
    confidence: Annotated[float, typer.Option(help="Probability that all intervals hold at once.")] = 0.95,
    looks: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Numbers of gold labels, planned before the first, at which to stop."),
    ] = None,
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Labeling could stop at any moment: intervals hold after every label.")
    ] = False,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Say what share of the items is of a class, and between which numbers that lies; by group, and the difference."""
    with reported():
        from thumbwise.cli.rate import RateChoices, rate_files, read_looks, read_values  # noqa: PLC0415
        from thumbwise.cli.reading_options import fields_of  # noqa: PLC0415

        pair = None if versus is None else fields_of(versus)
        numbers = None if values is None else read_values(fields_of(values))
        stops = read_looks(None if looks is None else fields_of(looks), anytime)
        choices = RateChoices(of, by, pair, cluster, numbers, method.value, by_class, confidence, stops)
        rate_files(votes, gold, roles, choices, json=json, overwrite=overwrite)


@app.command()
@reads_votes
def judges(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    of: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The class whose rates are wanted. [default: of two the second, else all]"),
    ] = None,
    cost: Annotated[
        list[str] | None, typer.Option(metavar="NAME=COST", help="What one vote of a judge costs; repeat for more.")
    ] = None,
    confidence: _Confidence = 0.95,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Table of the gold items on which judges are wrong.")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Say how far to trust each judge: agreement, rates, shared errors, costs, and where it is wrong."""
    with reported():
        from thumbwise.cli.judges import JudgeChoices, judge_files  # noqa: PLC0415

        choices = JudgeChoices(confidence, of, cost or ())
        with table_to(output, json) as place:
            judge_files(votes, gold, roles, choices, output=place, json=json, overwrite=overwrite)


@app.command()
@reads_votes
def triage(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    precision: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="Share of the accepted labels that must be right, such as 0.95; or CLASS=SHARE, repeated for more, "
            "where no other class is accepted.",
        ),
    ] = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="The same precision for each class, with a threshold of its own.")
    ] = False,
    recall: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS=SHARE",
            help="toxic=0.95: at most 5 % of the toxic items are accepted under another label; repeat for more.",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="N", help="Instead: people can look at N items; what is then guaranteed for everything."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COST",
            help="What one vote costs, for every judge: cheap ones are asked first, and an item stops at the first "
            "stage that is sure enough.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Probability that all targets are reached at once.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Which part of gold teaches; settle it before you look.")] = 0,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Labels that are accepted.")] = None,
    review: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Items to look at, the most useful first; label --reviewed takes it back."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of texts, for the review. [default: text, if ignored]")
    ] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="All that is found, as JSON; - prints it and nothing else.")
    ] = None,
    overwrite: _Overwrite = False,
    require_guarantee: _RequireGuarantee = False,
) -> None:
    """Accept the labels that are shown to be good enough, and list the items that people should look at."""
    with reported():
        from thumbwise.cli.triage import TriageChoices, TriageOutputs, triage_files  # noqa: PLC0415

        choices = TriageChoices(
            tuple(precision or ()),
            tuple(recall or ()),
            per_class,
            budget,
            confidence,
            seed,
            require_guarantee,
            cost or (),
        )
        with table_to(output, json) as place:
            triage_files(votes, gold, roles, choices, TriageOutputs(place, review, text, json, overwrite))


@app.command()
@reads_votes
def report(
    votes: VotesArgument,
    gold: Path | None,
    roles: Roles,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page, .html.")],
    confidence: _Confidence = 0.95,
    on_infeasible: _OnInfeasible = OnInfeasible.RAISE,
    title: Annotated[str | None, typer.Option(help="Title of the page. [default: the name of VOTES]")] = None,
    overwrite: _Overwrite = False,
) -> None:
    """Write one HTML page about what is proved, what each rule does and which items to look at."""
    with reported():
        from thumbwise.cli.label import FitChoices  # noqa: PLC0415
        from thumbwise.cli.report import report_files  # noqa: PLC0415

        choices = FitChoices(confidence, on_infeasible.value)
        report_files(votes, gold, output, roles, choices, title=title, overwrite=overwrite)


class DrawnHow(StrEnum):
    """How items are drawn to be labeled."""

    RANDOM = "random"
    STRATIFIED = "stratified"


@app.command()
def bench(
    items: Annotated[
        Path, typer.Argument(help="Items, a row each (.csv .tsv .parquet .jsonl), or a folder of texts or images.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The gold file, .jsonl; one that was begun is gone on with.")
    ],
    classes: Annotated[str | None, typer.Option(help="Names of the classes in order: a,b,c.")] = None,
    votes: Annotated[
        Path | None, typer.Option(help="Votes on the items; nobody sees them before an item is labeled.")
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Column to show, with its kind if need be (answer:markdown); repeat for more."
        ),
    ] = None,
    item_id: Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, ...]")] = None,
    n: Annotated[
        int | None, typer.Option("--n", "-n", help="How many labels, fixed at the start. [default: 100]")
    ] = None,
    looks: Annotated[
        str | None, typer.Option(metavar="50,100,...", help="Or: numbers of labels at which you may look and stop.")
    ] = None,
    anytime: Annotated[bool, typer.Option("--anytime", help="Or: look and stop whenever you like.")] = False,
    of: Annotated[str | None, typer.Option(metavar="CLASS", help="The class whose share is wanted.")] = None,
    goal: Annotated[
        str | None,
        typer.Option(metavar="GOAL", help="What it is for: within=0.05, or accepted=0.7,precision=0.95."),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Probability that what is shown holds. [default: 0.95]")
    ] = None,
    design: Annotated[
        DrawnHow | None, typer.Option(help="All items alike, or more where the votes disagree. [default: random]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draw. [default: a new one]")] = None,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who labels; can be changed on the page.")] = "",
    host: Annotated[
        str, typer.Option(help="Address to serve the page at; others than this machine's own are open to the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 for one that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
) -> None:
    """Open a page where items, drawn at random, are labeled by hand: gold for every other command."""
    with reported():
        from thumbwise.cli.bench import Serving, as_asked, bench_files  # noqa: PLC0415
        from thumbwise.tables.file_formats import FileFormat  # noqa: PLC0415

        drawn = None if design is None else design.value
        asked = as_asked(
            classes, n, looks, anytime=anytime, of=of, goal=goal, confidence=confidence, design=drawn, seed=seed
        )
        bench_files(
            items,
            output,
            votes,
            asked,
            Serving(host, port, not no_browser, by),
            item_id=item_id,
            show=show or (),
            form=FileFormat(delimiter, encoding, sheet=sheet),
        )


class Reproduced(StrEnum):
    """What of the paper is reproduced."""

    TABLES = "tables"
    FIGURES = "figures"
    ALL = "all"


@app.command()
def reproduce(
    what: Annotated[Reproduced, typer.Argument(help="The result tables, the figures, or both.")],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with the paper's datasets. [default: THUMBWISE_DATA, or the cache]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where to write. [default: reproduced, or reproduced-quick]"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Three datasets, three runs: under a minute.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="How many fits to run at a time.")] = 2,
) -> None:
    """Run the paper's experiments beside its own numbers; go on where an interrupted run was."""
    with reported():
        from thumbwise.cli.reproduce import reproduce as reproduce_paper  # noqa: PLC0415

        reproduce_paper(what.value, data, output, quick=quick, processes=processes)
