"""Spans of turns, tool calls and permission requests, by OpenTelemetry.

Names and attributes follow its conventions for generative AI. Prompts, inputs and outputs are left
out unless the convention's variable asks for them. Traces are off unless the standard variables
name a collector, or the program has set its own tracer provider.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from acp_jupyter._version import __version__
from acp_jupyter.transcript.model.events import (
    Event,
    ItemAdded,
    ItemReplaced,
    SessionChanged,
    TurnEnded,
    TurnStarted,
)
from acp_jupyter.transcript.model.session_state import SessionState, TurnState
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_MISSING = (
    "acp-jupyter: traces are configured, and OpenTelemetry's SDK is not installed. "
    "Install acp-jupyter[traces]."
)
_CONTENT_CHARS = 8_000
_OPEN_SPANS = 10_000
_DONE = frozenset({"completed", "failed", "cancelled"})


def begin_traces(environment: Mapping[str, str], warn: Callable[[str], object]) -> Traces | None:
    """Return the writer of traces if the environment asks for traces, else None."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    content = environment.get(_CONTENT, "").lower() == "true"
    provider = trace.get_tracer_provider()
    if not isinstance(provider, trace.ProxyTracerProvider):
        return Traces(provider.get_tracer("acp_jupyter", __version__), content=content)
    if not any(environment.get(name) for name in _ENDPOINTS):
        return None
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") == "none":
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        warn(_MISSING)
        return None
    name = environment.get("OTEL_SERVICE_NAME", "acp-jupyter")
    own = TracerProvider(resource=Resource.create({"service.name": name}), shutdown_on_exit=False)
    own.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracer = own.get_tracer("acp_jupyter", __version__)
    return Traces(tracer, content=content, close=own.shutdown)


class Traces:
    """Begins and ends spans from the events of sessions.

    Parameters
    ----------
    close
        Sends the remaining spans; blocks for some seconds at most.
    """

    def __init__(
        self, tracer: Tracer, *, content: bool = False, close: Callable[[], None] | None = None
    ) -> None:
        self._tracer = tracer
        self._content = content
        self._close = close
        self._sessions: dict[str, SessionState] = {}
        self._spans: dict[tuple[str, str], Span] = {}
        """Open spans, by session and the id of the turn, call or request."""
        self._going_on: set[tuple[str, str]] = set()
        """Spans of calls in the background, which don't end with their turn."""

    def close(self) -> None:
        """End all spans and send the unsent ones."""
        for span in self._spans.values():
            span.end()
        self._spans.clear()
        if self._close is not None:
            self._close()

    def push(self, events: Iterable[Event]) -> None:
        """Trace these events."""
        for event in events:
            match event:
                case SessionChanged():
                    self._see_session(event.session)
                case TurnStarted() if event.turn.status != "queued":
                    self._begin_turn(event.turn)
                case TurnEnded():
                    self._end_turn(event.turn)
                case ItemAdded() | ItemReplaced() if isinstance(event.item, ToolCall):
                    self._see_call(event.session_id, event.item)
                case _:
                    pass

    def _see_session(self, session: SessionState) -> None:
        session_id = session.session_id
        self._sessions[session_id] = session
        if session.status == "starting":
            name = f"start_agent {session.agent}"
            self._begin(session_id, "start", name, None, None, self._of_agent(session))
        else:
            self._end(session_id, "start", None, failed=session.status == "stopped")

    def _begin_turn(self, turn: TurnState) -> None:
        session = self._sessions.get(turn.session_id)
        agent = session.agent if session is not None else ""
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "acp.turn_id": turn.turn_id,
            "acp.policy": turn.policy,
            **(self._of_agent(session) if session is not None else {}),
        }
        if self._content:
            parts = [{"type": "text", "content": turn.prompt[:_CONTENT_CHARS]}]
            attributes["gen_ai.input.messages"] = json.dumps([{"role": "user", "parts": parts}])
        name = f"invoke_agent {agent}"
        self._begin(turn.session_id, turn.turn_id, name, None, turn.started_at, attributes)

    def _end_turn(self, turn: TurnState) -> None:
        session_id = turn.session_id
        span = self._spans.get((session_id, turn.turn_id))
        if span is None:
            return  # it was never sent, or had ended and something was added to it
        ends = {key for key in self._spans if key[0] == session_id} - self._going_on
        for _, name in ends - {(session_id, turn.turn_id), (session_id, "start")}:
            self._end(session_id, name, turn.ended_at, failed=False)
        span.set_attribute("gen_ai.response.finish_reasons", [turn.stop_reason])
        for name, tokens in (("input", turn.input_tokens), ("output", turn.output_tokens)):
            if tokens is not None:
                span.set_attribute(f"gen_ai.usage.{name}_tokens", tokens)
        if turn.failure is not None:
            span.set_attribute("error.type", turn.failure.reason or "error")
        self._end(session_id, turn.turn_id, turn.ended_at, failed=turn.failure is not None)

    def _see_call(self, session_id: str, call: ToolCall) -> None:
        key = session_id, call.id
        if call.background:
            self._going_on.add(key)
        else:
            self._going_on.discard(key)
        if key not in self._spans and call.status in _DONE:
            return
        parent = self._spans.get((session_id, call.parent_id or call.turn_id or ""))
        name = call.tool_name or call.tool_kind
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call.tool_call_id,
            "acp.tool_kind": call.tool_kind,
        }
        self._begin(session_id, call.id, f"execute_tool {name}", parent, None, attributes)
        if call.permission is not None:
            self._see_permission(session_id, call.permission, self._spans.get(key))
        span = self._spans.get(key)
        if call.status in _DONE and span is not None:
            span.set_attribute("acp.status", call.status)
            if self._content:
                given = json.dumps(call.raw_input, ensure_ascii=False)
                span.set_attribute("gen_ai.tool.call.arguments", given[:_CONTENT_CHARS])
                span.set_attribute("gen_ai.tool.call.result", call.output[:_CONTENT_CHARS])
            self._end(session_id, call.id, None, failed=call.status == "failed")

    def _see_permission(self, session_id: str, asked: Permission, parent: Span | None) -> None:
        request_id = asked.request_id
        if asked.state == "pending":
            self._begin(session_id, request_id, "permission_request", parent, asked.asked_at, {})
        elif (span := self._spans.get((session_id, request_id))) is not None:
            span.set_attribute("acp.permission.state", asked.state)
            span.set_attribute("acp.permission.asked_user", not asked.without_user)
            self._end(session_id, request_id, None, failed=False)

    def _begin(
        self,
        session_id: str,
        item_id: str,
        name: str,
        parent: Span | None,
        at: float | None,
        attributes: Mapping[str, Any],
    ) -> None:
        key = session_id, item_id
        if key in self._spans or len(self._spans) >= _OPEN_SPANS:
            return
        context = None if parent is None else trace.set_span_in_context(parent)
        kind = SpanKind.CLIENT if parent is None else SpanKind.INTERNAL
        self._spans[key] = self._tracer.start_span(
            name, context, kind=kind, attributes=dict(attributes), start_time=_nanoseconds(at)
        )

    def _end(self, session_id: str, item_id: str, at: float | None, *, failed: bool) -> None:
        span = self._spans.pop((session_id, item_id), None)
        if span is not None:
            if failed:
                span.set_status(Status(StatusCode.ERROR))
            span.end(_nanoseconds(at))

    @staticmethod
    def _of_agent(session: SessionState) -> dict[str, str]:
        return {
            "gen_ai.agent.id": session.agent,
            "gen_ai.agent.name": session.agent_info.name,
            "gen_ai.agent.version": session.agent_info.version,
            "gen_ai.conversation.id": session.session_id,
        }


def _nanoseconds(at: float | None) -> int | None:
    return None if at is None else int(at * 1e9)
