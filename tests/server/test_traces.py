"""Traces that a collector receives, and counters that Prometheus reads."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import eventually

PROMPT = "create my-words.txt"


class Collector:
    """What a collector has received."""

    def __init__(self, port: int, spans: list[Span]) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.spans = spans

    def named(self, name: str) -> Span:
        """Wait for a span."""
        found = eventually(lambda: [span for span in self.spans if span.name == name], name)
        return found[0]


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """Receive OTLP by HTTP, as any collector does."""
    spans: list[Span] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = ExportTraceServiceRequest()
            request.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/traces"
            for resource in request.resource_spans:
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Collector(server.server_port, spans)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def one_turn(server: JupyterServer) -> None:
    with server.user() as client:
        session_id = open_session(client, "demo")
        turn_id = start_turn(client, session_id, PROMPT)
        asked = pending(client, session_id)
        option = next(o for o in asked["options"] if o["option_kind"] == "allow_once")
        path = f"sessions/{session_id}/permissions/{asked['request_id']}"
        client.post(path, json={"option_id": option["option_id"]}).raise_for_status()
        finished(client, turn_id)
        failing = open_session(client, "dies_mid_turn")
        finished(client, start_turn(client, failing, "go"))


def attributes(span: Span) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind)
        found[pair.key] = [v.string_value for v in value.values] if kind == "array_value" else value
    return found


@pytest.mark.parametrize("content", [pytest.param("false", marks=pytest.mark.long), "true"])
def test_a_turn_its_calls_and_its_requests_are_spans(tmp_path: Path, content: str) -> None:
    with collecting() as collector:
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": content,
        }
        agents = fake_agents("dies_mid_turn")
        with JupyterServer(tmp_path, env=environment, agents=agents) as server:
            one_turn(server)
            turn = collector.named("invoke_agent demo")
            call = collector.named("execute_tool edit")
            asked = collector.named("permission_request")
            start = collector.named("start_agent demo")
            failed = collector.named("invoke_agent dies_mid_turn")
    assert (call.parent_span_id, asked.parent_span_id) == (turn.span_id, call.span_id)
    assert turn.start_time_unix_nano <= call.start_time_unix_nano <= asked.start_time_unix_nano
    assert asked.end_time_unix_nano <= call.end_time_unix_nano <= turn.end_time_unix_nano
    assert start.end_time_unix_nano >= start.start_time_unix_nano > 0
    of_turn = attributes(turn)
    assert of_turn["gen_ai.operation.name"] == "invoke_agent"
    assert of_turn["gen_ai.agent.id"] == "demo"
    assert of_turn["acp.policy"] == "ask"
    assert of_turn["gen_ai.response.finish_reasons"] == ["end_turn"]
    assert attributes(asked) == {
        "acp.permission.state": "allowed",
        "acp.permission.asked_user": True,
    }
    assert attributes(call)["acp.status"] == "completed"
    assert (turn.status.code, failed.status.code) == (0, 2)
    assert attributes(failed)["error.type"] == "agent_died"
    everything = "".join(str(span) for span in collector.spans)
    assert ("my-words" in everything) is (content == "true")


def counters(server: JupyterServer) -> set[str]:
    parts = urlsplit(server.url)
    metrics = f"{parts.scheme}://{parts.netloc}/metrics"
    assert httpx.get(metrics).status_code in {302, 403}
    text = httpx.get(metrics, headers={"Authorization": f"token {server.token}"}).text
    return {line for line in text.splitlines() if line.startswith("acp_jupyter_")}


@pytest.mark.long
def test_a_call_that_outlives_its_turn_ends_by_itself(tmp_path: Path) -> None:
    with collecting() as collector:
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        agents = {"version_2": {**script("version_2"), "protocol_version": 2}}
        with JupyterServer(tmp_path, env=environment, agents=agents) as server:
            with server.user() as client:
                session_id = open_session(client, "version_2")
                finished(client, start_turn(client, session_id, "background"))
                turn = collector.named("invoke_agent version_2")
                path = f"sessions/{session_id}/tool-calls/cancel"
                client.post(path, json={"tool_call_id": "server"}).raise_for_status()
                call = collector.named("execute_tool other")
                missing = client.post(path, json={"tool_call_id": "none"})
            counted = counters(server)
    assert (missing.status_code, missing.json()["reason"]) == (404, "unknown_tool_call")
    assert attributes(call)["acp.status"] == "cancelled"
    assert call.parent_span_id == turn.span_id
    assert call.end_time_unix_nano >= turn.end_time_unix_nano
    # Its end is told with its turn, which counts once.
    assert {
        'acp_jupyter_turns_total{agent="version_2",stop_reason="end_turn"} 1.0',
        'acp_jupyter_tool_calls_total{agent="version_2",kind="other",status="cancelled"} 1.0',
        'acp_jupyter_turns_running{agent="version_2"} 0.0',
    } <= counted


@pytest.mark.long
def test_without_a_collector_nothing_is_traced_and_all_is_counted(tmp_path: Path) -> None:
    with JupyterServer(tmp_path, agents=fake_agents("dies_mid_turn")) as server:
        one_turn(server)
        counted = counters(server)
    assert {
        'acp_jupyter_turns_total{agent="demo",stop_reason="end_turn"} 1.0',
        'acp_jupyter_turns_total{agent="dies_mid_turn",stop_reason="error"} 1.0',
        'acp_jupyter_tool_calls_total{agent="demo",kind="edit",status="completed"} 1.0',
        'acp_jupyter_permission_requests_total{agent="demo",asked="yes",state="allowed"} 1.0',
        'acp_jupyter_agent_starts_total{agent="demo"} 1.0',
        'acp_jupyter_turn_seconds_count{agent="demo"} 1.0',
        'acp_jupyter_turns_running{agent="demo"} 0.0',
    } <= counted
    assert not any(PROMPT.split()[1] in line for line in counted)


@pytest.mark.long
def test_a_collector_that_is_gone_holds_nothing_up(tmp_path: Path) -> None:
    with collecting() as collector:
        endpoint = collector.endpoint
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    with JupyterServer(tmp_path, env=environment) as server, server.user() as client:
        session_id = open_session(client, "demo")
        turn = finished(client, start_turn(client, session_id, "hello"))["turn"]
    assert turn["stop_reason"] == "end_turn"
