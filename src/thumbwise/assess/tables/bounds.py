"""The certificate beside what guessing costs and what the rules can reach; the bound against the number of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thumbwise.assess.tables.tidy import Tidy
from thumbwise.summaries import certificate_levels

if TYPE_CHECKING:
    from thumbwise.assess.planning import Plan
    from thumbwise.game.certificate import Certificate


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
