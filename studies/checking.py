"""How often checks speak for nothing, and what they find: ``python -m studies.checking``.

Three tables. (1) The test of gold against the pool, on gold that was drawn at random: there it may fire in one of
twenty draws. (2) The same test, as the library makes it (1 %), on gold that favours items of the rarest class, three to
one, or that is from the half of the items on which votes agree most; beside it what the rules find one by one. (3) What
``thumbwise check`` finds on the paper's datasets, crowds and judges, votes as they are and gold random, in how many
draws. The test looks at no label; labels say only which items are favoured. ``--only`` names one table.
"""

from __future__ import annotations

import warnings
from collections import Counter
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldIs
from thumbwise.box.gold_checks.sample_check import check_sample

SETS = (*TITLES, *CROWDS, JUDGES)
DRAWN_AGAIN = ("basketball", "sms", "youtube", "rte")
MISLED = (JUDGES, "youtube", "rte", "aa2", "sms", "domain", "dog", "web")
WAYS = ("rarest class favoured", "easy items", "random")
_FAVOUR, _EASY, _OFTEN, _N_GOLD = 3.0, 0.5, 0.05, 100


def alarms(setting: tuple[str, GoldIs], n_draws: int, seed: int) -> list[str]:
    """A row of the first table."""
    name, gold_is = setting
    population, fired = load_population(name), 0
    for draw, gold in enumerate(draw_gold(population, _N_GOLD, gold_is, n_draws, seed)):
        votes = population.votes
        pool = votes if gold_is == "subset" else votes.take(np.setdiff1d(np.arange(votes.n_items), gold))
        drawn = check_sample(
            votes.take(gold), pool, gold_is=gold_is, error=_OFTEN, n_permutations=199, random_state=draw
        )
        fired += drawn.fires
    return [TITLES.get(name, name), gold_is, f"{n_draws:,}", f"{100 * fired / n_draws:.1f} %"]


def misled(setting: tuple[str, int], n_draws: int, seed: int) -> list[str]:
    """A row of the second table."""
    name, n_gold = setting
    population, cells = load_population(name), []
    for way in WAYS:
        chance = _chances(population.votes, population.labels, way)
        rng, found = np.random.default_rng([seed, n_gold, *name.encode(), *way.encode()]), []
        for _ in range(n_draws):
            gold = rng.choice(len(chance), n_gold, replace=False, p=chance / chance.sum())
            found.append(check_sample(population.votes.take(gold), population.votes, gold_is="subset"))
        alone = np.mean([check.smallest_p_value <= check.error for check in found])
        cells += [f"{np.mean([check.fires for check in found]):.2f}", f"{alone:.2f}"]
    return [TITLES.get(name, name), str(n_gold), *cells]


def _chances(votes: tw.Votes, labels: IntArray, way: str) -> FloatArray:
    if way == "rarest class favoured":
        return np.where(labels == np.argmin(np.bincount(labels)), _FAVOUR, 1.0)
    by_class = votes.patterns.votes_per_class
    agree = (by_class.max(axis=1) / np.maximum(by_class.sum(axis=1), 1))[votes.inverse]
    easy = np.argsort(np.argsort(-agree, kind="stable"), kind="stable") < _EASY * len(agree)
    return np.where(easy, 1.0, 0.0) if way == "easy items" else np.ones(len(agree))


def findings(name: str, n_draws: int, seed: int) -> list[str]:
    """A row of the third table."""
    population, counts = load_population(name), Counter[str]()
    for gold in draw_gold(population, gold_size(population, _N_GOLD), "subset", n_draws, seed):
        votes = population.votes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            checks = tw.check(votes, votes.take(gold), population.labels[gold], gold_is="subset", skip=["TW302"])
        counts.update(checks.codes)
    return [TITLES.get(name, name), ", ".join(f"{code} {n}" for code, n in sorted(counts.items())) or "nothing"]


def main() -> None:
    """All tables, or one."""
    parser = make_parser(__doc__, draws=40, quick=5)
    parser.add_argument("--only", type=int, choices=(1, 2, 3), help="one of the tables")
    arguments = parser.parse_args()
    parts: dict[int, tuple[str, Any, list[Any]]] = {
        1: ("alarms", alarms, list(product(DRAWN_AGAIN, ("separate", "subset")))),
        2: ("misled", misled, list(product(MISLED, (50, 100)))),
        3: ("findings", findings, list(SETS)),
    }
    headers = {
        1: ["items", "gold is", "draws", "fires"],
        2: ["set", "gold labels", *(f"{way}{part}" for way in WAYS for part in ("", ", by rules alone"))],
        3: ["set", "found, of so many draws"],
    }
    tables = {}
    for number in [arguments.only] if arguments.only else [*parts]:
        name, work, tasks = parts[number]
        done = partial(work, n_draws=arguments.draws, seed=arguments.seed)
        rows = run_tasks(done, tasks, arguments.processes)
        tables[name] = markdown_table(headers[number], rows)
    publish("checking", arguments, [*tables.values()], tables)


if __name__ == "__main__":
    main()
