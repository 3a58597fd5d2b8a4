"""Made-up LLM judges of whom most are variants of one model: they share a blind spot, and a majority follows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.datasets.examples import Demo, draw_gold
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.votes import Votes

RIGHT = 0
GRADES = ("right", "partial", "wrong")
GRADE_FREQUENCIES = (0.5, 0.2, 0.3)
# Of the answers that are not right, those so fluent that the family takes them for right.
FLUENT = 0.4
FAMILY = ("nova-1", "nova-2", "nova-3", "nova-mini", "nova-chat", "nova-code", "nova-8bit")
# What the family's verdict is right on elsewhere; how often a member gives it, and not a grade drawn at random.
FAMILY_ACCURACY, FAMILY_FOLLOWS = 0.85, 0.9
# Judges on their own: how often they are right.
OTHERS = {"heron": 0.82, "larch": 0.8, "opal": 0.76, "pico-a": 0.5, "pico-b": 0.5}
# Of the answers, what each judge skips.
SKIPPED = 0.25


@dataclass(frozen=True, eq=False)
class _Grader:
    """Draws grades of answers whose true grade is given."""

    rng: np.random.Generator
    labels: IntArray

    def happens(self, probability: float) -> AnyArray:
        return np.asarray(self.rng.random(len(self.labels)) < probability)

    def grade(self, accuracy: float) -> IntArray:
        """Right so often, and else one of the other grades."""
        other = (self.labels + self.rng.integers(1, len(GRADES), size=len(self.labels))) % len(GRADES)
        return np.where(self.happens(accuracy), self.labels, other)

    def skip(self, grades: IntArray) -> IntArray:
        return np.where(self.happens(SKIPPED), ABSTAIN, grades)

    def family(self) -> list[IntArray]:
        """One verdict, with the blind spot, which every member repeats but for slips of its own."""
        is_taken_in = (self.labels != RIGHT) & self.happens(FLUENT)
        verdict = np.where(is_taken_in, RIGHT, self.grade(FAMILY_ACCURACY))
        votes = []
        for _ in FAMILY:
            slip = self.rng.integers(len(GRADES), size=len(verdict))
            votes.append(self.skip(np.where(self.happens(FAMILY_FOLLOWS), verdict, slip)))
        return votes


def make_judges(n_items: int = 2000, *, n_gold: int = 120, random_state: int) -> Demo:
    """Answers graded right, partial or wrong by twelve made-up LLM judges, seven of whom err together.

    Half of the answers are right, a fifth partial, the rest wrong. Seven judges are variants of one model: they repeat
    its verdict nine times in ten, and it takes two in five of the answers that are not right for right, because they
    are fluent; elsewhere it is right on 85 %. Three judges on their own are right on 76 to 82 %, two weak ones on half.
    Each skips a quarter of the answers. Agreement says that the seven are the good judges, so majority vote and
    Dawid-Skene follow them; gold says that they are not.

    With 2,000 answers and 120 gold labels the fit by default is, on the answers without a gold label, at least as
    accurate as, and has a lower log loss than, majority vote, Dawid-Skene, the best single judge on gold and logistic
    regression on the votes of gold, for 50 of the seeds 0 to 49.

    Parameters
    ----------
    n_items : int
    n_gold : int
        How many answers, drawn at random, people have graded.
    random_state : int
        Seed of answers, grades and gold.

    Returns
    -------
    Demo

    Examples
    --------
    >>> from thumbwise.datasets import make_judges
    >>> made = make_judges(500, n_gold=60, random_state=1)
    >>> made.votes.n_rules, made.votes.class_names, len(made.gold)
    (12, ('right', 'partial', 'wrong'), 60)
    """
    if n_items < 1:
        raise ValueError(f"n_items must be at least 1; found {n_items}.")
    rng = np.random.default_rng(random_state)
    labels = rng.choice(len(GRADES), size=n_items, p=GRADE_FREQUENCIES)
    grader = _Grader(rng, labels)
    array = np.column_stack([*grader.family(), *(grader.skip(grader.grade(rate)) for rate in OTHERS.values())])
    ids = np.array([f"answer-{i:0{len(str(n_items - 1))}d}" for i in range(n_items)])
    votes = Votes(array, class_names=GRADES, rule_names=[*FAMILY, *OTHERS], item_ids=ids)
    return Demo(votes, labels, draw_gold(rng, n_items, n_gold), ids, _describe(n_items, n_gold))


def _describe(n_items: int, n_gold: int) -> str:
    return (
        f"{n_items:,} chatbot answers: right, partial or wrong. Made up, so the truth is known.\n"
        "Twelve LLM judges grade them, and skip some. Seven (nova) are variants of one\n"
        "model and take fluent answers for right; three are decent, two (pico) weak.\n"
        f"People graded {n_gold} of the answers, drawn at random: gold. The truth about the\n"
        "others is used only to compare with, at the end."
    )
