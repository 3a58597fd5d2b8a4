"""Runs the small experiment in a process of its own: python run_small.py FOLDER [slowly]."""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from pathlib import Path

from experiments.small_experiment import measure_slowly, small_experiment
from thumbwise.paper.experiments.runner import run

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born ignoring it
    folder = Path(sys.argv[1])
    experiment = small_experiment(data=folder)
    run(replace(experiment, measure=measure_slowly) if "slowly" in sys.argv else experiment, folder, processes=2)
