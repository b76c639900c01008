"""A session's traffic, page by page; its log can be read from any point in bounded steps."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from acp_jupyter.api.access import Caller, may_read_traffic
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.traffic import (
    GetTraffic,
    GetTrafficLine,
    TrafficDetail,
    TrafficLine,
    TrafficPage,
)
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.store.log_reader import read_entry
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.objects import obj, text
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor


class TrafficCommands:
    """Carries out ``get_traffic`` and ``get_traffic_line``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @handles(GetTraffic)
    async def page(self, command: GetTraffic, caller: Caller) -> TrafficPage:
        """Return some lines."""
        path = await self._path(command.session_id, caller)
        if command.wait_seconds == 0 or command.after is None:
            return await asyncio.to_thread(read_page, path, command)
        return await _wait_for_lines(
            self._host.sessions.require(command.session_id).journal.log, command
        )

    @handles(GetTrafficLine)
    async def line(self, command: GetTrafficLine, caller: Caller) -> TrafficDetail:
        """Return one formatted line."""
        path = await self._path(command.session_id, caller)
        if command.end is not None:
            redactor = self._host.sessions.require(command.session_id).redactor
            return await asyncio.to_thread(read_text, path, command.place, command.end, redactor)
        return await asyncio.to_thread(read_line, path, command.place)

    async def _path(self, session_id: str, caller: Caller) -> Path:
        session = self._host.sessions.require(session_id)
        may_read_traffic(session, caller)
        log = session.journal.log
        if not log.ended:
            await log.flushed()
        return log.path


_BLOCK = 64 * 1024
_SCAN_BYTES = 8 * 1024 * 1024
"""Most bytes to read for one page."""
_PARSED_BYTES = 1024 * 1024
"""A longer line is identified by its beginning."""
_HEAD_BYTES = 2000
_PREVIEW_CHARS = 240
_DETAIL_CHARS = 400_000

_HEAD = re.compile(rb'\{"seq":(\d{1,18}),"t":([\d.]{1,25}),"d":"([<>!])"')
_METHOD = re.compile(rb'"(?:method|note)":"([^"\\]{1,100})"')
_MESSAGE = re.compile(r'\A\{"seq":.{0,80}?"m":')


async def _wait_for_lines(log: TrafficLog, command: GetTraffic) -> TrafficPage:
    """Read a page once the log has grown, or when the time is up."""
    loop, written = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the host ends
            loop.call_soon_threadsafe(written.set)

    log.watch(wake)
    try:
        async with asyncio.timeout(command.wait_seconds):
            while True:
                written.clear()
                page = await asyncio.to_thread(read_page, log.path, command)
                if page.end != command.after:
                    return page
                await written.wait()
    except TimeoutError:
        return await asyncio.to_thread(read_page, log.path, command)
    finally:
        log.unwatch(wake)


@dataclass(frozen=True, slots=True)
class _Line:
    offset: int
    data: bytes

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


def read_page(path: Path, query: GetTraffic) -> TrafficPage:
    """Return the requested lines."""
    with path.open("rb") as file:
        size = _start_of_line(file, file.seek(0, 2))
        if query.after is not None:
            return _forward(file, min(query.after, size), size, query)
        return _backward(
            file, min(size if query.before is None else query.before, size), size, query
        )


def read_line(path: Path, offset: int) -> TrafficDetail:
    """Return one formatted line."""
    with path.open("rb") as file:
        size = _start_of_line(file, file.seek(0, 2))
        if offset >= size or _start_of_line(file, offset) != offset:
            raise BadRequest(f"No line of the log begins at {offset}.")
        file.seek(offset)
        data = file.readline()
    entry = read_entry(data) if len(data) <= _PARSED_BYTES * 4 else None
    if entry is None:
        whole = _MESSAGE.sub("", data[: _DETAIL_CHARS * 4].decode("utf-8", "replace").rstrip("\n"))
    else:
        whole = json.dumps(entry.message, ensure_ascii=False, indent=2)
    cut = len(whole) > _DETAIL_CHARS or (entry is None and len(data) > _DETAIL_CHARS * 4)
    return TrafficDetail(place=offset, text=whole[:_DETAIL_CHARS], cut=cut)


def read_text(path: Path, start: int, end: int, redactor: Redactor) -> TrafficDetail:
    """Return the text of the chunks in a part of a log, without secrets that span chunks."""
    with path.open("rb") as file:
        end = min(end, _start_of_line(file, file.seek(0, 2)))
        stop = min(end, start + _SCAN_BYTES)
        entries = (read_entry(line.data) for line in _lines(file, start, stop))
        joined = "".join(_chunk(entry) for entry in entries if entry is not None)
    whole = redactor.redact_text(joined)
    cut = stop < end or len(whole) > _DETAIL_CHARS
    return TrafficDetail(place=start, text=whole[:_DETAIL_CHARS], cut=cut)


def _forward(file: BinaryIO, start: int, size: int, asked: GetTraffic) -> TrafficPage:
    start = _start_of_line(file, start)
    found: list[TrafficLine] = []
    end, methods = start, _LineReader()
    for line in _lines(file, start, size):
        end = line.end
        summary = methods.summary(line)
        if _passes(summary, line, asked):
            _put(found, summary, asked)
        if len(found) == asked.limit or end - start >= _SCAN_BYTES:
            break
    return TrafficPage(lines=tuple(found), start=start, end=end, size=size)


def _backward(file: BinaryIO, end: int, size: int, asked: GetTraffic) -> TrafficPage:
    end = _start_of_line(file, end)
    window = _BLOCK
    while True:
        start = _start_of_line(file, max(0, end - window))
        methods = _LineReader()
        found: list[TrafficLine] = []
        for line in _lines(file, start, end):
            if _passes(summary := methods.summary(line), line, asked):
                _put(found, summary, asked)
        if len(found) >= asked.limit or start == 0 or window >= _SCAN_BYTES:
            break
        window *= 4
    if len(found) > asked.limit:
        found = found[-asked.limit :]
        start = found[0].place
    return TrafficPage(lines=tuple(found), start=start, end=end, size=size)


def _put(found: list[TrafficLine], line: TrafficLine, asked: GetTraffic) -> None:
    last = found[-1] if found and asked.gather else None
    if last is None or not line.stream or last.stream != line.stream:
        found.append(line)
    elif last.place + last.size != line.place:
        found.append(line)  # a line that is not shown is between them
    else:
        found[-1] = last.model_copy(
            update={
                "count": last.count + 1,
                "size": last.size + line.size,
                "preview": (last.preview + line.preview)[:_PREVIEW_CHARS],
            }
        )


def _lines(file: BinaryIO, start: int, end: int) -> Iterator[_Line]:
    file.seek(start)
    while start < end:
        data = file.readline()
        yield _Line(start, data)
        start += len(data)


def _start_of_line(file: BinaryIO, offset: int) -> int:
    """Return the position if a line begins there, else where the line around it begins."""
    while offset > 0:
        start = max(0, offset - _BLOCK)
        file.seek(start)
        newline = file.read(offset - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        offset = start
    return 0


class _LineReader:
    """Summarises lines, and remembers the requests among them for the summaries of answers."""

    def __init__(self) -> None:
        self._methods: dict[int, str] = {}

    def summary(self, line: _Line) -> TrafficLine:
        entry = read_entry(line.data) if len(line.data) <= _PARSED_BYTES else None
        if entry is None:
            return _by_its_head(line)
        kind = _kind(entry)
        method = text(entry.message.get("note" if kind == "note" else "method"))
        if kind == "request":
            self._methods[entry.seq] = method
        if entry.re is not None:
            method = method or self._methods.get(entry.re, "")
        update = ""
        if method == "session/update":
            update = text(obj(obj(entry.message.get("params")).get("update")).get("sessionUpdate"))
        return TrafficLine(
            place=line.offset,
            seq=entry.seq,
            at=entry.t,
            direction=entry.direction,
            kind=kind,
            method=method,
            update=update,
            size=len(line.data),
            preview=_preview(entry),
            stream=_stream(entry),
        )


def _kind(
    entry: TrafficEntry,
) -> Literal["request", "response", "error", "notification", "note", "unknown"]:
    message = entry.message
    if entry.direction == "!":
        return "note"
    if "method" in message:
        return "request" if "id" in message else "notification"
    if message.get("error") is not None:
        return "error"
    return "response" if "id" in message else "unknown"


def _preview(entry: TrafficEntry) -> str:
    message = entry.message
    params = obj(message.get("params"))
    if entry.direction == "!":
        content: object = _without(message, "note")
    elif isinstance(update := params.get("update"), dict):
        content = _chunk(entry) or _without(update, "sessionUpdate")
    else:
        content = params or message.get("result") or message.get("error")
    if isinstance(content, str):
        return content[:_PREVIEW_CHARS]
    return json.dumps(content, ensure_ascii=False)[:_PREVIEW_CHARS] if content else ""


def _chunk(entry: TrafficEntry) -> str:
    update = obj(obj(entry.message.get("params")).get("update"))
    return text(obj(update.get("content")).get("text"))


def _stream(entry: TrafficEntry) -> str:
    update = obj(obj(entry.message.get("params")).get("update"))
    kind = text(update.get("sessionUpdate"))
    if not kind.endswith("_chunk") or not _chunk(entry):
        return ""
    return f"{entry.direction} {kind} {text(update.get('messageId'))}".strip()[:200]


def _without(fields: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key != name}


def _by_its_head(line: _Line) -> TrafficLine:
    """Summarise a line that is too long to be parsed for a list, or that is no entry."""
    head = line.data[:_HEAD_BYTES]
    known, method = _HEAD.match(head), _METHOD.search(head)
    side: Literal[">", "<", "!"] = "!"
    if known is not None and known[3] != b"!":
        side = ">" if known[3] == b">" else "<"
    return TrafficLine(
        place=line.offset,
        seq=0 if known is None else int(known[1]),
        at=0 if known is None else _seconds(known[2]),
        direction=side,
        kind="unknown",
        method="" if method is None else method[1].decode("utf-8", "replace"),
        size=len(line.data),
        preview=_MESSAGE.sub("", head.decode("utf-8", "replace"))[:_PREVIEW_CHARS].strip(),
    )


def _seconds(digits: bytes) -> float:
    try:
        return float(digits)
    except ValueError:
        return 0


def _passes(line: TrafficLine, raw: _Line, asked: GetTraffic) -> bool:
    if asked.direction is not None and line.direction != asked.direction:
        return False
    wanted = asked.method.lower()
    if wanted and wanted not in line.method.lower() and wanted not in line.update.lower():
        return False
    return not asked.text or asked.text.lower() in raw.data.decode("utf-8", "replace").lower()
