"""What holds for all tests: how long something takes is no reason to fail."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No deadline for an example, and no check that examples are drawn fast enough: both measure the machine.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
