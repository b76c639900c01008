"""Logs of packets, of seed 000's stream or of seed 002's, as lines of a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_jupyter.packets.detect import packet_name
from acp_jupyter.packets.dialects.imports.writer import ImplicitTurns, LineWriter, as_blocks
from acp_jupyter.packets.parse.packet import read_timestamp
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["AFTER_TURN", "IN_TURN", "PacketImport"]

_IN_TURN_NAMES = (
    "agent_message_chunk agent_thought_chunk tool_call tool_call_start tool_start "
    "permission_request plan agent_plan_update step_start step_delta output_delta"
)
_AFTER_TURN_NAMES = (
    "tool_call_update tool_call_progress tool_progress tool_end artifact_created file_write notice"
)

IN_TURN = frozenset(_IN_TURN_NAMES.split())
"""What the agent says within a turn only."""

AFTER_TURN = frozenset(_AFTER_TURN_NAMES.split())
"""What may also follow a turn, and belongs to it then."""

_ENDS = frozenset({"prompt_response", "done"})
_USER = frozenset({"user_message_chunk", "user_message"})


class PacketImport:
    """Puts packets into turns; each is kept as it stands.

    Parameters
    ----------
    writer
        Makes the lines.
    """

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._turns = ImplicitTurns(writer)
        self._failed = False

    def read(self, packet: dict[str, Any]) -> Iterator[TrafficEntry | str]:
        """Yield the lines for a packet, or in words what is wrong with it."""
        own_time = read_timestamp(packet.get("timestamp"))
        self._writer.at = self._writer.at if own_time is None else own_time
        name = packet_name(packet)
        failed, self._failed = self._failed, name == "error"
        if name in _USER:
            for block in as_blocks(packet.get("content")):
                yield from self._turns.add_prompt(block)
            return
        if name in IN_TURN or name == "error" or (name in AFTER_TURN and not self._turns.any_yet):
            yield from self._turns.begin()
        elif name in _ENDS:
            yield from self._turns.finish()
            if not (self._turns.is_open or failed):
                yield "This ends a turn, and none is running."
        yield self._writer.line("!", {"note": "imported_packet", "packet": packet})
        if name in _ENDS or name == "error":
            self._turns.ended()

    def finish(self) -> Iterator[TrafficEntry]:
        """Yield what the end of the log leaves to be said."""
        yield from self._turns.finish()
