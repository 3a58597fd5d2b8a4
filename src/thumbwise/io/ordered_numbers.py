"""Numbers as ordered classes: the scale that votes and gold labels show, if nobody lists it."""

from __future__ import annotations

from collections.abc import Sequence

from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.io.distinct import Distinct, is_number
from thumbwise.io.roles import Roles
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.ordered_classes import words_in_order

# More steps than these are measurements rather than classes.
MOST_STEPS = 30


def numbers_in_order(votes: Sequence[Distinct], gold: Distinct | None) -> tuple[int | float, ...]:
    """All whole numbers from the smallest to the largest that occurs; if some are not whole, those that occur.

    A number that nobody says is a step all the same: from 2 to 4 there are two. -1 is an abstention. Gold labels are
    looked at for which numbers there are, as for all classes that are not listed, and for nothing else.
    """
    texts = {text for column in (*votes, *([] if gold is None else [gold])) for text in column.counts}
    words = sorted(text for text in texts if not is_number(text))
    if words:
        raise words_in_order(", ".join(map(repr, words[:8])))
    seen = sorted({float(text) for text in texts} - {float(UNKNOWN)})
    if not seen or seen[0] < 0 or not _are_few(seen):
        shown = ", ".join(f"{number:g}" for number in (seen if len(seen) <= 8 else [*seen[:4], *seen[-3:]]))
        raise InvalidVotesError(
            f"ordered classes that are not listed must be numbers from 0 up, at most {MOST_STEPS} of them, with -1 for "
            f"an abstention; found {shown or 'none'}. List the steps: ",
            Argument("class_names", [...]),
            "; if these are scores that speak for a class, say ",
            Argument("scores", "CLASS"),
            " instead.",
        )
    if all(number.is_integer() for number in seen):
        return tuple(range(int(seen[0]), int(seen[-1]) + 1))
    return tuple(int(number) if number.is_integer() else number for number in seen)


def _are_few(seen: Sequence[float]) -> bool:
    n_steps = seen[-1] - seen[0] + 1 if all(number.is_integer() for number in seen) else len(seen)
    return 2 <= n_steps <= MOST_STEPS


def note_on_order(votes: CountedVotes, roles: Roles) -> tuple[str, ...]:
    """Which steps there are, and whether somebody said so."""
    if not roles.ordered:
        return ()
    steps = " < ".join(map(str, votes.class_names))
    if roles.class_names is not None or roles.codes is not None:
        return (f"ordered classes, lowest first: {steps}",)
    return (f"ordered classes, by the numbers that occur: {steps}",)
