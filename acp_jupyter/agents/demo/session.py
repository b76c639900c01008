"""What the agent remembers of a session."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field

from acp_jupyter.agents.demo.files import Files
from acp_jupyter.agents.demo.toolbox import Toolbox
from acp_jupyter.agents.demo.workspace import Workspace
from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError

__all__ = ["COMMANDS", "Session", "environment_rate"]

_SPEEDS: dict[str, tuple[str, float]] = {
    "slow": ("Slow", 20.0),
    "normal": ("Normal", 60.0),
    "fast": ("Fast", 400.0),
    "flat": ("Flat out", 0.0),
}
_RATE_VARIABLE = "ACP_DEMO_RATE"


def _command(name: str, description: str, hint: str | None = None) -> Json:
    command: Json = {"name": name, "description": description}
    return command | ({"input": {"hint": hint}} if hint else {})


COMMANDS: list[Json] = [
    _command("explore", "List the folder and read a file", "names of files"),
    _command("delegate", "Have a subagent look around"),
    _command("plan", "Set a plan and tick it off"),
    _command("edit", "Propose an edit and ask before writing", "name of a file"),
    _command("create", "Write a new file after asking", "name of the file"),
    _command("run", "Run a harmless command after asking"),
    _command("look at", "Say what a variable of the kernel is", "name of a variable"),
    _command("plot", "Plot a variable in a cell below", "name of a variable"),
    _command("edit the notebook", "Edit one cell of the notebook"),
    _command("markdown", "Write formulas, a table, code and a diagram"),
    _command("slow", "Stream a long answer", "rate=20"),
    _command("bench", "Stream an exact number of chunks", "N=5000 size=20 rate=0"),
    _command("help", "Say what this agent can do"),
]


def environment_rate() -> float | None:
    """Return the chunks per second that the environment asks for, None where it says nothing."""
    try:
        rate = float(os.environ[_RATE_VARIABLE])
    except (KeyError, ValueError):
        return None
    return rate if 0 <= rate < float("inf") else None


def _described(rate: float) -> str:
    return f"{rate:g} chunks per second" if rate else "As fast as it goes"


@dataclass(slots=True)
class Session:
    """One ACP session."""

    id: str
    workspace: Workspace
    files: Files
    client_has_terminal: bool
    tools: Toolbox
    start_rate: float | None = None
    speed: str = "normal"
    edits_allowed: bool = False
    title: str | None = None
    characters: int = 0
    turn: asyncio.Task[str] | None = None
    _used_ids: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if self.start_rate is not None:
            self.speed = "environment"

    @property
    def rate(self) -> float:
        """Chunks per second; 0 is flat out."""
        if self.speed in _SPEEDS:
            return _SPEEDS[self.speed][1]
        return self.start_rate or 0.0

    def next_tool_id(self) -> str:
        """Return an id that no tool call of the session has had."""
        self._used_ids += 1
        return f"call_{self._used_ids}"

    def config_options(self) -> list[Json]:
        """Return the session's options with their present values (ACP: configOptions)."""
        options: list[Json] = [
            {"value": value, "name": name, "description": _described(rate)}
            for value, (name, rate) in _SPEEDS.items()
        ]
        if self.start_rate is not None:
            described = f"{_described(self.start_rate)}, by {_RATE_VARIABLE}"
            options.insert(
                0, {"value": "environment", "name": "As started", "description": described}
            )
        return [
            {
                "id": "speed",
                "name": "Stream speed",
                "description": "How fast the demo agent writes",
                "type": "select",
                "currentValue": self.speed,
                "options": options,
            }
        ]

    def set_option(self, config_id: object, value: object) -> None:
        """Change an option (ACP: session/set_config_option).

        Raises
        ------
        RpcError
            There is no such option or value.
        """
        if config_id != "speed":
            raise RpcError(
                INVALID_PARAMS, "There is no such config option.", {"configId": config_id}
            )
        allowed = set(_SPEEDS) | ({"environment"} if self.start_rate is not None else set())
        if not isinstance(value, str) or value not in allowed:
            raise RpcError(INVALID_PARAMS, "The option has no such value.", {"value": value})
        self.speed = value
