"""Krippendorff's alpha against the package of that name, run in the interpreter that THUMBWISE_PEERS names.

Without the variable the test skips; with THUMBWISE_REQUIRE_PEERS it fails instead.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.hyper import skip_or_fail
from support.problems import make_votes
from thumbwise.numerics.agreement import nominal_alpha
from thumbwise.numerics.patterns import find_patterns

WORKER = Path(__file__).with_name("krippendorff_worker.py")
SHAPES = [(30, 2, 2), (200, 5, 2), (500, 12, 3), (300, 40, 6)]


def test_alpha_is_the_packages(tmp_path: Path) -> None:
    peers = os.environ.get("THUMBWISE_PEERS")
    if not peers:
        skip_or_fail("THUMBWISE_PEERS must name a Python that has krippendorff")
    made = {f"votes_{i}": make_votes(np.random.default_rng(i), *shape)[1] for i, shape in enumerate(SHAPES)}
    np.savez(tmp_path / "votes.npz", **made)  # type: ignore[arg-type]  # a stub of numpy
    command = [str(peers), str(WORKER), str(tmp_path / "votes.npz"), str(tmp_path / "alpha.npz")]
    subprocess.run(command, check=True, timeout=600)
    with np.load(tmp_path / "alpha.npz") as theirs:
        for name, (_, _, k) in zip(made, SHAPES, strict=True):
            alpha, _ = nominal_alpha(find_patterns(made[name], k)[0])
            assert alpha == pytest.approx(float(theirs[name]), abs=1e-12)
