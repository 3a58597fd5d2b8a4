"""Iterations from 0 and from an earlier fit, when items, a rule or gold labels are added.

Run as ``python -m studies.warm_start``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import thumbwise as tw
from studies.drawing import TITLES, Population, load_population
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import IntArray

N_GOLD = 100
MORE_GOLD = 20
Fits = tuple[tw.BalsubramaniFreund, tw.BalsubramaniFreund]


def fit_twice(votes: tw.Votes, gold: IntArray, labels: IntArray, start: tw.BalsubramaniFreund) -> Fits:
    """Without and with a start."""
    box = make_box(votes, gold, labels)
    model = tw.BalsubramaniFreund(caution=1, on_infeasible="widen")
    return model.fit(votes, box=box), tw.BalsubramaniFreund(caution=1, on_infeasible="widen").fit(
        votes, box=box, start=start
    )


def make_box(votes: tw.Votes, gold: IntArray, labels: IntArray) -> tw.Box:
    """Intervals from gold that is part of the pool."""
    return tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", opinions=(), n_permutations=0)


def updates(population: Population, draw: int, seed: int) -> dict[str, Fits]:
    """Fits to all items, all rules and 100 gold labels, begun at fits to 99 % of the items, and so on."""
    everything, labels = population.votes, population.labels
    rng = np.random.default_rng([seed, draw])
    order = rng.permutation(everything.n_items)
    gold, more = order[:N_GOLD], order[: N_GOLD + MORE_GOLD]
    most = order[: int(0.99 * everything.n_items)]
    dropped = int(rng.integers(everything.n_rules))
    fewer = everything.with_rules([j for j in range(everything.n_rules) if j != dropped])
    model = tw.BalsubramaniFreund(caution=1, on_infeasible="widen")
    first = tw.BalsubramaniFreund(caution=1, on_infeasible="widen").fit(
        everything, box=make_box(everything, gold, labels)
    )
    fits = {"more gold": fit_twice(everything, more, labels, first)}
    part = everything.take(most)
    model.fit(part, box=make_box(part, np.arange(N_GOLD), labels[most]))
    fits["more items"] = fit_twice(everything, gold, labels, model)
    model.fit(fewer, box=make_box(fewer, gold, labels))
    fits["one more rule"] = fit_twice(everything, gold, labels, model)
    return fits


def study(name: str, n_draws: int, seed: int) -> list[str]:
    """One row: mean iterations of each update, cold and warm; largest differences of bounds and probabilities."""
    population = load_population(name)
    iterations: dict[str, list[tuple[int, int]]] = {}
    bounds, probabilities = [0.0], [0.0]
    for draw in range(n_draws):
        for what, (cold, warm) in updates(population, draw, seed).items():
            iterations.setdefault(what, []).append((cold.n_iter_, warm.n_iter_))
            bounds.append(abs(cold.certificate_.log_loss_bound - warm.certificate_.log_loss_bound))
            proba = cold.predict_proba(population.votes), warm.predict_proba(population.votes)
            probabilities.append(float(np.abs(proba[0] - proba[1]).max()))
    means = [np.mean(iterations[what], axis=0) for what in ("more items", "one more rule", "more gold")]
    numbers = [f"{number:.1f}" for pair in means for number in pair]
    return [TITLES[name], *numbers, f"{max(bounds):.0e}", f"{max(probabilities):.0e}"]


def main() -> None:
    """All ten datasets."""
    arguments = read_arguments("Iterations without and with a start.", draws=20)
    n_draws = arguments.draws
    rows = run_tasks(partial(study, n_draws=n_draws, seed=arguments.seed), list(TITLES), arguments.processes)
    heading = (
        f"Mean iterations over {n_draws} draws of {N_GOLD} gold labels, seed {arguments.seed}: from 0, and from the "
        f"earlier fit, with 1 % more items, one more rule, {MORE_GOLD} more gold labels; and by how much the two "
        "answers differ at most, in bound and probability."
    )
    pairs = [f"{what}, {how}" for what in ("items", "rule", "gold") for how in ("from 0", "from the fit")]
    table = markdown_table(["dataset", *pairs, "bound", "probability"], rows)
    publish("warm_start", arguments, [heading, table], {"iterations": table})


if __name__ == "__main__":
    main()
