"""What the command line prints: results on stdout, progress and errors on stderr, every name as plain text."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from rich import box as borders
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from thumbwise.outward import at_least, at_most

if TYPE_CHECKING:
    from thumbwise.certificate import Certificate
    from thumbwise.displays.tidy import Tidy
    from thumbwise.gold_checks.label_fit import LabelFit
    from thumbwise.io.jury import Jury
    from thumbwise.io.readings import Reading
    from thumbwise.overview import MomentRow, Overruled

# Where nobody looks at a screen, nothing is cut or wrapped.
_WIDE = 1_000_000
_SHOWN_GROUPS = 5
# Letters of a rule's name that a table should have room for in a line, and how wide its other columns are.
_LONG_NAME, _OTHER_COLUMNS = 40, 56

_REASONS = {
    "gold": "gold says that these rules are mostly wrong (gold)",
    "classes": "the class weights outweigh these rules (classes)",
}

# The core speaks to people who write Python; the same things have other names on the command line.
_OPTIONS = {
    "item_id": "--id",
    "class_names": "--classes",
    "confidence_level": "--confidence",
    "on_infeasible": "--on-infeasible",
    **{
        name: f"--{name.replace('_', '-')}" for name in ("gold", "gold_column", "gold_id", "gold_label", "null_verdict")
    },
    **{name: f"--{name}" for name in ("rule", "label", "layout", "ignore", "codes", "abstain", "duplicates")},
}
_VALUES = {"class_names": "NAME,NAME,...", "abstain": "VALUE", "codes": "VALUE=NAME,...", "gold": "FILE"}
# Names of columns and classes are quoted, and stay as they are.
_UNQUOTED = r"(?<!['\"\w.-])"
_SENTENCES = (
    (r"n_classes=\.\.\. or (?=class_names=)", ""),
    (r"raise n_classes \(or list them in class_names\)", "list them with class_names=[...]"),
    (r"declare n_classes=\d+", "list the classes with class_names=[...]"),
    (r"n_classes=(\d+)", r"\1"),
    (r"(class_names=\[\.\.\.\]) to Votes", r"\1"),
    (r"name it as item_id, or list the rules in rules=\[\.\.\.\]", "name it with item_id=NAME or ignore=[NAME]"),
    (r"leave it out of rules", "say ignore=[NAME]"),
    (r"Raise max_patterns if they fit, or use", "Use"),
    (r"\btol=", "the tolerance "),
    (r"\bpass overwrite=True", "say --overwrite"),
    (r'on_infeasible="widen" of BalsubramaniFreund', 'thumbwise label on_infeasible="widen"'),
    (r"at the weights in \.weights, ", ""),
)


def stdout() -> Console:
    """For results."""
    return _console(is_error=False)


def stderr() -> Console:
    """For progress and errors."""
    return _console(is_error=True)


def _console(*, is_error: bool) -> Console:
    stream = sys.stderr if is_error else sys.stdout
    width = None if stream.isatty() else _WIDE
    return Console(stderr=is_error, width=width, markup=False, highlight=False, emoji=False)


def progress(what: str) -> AbstractContextManager[object]:
    """A spinner while something runs, if somebody looks."""
    console = stderr()
    return console.status(Text(what)) if console.is_terminal else nullcontext()


def visible(text: object) -> str:
    """Text with control characters, and others that do not show, written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in str(text))


def in_command_words(message: str) -> str:
    """An error of the core with the options of the command line in place of Python's arguments."""
    for python, command in _SENTENCES:
        message = re.sub(python, command, message)
    message = re.sub(rf"{_UNQUOTED}(class_names|ignore)=(\[[^\]]*\])", _list_words, message)
    message = re.sub(rf"{_UNQUOTED}codes=\{{([^}}]*)\}}", _code_words, message)
    argument = rf"{_UNQUOTED}({'|'.join(_OPTIONS)})="
    message = re.sub(argument + r"\.\.\.", lambda found: _option(found[1], _VALUES.get(found[1], "NAME")), message)
    message = re.sub(argument + r"[\"']([\w-]+)[\"']", lambda found: _option(found[1], found[2]), message)
    message = re.sub(argument, lambda found: _option(found[1], ""), message)
    clear = "|".join(name for name in _OPTIONS if "_" in name)
    return re.sub(rf"{_UNQUOTED}({clear})(?!['\"\w])", lambda found: _OPTIONS[found[1]], message)


def _option(argument: str, value: str) -> str:
    return f"{_OPTIONS[argument]} {value}"


def _list_words(found: re.Match[str]) -> str:
    """A list of names as it is typed: one option each for columns, one with commas for classes."""
    try:
        names = [str(name) for name in ast.literal_eval(found[2].replace("...", "NAME"))]
    except (ValueError, SyntaxError):  # [NAME], [...], [1,2,...]
        return _option(found[1], _VALUES[found[1]] if found[2] == "[...]" else found[2][1:-1])
    if found[1] == "ignore":
        return " ".join(_option("ignore", shlex.quote(name)) for name in names)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return _option("class_names", shlex.quote(line.getvalue()))


def _code_words(found: re.Match[str]) -> str:
    """``-1: NAME, 0: None`` as it is typed: ``'-1=NAME,0='``."""
    pairs = (pair.partition(":") for pair in found[1].split(","))
    return _option("codes", "'" + ",".join(f"{k.strip()}={v.strip().replace('None', '')}" for k, _, v in pairs) + "'")


def plural(n: int, word: str) -> str:
    """1 item, 2 items, 2 classes."""
    ending = "" if n == 1 else "es" if word.endswith("s") else "s"
    return f"{n:,} {word}{ending}"


def print_understood(console: Console, source: str, reading: Reading, abstain: str | None = None) -> None:
    """What the input was taken for."""
    votes = reading.votes
    shown = ", ".join(visible(name) for name in votes.class_names[:20]) + (", ..." if votes.n_classes > 20 else "")
    marks = ["empty", *(["-1"] if all(isinstance(name, int) for name in votes.class_names) else [])]
    marks += [] if abstain in (None, *marks) else [repr(abstain)]
    said = votes.patterns.votes_per_rule.sum() / max(1, votes.n_items * votes.n_rules)
    silent = f"{1 - said:.1%}".replace("%", " %")
    sizes = [plural(votes.n_items, "item"), plural(votes.n_rules, "rule"), plural(votes.n_classes, "class")]
    _say(console, f"{visible(source)}: {', '.join(sizes)} ({shown})")
    _say(console, f"votes: {' or '.join(marks)} = abstain ({silent} of votes)")
    for note in reading.notes:
        _say(console, visible(note))
    taken = "a random sample of all items" if reading.separate is None else "a random sample of items of the same kind"
    _say(console, f"gold: {plural(len(reading.gold_labels), 'item')} with a known class, taken as {taken}")
    if reading.jury is not None:
        print_judges(console, reading.jury)


def print_dropped(console: Console, rules: Sequence[str]) -> None:
    """Which rules count for nothing, and what that costs."""
    if rules:
        names = ", ".join(visible(repr(name)) for name in dict.fromkeys(rules))
        _say(console, f"left out: {names}; their parts of the error budget stay spent, as gold was there already")


def print_judges(console: Console, jury: Jury) -> None:
    """What each judge did with what it was asked."""
    grid = _grid("Judges", ["judge", "voted", "abstained", "failed", "not asked"])
    for judge in jury.judges:
        counts = (judge.n_voted, judge.n_abstained, judge.n_failed, judge.n_not_asked)
        grid.add_row(*map(_cell, [judge.name, *(f"{n:,}" for n in counts)]))
    console.print(grid)


def print_rules(console: Console, rows: Sequence[MomentRow], class_names: Sequence[object]) -> None:
    """The table of rules; votes by class where there is room for them."""
    by_class = len(class_names) <= 10 and _has_room(console, rows, class_names)
    classes = [f"votes\n{visible(name)}" for name in class_names] if by_class else ["votes"]
    headers = [
        "rule",
        "cover-\nage",
        *classes,
        "gold\nvotes",
        "gold\nright",
        "lower\nbound",
        "upper\nbound",
        "weight",
        "active\nbound",
    ]
    grid = _grid("Rules", headers)
    for row in rows:
        votes = row.votes_per_class if by_class else (sum(row.votes_per_class),)
        grid.add_row(*map(_cell, [row.name, f"{row.coverage:.3f}", *(f"{n:,}" for n in votes), *_moment_cells(row)]))
    console.print(grid)


def _has_room(console: Console, rows: Sequence[MomentRow], class_names: Sequence[object]) -> bool:
    """Whether a column of votes for each class leaves enough for the names of the rules."""
    names = min(_LONG_NAME, max((len(row.name) for row in rows), default=0))
    return names + _OTHER_COLUMNS + sum(2 + max(7, len(str(name))) for name in class_names) <= console.width


def print_classes(console: Console, rows: Sequence[MomentRow]) -> None:
    """The table of classes."""
    grid = _grid(
        "Classes",
        [
            "class",
            "share\nof votes",
            "gold\nitems",
            "gold\nshare",
            "lower\nbound",
            "upper\nbound",
            "weight",
            "active\nbound",
        ],
    )
    for row in rows:
        grid.add_row(*map(_cell, [row.name, f"{row.coverage:.3f}", *_moment_cells(row)]))
    console.print(grid)
    _say(
        console,
        "weight: log-odds that one vote adds to its class; active bound: the end of the interval that decides it",
    )


def print_labels(console: Console, table: Tidy) -> None:
    """How many items get each class, beside gold; a warning for a class that no item gets."""
    grid = _grid("Labels", ["class", "items\nwithout gold", "their\nshare", "gold\nitems", "gold\nshare"])
    for row in table.rows():
        shares = ["-" if row[name] is None else f"{row[name]:.3f}" for name in ("labeled_share", "gold_share")]
        cells = [str(row["class"]), f"{row['n_labeled']:,}", shares[0], f"{row['n_gold']:,}", shares[1]]
        grid.add_row(*map(_cell, cells))
    console.print(grid)
    if table.facts["never"]:
        names = ", ".join(visible(repr(str(name))) for name in table.facts["never"])
        n_items = plural(table.facts["n_items"], "item")
        _say(console, f"warning: none of the {n_items} without a gold label gets the class {names}, which gold shows")


def _moment_cells(row: MomentRow) -> list[str]:
    share = f"{row.gold_right / row.gold_drawn:.3f}" if row.gold_drawn else "-"
    weight = f"{row.weight:+.2f}" if row.weight else "0"
    return [f"{row.gold_drawn:,}", share, at_least(row.lower), at_most(row.upper), weight, row.active or "-"]


def _grid(title: str, headers: Sequence[str]) -> Grid:
    grid = Grid(title=title, title_justify="left", box=borders.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for j, header in enumerate(headers):
        grid.add_column(Text(header), justify="left" if j == 0 else "right", overflow="fold")
    return grid


def _cell(text: str) -> Text:
    return Text(visible(text))


def print_certificate(console: Console, certificate: Certificate) -> None:
    """The sentence that may be quoted, and whether the votes speak against its assumption."""
    console.print()
    console.print(Text(str(certificate), style="bold"))
    if certificate.evidence.sample_check is not None and certificate.evidence.doubt is None:
        _say(console, str(certificate.evidence.sample_check))
    console.print()


def print_label_fit(console: Console, fit: LabelFit) -> None:
    """A word of caution if labels and votes do not seem to belong together."""
    if not fit.fits:
        _say(console, str(fit))


def print_warnings(
    console: Console, worse: Sequence[MomentRow], groups: Sequence[Overruled], n_silent: int, n_classes: int
) -> None:
    """What somebody who uses the labels should know."""
    if worse:
        names = ", ".join(visible(repr(row.name)) for row in worse)
        below = f"worse than chance (whole interval below 1/{n_classes})"
        _say(console, f"{below}: {names}; check whether classes are swapped there")
    _say(
        console,
        f"{plural(n_silent, 'item')} without any vote"
        + (" (n_votes = 0): labeled by the class weights alone" if n_silent else ""),
    )
    _say(console, _overruled_sentence(groups))
    for group in groups[:_SHOWN_GROUPS]:
        _say(console, f"  {_group_sentence(group)}")
    if len(groups) > _SHOWN_GROUPS:
        rest = sum(group.n_items for group in groups[_SHOWN_GROUPS:])
        _say(console, f"  ... and {plural(rest, 'item')} in {len(groups) - _SHOWN_GROUPS} more patterns")


def _overruled_sentence(groups: Sequence[Overruled]) -> str:
    what = "on which all voting rules agree but the label is another class"
    counts = {reason: sum(group.n_items for group in groups if group.reason == reason) for reason in _REASONS}
    causes = [f"{n:,} because {_REASONS[reason]}" for reason, n in counts.items() if n]
    return f"{plural(sum(counts.values()), 'item')} {what}{': ' if causes else ''}{', '.join(causes)}"


def _group_sentence(group: Overruled) -> str:
    names = ", ".join(visible(repr(name)) for name in group.rules[:8]) + (", ..." if len(group.rules) > 8 else "")
    what = f"said {visible(group.voted)}, label {visible(group.label)}"
    return f"{plural(group.n_items, 'item')}: {names} {what} ({group.reason})"


def print_scores(console: Console, scores: Sequence[tuple[str, float, float]], loss: float, bound: float) -> None:
    """How right the methods are where the truth is known, and whether the bound held."""
    grid = _grid("Compared with the truth, on the items that are not gold", ["method", "mean log loss", "accuracy"])
    for name, mean_loss, accuracy in scores:
        grid.add_row(*map(_cell, [name, f"{mean_loss:.3f}", f"{accuracy:.3f}"]))
    console.print(grid)
    verdict = (
        "The bound held" if loss <= bound else "The bound did not hold, which happens to one gold sample in 20 at most"
    )
    _say(console, f"{verdict}: the mean log loss on these items is {loss:.3f}, the bound {at_most(bound)}.")


def _say(console: Console, text: str) -> None:
    console.print(Text(text))
