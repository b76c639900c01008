"""Forms of any shape, answers of any shape."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_jupyter.dialects.onyx.packet_writer import write_packet
from acp_jupyter.errors import InvalidAnswers
from acp_jupyter.host.requests.elicitation import checked_answers
from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationField,
    ElicitationRequest,
    ElicitationResponse,
    read_field,
)
from acp_jupyter.protocol.parse.elicitation import elicitation_request, url_host
from acp_jupyter.protocol.parse.packet import parse_packet

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)
STRINGS = ("type", "title", "format", "pattern", "description")
BOUNDS = ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
OTHERS = ("enum", "oneOf", "items", "default", "enumNames", "writeOnly")
KEYS = st.sampled_from((*STRINGS, *BOUNDS, *OTHERS))
SCHEMA = st.dictionaries(KEYS, JSON | st.sampled_from(["string", "array", "integer"]), max_size=8)


def one(**schema: Any) -> ElicitationField:
    field = read_field("f", schema, required=False)
    assert isinstance(field, ElicitationField)
    return field


def told_of(fields: tuple[ElicitationField, ...], value: Any) -> set[str]:
    """Answer every field alike; return the names of what is sent, or of what is wrong."""
    try:
        return {*checked_answers(fields, {field.name: value for field in fields})}
    except InvalidAnswers as error:
        return {*error.fields}


def fits(value: Any, **schema: Any) -> bool:
    try:
        checked_answers((one(**schema),), {"f": value})
    except InvalidAnswers:
        return False
    return True


@given(st.dictionaries(st.text(max_size=8), SCHEMA, max_size=4), JSON, JSON)
@settings(max_examples=150)
def test_no_form_and_no_answer_raises_anything_else(
    properties: dict[str, Any], required: Any, value: Any
) -> None:
    raw: dict[str, Any] = {
        "requestedSchema": {"properties": properties, "required": required},
        "message": "?",
    }
    asked = elicitation_request(raw, "e1")
    assert bool(asked.problem) or len(asked.fields) == len(properties)
    assert told_of(asked.fields, value) <= properties.keys()


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string", "minLength": 2, "maxLength": 3}, "ab", "abcd"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "abc", "ab1"),
        ({"type": "string", "pattern": "b"}, "abc", "ac"),
        ({"type": "string", "format": "email"}, "ada@example.org", "ada@"),
        ({"type": "string", "format": "uri"}, "https://example.org/a", "example"),
        ({"type": "string", "format": "uri"}, "mailto:ada@example.org", "mailto:"),
        ({"type": "string", "format": "uri"}, "https://example.org", "https://example org"),
        ({"type": "string", "format": "date"}, "2026-03-01", "2026-02-30"),
        ({"type": "string", "format": "date-time"}, "2026-03-01t12:00:00+01:00", "2026-03-01T25"),
        ({"type": "string", "format": "date-time"}, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00"),
        ({"type": "string", "enum": ["a", "b"]}, "a", "c"),
        ({"type": "integer", "minimum": 3}, 3, 2),
        ({"type": "integer"}, 4.0, 4.5),
        ({"type": "integer"}, "12", "1e400"),
        ({"type": "number", "maximum": 0.5}, "0.5", 0.6),
        ({"type": "number"}, -1, True),
        ({"type": "boolean"}, False, "false"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["a"], ["c"]),
        ({"type": "array", "items": {"anyOf": [{"const": "a"}]}, "minItems": 1}, ["a"], "a"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, ["a"], ["a", "b"]),
        ({"type": "quaternion"}, "1 0 0 0", 1),
    ],
)
def test_an_answer_fits_its_field_or_not(schema: dict[str, Any], good: Any, bad: Any) -> None:
    assert fits(good, **schema)
    assert not fits(bad, **schema)


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|a)*$", r"(.*a){25}", r"^(\w+\s?)*$"])
def test_no_pattern_takes_long(pattern: str) -> None:
    started = time.process_time()
    fits("a" * 50_000 + "!", type="string", pattern=pattern)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("pattern", [r"(?=a)b", r"(a)\1", r"[", r"((a{1000}){1000}){1000}"])
def test_what_this_cannot_check_is_left_to_the_agent(pattern: str) -> None:
    assert fits("anything", type="string", pattern=pattern)


@pytest.mark.parametrize(
    ("name", "secret"),
    [("password", True), ("apiKey", True), ("user_pin", True), ("pinned", False), ("name", False)],
)
def test_a_name_says_whether_it_is_a_secret(name: str, secret: bool) -> None:
    field = read_field(name, {"type": "string"}, required=False)
    assert isinstance(field, ElicitationField)
    assert field.secret is secret


@given(st.text(max_size=60))
def test_a_host_is_one_that_a_browser_would_go_to(text: str) -> None:
    host = url_host(f"https://{text}")
    assert host.isascii()
    assert not set(host) & set("@/\\?# \t\n%")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org/a@b", "example.org"),
        ("https://good.org@evil.org/", ""),
        ("https://@evil.org/", ""),
        ("https://fa\u00df.de/", ""),  # browsers and Python make different names of it
        ("https://\u03c3\u03af\u03b3\u03bc\u03b1\u03c2.gr/", ""),
        ("https://\uff47oogle.com/", ""),
        ("https://google\u3002com/", ""),
        ("https://127.1/", ""),
        ("https://127.1./", ""),
        ("https://127.0.0.1./", ""),
        ("https://2130706433/", ""),
        ("https://0x7f.0.0.1/", ""),
        ("https://0177.0.0.1/", ""),
        ("https://1.2.3.4.5/", ""),
        ("https://example.0ab/", "example.0ab"),
        ("https://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", ""),
        ("https://\u0430\u0440\u0440\u043b\u0435.com/", "xn--80akrta.com"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("https://bücher.de", "xn--bcher-kva.de"),
        ("HTTPS://EXAMPLE.ORG", "example.org"),
        ("https://a.org:99999/", ""),
        ("//example.org", ""),
    ],
)
def test_the_host_is_where_it_really_leads(url: str, host: str) -> None:
    assert url_host(url) == host


def test_a_whole_number_that_is_written_keeps_its_digits() -> None:
    (large,) = checked_answers((one(type="integer"),), {"f": "9007199254740993"}).values()
    assert large == 9_007_199_254_740_993


@given(st.dictionaries(st.text(min_size=1, max_size=8), SCHEMA, max_size=4), st.text(max_size=9))
@example({"0": {"enum": [""], "type": "integer"}}, "")
@example({"0": {"minimum": math.inf, "maximum": 10**400}}, "")
@example({"0": {"enum": [""], "default": ""}}, "")
@settings(max_examples=100)
def test_a_question_in_a_stream_is_read_as_it_was_asked(
    properties: dict[str, Any], words: str
) -> None:
    schema: Any = {"properties": properties, "title": words, "description": words}
    asked = elicitation_request({"requestedSchema": schema, "message": words}, "e1")
    written = write_packet(asked)
    again = parse_packet(written)
    assert isinstance(again, ElicitationRequest)
    # What an unknown type was called is told in words only.
    fields = tuple(field.model_copy(update={"words": ""}) for field in asked.fields)
    read = tuple(field.model_copy(update={"words": ""}) for field in again.fields)
    assert read == fields
    assert again.model_copy(update={"fields": ()}) == asked.model_copy(update={"fields": ()})


@pytest.mark.parametrize(
    "packet",
    [
        elicitation_request({"mode": "url", "url": "https://a.org/", "elicitationId": "p"}, "e1"),
        elicitation_request({"mode": "url", "url": "javascript:1", "elicitationId": "p"}, "e1"),
        elicitation_request({"mode": "telepathy", "message": "?"}, "e1"),
        ElicitationResponse(request_id="e1", action="accept", content={"a": ["b"]}),
        ElicitationResponse(request_id="e1", action="cancel", reason="Withdrawn by the agent"),
        ElicitationResponse(request_id="e1", action="error", reason="?"),
        ElicitationComplete(elicitation_id="p"),
    ],
)
def test_what_becomes_of_a_question_is_read_from_a_stream(packet: Any) -> None:
    again = parse_packet(write_packet(packet))
    expected = packet
    if isinstance(packet, ElicitationRequest) and packet.problem:
        expected = packet.model_copy(update={"elicitation_id": ""})  # it opens nothing
    assert again == expected
