"""Parses elicitation requests and responses; `SecretAnswers` keeps secret answers out of logs.

A request that can't be shown says why. An address that browsers may read differently is refused.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import JsonValue

from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationField,
    ElicitationRequest,
    ElicitationResponse,
    read_field,
)
from acp_jupyter.protocol.objects import Obj, first, items, obj, text
from acp_jupyter.protocol.traffic import TrafficEntry

_FIELDS = 100
_MESSAGE_CHARS = 20_000
_URL_CHARS = 8_000
_ODD_IN_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\<>\"\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_DEVIATING = frozenset("\u00df\u03c2")
"""Characters that Python's IDNA 2003 maps to other letters than browsers do."""


def elicitation_request(raw: Obj, request_id: str) -> ElicitationRequest:
    """ACP: elicitation/create. Never raises: a request that can't be shown has a ``problem``."""
    message = text(raw.get("message"))
    mode = text(raw.get("mode")) or "form"
    problem = text(raw.get("problem"))[:_MESSAGE_CHARS]
    asked = ElicitationRequest(
        request_id=request_id,
        message=message[:_MESSAGE_CHARS],
        tool_call_id=text(first(raw, "toolCallId", "tool_call_id")),
    )
    if problem:  # found before, and sent in a stream of ours
        known = {"mode": mode if mode in {"form", "url"} else "other"}
        return _problem(asked.model_copy(update=known), problem)
    if len(message) > _MESSAGE_CHARS:
        return _problem(asked, f"The message is longer than {_MESSAGE_CHARS} characters.")
    match mode:
        case "form":
            return _form(asked, obj(first(raw, "requestedSchema", "requested_schema")))
        case "url":
            return _url(asked, raw)
        case _:
            asked = asked.model_copy(update={"mode": "other"})
            return _problem(asked, f"This client does not know the mode {mode[:40]!r}.")


def _form(request: ElicitationRequest, schema: Obj) -> ElicitationRequest:
    properties = obj(schema.get("properties"))
    if len(properties) > _FIELDS:
        return _problem(request, f"The form has more than {_FIELDS} fields.")
    required = {name for name in items(schema.get("required")) if isinstance(name, str)}
    missing = sorted(required - properties.keys())
    if missing:
        return _problem(request, f"The form requires {missing[0][:80]!r}, which it does not have.")
    fields: list[ElicitationField] = []
    for name, raw in properties.items():
        field = read_field(name, obj(raw), required=name in required)
        if isinstance(field, str):
            return _problem(request, field)
        fields.append(field)
    return request.model_copy(
        update={
            "heading": text(schema.get("title"))[:500],
            "description": text(schema.get("description"))[:_MESSAGE_CHARS],
            "fields": tuple(fields),
        }
    )


def _url(asked: ElicitationRequest, raw: Obj) -> ElicitationRequest:
    url = text(raw.get("url"))
    host = url_host(url)
    asked = asked.model_copy(
        update={
            "mode": "url",
            "url": url if host else "",
            "host": host,
            "elicitation_id": text(first(raw, "elicitationId", "elicitation_id")),
        }
    )
    if not host:
        return _problem(asked, "The address to open is not a plain http or https address.")
    return asked


def url_host(url: str) -> str:
    """Return the host that a browser would open; empty for an address that must not be opened.

    Browsers read a backslash as a slash and skip tabs and line ends, so an address with any of
    these could lead elsewhere than it seems. So could a name before an ``@``, an unusual spelling
    of a number, and characters that browsers and Python map to different letters.
    """
    if len(url) > _URL_CHARS or _ODD_IN_URL.search(url):
        return ""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host = host if host.isascii() else _plain_international(host)
    except ValueError:  # UnicodeError is one
        return ""
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or not _HOST.fullmatch(host):
        return ""
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) and not _is_plain_ipv4(host):
        return ""
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def _plain_international(host: str) -> str:
    """Return the ASCII form of a host if all ways to convert it agree; else an empty text."""
    lower = host.lower()
    plain = unicodedata.ucd_3_2_0.normalize("NFKC", lower) == lower
    if not plain or any(_is_unsure(character) for character in lower):
        return ""
    return lower.encode("idna").decode("ascii")


def _is_unsure(character: str) -> bool:
    """Return whether browsers may read a character of a host differently, or drop it."""
    if character.isascii():
        return False
    known = unicodedata.ucd_3_2_0.category(character)
    return character in _DEVIATING or known not in {"Ll", "Lo"}


def _is_plain_ipv4(host: str) -> bool:
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False


def _problem(asked: ElicitationRequest, words: str) -> ElicitationRequest:
    return asked.model_copy(update={"problem": words})


def elicitation_response(message: Obj, request_id: str) -> ElicitationResponse:
    """ACP: the response to elicitation/create, as it was sent to the agent."""
    error = message.get("error")
    if error is not None:
        return ElicitationResponse(
            request_id=request_id, action="error", reason=_error_text(obj(error))
        )
    result = obj(message.get("result"))
    action = text(result.get("action"))
    return ElicitationResponse.model_validate(
        {
            "request_id": request_id,
            "action": action if action in {"accept", "decline"} else "cancel",
            "content": obj(result.get("content")),
        }
    )


def _error_text(error: Obj) -> str:
    data = obj(error.get("data"))
    return (text(data.get("details")) or text(error.get("message")))[:500]


def streamed_request(raw: Obj) -> ElicitationRequest | None:
    """Read a question of our own stream. None if it has no id."""
    named = text(first(raw, "requestId", "request_id"))
    return elicitation_request(raw, named) if named else None


def streamed_response(raw: Obj) -> ElicitationResponse | None:
    """Read an answer of our own stream. None if it names no question."""
    named = text(first(raw, "requestId", "request_id"))
    if not named:
        return None
    answer = elicitation_response({"result": raw}, named)
    fields = {"reason": text(raw.get("reason"))[:500]}
    if raw.get("action") == "error":
        fields["action"] = "error"
    return answer.model_copy(update=fields)


def elicitation_complete(raw: Obj) -> ElicitationComplete | None:
    """ACP: elicitation/complete. None if it names nothing."""
    named = text(first(raw, "elicitationId", "elicitation_id"))
    return ElicitationComplete(elicitation_id=named) if named else None


def secret_names(raw: JsonValue) -> frozenset[str]:
    """Return the names of the fields of elicitation/create whose answers must not be stored."""
    asked = elicitation_request(obj(raw), "")
    return frozenset(field.name for field in asked.fields if field.secret)


WITHHELD = "(not kept)"
_REMEMBERED = 1000


class SecretAnswers:
    """Removes secret answers from the lines of one session before anything else reads them."""

    def __init__(self) -> None:
        self._requests: OrderedDict[int, frozenset[str]] = OrderedDict()

    def without(self, entry: TrafficEntry) -> TrafficEntry:
        """Return the line in the form that may be stored; nearly always unchanged."""
        message = entry.message
        if entry.direction == "<" and message.get("method") == "elicitation/create":
            names = secret_names(message.get("params"))
            if names:
                self._requests[entry.seq] = names
                if len(self._requests) > _REMEMBERED:
                    self._requests.popitem(last=False)
            return entry
        if entry.direction != ">" or entry.re is None or entry.re not in self._requests:
            return entry
        names = self._requests.pop(entry.re)
        result = message.get("result")
        content = result.get("content") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(content, Mapping):
            return entry
        shown = {name: WITHHELD if name in names else value for name, value in content.items()}
        return entry._replace(message={**message, "result": {**result, "content": shown}})
