"""How many examples a generated test takes: seconds in `make test`, minutes in `make test-all`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

__all__ = ["TIMES", "examples"]

TIMES = int(os.environ.get("ACP_EXAMPLES", "1"))
"""With 1 the examples are the same in each run; above it, `make test-all` prints their seed."""


def examples(number: int) -> settings:
    """Return the settings of a test that takes `number` examples in `make test`."""
    return settings(
        max_examples=number * TIMES,
        deadline=None,
        derandomize=TIMES == 1,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
