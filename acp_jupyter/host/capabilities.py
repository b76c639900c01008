"""What this client tells an agent that it can do."""

from __future__ import annotations

from typing import Any

from acp_jupyter.host.terminals.session import AVAILABLE

__all__ = ["client_capabilities"]


def client_capabilities() -> dict[str, Any]:
    """Return the ``clientCapabilities`` of ``initialize``.

    Only what works is announced: agents change what they do by it.

    Returns
    -------
    dict
        ACP: ClientCapabilities.
    """
    return {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": AVAILABLE,
        "auth": {"terminal": True},
        "session": {"configOptions": {"boolean": {}}, "compaction": {}},
        "plan": {},
        "_meta": {"terminal_output": True, "terminal_output_delta": True, "terminal-auth": True},
        "elicitation": {"form": {}, "url": {}},
    }
