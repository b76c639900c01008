"""Encodes the entries of a traffic log as lines, without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from acp_jupyter.protocol.large.long_json import read_long_json
from acp_jupyter.protocol.traffic import LONG_CHARS, TrafficEntry
from acp_jupyter.transcript.redactor import Redactor

_GROUP_CHARS = 256 * 1024
_ENTRY_BYTES = 500
"""Approximate memory of an entry without its text."""


class RedactedLines:
    """Encodes entries as lines of a log, without secrets."""

    altered = False
    """Whether a line differs from its entry, because a secret was removed."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def encode_all(self, entries: list[TrafficEntry]) -> Iterator[bytes]:
        """Encode entries: plain lines unchanged, others after a closer search for secrets."""
        plain = [_plain_line(entry) for entry in entries]
        text = "\n".join(plain)
        clean = self._redactor.redact_text(text) == text
        for entry, line in zip(entries, plain, strict=True):
            yield self._bytes(line) if clean and line else self.encode(entry)

    def encode(self, entry: TrafficEntry) -> bytes:
        """Return the line of an entry, without secrets."""
        fields: dict[str, Any] = {"seq": entry.seq, "t": round(entry.t, 4), "d": entry.direction}
        if entry.re is not None:
            fields["re"] = entry.re
        if len(entry.raw) > LONG_CHARS:
            return self._long(entry, fields)
        fields["m"] = entry.message
        line = _dump(fields)
        # A line without escapes can be searched as a whole, and rarely contains a secret.
        if "\\" in line or self._redactor.redact_text(line) != line:
            message = self._redactor.redact(entry.message)
            self.altered = self.altered or message != entry.message
            line = _dump({**fields, "m": message})
        return self._bytes(line)

    def _long(self, entry: TrafficEntry, fields: dict[str, Any]) -> bytes:
        """Return the line of a long message; the entry may have only a part of it parsed."""
        whole = read_long_json(entry.raw)
        message = self._redactor.redact(whole)
        if message == whole:
            return self._bytes(f'{_dump(fields)[:-1]},"m":{entry.raw}}}')
        self.altered = True
        return self._bytes(_dump({**fields, "m": message}))

    def _bytes(self, line: str) -> bytes:
        try:
            return line.encode() + b"\n"
        except UnicodeEncodeError:
            self.altered = True
            return line.encode("utf-8", "replace") + b"\n"


def queued_bytes(entry: TrafficEntry) -> int:
    """Return the approximate memory of an entry, in bytes."""
    return _ENTRY_BYTES + (len(entry.raw) or _text_chars(entry.message))


def _text_chars(value: object) -> int:
    """Return the number of characters of text in a message, without encoding it."""
    chars, rest = 0, [value]
    while rest:
        match rest.pop():
            case str() as text:
                chars += len(text)
            case Mapping() as fields:
                rest += [*fields, *fields.values()]
            case list() | tuple() as parts:
                rest += parts
            case _:
                chars += 1
    return chars


def gap_entry(after: TrafficEntry) -> TrafficEntry:
    """Return an entry in place of lost lines, with the number of the last one."""
    return TrafficEntry(max(1, after.seq - 1), after.t, "!", {"note": "log_gap"})


def in_groups(entries: Iterable[TrafficEntry]) -> Iterator[list[TrafficEntry]]:
    """Yield entries in groups of limited length, so that each is searched in one step."""
    group: list[TrafficEntry] = []
    chars = 0
    for entry in entries:
        if group and chars + len(entry.raw) > _GROUP_CHARS:
            yield group
            group, chars = [], 0
        group.append(entry)
        chars += len(entry.raw)
    if group:
        yield group


def _plain_line(entry: TrafficEntry) -> str:
    """Return the line of an entry with a raw message without escapes, or an empty string."""
    if not entry.raw or "\\" in entry.raw:
        return ""
    at = round(entry.t, 4)
    return f'{{"seq":{entry.seq},"t":{at!r},"d":"{entry.direction}","m":{entry.raw}}}'


def _dump(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
