"""The handlers of all commands about the history."""

from __future__ import annotations

from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.features.history.history import NotebookHistory
from acp_jupyter.features.history.rewind import RewindCommands


def handlers(context: HandlerContext) -> tuple[object, ...]:
    """Make them."""
    return (
        NotebookHistory(context.host, context.notebooks),
        RewindCommands(context.host, context.changes),
    )
