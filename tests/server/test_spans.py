"""Which spans the events of a session begin and end."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from acp_jupyter.server.monitoring import traces as tracing
from acp_jupyter.server.monitoring.traces import Traces
from tests.support.transcript.traffic import Script

COMMAND = {"command": "make"}


class Traced:
    """A session of which spans are kept."""

    def __init__(self, *, content: bool = False) -> None:
        self.ended = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.ended))
        self.traces = Traces(provider.get_tracer("test"), content=content)
        self.script = Script()
        self.prompt = self.script.turn()

    def call(self, status: str, **more: object) -> None:
        self.script.update(
            "tool_call_update", toolCallId="c", kind="execute", status=status, **more
        )

    def names(self) -> list[str]:
        self.traces.push(self.script.events)
        self.script.events.clear()
        return [span.name for span in self.ended.get_finished_spans()]


def test_a_turn_ends_what_it_left_open() -> None:
    traced = Traced()
    traced.call("in_progress")
    assert traced.names() == []
    traced.script.end(traced.prompt)
    assert traced.names() == ["execute_tool execute", "invoke_agent demo"]
    call, _ = traced.ended.get_finished_spans()
    assert call.status.status_code is StatusCode.UNSET


def test_a_call_in_the_background_goes_on_after_its_turn() -> None:
    traced = Traced()
    traced.call("in_progress")
    works = [{"type": "tool_call", "toolCallId": "c"}]
    traced.script.update("state_update", state="running", background=works)
    traced.script.end(traced.prompt)
    assert traced.names() == ["invoke_agent demo"]
    traced.call("completed")
    assert traced.names() == ["invoke_agent demo", "execute_tool execute"]


def test_a_permission_request_is_below_its_call_and_a_call_below_its_turn() -> None:
    traced = Traced()
    request_id = traced.script.ask({"toolCallId": "c", "title": "Build", "kind": "execute"})
    assert traced.names() == []
    traced.script.answer(request_id, "once")
    traced.call("failed")
    traced.script.end(traced.prompt)
    assert traced.names() == ["permission_request", "execute_tool Build", "invoke_agent demo"]
    asked, call, turn = traced.ended.get_finished_spans()
    parents = [each.parent and each.parent.span_id for each in (asked, call, turn)]
    assert parents == [call.context.span_id, turn.context.span_id, None]
    failed = [each.status.status_code is StatusCode.ERROR for each in (asked, call, turn)]
    assert failed == [False, True, False]


@pytest.mark.parametrize("content", [False, True])
def test_what_was_given_and_came_out_is_told_only_where_it_is_wanted(content: bool) -> None:
    traced = Traced(content=content)
    traced.call("in_progress", rawInput=COMMAND)
    traced.call("completed", rawOutput="done")
    assert traced.names() == ["execute_tool execute"]
    (span,) = traced.ended.get_finished_spans()
    attributes = span.attributes or {}
    assert attributes["acp.status"] == "completed"
    told = {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} & {*attributes}
    assert len(told) == (2 if content else 0)


def test_open_spans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "_OPEN_SPANS", 2)
    traced = Traced()
    for call_id in ("c", "d"):
        traced.script.update("tool_call", toolCallId=call_id, title="x", status="in_progress")
    traced.names()
    traced.traces.close()
    assert len(traced.names()) == 2
