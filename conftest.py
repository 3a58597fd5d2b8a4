"""What holds for all tests: how long something takes is no reason to fail, and processes do not crowd each other."""

from __future__ import annotations

import os

# There are as many test processes as cores; with threads of their own for linear algebra each they would take turns.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from hypothesis import HealthCheck, settings  # noqa: E402  # NumPy reads the variables when it is first imported

# No deadline for an example, and no check that examples are drawn fast enough: both measure the machine.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
