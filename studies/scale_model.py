"""What a fit costs in bytes, memory and time, and what can still be certified from a part of the items.

Run as ``python -m studies.scale_model``. Three parts:

- bytes and memory as functions of items, rules, classes and partitions, with the patterns that theory expects;
- memory and time of the solver, and of DuckDB, measured here, as what those functions are to be multiplied with;
- weights fitted to a sample and their bound on all items, beside the optimum; and what goes wrong when rare patterns
  are merged.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import scipy.sparse as sp

import thumbwise as tw
from studies.drawing import TITLES, load_population
from studies.pattern_growth import Cells, one_coin_cells
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.datasets import make_one_coin
from thumbwise.game.pinning import pose_problem
from thumbwise.numerics.feasibility import find_widening, widen
from thumbwise.numerics.maxent import Problem, dual_value
from thumbwise.numerics.shared_features import as_rows
from thumbwise.numerics.solver import Solution, solve_dual
from thumbwise.votes.engines.vote_digits import rules_per_word
from thumbwise.votes.lazy_votes import LazyVotes

ACCURACY = 0.75
# One pass over the items evaluates the dual at all of these multiples of the weights; 0 gives log(n_classes).
MULTIPLES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True)
class Scale:
    """A problem's size. Patterns are those of rules that vote independently."""

    n_items: float
    n_rules: int
    n_classes: int
    n_partitions: int
    cells: Cells

    @property
    def key_bytes(self) -> int:
        """One packed row of votes."""
        return 8 * -(-self.n_rules // rules_per_word(self.n_classes + 1))

    @property
    def n_patterns(self) -> float:
        return self.cells.n_patterns(self.n_items)

    @property
    def scanned(self) -> float:
        """By the engine, at a byte a vote, before any compression."""
        return self.n_items * self.n_rules

    @property
    def shuffled(self) -> float:
        """Each partition sends a key and a count for every pattern that it has met."""
        per_partition = self.cells.n_patterns(self.n_items / self.n_partitions)
        return self.n_partitions * per_partition * (self.key_bytes + 8)

    @property
    def driver(self) -> float:
        """Patterns: starts, counts and groups of 8 bytes, and a rule and a class of 4 bytes for each vote."""
        return 24 * self.n_patterns + 8 + 8 * self.cells.votes_in_patterns(self.n_items)

    @property
    def broadcast(self) -> float:
        """The table that answers are looked up in: key, probabilities, label."""
        return self.n_patterns * (self.key_bytes + 8 * self.n_classes + 8)

    @property
    def written(self) -> float:
        """An id, probabilities and a label for each item."""
        return self.n_items * (8 + 8 * self.n_classes + 8)


def show_bytes(size: float) -> str:
    """With the largest unit that leaves a number of at least 1."""
    for unit, power in (("PB", 5), ("TB", 4), ("GB", 3), ("MB", 2), ("kB", 1)):
        if size >= 1000**power:
            return f"{size / 1000**power:.3g} {unit}"
    return f"{size:.0f} B"


def scale_rows(n_partitions: int) -> list[list[str]]:
    """One row for each number of rules, way of abstaining, and number of items; two classes."""
    rows = []
    for n_rules in (10, 40, 100, 1000):
        for how, abstain in (("half abstain", 0.5), ("5 votes an item", 1 - 5 / n_rules)):
            if n_rules == 10 and how != "half abstain":
                continue  # the same
            cells = one_coin_cells([(n_rules, ACCURACY)], abstain)
            for n in (1e6, 1e8, 1e10):
                size = Scale(n, n_rules, 2, n_partitions, cells)
                moved = [size.scanned, size.shuffled, size.driver, size.broadcast, size.written]
                found = [f"{size.n_patterns:.2g}", *map(show_bytes, moved)]
                rows.append([f"{n_rules:,} rules, {how}", f"{n:.0e}".replace("e+", "e"), *found])
    return rows


SCALE_HEADER = ["votes", "items", "D", "scanned", "shuffled", "patterns on the driver", "broadcast", "written"]


def measure_solver(n_rules: int, abstain: float, n_items: int, seed: int) -> list[str]:
    """Patterns, votes in them, peak memory and time of posing and solving; the box is the truth, give or take 0.02."""
    made = make_one_coin(n_items, [ACCURACY] * n_rules, abstain=abstain, random_state=seed)
    votes, patterns, truth = made.votes, made.votes.patterns, tw.Box.exact(made.votes, made.labels).lower
    box = tw.Box.from_bounds(votes, lower=np.clip(truth - 0.02, 0, 1), upper=np.clip(truth + 0.02, 0, 1))
    started = time.perf_counter()
    solution = solve_dual(pose_problem(votes, box))
    seconds = time.perf_counter() - started
    tracemalloc.start()
    solve_dual(pose_problem(votes, box), max_iter=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n_votes, n_cells = len(patterns.rules), patterns.n_patterns * votes.n_classes
    numbers = [f"{n:,}" for n in (n_rules, n_items, patterns.n_patterns, n_votes, solution.n_iter)]
    each, per_cell = seconds / max(1, solution.n_iter), peak / (n_votes + n_cells)
    return [*numbers, f"{each:.3f}", f"{each / n_votes * 1e9:.0f}", show_bytes(peak), f"{per_cell:.0f}"]


SOLVER_HEADER = ["rules", "items", "D", "votes in patterns", "iterations", "seconds each", "ns a vote", "peak"]
SOLVER_HEADER += ["peak bytes per (vote + D x classes)"]


def measure_engine(n_items: int, seed: int) -> str:
    """Bytes in Parquet, and seconds of a plain scan and of counting patterns, with DuckDB."""
    columns = ", ".join(f"(hash(range * 10 + {j} + {seed}) % 3)::TINYINT - 1 AS r{j}" for j in range(10))
    with TemporaryDirectory() as folder:
        path = Path(folder, "votes.parquet")
        connection = duckdb.connect()
        query = f"COPY (SELECT {columns} FROM range({n_items})) TO '{path}' (FORMAT parquet)"  # noqa: S608  # own path
        connection.execute(query)
        sums = " + ".join(f"sum(r{j})" for j in range(10))
        scan = _seconds(lambda: duckdb.execute(f"SELECT {sums} FROM '{path}'").fetchall())  # noqa: S608  # own path
        count = _seconds(lambda: LazyVotes.from_files(path, n_classes=2).patterns)
        size = path.stat().st_size
    return (
        f"{n_items:,} items x 10 rules in Parquet: {size / n_items / 10:.2f} bytes a vote, scan {scan:.2f} s, patterns "
        f"{count:.2f} s ({n_items / count:.2g} items a second)."
    )


def _seconds(work: Callable[[], object]) -> float:
    """The faster of two."""
    taken = []
    for _ in range(2):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def fit_sample(votes: tw.Votes, box: tw.Box, sample: IntArray) -> Solution:
    """Weights for some of the items. A box that they contradict, though all items need not, is widened."""
    problem = pose_problem(votes.take(sample), box)
    solution = solve_dual(problem)
    return solve_dual(widen(problem, find_widening(problem))) if solution.is_infeasible else solution


def bound_on_all(weights: FloatArray, problem: Problem) -> tuple[float, FloatArray]:
    """The least dual value on all items among multiples of the weights, and which weights have it.

    Weak duality holds for every weights, so each value bounds the mean log loss of its own prediction.
    """
    values = [dual_value(multiple * weights, problem) for multiple in MULTIPLES]
    best = int(np.argmin(values))
    return values[best], MULTIPLES[best] * weights


def merge_rare(problem: Problem, counts: IntArray, per_bucket: int = 10) -> Problem:
    """Patterns that occur once thrown together, as a hash would, each bucket with the average of its features.

    Not exact. The log-sum-exp of an average is at most the average of log-sum-exps, so its dual values are too low.
    """
    rare = counts == 1
    n_buckets = max(1, int(rare.sum()) // per_bucket)
    bucket = np.where(rare, np.cumsum(rare) % n_buckets, n_buckets + np.arange(len(counts)))
    used, place = np.unique(bucket, return_inverse=True)
    masses = np.asarray(np.bincount(place, problem.masses), dtype=np.float64)
    share = problem.masses / masses[place]
    fold = sp.csr_array((share, (place, np.arange(len(counts)))), shape=(len(used), len(counts)))
    features = sp.kron(fold, sp.eye_array(problem.n_classes), format="csr") @ as_rows(problem.features)
    return Problem.build(sp.csr_array(features), masses, problem.shares, problem.lower, problem.upper)


@dataclass(frozen=True, eq=False)
class Pool:
    """Votes with their true classes."""

    name: str
    votes: tw.Votes
    labels: IntArray
    n_gold: int


def load_pool(name: str, seed: int) -> Pool:
    """One of the paper's datasets, or made-up votes."""
    if name in TITLES:
        population = load_population(name)
        return Pool(TITLES[name], population.votes, population.labels, n_gold=100)
    n_items, n_rules, abstain, n_gold = MADE[name]
    accuracies = np.random.default_rng(seed).uniform(0.6, 0.9, n_rules)
    made = make_one_coin(n_items, accuracies, abstain=abstain, random_state=seed)
    return Pool(name, made.votes, made.labels, n_gold)


# Items, rules, abstentions, gold.
MADE = {
    "10 rules, half abstain": (1_000_000, 10, 0.5, 100),
    "40 rules, half abstain": (100_000, 40, 0.5, 100),
    "100 rules, 5 votes an item": (100_000, 100, 0.95, 2_000),
}


@dataclass(frozen=True)
class Outcome:
    """One draw of gold and of samples of 1 % and 10 %."""

    optimum: float
    on_sample: tuple[float, float]
    on_all: tuple[float, float]
    iterations: tuple[int, int, int]
    merged: float


def draw_outcome(pool: Pool, seed: tuple[int, int]) -> Outcome | None:
    """None if the box is contradictory for all items. Samples are of items other than gold."""
    votes, labels = pool.votes, pool.labels
    order = np.random.default_rng(seed).permutation(votes.n_items)
    gold, rest = order[: pool.n_gold], order[pool.n_gold :]
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset")
    problem = pose_problem(votes, box)
    best = solve_dual(problem)
    if best.is_infeasible:
        return None
    fits = [fit_sample(votes, box, rest[: max(2, int(share * votes.n_items))]) for share in (0.01, 0.1)]
    bounds = [bound_on_all(fit.weights, problem) for fit in fits]
    again = [solve_dual(problem, start=weights).n_iter for _, weights in bounds]
    merged = solve_dual(merge_rare(problem, votes.patterns.counts)).dual_value
    return Outcome(
        optimum=best.dual_value,
        on_sample=(fits[0].dual_value, fits[1].dual_value),
        on_all=(bounds[0][0], bounds[1][0]),
        iterations=(best.n_iter, again[0], again[1]),
        merged=merged,
    )


def study_sample(name: str, n_draws: int, seed: int) -> tuple[list[str], list[str]]:
    """A row of each table; means over draws."""
    pool = load_pool(name, seed)
    drawn = [draw_outcome(pool, (seed, draw)) for draw in range(n_draws if name in TITLES else n_draws // 2)]
    found = [outcome for outcome in drawn if outcome is not None]
    optimum, merged = (np.array([getattr(one, what) for one in found]) for what in ("optimum", "merged"))
    on_sample, on_all, n_iter = (
        np.array([getattr(one, what) for one in found]) for what in ("on_sample", "on_all", "iterations")
    )
    excess = on_all - optimum[:, None]
    numbers = [optimum.mean(), on_sample[:, 0].mean(), on_all[:, 0].mean(), excess[:, 0].max()]
    numbers += [on_all[:, 1].mean(), excess[:, 1].max()]
    head = [pool.name, f"{pool.votes.n_items:,}", f"{pool.n_gold:,}", f"{len(found)}"]
    first = [*head, *(f"{value:.4f}" for value in numbers), *(f"{value:.1f}" for value in n_iter.mean(axis=0))]
    alone = f"{(pool.votes.patterns.counts == 1).sum() / pool.votes.n_items:.1%}"
    claimed = f"{merged.mean():.4f}" if (merged >= 0).all() else "-"
    return first, [pool.name, alone, f"{optimum.mean():.4f}", claimed, f"{(merged < 0).mean():.0%}"]


SAMPLE_HEADER = ["votes", "items", "gold", "draws", "optimum", "1 %: value on the sample", "1 %: bound on all"]
SAMPLE_HEADER += [
    "largest excess",
    "10 %: bound on all",
    "largest excess",
    "iterations from 0",
    "from 1 %",
    "from 10 %",
]
MERGED_HEADER = ["votes", "items alone with their pattern", "optimum", "claimed after merging", "called contradictory"]


def main() -> None:
    """All parts."""
    arguments = read_arguments("Costs at scale, and certificates from a sample.", draws=10)
    quick, seed = arguments.quick, arguments.seed
    solver = [(10, 0.5, 100_000), (40, 0.9, 100_000), (100, 0.95, 100_000), (1000, 0.995, 50_000)]
    names = [*TITLES, *([] if quick else MADE)]
    rows = run_tasks(partial(study_sample, n_draws=arguments.draws, seed=seed), names, arguments.processes)
    measured = [measure_solver(*setting, seed) for setting in solver[: 2 if quick else 4]]
    tables = {
        "samples": markdown_table(SAMPLE_HEADER, [row for row, _ in rows]),
        "merged": markdown_table(MERGED_HEADER, [row for _, row in rows]),
        "bytes": markdown_table(SCALE_HEADER, scale_rows(n_partitions=1000)),
        "solver": markdown_table(SOLVER_HEADER, measured),
        "engine": measure_engine(1_000_000 if quick else 10_000_000, seed),
    }
    publish("scale_model", arguments, [*tables.values()], tables, draws=dict.fromkeys(("bytes", "solver", "engine"), 0))


if __name__ == "__main__":
    main()
