"""The certificate beside what guessing costs; bounds by part, by caution and by number of gold labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thumbwise.assess.tables.fitted import read_fitted
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.models.fitted_game import bounds_by_part
from thumbwise.summaries import certificate_levels

if TYPE_CHECKING:
    from thumbwise.assess.planning import Plan
    from thumbwise.game.certificate import Certificate
    from thumbwise.models.balsubramani_freund import BalsubramaniFreund
    from thumbwise.models.frontier import Frontier


def certificate_table(certificate: Certificate, plan: Plan | None = None) -> Tidy:
    """Mean log losses per item whose label is not known, the largest first where all is well.

    Guessing, what the class frequencies alone prove if that is more, the bound, the entropy and the floor.

    All are means over the items without a gold label: those that keep theirs cost nothing, and would make every number
    but that of guessing look better than the rules are.

    Parameters
    ----------
    certificate : Certificate
    plan : Plan, optional
        Adds the floor: an estimate of the bound with every accuracy and class frequency known.

    Returns
    -------
    Tidy
        Columns ``what``, ``log_loss``; facts ``is_guarantee`` and ``n_items``, without a gold label.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    >>> [(row["what"], round(row["log_loss"], 3)) for row in certificate_table(model.certificate_).rows()]
    [('guessing', 0.693), ('bound', 0.562), ('entropy', 0.562)]
    """
    rows = certificate_levels(certificate)
    if plan is not None:
        rows["floor"] = plan.floor
    facts = {"is_guarantee": certificate.is_guarantee, "n_items": certificate.n_open}
    return Tidy.of({"what": list(rows), "log_loss": list(rows.values())}, **facts)


def plan_table(plan: Plan) -> Tidy:
    """Planned bounds by number of gold labels. *Guarantee*: none, but for the first row, the bound of today.

    Parameters
    ----------
    plan : Plan
        From :func:`thumbwise.plan`.

    Returns
    -------
    Tidy
        Columns ``n_gold``, ``planned_bound``, ``planned_bound_all``; facts ``floor`` and ``guessing``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(400, [0.9, 0.7], random_state=0)
    >>> plan = tw.plan(made.votes.take(range(200)), made.labels[:200], pool=made.votes, gold_is="subset")
    >>> plan_table(plan)["n_gold"]
    (200, 283, 400)
    """
    return Tidy.of(plan.frame(), floor=plan.floor, guessing=plan.guessing)


def parts_table(model: BalsubramaniFreund, votes: Any) -> Tidy:
    """What each part of the box adds: the bound from rules and classes, then with opinions, then with the learned one.

    *Guarantee*: each is a bound as the certificate's is, for the weights that are best with these parts, at a caution
    of 1. All have the intervals of this box, where every part has its share of the allowed error and no more. So the
    differences are what parts are worth here; with all of the error for rules and classes alone, these would prove
    more than in the first row.

    Parameters
    ----------
    model, votes
        As for :func:`rules_table`.

    Returns
    -------
    Tidy
        Columns ``part`` ("rules", "opinions", "learned"), ``bound``: with this part and those before. One row if the
        box has no opinions.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    >>> [(row["part"], round(row["bound"], 3)) for row in parts_table(model, votes).rows()]
    [('rules', 0.562)]
    """
    bounds = bounds_by_part(model, read_fitted(model, votes))
    return Tidy.of({"part": list(bounds), "bound": list(bounds.values())})


def frontier_table(frontier: Frontier) -> Tidy:
    """What each caution proves and what it is expected to lose. *Guarantee*: of the bounds; the rest is estimated.

    Parameters
    ----------
    frontier : Frontier
        Of :meth:`thumbwise.BalsubramaniFreund.frontier`.

    Returns
    -------
    Tidy
        Columns ``caution`` (None for the regression, last), ``bound``, ``log_loss``, ``accuracy``, ``is_chosen``; facts
        ``caution`` of the model, ``auto``, ``n_gold``, ``n_folds``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(400, [0.9, 0.7], random_state=0)
    >>> model = tw.BalsubramaniFreund().fit(made.votes, [c if i < 100 else -1 for i, c in enumerate(made.labels)])
    >>> frontier_table(model.frontier(made.votes)).facts["n_gold"]
    100
    """
    names = ("caution", "auto", "n_gold", "n_folds")
    return Tidy.of(frontier.frame(), **{name: getattr(frontier, name) for name in names})
