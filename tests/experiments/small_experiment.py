"""An experiment of tiny fits, to be interrupted. Worker processes import its measure."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from thumbwise.paper.experiments.specs import Experiment, Fit, Row, Settings

LAST_RUN = 11


def fraction(fit: Fit) -> float:
    """In [0, 1), the same for the same fit."""
    return int.from_bytes(hashlib.sha256(fit.key.encode()).digest()[:6]) / 2**48


def measure(fit: Fit, settings: Settings) -> Row:
    """Takes a few hundredths of a second; leaves the number of its process in the folder of the settings, if any.

    The fits of the last run wait as long as the folder holds a file ``hold``, so that an experiment that somebody wants
    to interrupt does not end before, however long that takes.
    """
    started = time.perf_counter()
    if settings.data is not None:
        (settings.data / f"worker-{os.getpid()}").touch()
        while fit.run == LAST_RUN and (settings.data / "hold").exists():
            time.sleep(0.01)
    time.sleep(0.01 + 0.05 * fraction(fit))
    row: Row = {"log_loss": fraction(fit) / 3, "n_redrawn": fit.run % 3, "seconds": time.perf_counter() - started}
    return {**row, "note": "third, or so"} if fit.run == 3 else row


def measure_slowly(_fit: Fit, settings: Settings) -> Row:
    """Does not end as long as the folder of the settings is there."""
    assert settings.data is not None
    (settings.data / f"worker-{os.getpid()}").touch()
    while settings.data.exists():
        time.sleep(0.01)
    return {}


def measure_unless_marked(fit: Fit, settings: Settings) -> Row:
    """Fails, or takes its process with it, at run 2 while a file says so."""
    assert settings.data is not None
    if fit.run == 2 and (settings.data / "fail").exists():
        raise ArithmeticError("the numbers ran away")
    if fit.run == 2 and (settings.data / "die").exists():
        os._exit(9)
    return measure(fit, Settings())


def small_experiment(n_runs: int = LAST_RUN + 1, *, data: Path | None = None) -> Experiment:
    fits = [Fit(name, method, run, 10) for run in range(n_runs) for method in ("A", "B") for name in ("x", "y")]
    return Experiment("small", tuple(fits), measure, Settings(data))
