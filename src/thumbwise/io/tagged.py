"""Readings of items with several tags: one yes/no question for each tag, and one error for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thumbwise.box.estimates import check_level
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.tag_cells import Grammar
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.outward import level
from thumbwise.summaries import plural

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class TagAnswers(Mapping[str, Answer], Generic[Answer]):
    """What was found for each tag. Made by :meth:`TagReadings.each` and :meth:`TagReadings.fit`.

    *Guarantee*: each answer holds with ``each_level``, and therefore all of them at once with ``confidence_level``,
    whatever the tags have to do with each other (a union bound). An answer without a guarantee of its own has none
    here.

    Attributes
    ----------
    answers : mapping of str to object
        By tag, in the order of the tags.
    confidence_level : float
        Chance that the answers hold for all tags at once.
    each_level : float
        At which each was asked: 1 - (1 - ``confidence_level``) / number of tags.
    """

    answers: Mapping[str, Answer]
    confidence_level: float
    each_level: float

    def __getitem__(self, tag: str) -> Answer:
        return _known(self.answers, tag)

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def is_guarantee(self) -> bool:
        """Whether every answer is guaranteed."""
        return all(getattr(_stated(answer), "is_guarantee", True) for answer in self.answers.values())

    @property
    def together(self) -> str:
        """That all answers hold at once, or that some do not."""
        if not self.is_guarantee:
            loose = [tag for tag, a in self.answers.items() if not getattr(_stated(a), "is_guarantee", True)]
            return f"No guarantee for all tags at once: there is none for {', '.join(map(repr, loose))}."
        if len(self) == 1:
            return f"This holds with {level(self.confidence_level)} confidence."
        return (
            f"What is said of the {len(self)} tags holds for all of them at once with "
            f"{level(self.confidence_level)} confidence."
        )

    def __str__(self) -> str:
        return "\n".join([*(f"{tag}: {_stated(answer)}" for tag, answer in self.answers.items()), self.together])

    def __repr__(self) -> str:
        return str(self)


def _stated(answer: Any) -> Any:
    """What an answer claims: of a model, its certificate."""
    return getattr(answer, "certificate_", answer)


@dataclass(frozen=True, eq=False)
class TagReadings(Mapping[str, Reading]):
    """Votes and gold of each tag, as yes and no, on the same items. Made by :func:`read_tags`.

    The tags are those that are listed, or those that the votes name: they are settled before a gold label is looked at,
    and so is the part of the error that each of them gets.

    Attributes
    ----------
    readings : mapping of str to Reading
        By tag; classes are "no" and "yes".
    grammar : Grammar
        How tags came, which is how labels go out.
    notes : tuple of str
        What was inferred, in words.
    source : object
        The frame that was read; None for files.

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> frame = pd.DataFrame({"id": [1, 2, 3], "ann": ["joy|fear", "joy", "none"], "bob": ["fear", "joy", "joy"]})
    >>> tags = tw.read_tags(frame, gold={1: "joy|fear", 3: "none"}, no_tags="none")
    >>> list(tags), tags["fear"].votes.array.tolist(), tags["fear"].gold.tolist()
    (['fear', 'joy'], [[1, 1], [0, 0], [0, 0]], [1, -1, 0])
    """

    readings: Mapping[str, Reading]
    grammar: Grammar
    notes: tuple[str, ...] = ()
    source: Any = None

    def __getitem__(self, tag: str) -> Reading:
        return _known(self.readings, tag)

    def __iter__(self) -> Iterator[str]:
        return iter(self.readings)

    def __len__(self) -> int:
        return len(self.readings)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.readings)

    @property
    def first(self) -> Reading:
        """The reading of the first tag, whose items and ids are those of all."""
        return next(iter(self.readings.values()))

    def each_level(self, confidence_level: float = 0.95) -> float:
        """The level for each tag at which all hold at once: the error is shared evenly among the tags.

        Examples
        --------
        >>> import pandas as pd
        >>> import thumbwise as tw
        >>> tags = tw.read_tags(pd.DataFrame({"id": [1, 2], "ann": ["a|b", "b|c"]}))
        >>> round(tags.each_level(0.94), 6)
        0.98
        """
        check_level(confidence_level)
        return 1 - (1 - confidence_level) / len(self)

    def each(
        self, question: Callable[..., Answer], *, confidence_level: float = 0.95, **options: Any
    ) -> TagAnswers[Answer]:
        """Ask one question about every tag, such as :func:`rate`, :func:`judges` or :func:`triage`.

        *Guarantee*: that of the question, for all tags at once with ``confidence_level``. Which tags there are was
        settled by votes and the list of tags; no gold label chooses among them, and none is left out afterwards.

        Parameters
        ----------
        question : callable
            Called with the reading of a tag and ``confidence_level``.
        confidence_level : float
            Chance that the answers hold for all tags at once.
        **options
            Passed on to the question.

        Examples
        --------
        >>> import thumbwise as tw
        >>> made = tw.datasets.make_tags(random_state=0)
        >>> tags = tw.read_tags(made.votes, gold=made.gold, no_tags="none")
        >>> shares = tags.each(tw.rate, of="yes")
        >>> {tag: f"{rate.lower:.2f} to {rate.upper:.2f}" for tag, rate in shares.items()}
        {'insult': '0.23 to 0.29', 'spam': '0.04 to 0.10', 'threat': '0.02 to 0.08'}
        >>> shares.together
        'What is said of the 3 tags holds for all of them at once with 95 % confidence.'
        """
        each = self.each_level(confidence_level)
        answers = {tag: question(reading, confidence_level=each, **options) for tag, reading in self.readings.items()}
        return TagAnswers(answers, confidence_level, each)

    def fit(self, *, confidence_level: float = 0.95, model: Any = None) -> TagAnswers[Any]:
        """A model for each tag, whose certificates hold for all tags at once.

        Parameters
        ----------
        confidence_level : float
            Chance that what is certified holds for all tags at once.
        model : BalsubramaniFreund, optional
            How to fit; one like it is fitted for each tag.

        Examples
        --------
        >>> import thumbwise as tw
        >>> made = tw.datasets.make_tags(random_state=0)
        >>> models = tw.read_tags(made.votes, gold=made.gold, no_tags="none").fit()
        >>> [model.certificate_.accuracy_at_least > 0.7 for model in models.values()]
        [True, True, True]
        """
        if not len(self.first.gold_labels):
            raise no_gold()
        prototype = BalsubramaniFreund(caution="auto") if model is None else model

        def fitted(reading: Reading, confidence_level: float) -> Any:
            box = reading.box(confidence_level=confidence_level)
            return type(prototype)(**prototype.get_params()).fit(reading.votes, box=box)

        return self.each(fitted, confidence_level=confidence_level)

    def __repr__(self) -> str:
        votes = self.first.votes
        sizes = f"{plural(votes.n_items, 'item')}, {plural(len(self), 'tag')}: {', '.join(map(repr, self.tags[:10]))}"
        more = ", ..." if len(self) > 10 else ""
        n_gold = max(len(reading.gold_labels) for reading in self.readings.values())
        gold = f"{n_gold:,} gold items" if n_gold else "no gold labels"
        return "\n".join([f"TagReadings: {sizes}{more}", gold, *self.notes])


def _known(mapping: Mapping[str, Answer], tag: str) -> Answer:
    if tag not in mapping:
        raise InvalidChoiceError(
            f"there must be a tag with this name; found {tag!r}, and the tags are {', '.join(map(repr, mapping))}."
        )
    return mapping[tag]
