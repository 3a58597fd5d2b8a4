"""thumbwise bench: draw items, serve a page where they are labeled, and keep every answer."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from thumbwise.bench.beginning import Asked
from thumbwise.bench.desk import Desk
from thumbwise.bench.guard import Address
from thumbwise.bench.items import Items
from thumbwise.bench.journal import Journal
from thumbwise.bench.opening import open_bench
from thumbwise.bench.running import serving, wait_for_the_end
from thumbwise.bench.server import load_server
from thumbwise.bench.turns import last_place
from thumbwise.cli.console import asked as loud
from thumbwise.cli.console import remarks, stdout, visible
from thumbwise.cli.progress import while_reading
from thumbwise.cli.reading_options import fields_of
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.gold_lines import Goal, Header
from thumbwise.summaries import plural
from thumbwise.tables.collisions import check_apart
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.given_paths import real_place


@dataclass(frozen=True)
class Serving:
    """Where the page is served, whether it is opened, and who labels."""

    host: str = "127.0.0.1"
    port: int = 0
    opens: bool = True
    by: str = ""


def as_asked(
    classes: str | None,
    n: int | None,
    looks: str | None,
    *,
    anytime: bool,
    of: str | None,
    goal: str | None,
    confidence: float | None,
    design: str | None,
    seed: int | None,
) -> Asked:
    """What the options ask for."""
    if confidence is not None and not 0 < confidence < 1:
        raise InvalidChoiceError(f"--confidence must lie between 0 and 1; found {confidence}.")
    return Asked(
        None if classes is None else [name.strip() for name in fields_of(classes)],
        n,
        None if looks is None else _numbers(looks),
        anytime,
        of,
        None if goal is None else as_goal(goal),
        confidence,
        design,
        seed,
    )


def _numbers(text: str) -> list[int]:
    try:
        return [int(field) for field in fields_of(text)]
    except ValueError:
        raise InvalidChoiceError(f"--looks must be whole numbers, such as 50,100,150,200; found {text!r}.") from None


def as_goal(text: str) -> Goal:
    """A goal as it is typed.

    Examples
    --------
    >>> as_goal("within=0.05")
    Goal(kind='rate', within=0.05, share=None, precision=None)
    >>> as_goal("accepted=0.7,precision=0.95")
    Goal(kind='accepted', within=None, share=0.7, precision=0.95)
    """
    try:
        numbers = {name.strip(): float(number) for name, _, number in (f.partition("=") for f in fields_of(text))}
        if numbers.keys() == {"within"} and 0 < numbers["within"] < 1:
            return Goal("rate", within=numbers["within"])
        if numbers.keys() == {"accepted", "precision"} and all(0 < number <= 1 for number in numbers.values()):
            return Goal("accepted", share=numbers["accepted"], precision=numbers["precision"])
    except ValueError:
        pass
    raise InvalidChoiceError(
        "--goal must be within=SHARE (stop when the rate is known to that), or accepted=SHARE,precision=SHARE (stop "
        f"when so many labels can be accepted), with shares between 0 and 1, such as within=0.05; found {text!r}."
    )


def bench_files(
    items: Path,
    output: Path,
    votes: Path | None,
    asked: Asked,
    wanted: Serving,
    *,
    item_id: str | None = None,
    show: Sequence[str] = (),
    form: FileFormat = PLAIN,
) -> None:
    """Begin or go on with a gold file, serve the page until Ctrl-C, and say what was done."""
    load_server()  # what is missing is said before anything is read
    check_apart(real_place(output), [votes, None if items.is_dir() else items], shown=output)
    with while_reading():
        desk = open_bench(items, output, asked, votes=votes, item_id=item_id, show=show, by=wanted.by, form=form)
    _serve(desk, wanted)


def _serve(desk: Desk, wanted: Serving) -> None:
    console, begun, n_before = stdout(), time.monotonic(), len(desk.settled.gold)
    with serving(desk, host=wanted.host, port=wanted.port) as address:
        _print_beginning(console, desk.items, desk.journal, address)
        wait_for_the_end(lambda: _open(console if wanted.opens else loud(), address, opens=wanted.opens))
    _print_end(console, desk, len(desk.settled.gold) - n_before, time.monotonic() - begun)


def _open(console: Console, address: Address, *, opens: bool) -> None:
    console.print(f"label at {address.url}  (Ctrl-C ends; nothing is lost)")
    if opens:
        webbrowser.open(address.url)


def _print_beginning(console: Console, items: Items, journal: Journal, address: Address) -> None:
    header = journal.header
    shown = ", ".join(visible(name) for name in items.names[:10])
    console.print(Text(f"{visible(items.path)}: {plural(len(items), 'item')}, shown: {shown}"))
    for note in items.notes:
        console.print(Text(visible(note)))
    if journal.n_set_aside:
        console.print(Text(f"a half-written line was set aside: {visible(journal.path.name)}.torn"))
    console.print(Text(f"{visible(journal.path)}: {_rule(header)}"))
    if not address.is_local:
        remarks().print(
            f"warning: {visible(address.host)} can be reached over the network; whoever has the address can read the "
            "items and answer, and nothing is encrypted"
        )


def _rule(header: Header) -> str:
    """The draw and the stopping rule, in words."""
    stopping, last = header.stopping, last_place(header)
    ends = {
        "fixed": f"{last:,} of them are to be labeled",
        "looks": f"looks at {', '.join(map(str, stopping.looks or ()))} labels",
        "anytime": "you may stop at any moment",
    }
    strata = ", ".join(f"{s.n:,} of {s.size:,} {visible(s.name)}" for s in header.design.strata)
    drawn = f"a random order of {plural(header.items.n, 'item')} (seed {header.design.seed})"
    return f"{drawn}{f' within strata ({strata})' if strata else ''}; {ends[stopping.rule]}"


def _print_end(console: Console, desk: Desk, n_new: int, seconds: float) -> None:
    path = visible(desk.journal.path)
    n = len(desk.settled.gold)
    minutes = f" in {seconds / 60:.0f} min" if seconds >= 60 else ""
    console.print(
        Text(
            f"{plural(n_new, 'new label')}{minutes}, {n:,} in all, in {path}; the same command goes on, and "
            f"--gold {path} uses them"
        )
    )
