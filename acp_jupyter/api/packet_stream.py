"""A session's traffic as a numbered stream of packets, for other programs.

The same log always gives the same packets with the same numbers, in either dialect. Packets are
assigned to turns by the rules of `acp_jupyter.transcript`: which response ends a turn, to which
turn a late packet belongs, and how a permission request or an elicitation was answered. Each of
these is answered exactly once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from pydantic import JsonValue
from pydantic_core import to_json

from acp_jupyter.dialects.onyx.build_packets import BuildPacket
from acp_jupyter.dialects.onyx.build_stream import BuildModeStream
from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.protocol.content import read_block
from acp_jupyter.protocol.elicitation import ElicitationRequest, ElicitationResponse
from acp_jupyter.protocol.files import ArtifactCreated
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    HostNotice,
    PermissionSettledNote,
    StartFailed,
    TitleChanged,
    TurnEdited,
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnSteered,
    TurnStopped,
)
from acp_jupyter.protocol.host_events.session import ArtifactsFound, ElicitationSettled
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.packets import (
    ErrorPacket,
    PacketModel,
    PermissionRequest,
    PermissionResponse,
    PromptResponse,
    UserMessageChunk,
    stop_reason_of,
)
from acp_jupyter.protocol.parse.packet import Packet
from acp_jupyter.protocol.parse.tool_calls import remember
from acp_jupyter.protocol.session_packets import CancelSent, NoticePacket, SessionInfoUpdate
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.items import EXPIRED, unanswered_text

StreamDialect = Literal["packets", "build-mode"]
"""Onyx packets, or Onyx build mode."""

DIALECTS: tuple[StreamDialect, ...] = get_args(StreamDialect)

_Written = Obj | BuildPacket

_GAP = "Lines are missing here from the log of this session: the disk was full."
_FULL = (
    "The log of this session is full, and this stream ends with it. The session continues: "
    "its newest state is at sessions/{session_id}/transcript."
)


@dataclass(frozen=True, slots=True)
class WirePacket:
    """An encoded packet.

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
    """Turns lines of a log, from its first one on, into packets."""

    def __init__(self, session_id: str, dialect: StreamDialect = "packets", after: int = 0) -> None:
        self.full = False
        """Whether the log has an entry that it is full."""
        self._session_id = session_id
        self._dialect = dialect
        self._after = after
        self._seq = 0
        self._reader = TrafficReader()
        self._turns = StreamTurns()
        self._build = BuildModeStream()

    def read(self, entry: TrafficEntry) -> list[WirePacket]:
        """Return the packets of one line."""
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
        for packet in self._reader.read(entry):
            yield from self._turns.assign(packet)

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


_OVERTAKEN = "The next turn began before this one had ended."

_Blocks = tuple[dict[str, JsonValue], ...]


@dataclass(frozen=True, slots=True)
class _Ended:
    """A queued turn that ended while another turn was running."""

    turn_id: str
    prompt: _Blocks
    end: PromptResponse | ErrorPacket


class StreamTurns:
    """Assigns packets to turns, while a log is read from its start."""

    def __init__(self) -> None:
        self._queued: OrderedDict[str, _Blocks] = OrderedDict()
        self._active: str | None = None
        self._last: str | None = None
        self._stopping = False
        self._waiting: list[_Ended] = []
        self._questions = StreamPermissions()
        self._elicitations = StreamElicitations()

    def assign(self, packet: LogPacket) -> Iterator[TurnPacket]:  # noqa: C901, PLR0915 - one flat match
        """Yield the stream's packets for one packet or note of the log."""
        match packet:
            case TurnQueued():
                remember(self._queued, packet.turn_id, packet.prompt)
            case TurnEdited():
                if packet.turn_id in self._queued:
                    self._queued[packet.turn_id] = packet.prompt
            case TurnStartedNote():
                yield from self._start(packet.turn_id)
            case TurnRemoved() | TurnStopped():
                yield from self._end(packet.turn_id, PromptResponse(stop_reason="cancelled"))
            case TurnSteered():
                self._queued.pop(packet.turn_id, None)  # the running turn has its text
            case TurnFailed():
                error = ErrorPacket(
                    message=packet.message, code=packet.reason, detail=packet.detail
                )
                yield from self._end(packet.turn_id, error)
            case PromptResponse() | ErrorPacket():
                yield from self._answered(packet)
            case CancelSent():
                self._stopping = self._active is not None
            case UserMessageChunk():
                if packet.steered:
                    yield TurnPacket(packet, self._active or self._last)
                elif self._active is None:  # in a turn it is an echo of the prompt
                    yield TurnPacket(packet, None)
            case (
                PermissionRequest() | PermissionResponse() | PermissionSettledNote() | AgentExited()
            ):
                yield from self._questions.assign(packet, self._active or self._last)
                if isinstance(packet, AgentExited):
                    yield from self._elicitations.expire()
            case ElicitationRequest() | ElicitationResponse() | ElicitationSettled():
                yield from self._elicitations.assign(packet, self._active or self._last)
            case ArtifactsFound():
                for artifact in packet.artifacts:
                    yield TurnPacket(ArtifactCreated(artifact=artifact), packet.turn_id)
            case HostNotice():
                yield self._here(NoticePacket(severity=packet.severity, text=packet.text))
            case StartFailed():
                failed = NoticePacket(severity="error", text=packet.message, detail=packet.detail)
                yield TurnPacket(failed, None)
            case TitleChanged():
                title = SessionInfoUpdate(title=packet.title or None, clears_title=not packet.title)
                yield TurnPacket(title, None)
            case PacketModel():
                yield self._here(packet)
            case _:
                pass  # other notes of the host are not part of the stream

    def _here(self, packet: Packet) -> TurnPacket:
        """Assign a packet to the running turn; a late one to the last turn."""
        return TurnPacket(packet, self._active or self._last)

    # -- turns -------------------------------------------------------------------

    def _start(self, turn_id: str) -> Iterator[TurnPacket]:
        if turn_id not in self._queued:
            return
        if self._active is not None:
            yield from self._end(self._active, ErrorPacket(message=_OVERTAKEN, code="overtaken"))
        self._active, self._stopping = turn_id, False
        yield from _prompt(turn_id, self._queued.pop(turn_id))

    def _answered(self, end: PromptResponse | ErrorPacket) -> Iterator[TurnPacket]:
        """End the running turn with the agent's answer; ignore a late answer."""
        if self._active is None:
            return
        reason = stop_reason_of(end, stopping=self._stopping)
        if isinstance(end, ErrorPacket) and reason == "cancelled":
            end = PromptResponse(stop_reason=reason, timestamp=end.timestamp)
        elif isinstance(end, PromptResponse) and reason != end.stop_reason:
            end = end.model_copy(update={"stop_reason": reason})
        yield from self._end(self._active, end)

    def _end(self, turn_id: str, end: PromptResponse | ErrorPacket) -> Iterator[TurnPacket]:
        if turn_id == self._active:
            self._active, self._last = None, turn_id
            yield TurnPacket(end, turn_id)
        elif turn_id in self._queued:
            self._waiting.append(_Ended(turn_id, self._queued.pop(turn_id), end))
        if self._active is None:
            # One turn after another, so that a reader can tell them apart without ids.
            waiting, self._waiting = self._waiting, []
            for ended in waiting:
                yield from _prompt(ended.turn_id, ended.prompt)
                yield TurnPacket(ended.end, ended.turn_id)


def _prompt(turn_id: str, prompt: _Blocks) -> Iterator[TurnPacket]:
    for block in map(read_block, prompt):
        if block is not None:
            yield TurnPacket(UserMessageChunk(block=block), turn_id)


@dataclass(frozen=True, slots=True)
class TurnPacket:
    """A packet with its turn."""

    packet: Packet
    turn_id: str | None


class StreamPermissions:
    """Keeps track of open permission requests, and of the reasons for their answers."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, str | None] = OrderedDict()
        self._reasons: OrderedDict[str, str] = OrderedDict()

    def assign(
        self,
        packet: PermissionRequest | PermissionResponse | PermissionSettledNote | AgentExited,
        turn_id: str | None,
    ) -> Iterator[TurnPacket]:
        """Yield the stream's packets for a packet; a new request gets ``turn_id``."""
        match packet:
            case PermissionRequest():
                if not packet.auto_approve:
                    remember(self._open, packet.request_id, turn_id)
                yield TurnPacket(packet, turn_id)
            case PermissionResponse():
                reason = packet.reason or self._reasons.pop(packet.request_id, "")
                answered = packet.model_copy(update={"reason": reason})
                yield TurnPacket(answered, self._open.pop(packet.request_id, turn_id))
            case PermissionSettledNote():
                if packet.by == "agent_exited":
                    yield from self._expire(packet.request_id)
                else:
                    remember(self._reasons, packet.request_id, _settled_reason(packet))
            case AgentExited():
                for request_id in tuple(self._open):
                    yield from self._expire(request_id)
            case _:
                assert_never(packet)

    def _expire(self, request_id: str) -> Iterator[TurnPacket]:
        """Yield an answer to a request of a process that has exited."""
        if request_id in self._open:
            turn_id = self._open.pop(request_id)
            gone = PermissionResponse(request_id=request_id, reason="The agent stopped.")
            yield TurnPacket(gone, turn_id)


def _settled_reason(note: PermissionSettledNote) -> str:
    match note.by:
        case "policy" | "rule":
            return f"By {note.by}: {note.rule}"
        case "nobody":
            return "Nobody could be asked."
        case "turn_cancelled":
            return "The turn was stopped."
        case "withdrawn":
            return "Withdrawn by the agent."
        case "user" | "changed":
            return note.reason
        case _:
            return ""


class StreamElicitations:
    """Keeps track of open elicitations, and of the reasons for their answers."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, str | None] = OrderedDict()
        self._reasons: OrderedDict[str, str] = OrderedDict()

    def assign(
        self,
        packet: ElicitationRequest | ElicitationResponse | ElicitationSettled,
        turn_id: str | None,
    ) -> Iterator[TurnPacket]:
        """Yield the stream's packets for a packet; a new question gets ``turn_id``."""
        match packet:
            case ElicitationRequest():
                if not packet.problem:
                    remember(self._open, packet.request_id, turn_id)
                yield TurnPacket(packet, turn_id)
            case ElicitationResponse():
                if packet.request_id in self._open:
                    reason = self._reasons.pop(packet.request_id, packet.reason)
                    named = packet.model_copy(update={"reason": reason})
                    yield TurnPacket(named, self._open.pop(packet.request_id))
            case ElicitationSettled():
                if packet.by == "agent_exited":
                    yield from self._expire(packet.request_id)
                elif packet.by != "user":
                    remember(self._reasons, packet.request_id, unanswered_text(packet.by))
            case _:
                assert_never(packet)

    def expire(self) -> Iterator[TurnPacket]:
        """Yield answers to all open questions of a process that has exited."""
        for request_id in tuple(self._open):
            yield from self._expire(request_id)

    def _expire(self, request_id: str) -> Iterator[TurnPacket]:
        if request_id in self._open:
            gone = ElicitationResponse(request_id=request_id, action="cancel", reason=EXPIRED)
            yield TurnPacket(gone, self._open.pop(request_id))
