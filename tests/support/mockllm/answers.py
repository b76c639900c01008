"""Answers of OpenAI's chat completions and responses, Anthropic's messages and Gemini."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.mockllm.conversation import Api
from tests.support.mockllm.openai_responses import responses_events, responses_object
from tests.support.mockllm.parts import Call, Json, Part, Say
from tests.support.mockllm.streamed import Event, arguments_in_pieces, said

__all__ = ["ANSWERS", "Answer"]

_INPUT_TOKENS = 100


@dataclass(frozen=True)
class Answer:
    """How an API answers, as a stream and whole."""

    stream: Callable[[Sequence[Part]], Iterator[Event]]
    whole: Callable[[Sequence[Part]], Json]


def _chat(parts: Sequence[Part]) -> Iterator[Event]:
    def chunk(delta: Json, finish: str | None = None, **more: Any) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 0}
        return {**head, "model": "mock", "choices": [choice], **more}

    yield Event(chunk({"role": "assistant", "content": ""}))
    pieces = calls = 0
    for part in parts:
        if isinstance(part, Say):
            key = "reasoning_content" if part.thinking else "content"
            for piece in part.pieces:
                pieces += 1
                yield Event(chunk({key: piece}), paced=True)
        elif isinstance(part, Call):
            function = {"name": part.tool.name, "arguments": ""}
            call = {"index": calls, "id": part.call_id, "type": "function", "function": function}
            yield Event(chunk({"tool_calls": [call]}))
            for piece in arguments_in_pieces(part):
                more = {"index": calls, "function": {"arguments": piece}}
                yield Event(chunk({"tool_calls": [more]}))
            calls += 1
    yield Event(chunk({}, "tool_calls" if calls else "stop"))
    usage = {"prompt_tokens": _INPUT_TOKENS, "completion_tokens": pieces}
    total = {"total_tokens": _INPUT_TOKENS + pieces}
    yield Event(chunk({}, choices=[], usage={**usage, **total}))
    yield Event("[DONE]")


def _chat_whole(parts: Sequence[Part]) -> Json:
    message = {"role": "assistant", "content": said(parts)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chatcmpl-mock", "object": "chat.completion", "created": 0, "model": "mock"}
    usage = {"prompt_tokens": _INPUT_TOKENS, "completion_tokens": 1, "total_tokens": 101}
    return {**head, "choices": [choice], "usage": usage}


def _messages(parts: Sequence[Part]) -> Iterator[Event]:
    def event(name: str, **fields: Any) -> Event:
        return Event({"type": name, **fields}, name)

    yield event("message_start", message={**_message([]), "stop_reason": None})
    pieces = 0
    for index, part in enumerate(parts):
        if isinstance(part, Say):
            key = "thinking" if part.thinking else "text"
            start = {"type": key, key: ""} | ({"signature": ""} if part.thinking else {})
            yield event("content_block_start", index=index, content_block=start)
            for piece in part.pieces:
                pieces += 1
                delta = {"type": f"{key}_delta", key: piece}
                data = {"type": "content_block_delta", "index": index, "delta": delta}
                yield Event(data, "content_block_delta", paced=True)
            if part.thinking:
                delta = {"type": "signature_delta", "signature": "bW9jaw=="}
                yield event("content_block_delta", index=index, delta=delta)
        elif isinstance(part, Call):
            start = {"type": "tool_use", "id": f"toolu_{part.call_id}", "name": part.tool.name}
            yield event("content_block_start", index=index, content_block={**start, "input": {}})
            for piece in arguments_in_pieces(part):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    reason = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
    end = {"stop_reason": reason, "stop_sequence": None}
    yield event("message_delta", delta=end, usage={"output_tokens": max(1, pieces)})
    yield event("message_stop")


def _messages_whole(parts: Sequence[Part]) -> Json:
    content: list[Json] = []
    for part in parts:
        if isinstance(part, Say) and not part.thinking:
            content.append({"type": "text", "text": said([part])})
        elif isinstance(part, Call):
            call = {"id": f"toolu_{part.call_id}", "name": part.tool.name, "input": part.arguments}
            content.append({"type": "tool_use", **call})
    reason = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
    return {**_message(content), "stop_reason": reason}


def _message(content: list[Json]) -> Json:
    usage = {"input_tokens": _INPUT_TOKENS, "output_tokens": 1}
    cache = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    # One client takes messages of one id for parts of one message.
    head = {
        "id": f"msg_{uuid.uuid4().hex[:12]}",
        "type": "message",
        "role": "assistant",
        "model": "mock",
    }
    return {**head, "content": content, "stop_sequence": None, "usage": {**usage, **cache}}


def _gemini(parts: Sequence[Part]) -> Iterator[Event]:
    for part in parts:
        if isinstance(part, Say):
            if part.thinking:  # they come whole, with a headline
                thought = {"text": f"**Thinking** {''.join(part.pieces)}", "thought": True}
                yield Event(_candidate([thought]), paced=True)
                continue
            for piece in part.pieces:
                yield Event(_candidate([{"text": piece}]), paced=True)
        elif isinstance(part, Call):
            yield Event(_candidate([_gemini_call(part)]))
    yield Event(_candidate([{"text": ""}], "STOP"))


def _gemini_whole(parts: Sequence[Part]) -> Json:
    calls = [_gemini_call(part) for part in parts if isinstance(part, Call)]
    return _candidate([{"text": said(parts)}, *calls], "STOP")


def _gemini_call(call: Call) -> Json:
    function = {"id": call.call_id, "name": call.tool.name, "args": call.arguments}
    return {"functionCall": function, "thoughtSignature": "bW9jaw=="}


def _candidate(parts: list[Json], finish: str | None = None) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": _INPUT_TOKENS, "candidatesTokenCount": 1, "totalTokenCount": 101}
    return {"candidates": [candidate], "modelVersion": "mock", "usageMetadata": usage}


ANSWERS: dict[Api, Answer] = {
    "chat": Answer(_chat, _chat_whole),
    "responses": Answer(responses_events, responses_object),
    "messages": Answer(_messages, _messages_whole),
    "gemini": Answer(_gemini, _gemini_whole),
}
