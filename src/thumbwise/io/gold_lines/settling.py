"""Gold from answers: which of them stand, which counts for each item, and which measure agreement only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from thumbwise.io.gold_lines.answers import Answer
from thumbwise.io.gold_lines.headers import UNCLEAR


@dataclass(frozen=True)
class Pair:
    """Two answers to the same item: the one that counts as gold, and another that measures agreement.

    Attributes
    ----------
    gold, other : Answer
        Each a label or unclear.
    """

    gold: Answer
    other: Answer

    @property
    def agree(self) -> bool:
        return said(self.gold) == said(self.other)

    @property
    def is_same_person(self) -> bool:
        return self.gold.by == self.other.by


@dataclass(frozen=True)
class Settled:
    """What answers come to.

    Attributes
    ----------
    gold : tuple of Answer
        One answer for each item that has one, label or unclear, in the order of the draw.
    skipped : tuple of Answer
        Skips of items that nobody answered otherwise, in the order in which they were made. They stay open.
    pairs : tuple of Pair
        Further answers to items of gold, beside the one that counts.
    n_idle : int
        Undos that found nothing to take back.
    """

    gold: tuple[Answer, ...] = ()
    skipped: tuple[Answer, ...] = ()
    pairs: tuple[Pair, ...] = ()
    n_idle: int = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """What counts for each item of gold: its class, or "unclear"."""
        return tuple(said(answer) for answer in self.gold)

    @property
    def n_unclear(self) -> int:
        return self.labels.count(UNCLEAR)

    @property
    def has_gaps(self) -> bool:
        """Whether an item has an answer and one before it in the draw has none."""
        return [answer.place for answer in self.gold] != list(range(1, len(self.gold) + 1))


def said(answer: Answer) -> str:
    """The class that was answered, or "unclear"."""
    return UNCLEAR if answer.answer is None else answer.answer


def settle(answers: Iterable[Answer]) -> Settled:
    """Gold labels from answers, by rules that do not look at what the labels say.

    An undo takes back the last standing answer of the same person to the same item. Of what stands in the first round,
    the last answer of each person holds. The person who came to the item first, and whose answer is no skip, counts as
    gold. Everybody else's answers, and second answers (``again``), measure agreement only.

    Examples
    --------
    >>> from thumbwise.io.gold_lines import Answer, settle
    >>> said = [("q7", 1, "pass", "label", "ann"), ("q2", 2, "fail", "label", "ann"), ("q2", 2, None, "undo", "ann"),
    ...         ("q2", 2, "pass", "label", "ann"), ("q7", 1, "fail", "label", "bob")]
    >>> settled = settle(Answer(*fields, 1.0, "2024-05-01") for fields in said)
    >>> settled.labels, [pair.agree for pair in settled.pairs]
    (('pass', 'pass'), [False])
    """
    standing: dict[str, dict[str, list[Answer]]] = {}
    came: dict[int, int] = {}  # by identity: two answers may be the same to the letter
    n_idle = 0
    for number, answer in enumerate(answers):
        came[id(answer)] = number
        stack = standing.setdefault(str(answer.id), {}).setdefault(answer.by, [])
        if answer.kind != "undo":
            stack.append(answer)
        elif stack:
            stack.pop()
        else:
            n_idle += 1
    gold: list[Answer] = []
    skipped: list[Answer] = []
    pairs: list[Pair] = []
    for by_person in standing.values():
        firsts, seconds = (_last_of_each(by_person, again=again) for again in (False, True))
        counted = [answer for answer in firsts if answer.kind != "skip"]
        gold += counted[:1]
        skipped += [] if counted else firsts[:1]
        others = [*counted[1:], *(answer for answer in seconds if answer.kind != "skip")]
        pairs += [Pair(counted[0], other) for other in others if counted]
    skipped.sort(key=lambda answer: came[id(answer)])
    return Settled(_by_place(gold), tuple(skipped), tuple(pairs), n_idle)


def _last_of_each(by_person: dict[str, list[Answer]], *, again: bool) -> list[Answer]:
    """The answer of one round that holds for each person, in the order in which they came to the item."""
    rounds = ([answer for answer in stack if answer.again == again] for stack in by_person.values())
    return [answers[-1] for answers in rounds if answers]


def _by_place(answers: list[Answer]) -> tuple[Answer, ...]:
    return tuple(sorted(answers, key=lambda answer: answer.place))
