"""Classes with subtypes by mean-field variational Bayes, written item by item from the equations.

``votes`` is the plain array (n_items, n_rules) with -1 for an abstention; ``joint[i, c, m]`` is the probability that
item i is of class c and subtype m. Used to check the model on patterns, and as the slow side of the speed comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from scipy.stats import entropy

from support.problems import FloatArray, IntArray


@dataclass(frozen=True)
class Setting:
    """Prior concentrations and sizes."""

    n_classes: int
    n_groups: int = 10
    group_prior: float = 0.1
    right: float = 4.0
    wrong: float = 1.0

    def said(self, c: int) -> FloatArray:
        """Concentrations of what a rule says on items of class c."""
        prior = np.full(self.n_classes, self.wrong)
        prior[c] = self.right
        return prior


@dataclass(frozen=True)
class Factors:
    """Dirichlet concentrations: tau[c], pi[c, m], v[j, c, m, l]."""

    tau: FloatArray
    pi: FloatArray
    v: FloatArray


def class_shares(votes: IntArray, n_classes: int, y: IntArray | None = None) -> FloatArray:
    shares = np.stack([(votes == c).sum(axis=1) for c in range(n_classes)], axis=1).astype(float)
    shares[shares.sum(axis=1) == 0] = 1
    shares /= shares.sum(axis=1, keepdims=True)
    if y is not None:
        shares[y >= 0] = np.eye(n_classes)[y[y >= 0]]
    return shares


def draw_joint(shares: FloatArray, n_groups: int, rng: np.random.Generator) -> FloatArray:
    return shares[:, :, None] * rng.dirichlet(np.ones(n_groups), shares.shape)


def update_factors(votes: IntArray, joint: FloatArray, class_prior: FloatArray, setting: Setting) -> Factors:
    k, n_groups = setting.n_classes, setting.n_groups
    v = np.empty((votes.shape[1], k, n_groups, k))
    for j in range(votes.shape[1]):
        for said in range(k):
            v[j, :, :, said] = joint[votes[:, j] == said].sum(axis=0)
    for c in range(k):
        v[:, c] += setting.said(c)
    return Factors(class_prior + joint.sum(axis=(0, 2)), setting.group_prior / n_groups + joint.sum(axis=0), v)


def item_scores(votes: IntArray, factors: Factors) -> FloatArray:
    """Expected log probability of class, subtype and votes of each item."""
    log_tau = digamma(factors.tau) - digamma(factors.tau.sum())
    log_pi = digamma(factors.pi) - digamma(factors.pi.sum(axis=1, keepdims=True))
    log_v = digamma(factors.v) - digamma(factors.v.sum(axis=3, keepdims=True))
    scores = np.tile(log_tau[:, None] + log_pi, (len(votes), 1, 1))
    for j in range(votes.shape[1]):
        for said in range(len(log_tau)):
            scores[votes[:, j] == said] += log_v[j, :, :, said]
    return scores


def update_joint(votes: IntArray, factors: Factors, y: IntArray | None = None) -> FloatArray:
    scores = item_scores(votes, factors)
    if y is not None:
        scores[(y >= 0)[:, None] & (np.arange(scores.shape[1]) != y[:, None])] = -np.inf
    return np.asarray(np.exp(scores - logsumexp(scores, axis=(1, 2), keepdims=True)))


def evidence_bound(
    votes: IntArray, joint: FloatArray, factors: Factors, class_prior: FloatArray, setting: Setting
) -> float:
    """Expected log probability of votes, classes, subtypes and rates, plus the entropy of each factor."""
    bound = float((joint * item_scores(votes, factors)).sum() + entropy(joint.reshape(len(joint), -1).T).sum())
    bound += prior_and_entropy(factors.tau, class_prior)
    bound += prior_and_entropy(factors.pi, np.full_like(factors.pi, setting.group_prior / setting.n_groups))
    for c in range(setting.n_classes):
        bound += prior_and_entropy(factors.v[:, c], np.broadcast_to(setting.said(c), factors.v[:, c].shape))
    return bound


def prior_and_entropy(posterior: FloatArray, prior: FloatArray) -> float:
    """Expected log density of Dirichlet priors, one along each last axis, plus the entropies of the posteriors."""
    total, size = posterior.sum(axis=-1), posterior.shape[-1]
    logs = digamma(posterior) - digamma(total)[..., None]
    expected = ((prior - 1) * logs).sum(axis=-1) - _log_beta(prior)
    entropies = (
        _log_beta(posterior) + (total - size) * digamma(total) - ((posterior - 1) * digamma(posterior)).sum(axis=-1)
    )
    return float((expected + entropies).sum())


def _log_beta(concentrations: FloatArray) -> FloatArray:
    return np.asarray(gammaln(concentrations).sum(axis=-1) - gammaln(concentrations.sum(axis=-1)))


def published_score(joint: FloatArray, previous: FloatArray, bound_before: float) -> float:
    """The number by which the original implementation ranks starts, up to a constant.

    It adds the entropy of the last responsibilities to expected logs under those of the iteration before.
    ``bound_before`` is the evidence bound of the last factors with the responsibilities before.
    """
    before, after = (entropy(part.reshape(len(part), -1).T).sum() for part in (previous, joint))
    return float(bound_before - before + after)


def climb(
    votes: IntArray,
    joint: FloatArray,
    class_prior: FloatArray,
    setting: Setting,
    tol: float = 1e-3,
    max_iter: int = 100,
) -> tuple[Factors, FloatArray]:
    """Alternate both updates until no class probability changes by more than ``tol``."""
    for _ in range(max_iter):
        previous = joint
        factors = update_factors(votes, joint, class_prior, setting)
        joint = update_joint(votes, factors)
        if np.abs(joint.sum(axis=2) - previous.sum(axis=2)).max() <= tol:
            break
    return factors, joint


def fit(votes: IntArray, setting: Setting, *, n_starts: int, random_state: int) -> FloatArray:
    """Class probabilities of the start with the largest evidence bound."""
    rng = np.random.default_rng(random_state)
    shares = class_shares(votes, setting.n_classes)
    class_prior = np.maximum(shares.sum(axis=0), 1)
    best, proba = -np.inf, shares
    for _ in range(n_starts):
        factors, joint = climb(votes, draw_joint(shares, setting.n_groups, rng), class_prior, setting)
        bound = evidence_bound(votes, joint, factors, class_prior, setting)
        if bound > best:
            best, proba = bound, joint.sum(axis=2)
    return proba
