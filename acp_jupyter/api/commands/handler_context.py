"""What the handlers of a feature's commands are made with."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from acp_jupyter.api.access import Caller, NotebookLookup
from acp_jupyter.api.commands.changes.changes import ChangeCommands
from acp_jupyter.api.commands.permissions import TrustCommands
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.host.host import AgentHost


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """The host, and the core's handlers that others call."""

    host: AgentHost
    notebooks: NotebookLookup
    trust: TrustCommands
    changes: ChangeCommands
    run: Callable[[Command, Caller], Coroutine[Any, Any, Result]]
    """Carries out another command, with all checks of its row."""
