"""What the order of classes buys, on made-up ratings: ``python -m studies.ordinal``.

Items have a rating from 1 to 5. Judges are right about half of the time; of their errors, half or nine tenths are to a
neighbouring rating, the others to any. Gold is drawn anew in every draw. The same votes are read without and with their
order: what is certified, what the labels are like, and how far they are off, by the most probable and by the median
rating. It takes about ten minutes of one core.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

import thumbwise as tw
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray

PANELS = {3: (0.6, 0.55, 0.5), 5: (0.6, 0.55, 0.5, 0.5, 0.45), 7: (0.6, 0.6, 0.55, 0.5, 0.5, 0.5, 0.45)}
FREQUENCIES = (0.1, 0.15, 0.25, 0.3, 0.2)
N_ITEMS, N_CLASSES = 2000, 5
Setting = tuple[int, float, int]
SETTINGS: list[Setting] = list(product(PANELS, (0.5, 0.9), (100, 400)))


def make_ratings(
    rng: np.random.Generator, n_items: int, accuracies: tuple[float, ...], near: float
) -> tuple[IntArray, IntArray]:
    """True ratings, from 0, and those of the judges; ``near`` is the share of errors that are to a neighbour."""
    truth = rng.choice(N_CLASSES, n_items, p=FREQUENCIES)
    columns = []
    for accuracy in accuracies:
        step = np.where(rng.random(n_items) < 0.6, 1, -1)
        step = np.where(truth == 0, 1, np.where(truth == N_CLASSES - 1, -1, step))
        anywhere = rng.integers(N_CLASSES, size=n_items)
        wrong = np.where(rng.random(n_items) < near, truth + step, anywhere)
        columns.append(np.where(rng.random(n_items) < accuracy, truth, wrong))
    return truth, np.stack(columns, axis=1)


def measure(votes: tw.Votes, truth: IntArray, gold: IntArray) -> FloatArray:
    """Bound, log loss, guaranteed accuracy, accuracy, and mean error of the most probable and of the median rating."""
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset", n_permutations=0)
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    proba, certificate = model.predict_proba(votes), model.certificate_
    likely, middle = tw.metrics.first_best(proba), tw.metrics.median_class(proba)
    return np.array(
        [
            certificate.log_loss_bound,
            tw.metrics.log_loss(truth, proba),
            certificate.accuracy_at_least,
            (likely == truth).mean(),
            tw.metrics.mean_absolute_error(truth, likely),
            tw.metrics.mean_absolute_error(truth, middle),
        ]
    )


def study(setting: Setting, n_draws: int, seed: int) -> list[str]:
    """A row of the table: without and with the order, means over draws."""
    n_judges, near, n_gold = setting
    found = []
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, draw])
        truth, array = make_ratings(rng, N_ITEMS, PANELS[n_judges], near)
        gold = rng.choice(N_ITEMS, n_gold, replace=False)
        found.append(
            [measure(tw.Votes(array, n_classes=N_CLASSES, ordered=ordered), truth, gold) for ordered in (False, True)]
        )
    without, ordered = np.mean(found, axis=0)
    cells = [f"{a:.2f}, {b:.2f}" for a, b in zip(without, ordered, strict=True)]
    return [f"{n_judges} judges, {100 * near:.0f} % near, {n_gold} gold", *cells]


def main() -> None:
    """All settings."""
    arguments = read_arguments(__doc__, draws=10)
    rows = run_tasks(partial(study, n_draws=arguments.draws, seed=arguments.seed), SETTINGS, arguments.processes)
    header = ["ratings", "bound", "log loss", "accuracy at least", "accuracy", "mean error", "of the median"]
    table = markdown_table(header, rows)
    publish("ordinal", arguments, [table], {"ratings": table})


if __name__ == "__main__":
    main()
