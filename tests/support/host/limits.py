"""A host's limits that no loaded machine reaches, where they are not what is tested."""

from __future__ import annotations

from acp_jupyter.host.limits import Limits
from tests.support.wait import PATIENCE_SECONDS

__all__ = ["PATIENT"]

PATIENT = Limits(
    spawn_seconds=PATIENCE_SECONDS,
    initialize_seconds=PATIENCE_SECONDS,
    session_new_seconds=PATIENCE_SECONDS,
    steer_seconds=PATIENCE_SECONDS,
    request_seconds=PATIENCE_SECONDS,
    send_seconds=PATIENCE_SECONDS,
    scan_seconds=PATIENCE_SECONDS,
    scan_hold_seconds=PATIENCE_SECONDS,
    checkpoint_seconds=PATIENCE_SECONDS,
)
