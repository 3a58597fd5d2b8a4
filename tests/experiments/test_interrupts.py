"""A runner that is killed at random moments and started again ends with the rows of one that was left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.small_experiment import small_experiment
from thumbwise.experiments.runner import run
from thumbwise.experiments.specs import Row
from thumbwise.io.tables import as_text, read_table

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")


def start(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(HERE / "run_small.py"), str(folder), *options],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(folder: Path) -> None:
    process = start(folder)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, b"")


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate(timeout=60)


def without_seconds(folder: Path) -> dict[str, list[str | None]]:
    table = read_table(folder / "small.parquet")
    return {name: as_text(column) for name, column in table.columns.items() if name != "seconds"}


def whole_lines(folder: Path) -> bytes:
    journal = folder / "small.jsonl"
    return journal.read_bytes().rpartition(b"\n")[0] if journal.exists() else b""


def wait_for_rows(folder: Path, n_rows: int) -> None:
    for _ in range(2000):
        if whole_lines(folder).count(b"\n") >= n_rows:
            return
        time.sleep(0.005)
    raise AssertionError("no rows")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    run(small_experiment(), folder, processes=1)
    return folder


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_kills_lose_and_repeat_nothing(seed: int, undisturbed: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    for n_rows in np.sort(rng.integers(0, 44, 3)):
        process = start(tmp_path)
        if n_rows > 0:
            wait_for_rows(tmp_path, int(n_rows))
        time.sleep(rng.uniform(0, 0.05))
        kill(process)
        before = whole_lines(tmp_path)
        if rng.random() < 0.5:  # a kill seldom falls into a write, so tear a line by hand
            with (tmp_path / "small.jsonl").open("ab") as journal:
                journal.write(b'{"dataset": "x", "meth')
        assert not (tmp_path / "small.parquet").exists()
    finish(tmp_path)
    assert whole_lines(tmp_path).startswith(before)
    keys = [line[: line.index(b"log_loss")] for line in whole_lines(tmp_path).split(b"\n")[1:]]
    assert len(keys) == len(set(keys)) == len(small_experiment().fits)
    assert without_seconds(tmp_path) == without_seconds(undisturbed)


def test_an_interrupt_ends_quietly_and_can_be_resumed(undisturbed: Path, tmp_path: Path) -> None:
    """As Ctrl-C does, the signal goes to all processes; only the first may speak."""
    process = start(tmp_path)
    wait_for_rows(tmp_path, 5)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode != 0
    assert said.count(b"Traceback") == 1
    assert b"KeyboardInterrupt" in said
    finish(tmp_path)
    assert without_seconds(tmp_path) == without_seconds(undisturbed)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_workers_end_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    """Not at the end of their fit: at once."""
    process = start(tmp_path, "slowly")
    workers: list[int] = []
    while len(workers) < 2:
        assert process.poll() is None
        workers = [int(path.name.removeprefix("worker-")) for path in tmp_path.glob("worker-*")]
        time.sleep(0.02)
    assert all(map(is_alive, workers))
    kill(process)
    for _ in range(200):
        if not any(map(is_alive, workers)):
            return
        time.sleep(0.05)
    raise AssertionError("workers outlive their runner")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_number_of_processes_does_not_matter(undisturbed: Path, tmp_path: Path) -> None:
    rows = run(small_experiment(), tmp_path, processes=3)
    assert without_seconds(tmp_path) == without_seconds(undisturbed)
    keys = [f"{row['dataset']} {row['method']} {row['run']:3}" for row in rows]
    assert keys == sorted(keys)


def test_slow_fits_start_first(tmp_path: Path) -> None:
    experiment = replace(small_experiment(3), cost=lambda fit: {"A": 0.0, "B": 1.0}[fit.method] + fit.run)
    run(experiment, tmp_path, processes=1)
    begun = [json.loads(line) for line in whole_lines(tmp_path).split(b"\n")[1:]]
    costs = [{"A": 0, "B": 1}[row["method"]] + row["run"] for row in begun]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]


def test_a_finished_experiment_is_not_run_again(undisturbed: Path) -> None:
    before = (undisturbed / "small.jsonl").read_bytes()
    rows: list[Row] = run(small_experiment(), undisturbed, processes=1)
    assert (undisturbed / "small.jsonl").read_bytes() == before
    assert rows[0] == json.loads(next(line for line in before.split(b"\n") if b'"x", "method": "A", "run": 0' in line))
