"""``%acp record`` and ``%acp replay``."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.client.recording import run_recording
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.magics.help import print_text


def record(rest: Sequence[str]) -> None:
    """Begin or end recording, or say what is recorded."""
    print_text(run_recording("record", rest, host_client()))


def replay(rest: Sequence[str]) -> None:
    """Begin or end playing recordings, or say what is played."""
    print_text(run_recording("replay", rest, host_client()))
