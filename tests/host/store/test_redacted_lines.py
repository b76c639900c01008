"""Entries become lines, without secrets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.host.store.redacted_lines import RedactedLines
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor
from tests.support.planted_secret import SECRET

Json = dict[str, Any]
PLAIN: Json = {"jsonrpc": "2.0", "method": "a", "params": {"text": "Grüße"}}


def entry(message: Json, *, raw: bool) -> TrafficEntry:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":")) if raw else ""
    return TrafficEntry(1, 1.0, "<", message, raw=text)


def lines() -> RedactedLines:
    return RedactedLines(Redactor.of_environments({"A_TOKEN": SECRET}))


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("secret", [SECRET, SECRET.replace("p", "\\u0070")], ids=["plain", "odd"])
def test_a_secret_is_in_no_line(raw: bool, secret: str) -> None:
    told: Json = {"method": "b", "params": {"text": f"is {SECRET}"}}
    text = json.dumps(told).replace(SECRET, secret) if raw else ""
    spoiled = TrafficEntry(2, 1.0, "<", told, raw=text)
    log = lines()
    written = [*log.encode_all([entry(PLAIN, raw=raw), spoiled])]
    assert [SECRET in json.loads(line)["m"].get("params", {})["text"] for line in written] == [
        False,
        False,
    ]
    assert json.loads(written[0])["m"] == PLAIN
    assert log.altered


def test_what_is_clean_is_written_as_it_came() -> None:
    log = lines()
    raw = '{"method": "a",  "params": {"text":"x"}}'
    (line,) = log.encode_all([TrafficEntry(1, 1.0, "<", json.loads(raw), raw=raw)])
    assert raw.encode() in line
    assert not log.altered


def test_what_is_no_text_is_written_all_the_same() -> None:
    log = lines()
    (line,) = log.encode_all([entry({"method": "\ud800"}, raw=False)])
    assert json.loads(line)
    assert log.altered
