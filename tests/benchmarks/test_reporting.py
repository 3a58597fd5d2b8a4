"""Slopes, extrapolation, warnings and files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import benchmarks.__main__ as program
import numpy as np
import pytest
from benchmarks.figures import FIGURES
from benchmarks.launching import Job, Measurement, WorkerError, measure, measure_large, warn_if_busy
from benchmarks.make_peers import HERE, install_command
from benchmarks.settings import Settings
from benchmarks.tables import Growth, Row, Table, log_log_slope


@pytest.mark.parametrize("power", [0.0, 0.5, 1.05, 2.0])
def test_the_slope_of_a_power_is_the_power(power: float) -> None:
    sizes = [10, 30, 500, 10**6]
    assert log_log_slope(sizes, [0.3 * size**power for size in sizes]) == pytest.approx(power, abs=1e-12)


def test_the_slope_is_that_of_least_squares() -> None:
    sizes, seconds = [10, 100, 1000, 10**4], [0.2, 0.3, 4.0, 5.0]
    expected = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    assert log_log_slope(sizes, seconds) == pytest.approx(expected)
    assert Growth("items", sizes, seconds, 1.0).last_slope == pytest.approx(np.log10(5 / 4))


def test_what_does_not_finish_is_extrapolated_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"seconds": 2.0, "peak_mb": 100.0, "versions": {}, "checks": {"objective": 1.0}}

    def run(job: Job, max_seconds: float | None = None) -> str:
        if job.worker == "large":
            raise WorkerError("large did not finish in 900 s.")
        return json.dumps(said)

    monkeypatch.setattr(Job, "run", run)
    found = measure_large(Job("large"), Job("small"), 10)
    assert (found.seconds, found.peak_mb, found.checks["objective"]) == (20.0, 1000.0, 1.0)
    assert found.checks["extrapolated"].startswith("did not finish at full size; measured 2.0 s")
    whole = measure_large(Job("small"), Job("small"), 10)
    assert (whole.seconds, whole.checks["extrapolated"]) == (2.0, "")


def test_a_worker_is_given_up_in_time() -> None:
    with pytest.raises(WorkerError, match="did not finish in 0 s"):
        Job("copy_speed", 1, "warm").run(max_seconds=0.001)


def test_a_worker_in_a_process_of_its_own_says_what_it_took() -> None:
    (copy,) = measure(Job("copy_speed", 1, "warm"), max_runs=1)
    assert copy.seconds > 0
    assert copy.peak_mb > 2  # two buffers of a megabyte
    assert copy.versions["numpy"] == np.__version__


@pytest.mark.parametrize(("load", "warns"), [(0.2, False), (0.5, False), (0.6, True)])
def test_a_busy_machine_is_named(load: float, warns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert warn_if_busy().startswith("WARNING") == warns


def test_one_command_writes_all_files(toy: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {kind: str(tmp_path / f"out.{kind}") for kind in ("json", "markdown", "png")}
    options = ["--json", names["json"], "--markdown", names["markdown"], "--plot", names["png"]]
    status = program.main(["--only", "patterns", "--shrink", "1000000", "--folder", str(tmp_path / "votes"), *options])
    assert status == 0
    saved = json.loads(Path(names["json"]).read_text())
    assert {"machine", "warning", "started", "shrink", "verdict", "tables"} <= saved.keys()
    table = Path(names["markdown"]).read_text()
    assert "## Counting patterns in memory" in table
    assert "## Counting patterns in memory" in capsys.readouterr().out
    assert Path(names["png"]).read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.markdown", "out.png", "votes"]


def test_a_table_that_fails_does_not_lose_the_others(
    toy: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Settings) -> Table:
        raise WorkerError("out of memory")

    monkeypatch.setitem(FIGURES, "game", fail)
    options = ["--shrink", "1000000", "--json", str(tmp_path / "out.json")]
    assert program.main(["--only", "game", "patterns", *options]) == 1
    saved = json.loads((tmp_path / "out.json").read_text())
    assert "FAILED: game" in saved["verdict"]
    failed, whole = saved["tables"]
    assert failed["failed"] == "out of memory"
    assert whole["rows"]


def test_missed_figures_are_named() -> None:
    run = Measurement(1.0, 100.0, {}, {})
    rows = [Row.of("fast", run, 1, "<= 3", True), Row.of("slow", run, 9, "<= 3", False), Row.of("free", run)]
    verdict = program.summarise([Table("Counting", rows, [])], 1)
    assert verdict == "Reached 1 of the 2 figures asked for. Missed: slow (Counting)."


def test_the_environment_of_the_peers_is_installed_from_files_that_exist(tmp_path: Path) -> None:
    command = install_command(tmp_path)
    files = [Path(command[i + 1]) for i, word in enumerate(command) if word in ("--constraint", "--requirement")]
    assert [file.name for file in files] == ["constraints.txt", "peers-requirements.txt"]
    assert {"snorkel", "crowd-kit"} <= {line.split(">")[0] for line in files[1].read_text().splitlines()}


def test_packages_for_shares_are_a_file_of_their_own(tmp_path: Path) -> None:
    command = install_command(tmp_path, HERE / "rate-peers-requirements.txt")
    named = Path(command[command.index("--requirement") + 1]).read_text().splitlines()
    assert {line.split(">")[0] for line in named} >= {"ppi-python", "glide-py", "judgy", "truescore"}
