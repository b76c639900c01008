"""JSON: parsing, repair of values that can't be written, and keys in camel case.

Uses the standard library only: the kernel imports this module when it starts.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 64
_MAX_DIGITS = 300
_TOO_LARGE = 10**_MAX_DIGITS
TOO_DEEP = "[nested too deeply]"
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"

_OPAQUE = frozenset({"rawInput", "rawOutput", "_meta", "raw_input", "raw_output"})
"""Values below these keys are the agent's own, not the protocol's."""

_CAMEL_NAMES = (
    "sessionId sessionUpdate toolCallId toolCall rawInput rawOutput mimeType messageId oldText "
    "newText terminalId availableCommands availableModes currentModeId modeId configOptions "
    "configId currentValue updatedAt optionId planId protocolVersion agentCapabilities agentInfo "
    "authMethods stopReason requestId elicitationId requestedSchema outputByteLimit exitStatus "
    "exitCode additionalDirectories mcpServers compactionId methodId senderSessionId "
    "recipientSessionId senderMessageId recipientMessageId"
)
_NESTED = frozenset({dict, list})
"""The types that JSON is parsed into; nothing else has keys."""

CAMEL_KEYS = {
    re.sub(r"([A-Z])", lambda m: "_" + m[1].lower(), name): name for name in _CAMEL_NAMES.split()
}


def read_json(text: str) -> Any:
    """Parse JSON into what `clean_json` returns, without a second pass if nothing needs repair."""
    value = _DECODER.decode(text)
    # Only an escape makes a surrogate, and depth takes as many brackets.
    odd = "\\ud" in text or "\\uD" in text
    return clean_json(value) if odd or text.count("{") + text.count("[") > MAX_DEPTH else value


def _nothing(_: str) -> None:
    """NaN and Infinity are not JSON."""


def finite_or_none(digits: str) -> float | None:
    """Parse a number with a fraction or an exponent; None if no float can hold it."""
    value = float(digits)
    return value if math.isfinite(value) else None


def integer_or_none(digits: str) -> int | None:
    """Parse an integer; None if no float can hold it."""
    return int(digits) if len(digits.lstrip("-")) <= _MAX_DIGITS else None


_DECODER = json.JSONDecoder(
    parse_constant=_nothing, parse_float=finite_or_none, parse_int=integer_or_none
)


def clean_json(value: Any, depth: int = 0) -> Any:
    """Return ``value`` in a form that every later layer can write as JSON.

    Lone surrogates (a split emoji) become U+FFFD, infinities and integers that no float can hold
    become null, and values nested too deep become a short text. A value that needs no repair is
    returned unchanged.
    """
    if isinstance(value, str):
        # A lone surrogate is the only thing that keeps a str from being UTF-8.
        return value if value.isascii() else _SURROGATE.sub(_REPLACEMENT, value)
    if value is None or isinstance(value, int):
        return value if value is None or -_TOO_LARGE < value < _TOO_LARGE else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    if depth >= MAX_DEPTH:
        return TOO_DEEP
    if isinstance(value, Mapping):
        pairs = [(key, item, clean_json(item, depth + 1)) for key, item in value.items()]
        changed = any(new is not old for _, old, new in pairs)
        named = all(isinstance(key, str) and not _SURROGATE.search(key) for key in value)
        if named and not changed:
            return value
        return {_SURROGATE.sub(_REPLACEMENT, str(key)): new for key, _, new in pairs}
    items = [clean_json(item, depth + 1) for item in value]
    changed = any(new is not old for new, old in zip(items, value, strict=True))
    return items if changed or isinstance(value, tuple) else value


def camel_case(value: Any) -> Any:
    """Return ``value`` with the protocol's keys in the protocol's spelling."""
    if isinstance(value, list):
        return [camel_case(item) if type(item) in _NESTED else item for item in value]
    if not isinstance(value, Mapping):
        return value
    result: dict[Any, Any] = {}
    for key, item in value.items():
        name = CAMEL_KEYS.get(key, key)
        if name in value:
            name = key  # both spellings: the right one keeps its value
        nested = type(item) in _NESTED and key not in _OPAQUE
        result[name] = camel_case(item) if nested else item
    return result


def count_or_none(value: object) -> int | None:
    """Return a count of tokens or lines as a non-negative int, or None.

    ``value`` is a finite number, as `clean_json` and `read_json` return, or anything else.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) <= 18 and value.isascii() and value.isdigit():
        return int(value)
    return max(0, int(value)) if isinstance(value, int | float) else None


def string_or_none(value: object) -> str | None:
    """Return a name or id as text, since some agents send numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None
