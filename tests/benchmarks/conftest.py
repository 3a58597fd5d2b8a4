"""Workers in this process: starting an interpreter for each would take longer than the toy problems themselves."""

from __future__ import annotations

import json
import resource
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from benchmarks.launching import Job
from benchmarks.settings import Settings

PEER_WORKERS = ("parquet_peers", "snorkel_label_model", "crowdkit_dawid_skene")
PEER_SAYS = {
    "seconds": 3.0,
    "peak_mb": 5000.0,
    "versions": {"peer": "1"},
    "checks": {"log_loss": 0.5, "n_iter": 5, "n_items": 400},
}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Four hundred items, one run each; peers, which are not installed here, are said to take 3 seconds and 5 GB."""

    def run(job: Job, max_seconds: float | None = None) -> str:
        if job.worker in PEER_WORKERS:
            return json.dumps(PEER_SAYS)
        monkeypatch.setattr(sys, "argv", [job.worker, *job.command[3:]])
        with redirect_stdout(StringIO()) as said:
            import_module(f"benchmarks.workers.{job.worker}").main()
        return said.getvalue()

    monkeypatch.setattr(Job, "run", run)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)  # it would bind the tests that follow, too
    return Settings("python", tmp_path, shrink=10**9, n_runs=1)
