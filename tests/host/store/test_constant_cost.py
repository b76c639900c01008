"""What one line of an agent costs, in a short session and in a very long one.

Both are measured in one run, and the least of several times counts; only their ratio matters.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.files import ArtifactCreated, ArtifactInfo
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.host_events.session import FileWritten, TerminalStarted
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.reduce.reducer import reduce
from tests.support.transcript.traffic import Script

SHORT, LONG = 600, 12_000
ROUNDS = 7


@pytest.mark.long
def test_the_journal_takes_ten_times_the_calls_in_ten_times_the_time(tmp_path: Path) -> None:
    few = min(asyncio.run(journalled(tmp_path / f"few{n}", 1_000)) for n in range(3))
    many = min(asyncio.run(journalled(tmp_path / f"many{n}", 10_000)) for n in range(2))
    assert many < 15 * few


Line = Callable[[Script, int], Any]

LINES: dict[str, Line] = {
    "a new tool call": lambda script, n: script.update(
        "tool_call", toolCallId=f"new{n}", title="New", kind="execute"
    ),
    "an update of the first call": lambda script, n: script.update(
        "tool_call_update", toolCallId="c0", title=f"Title {n}"
    ),
    "a plan": lambda script, n: script.update("plan", entries=[{"content": f"{n}"}]),
    "an update of no known kind": lambda script, n: script.update("made_up", number=n),
    "text": lambda script, n: script.text(f"{n} "),
    "a permission request": lambda script, n: script.answer(
        script.ask({"toolCallId": "c0", "title": f"{n}", "kind": "execute"}), "once"
    ),
    "an artifact": lambda script, n: enter(
        script, ArtifactCreated(artifact=ArtifactInfo(id="a", name=f"{n}.csv"))
    ),
    "a written file": lambda script, n: script.note(
        FileWritten(path=f"/ws/{n}.py", old_text=None, new_text="x")
    ),
    "a terminal": lambda script, n: script.note(
        TerminalStarted(terminal_id=f"t{n}", command="make", cwd="/ws")
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_costs_the_same_however_much_came_before(name: str, both: Both) -> None:
    short, long = (least(LINES[name], opened(script)) for script in (both.short, both.long))
    assert long < 5 * short


def test_the_garbage_collector_does_not_look_at_what_came_before(both: Both) -> None:
    short, long = (least(collected, opened(script)) for script in (both.short, both.long))
    assert long < 5 * short


@dataclass(frozen=True)
class Both:
    short: Script
    long: Script


@pytest.fixture(scope="module")
def both() -> Both:
    scripts = Both(Script(), Script())
    for script, count in ((scripts.short, SHORT), (scripts.long, LONG)):
        script.turn()
        for number in range(count):
            for update in call(number):
                script.update(update.pop("sessionUpdate"), **update)
            script.events.clear()
            script.entries.clear()
    return scripts


def opened(script: Script) -> Script:
    """Return a script that goes on from there and leaves the other as it is."""
    copy = Script()
    copy.transcript = script.transcript
    return copy


def least(line: Line, script: Script) -> float:
    times = []
    gc.disable()
    try:
        for number in range(ROUNDS):
            began = time.thread_time()
            for part in range(10):
                line(script, number * 10 + part)
            times.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(times)


def collected(script: Script, number: int) -> None:
    """Collect what is young: the newest state of the session, and nothing below it."""
    script.text(f"{number}")
    gc.collect(0)


def enter(script: Script, packet: ArtifactCreated) -> None:
    script.transcript, _ = reduce(script.transcript, packet, 1.0)


def call(number: int) -> list[dict[str, Any]]:
    about = {"toolCallId": f"c{number}", "title": f"Step {number}", "kind": "execute"}
    begun = {"sessionUpdate": "tool_call", "rawInput": {"command": f"make step-{number}"}}
    content = [{"type": "content", "content": {"type": "text", "text": f"step {number}\n"}}]
    ended = {"sessionUpdate": "tool_call_update", "status": "completed", "content": content}
    return [{**about, **begun}, {**about, **ended}]


async def journalled(folder: Path, count: int) -> float:
    opening = SessionOpened(session_id="s", agent_id="a", agent_name="A", cwd="/w", folder="/w")
    limits = replace(Limits(), traffic_log_bytes=0)  # the log's thread is not what is measured
    log = TrafficLog(folder / "traffic.ndjson", limits)
    journal = Journal.begin(opening, log, limits, lambda: None)
    messages = [
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "x", "update": u}}
        for number in range(count)
        for u in call(number)
    ]
    entries = [
        TrafficEntry(next(journal.sequence), 1.0, "<", message, raw=json.dumps(message))
        for message in messages
    ]
    began = time.thread_time()
    for entry in entries:
        journal.enter(entry)
    spent = time.thread_time() - began
    assert sum(item.kind == "tool_call" for item in journal.transcript.items) == count
    journal.close()
    return spent
