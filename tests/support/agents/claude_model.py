"""A scripted model that speaks the Anthropic API, for the published Claude CLI.

The scenario is named in the prompt, ``[[mock scenario=write_file cwd=/folder]]``; the last marker
wins. Stateless: which step it is follows from the tool calls that the conversation holds.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

__all__ = ["FakeClaudeModel"]

Json = dict[str, Any]

_MARKER = re.compile(r"\[\[mock\s+([^\]]*)\]\]")
_DONE = {"text": "All done: **finished** the task."}
_HELLO = 'def main():\n    print("hello")\n'
_USAGE = {"input_tokens": 100, "output_tokens": 10}


class FakeClaudeModel:
    """The model's server; a context manager."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Base URL of the API."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def images(self) -> int:
        """How many images the last request had."""
        return self._server.images

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _steps(name: str, options: dict[str, str]) -> list[list[Json]]:
    """Return what the model says, request by request."""
    cwd = options.get("cwd", "/tmp")
    path = f"{cwd}/{options.get('file', 'hello.py')}"
    thought = {"thinking": "First the request, then a tool. "}
    change = {"old_string": "hello", "new_string": "goodbye"}
    scenarios: dict[str, list[list[Json]]] = {
        "hello": [[thought, {"text": "# Hello\n\nSome **Markdown**.\n"}]],
        "count": [[{"text": "".join(f"w{n} " for n in range(200))}]],
        "write_file": [
            [thought, {"text": "Now the file.\n"}, _use("Write", file_path=path, content=_HELLO)],
            [_DONE],
        ],
        "edit_file": [
            [_use("Read", file_path=path)],
            [_use("Edit", file_path=path, **change)],
            [_DONE],
        ],
        "python": [[_use("Bash", command=f'python3 -c \'open("{path}", "a")\'')], [_DONE]],
        "sleep": [[{"text": "A long one.\n"}, _use("Bash", command="sleep 300")], [_DONE]],
        "subagent": [
            [{"text": "Delegating.\n"}, _agent(f"[[mock scenario=read cwd={cwd}]]")],
            [{"text": "It will tell.\n"}],
            [_DONE],
        ],
        "read": [[_use("Read", file_path=path)], [{"text": "What the subagent found."}]],
        "error": [[{"http_error": 400}]],
    }
    return scenarios.get(name, [[{"text": f"There is no scenario {name!r}."}]])


def _use(tool: str, **arguments: str) -> Json:
    return {"tool": tool, "input": arguments}


def _agent(prompt: str) -> Json:
    return _use("Agent", description="Reads", prompt=prompt, subagent_type="general-purpose")


def _parts(request: Json) -> tuple[list[Json], float]:
    """Return what to say to a request, and how many pieces per second (0: at once)."""
    if not request.get("tools"):
        return [{"text": "A title"}], 0.0  # it also asks for titles and summaries
    options: dict[str, str] = {}
    said = 0
    for message in request["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        found = _MARKER.findall(json.dumps(message["content"]))
        if message["role"] == "user" and found:
            options = dict(pair.split("=", 1) for pair in found[-1].split() if "=" in pair)
            said = 0
        elif message["role"] == "assistant" and blocks:
            said += 1
    steps = _steps(options.get("scenario", ""), options)
    return steps[said] if said < len(steps) else [_DONE], float(options.get("rate", "0"))


def _events(parts: list[Json]) -> Iterator[Json]:
    message: Json = {"id": f"msg_{time.time_ns():x}", "type": "message", "role": "assistant"}
    message |= {"model": "fake", "content": [], "stop_reason": None, "usage": _USAGE}
    yield {"type": "message_start", "message": message}
    for index, part in enumerate(parts):
        at = {"index": index}
        start, deltas = _block(part)
        yield {"type": "content_block_start", **at, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", **at, "delta": delta}
        yield {"type": "content_block_stop", **at}
    reason = "tool_use" if any("tool" in part for part in parts) else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": _USAGE}
    yield {"type": "message_stop"}


def _block(part: Json) -> tuple[Json, list[Json]]:
    if "tool" in part:
        start = {"type": "tool_use", "id": f"toolu_{time.time_ns():x}", "name": part["tool"]}
        arguments = json.dumps(part["input"])
        return {**start, "input": {}}, [{"type": "input_json_delta", "partial_json": arguments}]
    kind = "thinking" if "thinking" in part else "text"
    pieces = [part[kind][i : i + 12] for i in range(0, len(part[kind]), 12)]
    deltas = [{"type": f"{kind}_delta", kind: piece} for piece in pieces]
    if kind == "thinking":
        return {"type": kind, kind: "", "signature": ""}, [
            *deltas,
            {"type": "signature_delta", "signature": "bW9jaw=="},
        ]
    return {"type": kind, kind: ""}, deltas


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on stderr."""

    def do_HEAD(self) -> None:
        self._answer(200, {})

    def do_POST(self) -> None:
        request: Json = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path or "messages" not in request:
            self._answer(200, {"input_tokens": 100})
            return
        self.server.images = json.dumps(request["messages"]).count('"type": "image"')
        parts, rate = _parts(request)
        if any("http_error" in part for part in parts):
            error = {"type": "invalid_request_error", "message": "The model is out of order."}
            self._answer(400, {"type": "error", "error": error})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        # The end of the stream is the end of the connection.
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in _events(parts):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            if rate:
                time.sleep(1 / rate)

    def _answer(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    images = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of agents that hang up: cancelling a turn does just that."""
