"""Answers of OpenAI's responses API."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from tests.support.mockllm.parts import Call, Json, Part, Say
from tests.support.mockllm.streamed import Event, arguments_in_pieces, said

__all__ = ["responses_events", "responses_object"]

_INPUT_TOKENS = 100

_Make = Callable[..., Event]


def responses_events(parts: Sequence[Part]) -> Iterator[Event]:
    """Return the events of a streamed answer."""
    numbers = itertools.count()
    output: list[Json] = []
    response_id = f"resp_{uuid.uuid4().hex[:8]}"
    pieces = 0

    def event(kind: str, **fields: Any) -> Event:
        return Event({"type": kind, "sequence_number": next(numbers), **fields}, kind)

    yield event("response.created", response=_response(response_id, "in_progress", output))
    for index, part in enumerate(parts):
        if isinstance(part, Say):
            pieces += len(part.pieces)
            item = yield from _text_events(event, index, part)
            output.append(item)
        elif isinstance(part, Call):
            item = yield from _call_events(event, index, part)
            output.append(item)
    completed = _response(response_id, "completed", output)
    completed["usage"] = _usage(pieces)
    yield event("response.completed", response=completed)


def responses_object(parts: Sequence[Part]) -> Json:
    """Return an answer as a whole."""
    content = [{"type": "output_text", "text": said(parts), "annotations": []}]
    message = {"type": "message", "id": "msg_mock", "role": "assistant", "status": "completed"}
    output = [{**message, "content": content}]
    return {**_response("resp_mock", "completed", output), "usage": _usage(1)}


def _text_events(event: _Make, index: int, part: Say) -> Generator[Event, None, Json]:
    text = "".join(part.pieces)
    key = "response.reasoning_summary" if part.thinking else "response.output"
    item_id = f"{'rs' if part.thinking else 'msg'}_{uuid.uuid4().hex[:6]}"
    where = {"item_id": item_id, "output_index": index}
    where |= {"summary_index": 0} if part.thinking else {"content_index": 0}
    if part.thinking:
        item: Json = {"type": "reasoning", "id": item_id, "summary": []}
        content: Json = {"type": "summary_text", "text": text}
        done = {**item, "summary": [content]}
        added = "response.reasoning_summary_part"
    else:
        item = {"type": "message", "id": item_id, "role": "assistant", "status": "in_progress"}
        content = {"type": "output_text", "text": text, "annotations": []}
        done = {**item, "status": "completed", "content": [content]}
        item["content"] = []
        added = "response.content_part"
    yield event("response.output_item.added", output_index=index, item=item)
    yield event(f"{added}.added", **where, part={**content, "text": ""})
    for piece in part.pieces:
        delta = event(f"{key}_text.delta", **where, delta=piece)
        yield Event(delta.data, delta.name, paced=True)
    yield event(f"{key}_text.done", **where, text=text)
    yield event(f"{added}.done", **where, part=content)
    yield event("response.output_item.done", output_index=index, item=done)
    return done


def _call_events(event: _Make, index: int, call: Call) -> Generator[Event, None, Json]:
    item_id = f"fc_{uuid.uuid4().hex[:6]}"
    text = "".join(arguments_in_pieces(call))
    kind, key = (
        ("custom_tool_call", "input") if call.tool.is_text else ("function_call", "arguments")
    )
    done: Json = {"type": kind, "id": item_id, "call_id": call.call_id, "name": call.tool.name}
    done |= {key: text, "status": "completed"}
    if call.tool.namespace:
        done["namespace"] = call.tool.namespace
    added = {**done, key: "", "status": "in_progress"}
    yield event("response.output_item.added", output_index=index, item=added)
    name = (
        f"response.{'custom_tool_call_input' if call.tool.is_text else 'function_call_arguments'}"
    )
    for piece in arguments_in_pieces(call):
        yield event(f"{name}.delta", item_id=item_id, output_index=index, delta=piece)
    yield event(f"{name}.done", item_id=item_id, output_index=index, **{key: text})
    yield event("response.output_item.done", output_index=index, item=done)
    return done


def _response(response_id: str, status: str, output: list[Json]) -> Json:
    head = {"id": response_id, "object": "response", "created_at": 0, "model": "mock"}
    nothing = {"error": None, "incomplete_details": None, "instructions": None, "usage": None}
    tools = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "metadata": {}}
    return {**head, **nothing, **tools, "status": status, "output": list(output)}


def _usage(pieces: int) -> Json:
    return {
        "input_tokens": _INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": pieces,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": _INPUT_TOKENS + pieces,
    }
