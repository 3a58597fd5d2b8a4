"""The three losses of the paper, for one prediction."""

from __future__ import annotations

from hashlib import sha1

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import brier_score, log_loss
from thumbwise.paper.experiments.specs import Row

LOSSES = ("log_loss", "zero_one_loss", "brier_score")
# Probabilities this close are a tie to the paper's authors.
_TIE = 1e-5


def score(labels: IntArray, proba: FloatArray) -> Row:
    """Log loss, 0-1 loss (with the authors' way of breaking ties) and Brier score of class probabilities."""
    return {
        "log_loss": log_loss(labels, proba),
        "zero_one_loss": float(np.mean(choose_classes(proba) != labels)),
        "brier_score": brier_score(labels, proba),
    }


def choose_classes(proba: FloatArray) -> IntArray:
    """Most probable class of each item; ties are broken by a hash of the item's position in the file.

    This is what the authors' tools do, which take it from Snorkel: of t tied classes the one whose number, among
    these, is SHA-1 of the position written in decimal, modulo t. It matters where rules abstain: on SMS half the items
    have no votes, and the 0-1 loss of the majority vote is 0.08 or 0.32 depending on who wins a tie.
    """
    is_best = proba >= proba.max(axis=1, keepdims=True) - _TIE
    classes = np.argmax(proba, axis=1)
    for item in np.flatnonzero(is_best.sum(axis=1) > 1):
        tied = np.flatnonzero(is_best[item])
        digest = sha1(str(item).encode(), usedforsecurity=False).hexdigest()
        classes[item] = tied[int(digest, 16) % len(tied)]
    return np.asarray(classes)
