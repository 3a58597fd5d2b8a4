"""Classes that may be none: words that often mean no vote, such as "error", and columns that are no rules. Noted only.

A class that nobody listed is a value that occurs, so the word for a failed call becomes a class of its own, and so do
the names of groups in a column that is taken for a rule. Every guarantee holds with them, but a vote for one is a vote
for something that no item is. Nothing is guessed: how to say what is meant is part of each note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import Argument, Message
from thumbwise.io.roles import Layout, Roles
from thumbwise.summaries import plural
from thumbwise.votes.counted_votes import CountedVotes

# fmt: off
# Without case, spaces and signs. Those of votes.reading.coding.LOOKS_LIKE_ABSTAIN are refused, and come no further.
WORDS = frozenset({
    "abstained", "abstention", "apierror", "cannotanswer", "cannotsay", "cantsay", "declined",
    "dontknow", "empty", "err", "error", "errors", "exception", "idk", "inconclusive", "invalid", "jsonerror",
    "missing", "nil", "noanswer", "noresponse", "notapplicable", "novote",
    "parseerror", "refusal", "refuse", "refused", "refuses", "skip", "skipped", "timedout", "timeout", "undecided",
    "undefined", "unknown", "unparsable", "unparseable", "unsure",
})
# fmt: on
_MOST_LISTED = 10


def is_failure_word(name: object) -> bool:
    """Whether a value is a usual word for no vote.

    Examples
    --------
    >>> [is_failure_word(name) for name in ("Refused", "Timed out", "parse_error", "fail", "spam", 0)]
    [True, True, True, False, False, False]
    """
    return isinstance(name, str) and re.sub(r"[\W_]+", "", name).casefold() in WORDS


def doubtful_classes(votes: CountedVotes, gold_labels: IntArray, roles: Roles, layout: Layout) -> Iterator[Message]:
    """Notes on classes that may be none, with how to set them aside; no note where classes are listed.

    Gold labels are looked at, and nothing is decided by them: a word that is a gold label is a class to whoever wrote
    it there.
    """
    if roles.class_names is not None or roles.codes is not None:
        return
    n_gold = np.bincount(gold_labels, minlength=votes.n_classes)
    if len(gold_labels):
        yield from _strangers(votes, n_gold)
    yield from _words(votes, n_gold, roles.abstain, layout)
    yield from _joined_marks(votes, roles.abstain)


def _strangers(votes: CountedVotes, n_gold: IntArray) -> Iterator[Message]:
    """Rules that vote for several classes, all of them such as no other rule and no gold label names."""
    is_voted = votes.patterns.vote_table > 0
    is_own = is_voted & (is_voted.sum(axis=0) == 1) & (n_gold == 0)
    for rule in np.flatnonzero((is_own.sum(axis=1) > 1) & (is_own == is_voted).all(axis=1)).tolist():
        named = [repr(votes.class_names[c]) for c in np.flatnonzero(is_own[rule])[:4].tolist()]
        more = ", ..." if is_own[rule].sum() > len(named) else ""
        yield Message(
            f"careful: rule {votes.rule_names[rule]!r} votes for {', '.join(named)}{more}, which no other rule and no "
            "gold label says. If it is no rule, say ",
            Argument("ignore", [votes.rule_names[rule]]),
            ".",
        )


def _joined_marks(votes: CountedVotes, abstain: str | None) -> Iterator[Message]:
    """Values that mean abstain, given as one with commas between them."""
    marks = [] if abstain is None else [part.strip() for part in abstain.split(",")]
    if len(marks) > 1 and {*marks} <= {*votes.class_names}:
        yield Message(
            f"careful: {abstain!r} is taken for one value that means abstain. Say several with ",
            _codes(votes, [votes.class_names.index(mark) for mark in marks]),
            ".",
        )


def _words(votes: CountedVotes, n_gold: IntArray, abstain: str | None, layout: Layout) -> Iterator[Message]:
    """Classes that are called like no vote, if two others are left."""
    called = [c for c, name in enumerate(votes.class_names) if is_failure_word(name) and not n_gold[c]]
    if not called:
        return
    n_votes = votes.patterns.vote_table.sum(axis=0)
    words = [c for c in called if n_votes[c]]
    if not words or votes.n_classes - len(words) < 2:
        return
    counts = [f"{votes.class_names[c]!r} ({plural(int(n_votes[c]), 'vote')})" for c in words]
    shown = " and ".join([", ".join(counts[:-1]), counts[-1]]) if len(counts) > 1 else counts[0]
    are, they, mean = ("are classes", "they", "mean") if len(words) > 1 else ("is a class", "it", "means")
    gold = ", though no gold label is so" if n_gold.any() else ""
    yield Message(
        f"careful: {shown} {are} here{gold}. If {they} {mean} that there is no vote, ",
        *_ways(votes, words, abstain, layout),
        f"; if {they} {are}, list all: ",
        Argument("class_names", [*votes.class_names] if votes.n_classes <= _MOST_LISTED else [...]),
        ".",
    )


def _ways(votes: CountedVotes, words: Sequence[int], abstain: str | None, layout: Layout) -> Iterator[object]:
    """How to set words aside, as an argument or in words."""
    if len(words) == 1 and abstain is None:
        yield from ("say ", Argument("abstain", repr(votes.class_names[words[0]])))
    elif layout == "jury":
        yield "leave these verdicts empty"
    else:
        yield from ("say ", _codes(votes, words, *(() if abstain is None else (abstain,))))


def _codes(votes: CountedVotes, silent: Sequence[int], *marks: str) -> Argument:
    """All classes but some, which mean abstain as the marks do."""
    if votes.n_classes > _MOST_LISTED:
        return Argument("codes", ...)
    names = [name for c, name in enumerate(votes.class_names) if c not in silent]
    mute = [*(votes.class_names[c] for c in silent), *marks]
    return Argument("codes", {**{name: name for name in names}, **dict.fromkeys(mute)})
