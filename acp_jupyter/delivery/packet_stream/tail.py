"""The packets of a log that is still being written, as events for a socket."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.delivery.packet_stream.stream import PacketStream
from acp_jupyter.host.traffic_log import read_entry
from acp_jupyter.packets.dialects.event_stream import format_event

__all__ = ["Batch", "PacketTail"]

_SENT_BYTES = 256 * 1024
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Batch:
    """What one read has found.

    Attributes
    ----------
    events
        As they are sent; maybe none.
    more
        Whether there is more in the file already.
    """

    events: bytes
    more: bool


class PacketTail:
    """Reads a log from its start, and on from where it was. Blocks: it is for a thread.

    What it holds does not grow with the log.

    Parameters
    ----------
    path
        The log.
    stream
        Makes packets of its lines.
    """

    def __init__(self, path: Path, stream: PacketStream) -> None:
        self._stream = stream
        self._file = path.open("rb")
        self._torn = b""

    def read(self) -> Batch:
        """Return what has come since, as much of it as is good to send at once."""
        events: list[bytes] = []
        size = taken = 0
        while size < _SENT_BYTES and taken < _READ_BYTES:
            line = self._file.readline()
            if not line.endswith(b"\n") or self._stream.full:
                self._torn += line  # its writer is in the middle of it
                return Batch(b"".join(events), more=False)
            line, self._torn = self._torn + line, b""
            taken += len(line)
            entry = read_entry(line)
            for packet in () if entry is None else self._stream.read(entry):
                events.append(format_event(packet.data, packet.seq))
                size += len(packet.data)
        return Batch(b"".join(events), more=True)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
