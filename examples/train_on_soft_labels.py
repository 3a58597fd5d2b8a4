"""Train a text classifier on soft labels, and compare it with one trained on the gold labels alone.

The texts are made up: words drawn at random, some from the list of the text's topic, some from those of all topics,
most from a list of common words. Words far down a list are rare, as they are in language; nothing else here is like
language. So the figures show how the steps fit together, and not what your texts will give.

Run as ``python examples/train_on_soft_labels.py``; ``--seeds 20`` gives the mean over that many corpora.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from thumbwise import soft_labels

N_POOL, N_TEST = 3000, 2000
TOPICS = ("delivery", "payment", "returns")
# Each line is a rule: it votes for the topic where one of the words occurs, and abstains elsewhere.
RULES = (
    ("delivery", "parcel courier late tracking depot"),
    ("delivery", "shipped driver doorstep lost address"),
    ("payment", "card invoice charged bank receipt"),
    ("payment", "voucher declined balance tax fee"),
    ("returns", "refund broken size exchange zip"),
    ("returns", "stain torn colour warranty fit"),
)
OWN, ANY = 0.15, 0.05  # shares of words from the list of the topic, and from the lists of all topics


class Corpus:
    """Texts about one topic each; the word at rank r of a list has a probability that falls like 1 / r."""

    def __init__(self, n_words: int, length: int, rng: np.random.Generator) -> None:
        self.length, self.rng = length, rng
        self.lists = [*(self._list_topic(name, n_words) for name in TOPICS), [f"word{i}" for i in range(2 * n_words)]]

    def _list_topic(self, name: str, n_words: int) -> list[str]:
        """The ten words of the rules are among the forty most frequent ones."""
        known = [word for topic, words in RULES if topic == name for word in words.split()]
        others = [f"{name}{i}" for i in range(n_words - len(known))]
        return [*self.rng.permutation(known + others[:30]).tolist(), *others[30:]]

    def draw(self, n_texts: int) -> tuple[list[str], NDArray[np.int64]]:
        """Texts, and the numbers of their topics."""
        y = self.rng.integers(len(TOPICS), size=n_texts)
        return [self._draw_text(int(topic)) for topic in y], y

    def _draw_text(self, topic: int) -> str:
        luck = self.rng.random(self.rng.integers(self.length // 2, self.length * 3 // 2 + 1))
        anyone = self.rng.integers(len(TOPICS), size=len(luck))
        lists = np.where(luck < OWN, topic, np.where(luck < OWN + ANY, anyone, len(TOPICS)))
        return " ".join(self._draw_word(self.lists[which]) for which in lists)

    def _draw_word(self, words: list[str]) -> str:
        return words[int((len(words) + 1) ** self.rng.random()) - 1]  # log of the rank is uniform


def apply_rules(texts: Sequence[str]) -> tw.Votes:
    """What every rule says about every text."""
    found = [set(text.split()) for text in texts]
    rules = [(TOPICS.index(topic), set(words.split())) for topic, words in RULES]
    votes = [[topic if words & seen else -1 for topic, words in rules] for seen in found]
    names = [words.replace(" ", "_or_") for _, words in RULES]
    return tw.Votes(np.array(votes), class_names=TOPICS, rule_names=names, item_ids=np.arange(len(texts)))


def run(seed: int, *, n_gold: int, n_words: int, length: int) -> dict[str, float]:
    """Accuracies on test texts of classifiers that were trained on different labels of one corpus."""
    rng = np.random.default_rng(seed)
    corpus = Corpus(n_words, length, rng)
    (texts, y), (test_texts, y_test) = corpus.draw(N_POOL), corpus.draw(N_TEST)
    is_gold = np.zeros(N_POOL, dtype=bool)
    is_gold[rng.choice(N_POOL, size=n_gold, replace=False)] = True

    votes = apply_rules(texts)
    gold = np.where(is_gold, y, -1)
    teachers = {
        "soft labels, 95 % confidence": tw.BalsubramaniFreund(confidence_level=0.95).fit(votes, gold),
        "soft labels, 50 % confidence": tw.BalsubramaniFreund(confidence_level=0.50).fit(votes, gold),
        "soft labels, majority vote": tw.MajorityVote().fit(votes),
    }
    vectoriser = TfidfVectorizer().fit(texts)  # on the texts, before rows are repeated
    X, X_test = vectoriser.transform(texts), vectoriser.transform(test_texts)  # noqa: N806
    has_label = (votes.n_votes_per_item > 0) | is_gold

    pupils = {f"{n_gold} gold labels alone": _classifier().fit(X[is_gold], np.array(TOPICS)[y[is_gold]])}
    for title, teacher in teachers.items():
        proba = teacher.predict_proba(votes)
        proba[is_gold] = np.eye(len(TOPICS))[y[is_gold]]  # majority vote does not know gold; the others do
        pupils[title] = soft_labels(X, proba, class_names=teacher.classes_, keep=has_label).fit(_classifier())
    pupils["all true labels"] = _classifier().fit(X, np.array(TOPICS)[y])
    return {title: float(pupil.score(X_test, np.array(TOPICS)[y_test])) for title, pupil in pupils.items()}


def _classifier() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=int, default=100, help="number of gold labels")
    parser.add_argument("--words", type=int, default=500, help="number of words in the list of a topic, from 10 on")
    parser.add_argument("--length", type=int, default=40, help="mean number of words in a text")
    parser.add_argument("--seeds", type=int, default=1, help="number of corpora")
    given = parser.parse_args()
    runs = [run(seed, n_gold=given.gold, n_words=given.words, length=given.length) for seed in range(given.seeds)]
    print(f"Accuracy on {N_TEST:,} made-up texts of a classifier trained on (mean of {len(runs)}; range; beats gold)")
    alone = np.array([next(iter(row.values())) for row in runs])
    for title in runs[0]:
        values = np.array([row[title] for row in runs])
        n_better = int((values > alone).sum())
        print(f"  {title:30s} {values.mean():.3f}   {values.min():.3f} .. {values.max():.3f}   {n_better}")


if __name__ == "__main__":
    main()
