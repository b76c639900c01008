"""Server-sent events: packets written as such, and read from a stream that is cut anywhere.

A capture in a file, which may be damaged, is read by `imports_sse`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acp_jupyter.packets.dialects.build_mode.models import BuildPacket
from acp_jupyter.packets.dialects.imports.sse import FIELD
from acp_jupyter.packets.json_shape import read_json
from acp_jupyter.packets.models import Unknown
from acp_jupyter.packets.parse.packet import parse_packet
from acp_jupyter.packets.parse.state import ParseState
from acp_jupyter.packets.union import Packet

__all__ = ["SseDecoder", "SseEvent", "format_event", "format_packet_event", "read_packets"]

_MAX_CHARS = 64 * 1024 * 1024
_END = re.compile(r"\r\n|\r|\n")

_FIELD = re.compile(FIELD)


def format_packet_event(packet: BuildPacket) -> str:
    """Write a packet of build mode as an event (S3.2)."""
    return _event(packet.model_dump_json(by_alias=True).encode()).decode()


def format_event(data: bytes, event_id: int) -> bytes:
    """Write one line of JSON as an event that a client can resume after."""
    return b"id: %d\n%b" % (event_id, _event(data))


def _event(data: bytes) -> bytes:
    return b"event: message\ndata: %b\n\n" % data


@dataclass(frozen=True, slots=True)
class SseEvent:
    """An event of a stream."""

    data: str
    event: str = "message"
    id: str = ""
    """The last id that the stream has named."""


class SseDecoder:
    """Makes events of the bytes of a stream, however they are cut (S3.1).

    Comments and unknown fields are left out; lines end as they like. Of an event beyond
    64 million characters the lines that are too much are left out.
    """

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line: list[str] = []
        self._cut = False
        self._after_return = False
        self._event = ""
        self._data: list[str] = []
        self._id = ""
        self._room = _MAX_CHARS

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take what came next; return the events that are whole by now."""
        return self._take(self._text.decode(chunk))

    def end(self) -> list[SseEvent]:
        """Return what the stream's end has left without its last empty line."""
        return [*self._take(self._text.decode(b"", final=True)), *self._take("\n\n")]

    def _take(self, text: str) -> list[SseEvent]:
        if not text:
            return []
        if self._after_return and text.startswith("\n"):
            text = text[1:]  # the second half of a line's end
        self._after_return = text.endswith("\r")
        *ended, rest = _END.split(text)
        found = []
        for piece in ended:
            self._hold(piece)
            event = None if self._cut else self._read("".join(self._line))
            self._line, self._cut = [], False
            if event is not None:
                found.append(event)
        self._hold(rest)
        return found

    def _hold(self, piece: str) -> None:
        self._cut = self._cut or len(piece) > self._room
        if not self._cut:
            self._line.append(piece)
            self._room -= len(piece)

    def _read(self, line: str) -> SseEvent | None:
        if not line:
            return self._dispatch()
        field = _FIELD.match(line)
        value = line[field.end() :] if field else ""
        match field and field[1]:
            case "data":
                self._data.append(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case _:
                pass
        if not self._data:
            self._room = _MAX_CHARS  # comments for ever are no event
        return None

    def _dispatch(self) -> SseEvent | None:
        data, self._data = self._data, []
        event, self._event = self._event, ""
        self._room = _MAX_CHARS
        return SseEvent("\n".join(data), event or "message", self._id) if data else None


def read_packets(chunks: Iterable[bytes], state: ParseState | None = None) -> Iterator[Packet]:
    r"""Yield the packets of a stream, of either dialect; data that is no JSON gives `Unknown`.

    >>> [packet.type for packet in read_packets([b'data: {"type":', b' "output_start"}\n', b"\n"])]
    ['output_start']
    """
    state = ParseState() if state is None else state
    decoder = SseDecoder()
    for chunk in chunks:
        yield from (_packet(event, state) for event in decoder.feed(chunk))
    yield from (_packet(event, state) for event in decoder.end())


def _packet(event: SseEvent, state: ParseState) -> Packet:
    try:
        return parse_packet(read_json(event.data), state)
    except (ValueError, RecursionError):
        return Unknown(raw=event.data)
