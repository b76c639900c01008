"""Recorded conversations with published agents, played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_jupyter.protocol.normalise import normalise
from tests.support.transcript.traffic import Script

__all__ = ["RECORDED", "TRAFFIC", "Recording", "recording"]

TRAFFIC = Path(__file__).parents[2] / "fixtures" / "traffic"
"""One line is ``{"t": seconds, "d": ">" | "<" | "!", "m": message}``, ``>`` to the agent."""

RECORDED = TRAFFIC.with_name("recorded")
"""More of the same; also what this client never does, as two prompts at once in a session."""


def recording(name: str) -> Recording:
    """Return a conversation by its name, ``agent-scenario``."""
    found = next(path for folder in (TRAFFIC, RECORDED) for path in folder.glob(f"{name}.jsonl"))
    return Recording(found)


class Recording:
    """One recorded conversation, and the transcript that follows from it."""

    def __init__(self, path: Path) -> None:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.messages: list[tuple[str, Any]] = [
            (line["d"], line["m"]) for line in lines if line["d"] != "!"
        ]
        opened = next(m for _, m in self.messages if m.get("method") == "session/new")
        self.script = Script(cwd=opened["params"]["cwd"])
        self._asked: dict[tuple[str, Any], int] = {}
        self._turns = 0
        for direction, message in self.messages:
            self._enter(direction, message)

    def text(self) -> str:
        """Return what the agent said, straight from the recording."""
        updates = [
            part["params"]["update"]
            for direction, message in self.messages
            if direction == "<"
            for part in normalise(message)
            if part.get("method") == "session/update"
        ]
        return "".join(
            update["content"]["text"]
            for update in updates
            if update["sessionUpdate"] == "agent_message_chunk"
        )

    def _enter(self, direction: str, message: dict[str, Any]) -> None:
        method = message.get("method")
        if direction == ">" and method == "session/prompt":
            self._turns += 1
            prompt = message["params"]["prompt"]
            turn_id = f"t{self._turns}"
            self.script.line("!", {"note": "turn_queued", "turn_id": turn_id, "prompt": prompt})
            self.script.line("!", {"note": "turn_started", "turn_id": turn_id})
        asker = "<" if direction == ">" else ">"
        re = self._asked.pop((asker, message.get("id")), None) if method is None else None
        seq = self.script.line(direction, message, re)
        if method is not None and "id" in message:
            self._asked[direction, message["id"]] = seq
