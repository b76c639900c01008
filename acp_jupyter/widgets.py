"""Turns and sessions as ipywidgets, to build dashboards with."""

from __future__ import annotations

from acp_jupyter.kernel.turn.session_widgets import ComposerWidget, SessionWidget
from acp_jupyter.kernel.turn.widgets import (
    DiffsWidget,
    PermissionWidget,
    PlanWidget,
    TextWidget,
    ToolCallsWidget,
    TurnWidget,
)

__all__ = [
    "ComposerWidget",
    "DiffsWidget",
    "PermissionWidget",
    "PlanWidget",
    "SessionWidget",
    "TextWidget",
    "ToolCallsWidget",
    "TurnWidget",
]
