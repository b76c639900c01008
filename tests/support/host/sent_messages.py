"""All that the host says to agents while it is watched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import LogPacket
from acp_jupyter.system.processes.portable_pipes import ThreadWriter
from acp_jupyter.system.processes.posix_pipes import PosixWriter

__all__ = ["SentMessages", "watch_sent"]

Body = Mapping[str, Any]


@dataclass
class SentMessages:
    """Messages to agents, by what they are."""

    calls: list[tuple[str, Body]] = field(default_factory=list)
    """Requests and notifications: methods and ``params``."""
    answers: list[tuple[str, Body]] = field(default_factory=list)
    """Methods of agents' requests and the whole answers."""
    lines: list[Body] = field(default_factory=list)


def watch_sent(monkeypatch: pytest.MonkeyPatch) -> SentMessages:
    """Keep every line that is written to a pipe, and what each answer answers."""
    sent = SentMessages()
    asked: dict[tuple[int, int], str] = {}
    enter: Callable[[Journal, TrafficEntry], list[LogPacket]] = Journal.enter_now

    def watch_writes(kind: type[PosixWriter | ThreadWriter]) -> None:
        write = kind.write

        def watched_write(self: Any, data: bytes) -> None:
            for line in data.splitlines():
                message = json.loads(line)
                sent.lines.append(message)
                if "method" in message:
                    sent.calls.append((message["method"], message["params"]))
            write(self, data)

        monkeypatch.setattr(kind, "write", watched_write)

    def watched(self: Journal, entry: TrafficEntry) -> list[LogPacket]:
        message = entry.message
        if entry.direction == "<" and "method" in message and "id" in message:
            asked[id(self), entry.seq] = str(message["method"])
        if entry.direction == ">" and "method" not in message and entry.re is not None:
            sent.answers.append((asked[id(self), entry.re], message))
        return enter(self, entry)

    watch_writes(PosixWriter)
    watch_writes(ThreadWriter)
    monkeypatch.setattr(Journal, "enter_now", watched)
    return sent
