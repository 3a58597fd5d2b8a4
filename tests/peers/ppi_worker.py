"""Intervals of prediction-powered inference by ppi_py: ``python ppi_worker.py in.json out.json``.

Needs an interpreter that has ppi-python; nothing of thumbwise. ``in.json`` holds a list of problems: truth and
predictions of gold items, predictions of items without labels, the error, and a slope (or null: it is tuned).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np


def main(source: str, target: str) -> None:
    from ppi_py import ppi_mean_ci

    answers = []
    for problem in json.loads(Path(source).read_text()):
        arrays = (np.array(problem[name], dtype=float) for name in ("truth", "said", "unlabeled"))
        ends = ppi_mean_ci(*arrays, alpha=problem["error"], lam=problem["slope"])
        answers.append([float(np.squeeze(end)) for end in ends])
    Path(target).write_text(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
