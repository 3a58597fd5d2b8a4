"""Printing on the command line: results on stdout, progress and errors on stderr, every name as plain text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from thumbwise.cli.grids import Screen
from thumbwise.cli.grids import print_table as print_table  # noqa: PLC0414  # commands print with it
from thumbwise.cli.wording import in_command_words
from thumbwise.outward import at_most, percent
from thumbwise.summaries import (
    caution_sentence,
    fixed,
    lower_end,
    parts_sentence,
    plural,
    side,
    signed,
    upper_end,
    whole,
)
from thumbwise.summaries import visible as visible  # noqa: PLC0414  # commands print with it

if TYPE_CHECKING:
    from thumbwise.assess.tables.tidy import Tidy
    from thumbwise.box.gold_checks.label_fit import LabelFit
    from thumbwise.game.certificate import Certificate
    from thumbwise.io.jury import Jury
    from thumbwise.io.pairs import Pairs
    from thumbwise.io.readings import Reading

# Where nobody looks at a screen, nothing is cut or wrapped.
_WIDE = 1_000_000
_SHOWN_GROUPS = 5
# Judges of comparisons whose contradictions are shown, at most.
_SHOWN_JUDGES = 20
# Letters of a rule's name that a table should have room for in a line, and how wide its other columns are.
_LONG_NAME, _OTHER_COLUMNS = 40, 56

# What --quiet and --json - keep back.
_RESULTS_ARE_KEPT = ContextVar("results are kept back", default=False)
_REMARKS_ARE_KEPT = ContextVar("remarks are kept back", default=False)

_REASONS = {
    "gold": "gold says that these rules are mostly wrong (gold)",
    "opinions": "the weights of opinions outweigh these rules (opinions)",
    "classes": "the class weights outweigh these rules (classes)",
}


_WEIGHT = (
    "weight: log-odds that one vote adds to its class; active bound: the end of the interval that enters the bound; "
    "docs/glossary.md explains such words"
)


@contextmanager
def hushed(*, results: bool, remarks: bool) -> Iterator[None]:
    """While this runs, results (on stdout) or remarks (on stderr) are kept back; errors are said all the same."""
    before = _RESULTS_ARE_KEPT.set(results), _REMARKS_ARE_KEPT.set(remarks)
    try:
        yield
    finally:
        _RESULTS_ARE_KEPT.reset(before[0])
        _REMARKS_ARE_KEPT.reset(before[1])


def stdout() -> Console:
    """For results."""
    return _console(is_error=False, is_quiet=_RESULTS_ARE_KEPT.get())


def asked() -> Console:
    """For what was asked for in so many words, on stdout, whatever is kept back."""
    return _console(is_error=False)


def stderr() -> Console:
    """For errors."""
    return _console(is_error=True)


def remarks() -> Console:
    """For progress, warnings and other remarks, on stderr."""
    return _console(is_error=True, is_quiet=_REMARKS_ARE_KEPT.get())


def _console(*, is_error: bool, is_quiet: bool = False) -> Console:
    stream = sys.stderr if is_error else sys.stdout
    width = None if stream.isatty() else _WIDE
    return Screen(stderr=is_error, width=width, markup=False, highlight=False, emoji=False, quiet=is_quiet)


def progress(what: str) -> AbstractContextManager[object]:
    """A spinner while something runs, if somebody looks."""
    console = remarks()
    return console.status(Text(what)) if console.is_terminal and not console.quiet else nullcontext()


def print_understood(
    console: Console, source: str, reading: Reading, abstain: str | None = None, *, is_gold_asked: bool = True
) -> None:
    """What the input was taken for; of gold, if somebody asked for it."""
    from thumbwise.votes.scored_votes import ScoredVotes  # noqa: PLC0415  # help is quick without scipy

    votes = reading.votes
    shown = ", ".join(visible(name) for name in votes.class_names[:20]) + (", ..." if votes.n_classes > 20 else "")
    marks = ["empty", *(["-1"] if all(isinstance(name, int) for name in votes.class_names) else [])]
    marks += [] if abstain in (None, *marks) else [repr(abstain)]
    voted_share = votes.patterns.votes_per_rule.sum() / max(1, votes.n_items * votes.n_rules)
    silent = f"{1 - voted_share:.1%}".replace("%", " %")
    sizes = [plural(votes.n_items, "item"), plural(votes.n_rules, "rule"), plural(votes.n_classes, "class")]
    _say(console, f"{'standard input' if source == '-' else visible(source)}: {', '.join(sizes)} ({shown})")
    if isinstance(votes, ScoredVotes):
        _say(console, f"verdicts: none where there is no score, or one in the middle ({silent})")
    else:
        _say(console, f"votes: {' or '.join(marks)} = abstain ({silent} of votes)")
    for note in reading.notes:
        _say(console, visible(in_command_words(note)))
    if is_gold_asked:
        taken = _taken_as(reading)
        _say(console, f"gold: {plural(len(reading.gold_labels), 'item')} with a known class, taken as {taken}")
    if reading.jury is not None:
        print_judges(console, reading.jury)
    if reading.pairs is not None and any(judge.n_both for judge in reading.pairs.judges):
        print_orders(console, reading.pairs)


def _taken_as(reading: Reading) -> str:
    if reading.drawn_by is not None:
        is_stratified = reading.drawn_by.called == "Stratified"
        return "random samples of each stratum" if is_stratified else "drawn with the chances that weights say"
    if reading.cluster is not None:
        return f"clusters ({visible(reading.cluster)}) drawn at random from all clusters"
    if reading.gold_design is not None and not reading.gold_design.is_plain:
        return "random samples of each stratum"
    return "a random sample of all items" if reading.separate is None else "a random sample of items of the same kind"


def print_dropped(console: Console, rules: Sequence[str]) -> None:
    """Which rules count for nothing, and what that costs."""
    if rules:
        names = ", ".join(visible(repr(name)) for name in dict.fromkeys(rules))
        _say(console, f"left out: {names}; their parts of the error budget stay spent, as gold was there already")


def print_judges(console: Console, jury: Jury) -> None:
    """What each judge did with what it was asked."""
    rows = [
        [judge.name, *map(whole, (judge.n_voted, judge.n_abstained, judge.n_failed, judge.n_not_asked))]
        for judge in jury.judges
    ]
    print_table(console, "Judges", ["judge", "voted", "abstained", "failed", "not asked"], rows)


def print_orders(console: Console, pairs: Pairs) -> None:
    """How often each judge contradicts itself when the answers are swapped, and which place it then favours."""
    headers = ["judge", "items", "in both\norders", "contra-\ndicts", "first\nshown", "second\nshown"]
    rows = []
    for judge in pairs.judges[:_SHOWN_JUDGES]:
        n_off = f"{judge.n_contradictions:,}"
        share = f" ({percent(judge.n_contradictions / judge.n_both)})" if judge.n_both else ""
        counts = [judge.n_votes, judge.n_both, judge.n_first_shown, judge.n_second_shown]
        texts = [f"{n:,}" for n in counts]
        rows.append([judge.name, *texts[:2], n_off + share, *texts[2:]])
    print_table(console, "Judges and the order of answers", headers, rows)
    _say(console, "contradicts: items on which the judge says something else when the answers are swapped;")
    _say(console, "first, second shown: of these, how often it prefers what is shown there both times")


def print_rules(console: Console, rules: Tidy) -> None:
    """The table of rules; votes by class where there is room for them."""
    class_names = rules.facts["class_names"]
    by_class = len(class_names) <= 10 and _has_room(console, rules["rule"], class_names)
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
    rows = []
    for row in rules.rows():
        votes = map(whole, row["votes_per_class"] if by_class else [row["n_votes"]])
        gold = whole(row["gold_votes"]), fixed(row["gold_accuracy"])
        rows.append([row["rule"], fixed(row["coverage"]), *votes, *gold, *_moment_cells(row)])
    print_table(console, "Rules", headers, rows, groups=[1, len(headers) - 4, len(headers) - 2])


def _has_room(console: Console, rule_names: Sequence[str], class_names: Sequence[object]) -> bool:
    """Whether a column of votes for each class leaves enough for the names of the rules."""
    names = min(_LONG_NAME, max(map(len, rule_names), default=0))
    return names + _OTHER_COLUMNS + sum(2 + max(7, len(str(name))) for name in class_names) <= console.width


def print_steps(console: Console, steps: Tidy) -> None:
    """The table of how often rules are within one step, if classes are ordered."""
    if not len(steps):
        return
    headers = ["rule", "gold\nvotes", "gold\nwithin", "lower\nbound", "upper\nbound", "weight", "active\nbound"]
    rows = [
        [row["rule"], whole(row["gold_votes"]), fixed(row["gold_share"]), *_moment_cells(row)] for row in steps.rows()
    ]
    print_table(console, "Within one step of the truth", headers, rows, groups=[1, 3, 5])
    _say(console, "weight: log-odds that one vote adds to its class and to those next to it")
    console.print()


def print_opinions(console: Console, opinions: Tidy) -> None:
    """The table of what rules say together, if the box speaks of it: apart from rules, which it is none of."""
    if not len(opinions):
        return
    headers = ["opinion", "items", "gold\nright", "lower\nbound", "upper\nbound", "log loss\nat most", "weight"]
    rows = []
    for row in opinions.rows():
        right, drawn = row["gold_right"], row["gold_votes"]
        gold = whole(None) if right is None or drawn is None else f"{right:,} of {drawn:,}"
        ends = lower_end(row["lower"]), upper_end(row["upper"]), upper_end(row["log_loss_bound"])
        rows.append([row["opinion"], whole(row["n_items"]), gold, *ends, signed(row["weight"], 2)])
    print_table(console, "What the panel says together", headers, rows, groups=[1, 3, 5, 6])
    learned = "learned opinion" in opinions["kind"]
    more = "; of what is learned, how many times its log probabilities count" if learned else ""
    _say(console, f"weight: log-odds that the verdict adds to its class{more}")
    console.print()


def print_parts(console: Console, parts: Tidy) -> None:
    """What opinions add to the bound that rules and classes give, in one line, if there are any."""
    if len(parts) > 1:
        _say(console, parts_sentence(parts.columns))


def print_classes(console: Console, classes: Tidy) -> None:
    """The table of classes."""
    headers = ["class", "share\nof votes", "gold\nitems", "gold\nshare", "lower\nbound", "upper\nbound"]
    rows = []
    for row in classes.rows():
        gold = whole(row["n_gold"]), fixed(row["gold_share"])
        rows.append([str(row["class"]), fixed(row["vote_share"]), *gold, *_moment_cells(row)])
    print_table(console, "Classes", [*headers, "weight", "active\nbound"], rows, groups=[1, 4, 6])
    _say(console, _WEIGHT)
    console.print()


def print_labels(console: Console, classes: Tidy) -> None:
    """How many items get each class, beside gold; a warning for a class that no item gets."""
    headers, rows = ["class", "items\nwithout gold", "their\nshare", "gold\nitems", "gold\nshare"], []
    for row in classes.rows():
        labeled = whole(row["n_labeled"]), fixed(row["labeled_share"])
        rows.append([str(row["class"]), *labeled, whole(row["n_gold"]), fixed(row["gold_share"])])
    print_table(console, "Labels", headers, rows, groups=[1, 3])
    if classes.facts["never"]:
        names = ", ".join(visible(repr(str(name))) for name in classes.facts["never"])
        n_items = plural(classes.facts["n_items"], "item")
        _say(console, f"warning: none of the {n_items} without a gold label gets the class {names}, which gold shows")


def _moment_cells(row: Mapping[str, Any]) -> list[str]:
    return [lower_end(row["lower"]), upper_end(row["upper"]), signed(row["weight"], 2), side(row["active"])]


def print_grounds(console: Console, certificate: Certificate) -> None:
    """Whether the votes speak against the assumption of a certificate, and what its weights aim at."""
    if certificate.evidence.sample_check is not None and certificate.evidence.doubt is None:
        _say(console, str(certificate.evidence.sample_check))
    if certificate.caution < 1:
        _say(console, caution_sentence(certificate.caution))


def print_label_fit(console: Console, fit: LabelFit) -> None:
    """A word of caution if labels and votes do not seem to belong together."""
    if not fit.fits:
        _say(console, str(fit))


def print_warnings(console: Console, rules: Tidy, worse: Tidy, overruled: Tidy) -> None:
    """What somebody who uses the labels should know: rules worse than chance, silent items, overruled votes."""
    if len(worse):
        names = ", ".join(visible(repr(rule)) for rule in worse["rule"])
        below = f"worse than chance (whole interval below 1/{len(rules.facts['class_names'])})"
        _say(console, f"{below}: {names}; check whether classes are swapped there")
    n_silent = rules.facts["n_silent"]
    _say(
        console,
        f"{plural(n_silent, 'item')} without any vote"
        + (" (n_votes = 0): labeled by what gold says of classes alone" if n_silent else ""),
    )
    _say(console, _overruled_sentence(overruled))
    for group in islice(overruled.rows(), _SHOWN_GROUPS):
        _say(console, f"  {_group_sentence(group)}")
    if len(overruled) > _SHOWN_GROUPS:
        rest, n_more = sum(overruled["n_items"][_SHOWN_GROUPS:]), len(overruled) - _SHOWN_GROUPS
        _say(console, f"  ... and {plural(rest, 'item')} in {n_more} more patterns (distinct rows of votes)")


def _overruled_sentence(overruled: Tidy) -> str:
    what = "on which all voting rules agree but the label is another class"
    groups = list(zip(overruled["reason"], overruled["n_items"], strict=True))
    counts = {reason: sum(n for why, n in groups if why == reason) for reason in _REASONS}
    causes = [f"{n:,} because {_REASONS[reason]}" for reason, n in counts.items() if n]
    return f"{plural(overruled.facts['n_items'], 'item')} {what}{': ' if causes else ''}{', '.join(causes)}"


def _group_sentence(group: Mapping[str, Any]) -> str:
    rules = group["rules"]
    names = ", ".join(visible(repr(name)) for name in rules[:8]) + (", ..." if len(rules) > 8 else "")
    what = f"said {visible(group['voted'])}, label {visible(group['label'])}"
    return f"{plural(group['n_items'], 'item')}: {names} {what} ({group['reason']})"


def print_scores(console: Console, scores: Sequence[tuple[str, float, float]], loss: float, bound: float) -> None:
    """How right the methods are where the truth is known, and whether the bound held."""
    rows = [[name, f"{mean_loss:.3f}", f"{accuracy:.3f}"] for name, mean_loss, accuracy in scores]
    title = "Compared with the truth, on the items that are not gold"
    print_table(console, title, ["method", "mean log loss", "accuracy"], rows)
    verdict = (
        "The bound held" if loss <= bound else "The bound did not hold, which happens to one gold sample in 20 at most"
    )
    _say(console, f"{verdict}: the mean log loss on these items is {loss:.3f}, the bound {at_most(bound)}.")


def _say(console: Console, text: str) -> None:
    console.print(Text(text))
