"""Parts of a prediction, and how they are said in a few lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.outward import at_least, at_most, between

CLASS_FREQUENCY = "class frequency"
_MOST_SHOWN, _LONGEST_NAME = 8, 48


@dataclass(frozen=True, eq=False)
class Term:
    """One summand of the scores of an item.

    Attributes
    ----------
    name : str
        The moment whose weight it is, such as ``accuracy(rule)``; for models without moments the rule, or "class
        frequency".
    rule : str or None
        The rule whose vote adds it; None for what is there without any vote, and for opinions, which count all votes.
    by_class : ndarray of shape (n_classes,)
        What it adds to the score of each class.
    active : int or None
        1 if the lower bound of the moment decides, -1 if the upper one does, 0 if neither; None without a box. If the
        weights follow gold too, which of the bounds enters the certificate.
    lower, upper : float or None
        The bounds, as in the box.
    opinion : str or None
        What an opinion is called among the parts of a sum; None for other terms.
    follows_gold : bool
        Whether the weights follow gold labels and bounds together: a caution below 1.
    """

    name: str
    rule: str | None
    by_class: FloatArray
    active: int | None = None
    lower: float | None = None
    upper: float | None = None
    opinion: str | None = None
    follows_gold: bool = False

    @property
    def bound(self) -> str:
        """Which bound decides, or only counts in the certificate, in words; empty without a box."""
        if self.lower is None or self.upper is None:
            return ""
        name, verb = _show_moment(self.name), "counts" if self.follows_gold else "decides"
        if not self.active:
            return f"no bound of {name} ({between(self.lower, self.upper)}) {verb}"
        if self.lower == self.upper:
            return f"the exact value {self.lower:.3g} of {name} {verb}"
        if self.active > 0:
            return f"the lower bound {at_least(self.lower)} of {name} {verb}"
        return f"the upper bound {at_most(self.upper)} of {name} {verb}"


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a prediction for one item is made of. ``str()`` says it in a few lines.

    Attributes
    ----------
    item_id : hashable
        Id, or position if the votes have no ids.
    label : hashable
        The class that ``predict`` gives.
    is_known : bool
        Whether the item is gold and keeps its label: votes then play no part in ``proba`` and ``without``.
    class_names : tuple
    proba : ndarray of shape (n_classes,)
        As ``predict_proba`` gives it.
    rules, votes : tuple
        The rules that vote on the item, and the class that each votes for.
    terms : tuple of Term
        They sum to ``scores``.
    without : ndarray of shape (n_votes, n_classes)
        ``proba`` if that one vote were an abstention. The weights stay as they were fitted: nothing is fitted anew.
    widening : str
        If the box had to be widened, how: the bounds of the terms are those before it.
    caution : float
        Below 1, the weights follow gold labels and bounds together.

    Notes
    -----
    *Guarantee*: none; terms say what the model does, not whether it is right.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> explanation = tw.explain(tw.DawidSkene(prior_right=3, prior_wrong=1).fit(votes), votes, 0)
    >>> explanation.rules, explanation.scores.round(2).tolist()
    (('rule_0', 'rule_1', 'rule_2'), [2.24, 0.06])
    """

    item_id: Hashable
    label: Hashable
    is_known: bool
    class_names: tuple[Hashable, ...]
    proba: FloatArray
    rules: tuple[str, ...]
    votes: tuple[Hashable, ...]
    terms: tuple[Term, ...]
    without: FloatArray
    widening: str = ""
    caution: float = 1.0

    @property
    def scores(self) -> FloatArray:
        """Sum of all terms, shape (n_classes,): ``proba`` is its softmax, unless the label is known."""
        return np.asarray(sum((term.by_class for term in self.terms), np.zeros(len(self.class_names))))

    @property
    def contributions(self) -> FloatArray:
        """What each vote adds to the score of each class by itself, opinions aside, shape (n_votes, n_classes)."""
        place = {rule: e for e, rule in enumerate(self.rules)}
        total = np.zeros((len(self.rules), len(self.class_names)))
        for term in self.terms:
            if term.rule is not None:
                total[place[term.rule]] += term.by_class
        return total

    @property
    def background(self) -> dict[str, FloatArray]:
        """What each class has without any vote, by source: the class frequencies, and other moments by name."""
        frequencies = {f"frequency({name})" for name in self.class_names}
        total: dict[str, FloatArray] = {}
        for term in self.terms:
            if term.rule is None and term.opinion is None:
                name = CLASS_FREQUENCY if term.name in frequencies else term.name
                total[name] = total.get(name, np.zeros(len(self.class_names))) + term.by_class
        return total

    @property
    def opinions(self) -> dict[str, FloatArray]:
        """What each opinion adds to each class, as a whole: majority vote, the panel, what was learned from gold."""
        by_size = sorted(self.terms, key=lambda term: -float(np.ptp(term.by_class)))
        return {term.opinion: term.by_class for term in by_size if term.opinion is not None}

    @property
    def against(self) -> Hashable:
        """The class with the highest score of all others than ``label``."""
        return self.class_names[self._pair[1]]

    @property
    def _pair(self) -> tuple[int, int]:
        best = self.class_names.index(self.label)
        others = self.scores
        others[best] = -np.inf
        return best, int(np.argmax(others))

    def __str__(self) -> str:
        return "\n  ".join([self._headline(), self._sum_line(), *self._bound_lines(), *self._without_lines()])

    def _headline(self) -> str:
        item = f"item {show(self.item_id)}"
        if self.is_known:
            return f"{item}: {show(self.label)}, a known label that no vote changes"
        order = sorted(range(len(self.proba)), key=lambda c: (self.class_names[c] != self.label, -self.proba[c]))
        shown = [f"{show(self.class_names[c])} {_show_share(self.proba[c])}" for c in order[:3]]
        return f"{item}: {', '.join(shown)}{', ...' if len(order) > 3 else ''}"

    def _sum_line(self) -> str:
        best, second = self._pair
        parts = [*_in_words(self.opinions, best, second), *self._vote_parts(best, second)]
        parts += _in_words(self.background, best, second)
        start = "from votes alone, log-odds" if self.is_known else "log-odds"
        total = self.scores[best] - self.scores[second]
        return f"{start} of {show(self.label)} against {show(self.against)} {_show_odds(total)}: {', '.join(parts)}"

    def _vote_parts(self, best: int, second: int) -> list[str]:
        """Votes by size; beside opinions, those that add nothing by themselves are counted only."""
        parts = [
            (f"{show(rule)} ({show(vote)})", float(part[best] - part[second]))
            for rule, vote, part in zip(self.rules, self.votes, self.contributions, strict=True)
            if part.any() or not self.opinions
        ]
        parts.sort(key=lambda part: -abs(part[1]))
        shown = [f"{_show_odds(value)} {name}" for name, value in parts[:_MOST_SHOWN]]
        if len(parts) > _MOST_SHOWN:
            rest = sum(value for _, value in parts[_MOST_SHOWN:])
            shown.append(f"{_show_odds(rest)} {len(parts) - _MOST_SHOWN} more votes")
        n_silent = len(self.rules) - len(parts)
        if n_silent:
            shown.append(f"{_show_odds(0)} {n_silent} {'vote' if n_silent == 1 else 'votes'} by themselves")
        return shown if self.rules else ["no rule votes on it"]

    def _bound_lines(self) -> list[str]:
        bounds = list(dict.fromkeys(term.bound for term in self.terms if term.active))
        n_more = len(bounds) - _MOST_SHOWN
        more = [f"{n_more} more {'count' if self.caution < 1 else 'decide'}"] if n_more > 0 else []
        shown = bounds[:_MOST_SHOWN] + more
        idle = [_show_moment(term.name) for term in self.terms if term.active == 0 and term.rule is not None]
        if idle:
            dots = ", ..." if len(idle) > _MOST_SHOWN else ""
            shown.append(f"no bound of {', '.join(idle[:_MOST_SHOWN])}{dots} does")
        notes = [f"before all were {self.widening}"] if self.widening else []
        if self.caution < 1:
            notes.append(f"weights follow gold too, caution {self.caution:g}; those that count enter the certificate")
        note = f" ({'; '.join(notes)})" if notes else ""
        return [f"bounds{note}: {'; '.join(shown)}"] if shown else []

    def _without_lines(self) -> list[str]:
        if self.is_known or not self.rules:
            return []
        best = self._pair[0]
        order = np.argsort(-np.abs(self.without[:, best] - self.proba[best]), kind="stable")[:_MOST_SHOWN]
        shown = [f"{_show_share(self.without[e, best])} without {show(self.rules[e])}" for e in order]
        return [f"{show(self.label)} would be {', '.join(shown)} (same weights, not refitted)"]


def show(name: object, plain: str = r"[\w./-]+(?: [\w./-]+)*") -> str:
    """A name as it is if nothing in it could be taken for the text around it, otherwise quoted; shortened if long."""
    text = str(name)
    if len(text) > _LONGEST_NAME:
        half = _LONGEST_NAME // 2
        text = f"{text[: half - 1]}...{text[2 - half :]}"
    return text if re.fullmatch(plain, text) and text.isprintable() else repr(text)


def _show_moment(name: str) -> str:
    return show(name, r"[\w./-]+(?: [\w./-]+)*(?:\([\w./: -]*\))?(?: - [\d.e-]+)?")


def _in_words(by_source: Mapping[str, FloatArray], best: int, second: int) -> list[str]:
    return [f"{_show_odds(part[best] - part[second])} {_show_moment(name)}" for name, part in by_source.items()]


def _show_share(value: float) -> str:
    if 0 < value < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def _show_odds(value: float) -> str:
    return f"{round(float(value), 2) + 0.0:+.2f}"  # no -0.00
