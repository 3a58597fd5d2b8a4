"""A runner that is killed at random moments and started again ends with the rows of one that was left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.small_experiment import small_experiment
from thumbwise.paper.experiments.runner import run
from thumbwise.paper.experiments.specs import Row
from thumbwise.tables.table_files import as_text, read_table

HERE = Path(__file__).parent
# Seconds after which a process that should have ended counts as one that never will, on however busy a machine.
NEVER = 600
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
    _, said = process.communicate(timeout=NEVER)
    assert (process.returncode, said) == (0, b"")


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.communicate(timeout=NEVER)


def without_seconds(folder: Path) -> dict[str, list[str | None]]:
    table = read_table(folder / "small.parquet")
    return {name: as_text(column) for name, column in table.columns.items() if name != "seconds"}


def whole_lines(folder: Path) -> bytes:
    journal = folder / "small.jsonl"
    return journal.read_bytes().rpartition(b"\n")[0] if journal.exists() else b""


@contextmanager
def held(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A runner that cannot end by itself: the last fits wait. What is left of it is killed at the end."""
    hold = folder / "hold"
    hold.touch()
    process = start(folder)
    try:
        yield process
    finally:
        kill(process)
        hold.unlink()


def wait_for_rows(process: subprocess.Popen[bytes], folder: Path, n_rows: int) -> None:
    while whole_lines(folder).count(b"\n") < n_rows:
        assert process.poll() is None, "ended without its rows"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    run(small_experiment(), folder, processes=1)
    return folder


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_kills_lose_and_repeat_nothing(seed: int, undisturbed: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    for n_rows in np.sort(rng.integers(0, 44, 3)):
        with held(tmp_path) as process:
            wait_for_rows(process, tmp_path, int(n_rows))
            time.sleep(rng.uniform(0, 0.05))  # any moment will do
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
    with held(tmp_path) as process:
        wait_for_rows(process, tmp_path, 5)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=NEVER)
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
    end = time.monotonic() + NEVER
    while any(map(is_alive, workers)):
        assert time.monotonic() < end, "workers outlive their runner"
        time.sleep(0.02)


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
