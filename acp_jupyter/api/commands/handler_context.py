"""What the handlers of a feature's commands are made with."""

from __future__ import annotations

from dataclasses import dataclass

from acp_jupyter.api.access import NotebookLookup
from acp_jupyter.api.commands.changes.changes import ChangeCommands
from acp_jupyter.api.commands.permissions import TrustCommands
from acp_jupyter.host.host import AgentHost


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """The host, and the core's handlers that others call."""

    host: AgentHost
    notebooks: NotebookLookup
    trust: TrustCommands
    changes: ChangeCommands
