"""Server-sent events: written, read from a stream cut anywhere, and taken from captures.

`SseDecoder` reads a live stream; `unframed` turns a capture in a file, which may be damaged, into
lines of JSON and keeps their numbers.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.packets import Unknown
from acp_jupyter.protocol.parse.packet import Packet, parse_packet
from acp_jupyter.protocol.parse.tool_calls import ParseState

_SAMPLE_LINES = 100
_MAX_BYTES = 64 * 1024 * 1024
FIELD = r"(?:(data|event|id|retry)(?::|$)|:) ?"
"""The beginning of an event stream's line: the name of a field, or a comment's colon."""
_CAPTURED_FIELD = re.compile(FIELD.encode())
_OBJECT = re.compile(rb"\s*[\[{]")


def is_framed(lines: Iterable[bytes | str]) -> bool:
    """Return whether a log is a capture of an event stream, by its first lines."""
    data = objects = 0
    for line in islice(map(_as_bytes, lines), _SAMPLE_LINES):
        data += line.startswith(b"data:")
        objects += _OBJECT.match(line) is not None
    return data > 0 and data >= objects


def unframed(lines: Iterable[bytes | str]) -> Iterator[bytes]:
    """Yield a line for each line: an event's data for its first one, and empty ones for the others.

    So every line keeps its number. A line that is no field of an event stream is yielded unchanged;
    the reader of lines will report it.
    """
    data: list[bytes] = []
    held = 0  # lines of this event since the first with data
    size = 0
    for line in map(_as_bytes, lines):
        field = _CAPTURED_FIELD.match(line)
        name = field[1] if field else None
        content = line[field.end() :] if field else line
        if data and (not line or size > _MAX_BYTES or _begins_another(data, name, content)):
            yield from _captured_event(data, held)
            data, held, size = [], 0, 0
        if name == b"data":
            data.append(content)
            size += len(content)
        elif not data:
            yield b"" if field else line
            continue
        elif field is None:
            data.append(line)  # a value that was wrapped over several lines
        held += 1
    if data:
        yield from _captured_event(data, held)


def _captured_event(data: list[bytes], held: int) -> Iterator[bytes]:
    yield b"\n".join(data)
    yield from (b"" for _ in range(held - 1))


def _begins_another(data: list[bytes], name: bytes | None, content: bytes) -> bool:
    """Return whether a new event begins here without an empty line, as captures lose these."""
    if not data[-1].rstrip().endswith((b"}", b"]")):
        return False
    return name in (b"event", b"id") or _OBJECT.match(content) is not None


def _as_bytes(line: bytes | str) -> bytes:
    if isinstance(line, str):
        line = line.encode("utf-8", "surrogatepass")
    return line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")


_MAX_CHARS = 64 * 1024 * 1024
_END = re.compile(r"\r\n|\r|\n")

_FIELD = re.compile(FIELD)


def format_event(data: bytes, event_id: int) -> bytes:
    """Write one line of JSON as an event that a client can resume after."""
    return b"id: %d\n%b" % (event_id, write_event(data))


def write_event(data: bytes) -> bytes:
    """Write one line of JSON as a server-sent event."""
    return b"event: message\ndata: %b\n\n" % data


@dataclass(frozen=True, slots=True)
class SseEvent:
    """An event of a stream."""

    data: str
    event: str = "message"
    id: str = ""
    """The last id that the stream has named."""


class SseDecoder:
    """Decodes the bytes of an event stream, however they are cut, into events.

    Comments and unknown fields are left out; any line ends are accepted. An event of more than
    64 million characters loses its last lines.
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
        """Add bytes; return the events that are complete now."""
        return self._take(self._text.decode(chunk))

    def end(self) -> list[SseEvent]:
        """Return the event at the stream's end that lacks its empty line."""
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
            self._room = _MAX_CHARS  # endless comments make no event
        return None

    def _dispatch(self) -> SseEvent | None:
        data, self._data = self._data, []
        event, self._event = self._event, ""
        self._room = _MAX_CHARS
        return SseEvent("\n".join(data), event or "message", self._id) if data else None


def read_packets(chunks: Iterable[bytes], state: ParseState | None = None) -> Iterator[Packet]:
    r"""Yield the packets of a stream, of either dialect; data that isn't JSON gives `Unknown`.

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
