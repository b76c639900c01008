"""One message on the wire: `TrafficEntry`, and the plain messages that need no repair.

Most of what agents send is chunks of text and updates of tool calls. `is_plain` recognises those
that are well-formed, which are read without repair; `text_chunk` extracts a chunk's text, so that a
burst of chunks can be joined.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Literal, NamedTuple

from acp_jupyter.protocol.vocabulary import ACP_KINDS

Direction = Literal[">", "<", "!"]
"""``>`` to the agent, ``<`` from the agent, ``!`` a note of the host."""


LONG_CHARS = 16 * 1024
"""A longer line is parsed in a thread, and logged unchanged."""


class TrafficEntry(NamedTuple):
    """A message in wire order.

    Attributes
    ----------
    seq
        Number of the line; one count for both directions.
    t
        Wall clock, seconds since the epoch.
    direction
        See `Direction`.
    message
        The JSON-RPC object as the agent wrote it. A note is an object with the key ``note``.
    re
        For a response in either direction, the ``seq`` of the request that it answers.
    raw
        The line itself where it needs no repair: then it can be written down as it is.
        Of a long line always; ``message`` may say less than that: see `cut_message`.
    """

    seq: int
    t: float
    direction: Direction
    message: Mapping[str, Any]
    re: int | None = None
    raw: str = ""


_CALL_FIELDS = frozenset(
    {
        "sessionUpdate",
        "toolCallId",
        "title",
        "name",
        "kind",
        "status",
        "content",
        "rawInput",
        "rawOutput",
        "_meta",
    }
)
TEXT_KINDS = ("agent_message_chunk", "agent_thought_chunk")
"""The updates that are chunks of a message or thought."""
_ID_TYPES = (str, type(None))
_STATUSES = frozenset({"pending", "in_progress", "completed", "failed"})


def is_plain(message: Mapping[str, Any]) -> bool:
    """Return whether a message is a well-formed chunk or tool call update that needs no repair.

    Anything unusual gives False: then it is normalised.
    """
    match message:
        case {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": str(),
                "update": {"sessionUpdate": str(kind)} as update,
            } as params,
        } if len(message) == 3 and len(params) == 2:
            if kind in TEXT_KINDS:
                known = 3 if isinstance(update.get("messageId"), str) else 2
                return len(update) == known and _is_text(update.get("content"))
            return kind == "tool_call_update" and _is_call(update)
        case _:
            return False


class TextChunk(NamedTuple):
    """A plain chunk of a message or thought."""

    session_id: str
    kind: str
    message_id: str | None
    text: str

    def with_text(self, text: str) -> dict[str, Any]:
        """Return the same message with another text."""
        update = {"sessionUpdate": self.kind, "content": {"type": "text", "text": text}}
        if self.message_id is not None:
            update["messageId"] = self.message_id
        params = {"sessionId": self.session_id, "update": update}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def text_chunk(message: Mapping[str, Any]) -> TextChunk | None:
    """Return the chunk in a plain message, if it is a text chunk that is not empty."""
    params = message.get("params")
    if len(message) != 3 or type(params) is not dict or len(params) != 2:
        return None
    session_id, update = params.get("sessionId"), params.get("update")
    if type(session_id) is not str or type(update) is not dict:
        return None
    kind, block = update.get("sessionUpdate"), update.get("content")
    if kind not in TEXT_KINDS or type(block) is not dict or not _is_text(block):
        return None
    message_id = update.get("messageId")
    if len(update) != (2 if message_id is None else 3) or type(message_id) not in _ID_TYPES:
        return None
    if message.get("jsonrpc") != "2.0" or message.get("method") != "session/update":
        return None
    return TextChunk(session_id, kind, message_id, block["text"]) if block["text"] else None


def _is_text(block: object) -> bool:
    return (
        isinstance(block, dict)
        and len(block) == 2
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    )


def _is_call(update: Mapping[str, Any]) -> bool:
    return (
        update.keys() <= _CALL_FIELDS
        and isinstance(update.get("toolCallId"), str)
        and isinstance(update.get("title", ""), str)
        and isinstance(update.get("name", ""), str)
        and ("kind" not in update or _is_one_of(update["kind"], ACP_KINDS))
        and ("status" not in update or _is_one_of(update["status"], _STATUSES))
        and isinstance(update.get("_meta", {}), dict)
        and _is_content(update.get("content", []))
    )


def _is_one_of(value: object, words: Container[str]) -> bool:
    return isinstance(value, str) and value in words  # a list can't be looked up by hash


def _is_content(content: object) -> bool:
    return isinstance(content, list) and all(
        isinstance(item, dict)
        and len(item) == 2
        and item.get("type") == "content"
        and _is_text(item.get("content"))
        for item in content
    )
