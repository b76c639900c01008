"""What a request of any of the four APIs says: messages, tools, and the shape of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.mockllm.parts import Json, Tool

__all__ = ["Api", "Conversation", "Message", "read"]

Api = Literal["chat", "responses", "messages", "gemini"]

_MARKER = re.compile(r"\[\[mock\s+([^\]]*)\]\]")


@dataclass(frozen=True)
class Message:
    """One message, or one item where an API has calls beside messages."""

    role: str
    text: str = ""
    calls: Sequence[str] = ()
    """Ids of the tool calls it makes."""
    images: int = 0


@dataclass(frozen=True)
class Conversation:
    """A request."""

    messages: Sequence[Message]
    tools: Sequence[Tool]
    answer_schema: Json = field(default_factory=dict)
    """Where the answer has to be JSON."""

    def options(self, prompts: Mapping[str, str]) -> tuple[int, dict[str, str]]:
        """Return where the last marker is, and what it says; ``prompts`` are markers in words."""
        for index in reversed(range(len(self.messages))):
            message = self.messages[index]
            if message.role != "user":
                continue
            found = _MARKER.findall(message.text)
            found += [said for words, said in prompts.items() if words in message.text]
            if found:
                return index, dict(pair.split("=", 1) for pair in found[-1].split() if "=" in pair)
        return -1, {}

    def turn(self, since: int) -> int:
        """Return how many turns with tool calls were answered after the marker.

        The number is in the ids that this model gives; where an agent drops these, it counts.
        """
        calls = [message.calls for message in self.messages[since + 1 :] if message.calls]
        numbered = [int(n) for ids in calls for one in ids for n in re.findall(r"t(\d+)x", one)]
        return max(numbered) + 1 if numbered else len(calls)


def read(api: Api, body: Json) -> Conversation:
    """Read a request's body."""
    match api:
        case "chat":
            schema = _get(body, "response_format", "json_schema", "schema")
            return Conversation(list(_chat(body)), list(_chat_tools(body)), schema)
        case "responses":
            schema = _get(body, "text", "format", "schema")
            return Conversation(list(_responses(body)), list(_responses_tools(body)), schema)
        case "messages":
            schema = _get(body, "output_config", "format", "schema")
            tools = [Tool(t["name"], t.get("input_schema") or {}) for t in _list(body, "tools")]
            return Conversation(list(_messages(body)), tools, schema)
        case "gemini":
            config = body.get("generationConfig") or {}
            schema = config.get("responseJsonSchema") or config.get("responseSchema") or {}
            return Conversation(list(_gemini(body)), list(_gemini_tools(body)), schema)


def _chat(body: Json) -> Iterator[Message]:
    for message in _list(body, "messages"):
        calls = [call.get("id") or "" for call in _list(message, "tool_calls")]
        yield Message(message["role"], _text(message.get("content")), calls)


def _chat_tools(body: Json) -> Iterator[Tool]:
    for tool in _list(body, "tools"):
        function = tool["function"]
        yield Tool(function["name"], function.get("parameters") or {})


def _responses(body: Json) -> Iterator[Message]:
    said = body.get("input")
    if isinstance(said, str):
        yield Message("user", said)
        return
    calls: list[str] = []  # of one turn, which come one by one
    for item in said or []:
        kind = item.get("type", "message")
        if kind.endswith("_call"):
            calls.append(item.get("call_id") or "")
            continue
        if calls:
            yield Message("assistant", calls=calls)
            calls = []
        if kind == "message":
            yield Message(item["role"], _text(item.get("content")))
    if calls:
        yield Message("assistant", calls=calls)


def _responses_tools(body: Json) -> Iterator[Tool]:
    for tool in _list(body, "tools"):
        match tool.get("type"):
            case "function":
                yield Tool(tool["name"], tool.get("parameters") or {})
            case "custom":
                yield Tool(tool["name"], {}, is_text=True)
            case "namespace":
                for inner in _list(tool, "tools"):
                    schema = inner.get("parameters") or {}
                    yield Tool(inner["name"], schema, namespace=tool["name"])
            case _:
                pass  # a search that the provider makes itself


def _messages(body: Json) -> Iterator[Message]:
    for message in _list(body, "messages"):
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        text = [block for block in blocks if block["type"] == "text"] if blocks else content
        images = sum(block["type"] == "image" for block in blocks)
        yield Message(message["role"], _text(text), calls, images)


def _gemini(body: Json) -> Iterator[Message]:
    for message in _list(body, "contents"):
        parts = _list(message, "parts")
        calls = [part["functionCall"].get("id") or "" for part in parts if "functionCall" in part]
        role = "assistant" if message.get("role") == "model" else "user"
        yield Message(role, _text(parts), calls)


def _gemini_tools(body: Json) -> Iterator[Tool]:
    for group in _list(body, "tools"):
        for tool in _list(group, "functionDeclarations"):
            schema = tool.get("parametersJsonSchema") or tool.get("parameters") or {}
            yield Tool(tool["name"], schema)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text") or "") for block in content)
    return content if isinstance(content, str) else ""


def _list(value: Json, key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _get(value: Json, *keys: str) -> Json:
    for key in keys:
        value = value.get(key) or {}
    return value
