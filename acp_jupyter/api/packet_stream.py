"""A session's traffic as a numbered stream of packets, for programs outside.

The same log always gives the same packets with the same numbers, in either dialect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from pydantic_core import to_json

from acp_jupyter.api.packet_turns import StreamTurns, TurnPacket
from acp_jupyter.dialects.onyx.build_packets import BuildPacket
from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.parse.packet import Packet
from acp_jupyter.protocol.session_packets import NoticePacket
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader

StreamDialect = Literal["packets", "build-mode"]
"""Onyx packets, or Onyx build mode."""

DIALECTS: tuple[StreamDialect, ...] = get_args(StreamDialect)

_Written = Obj | BuildPacket

_GAP = "Lines are missing here from the record of this session: the disk was full."
_FULL = (
    "The record of this session is full, and this stream ends with it. The session goes on: "
    "its newest state is at sessions/{session_id}/transcript."
)


@dataclass(frozen=True, slots=True)
class WirePacket:
    """A packet as it is sent.

    Attributes
    ----------
    seq
        Its number in this dialect, from 1. The same log always gives the same numbers.
    data
        JSON in one line.
    """

    seq: int
    data: bytes


class PacketStream:
    """Turns lines of a log, from its first one on, into packets.

    Parameters
    ----------
    session_id
        Whose log it is.
    dialect
        How packets are written.
    after
        The number of the last packet that is not wanted again.
    """

    def __init__(self, session_id: str, dialect: StreamDialect = "packets", after: int = 0) -> None:
        self.full = False
        """Whether the log has said that it takes no more."""
        self._session_id = session_id
        self._dialect = dialect
        self._after = after
        self._seq = 0
        self._reader = TrafficReader()
        self._turns = StreamTurns()
        self._build = BuildModeStream()

    def read(self, entry: TrafficEntry) -> list[WirePacket]:
        """Return what one line adds."""
        found = []
        for placed in self._assigned(entry):
            packet = placed.packet
            if packet.timestamp is None:
                packet = packet.model_copy(update={"timestamp": entry.t})
            for written in self._write(packet, placed.turn_id):
                self._seq += 1
                if self._seq > self._after:
                    found.append(WirePacket(self._seq, self._encode(written)))
        return found

    def _assigned(self, entry: TrafficEntry) -> Iterator[TurnPacket]:
        if entry.direction == "!" and entry.message.get("note") == "log_full":
            self.full = True
            words = _FULL.format(session_id=self._session_id)
            yield TurnPacket(NoticePacket(severity="warning", text=words), None)
            return
        if entry.direction == "!" and entry.message.get("note") == "log_gap":
            yield TurnPacket(NoticePacket(severity="warning", text=_GAP), None)
            return
        for said in self._reader.read(entry):
            yield from self._turns.assign(said)

    def _write(self, packet: Packet, turn_id: str | None) -> Iterator[_Written]:
        match self._dialect:
            case "packets":
                written = write_packet(packet)
                if written is not None:
                    yield {**written, "session_id": self._session_id, "turn_id": turn_id}
            case "build-mode":
                yield from self._build.write(packet)
            case _:
                assert_never(self._dialect)

    def _encode(self, written: _Written) -> bytes:
        if isinstance(written, dict):
            return to_json({**written, "seq": self._seq})
        return written.model_dump_json(by_alias=True).encode()
