"""One agent's calls of the notebook tools, in the words of a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.notebook_tools.in_process import KERNEL
from tests.support.host.driver import Driver

__all__ = ["answers", "calls_of", "cells_of", "play", "start", "using"]


def using(tool: str, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args, **more}


def start(driver: Driver, session: Session, *steps: dict[str, Any], **more: Any) -> str:
    origin = Origin(kernel_id=KERNEL, notebook_path="work/n.ipynb", cell_id="cell-0")
    return driver.prompt(session, json.dumps(steps), origin=origin, **more)


def answers(driver: Driver, session: Session, turn_id: str) -> list[dict[str, Any]]:
    """Wait for the turn's end; return what the tools answered."""
    driver.done(session, turn_id)
    lines = driver.text(session).splitlines()
    return [json.loads(line) for line in lines]


def play(
    driver: Driver, session: Session, *steps: dict[str, Any], **more: Any
) -> list[dict[str, Any]]:
    return answers(driver, session, start(driver, session, *steps, **more))


def calls_of(session: Session) -> list[ToolCall]:
    state = session.transcript
    items = state.window(0, len(state.items))
    return [item for item in items if isinstance(item, ToolCall)]


def cells_of(path: Path) -> list[Any]:
    cells: list[Any] = nbformat.read(path, 4)["cells"]  # type: ignore[no-untyped-call]
    return cells
