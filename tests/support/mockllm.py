"""A scripted model on loopback, so that published agents run without a network and without a key.

It speaks what `opencode` asks for, OpenAI's chat completions as a stream. The scenario is named in
the prompt, ``[[mock scenario=write_file cwd=/folder rate=50]]``; the last marker wins. Stateless:
which turn it is follows from the tool calls that the conversation holds.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

__all__ = ["FakeModel"]

Json = dict[str, Any]

_MARKER = re.compile(r"\[\[mock\s+([^\]]*)\]\]")
_DONE = {"text": "All done: **finished** the task."}
_HELLO = 'def main():\n    print("hello")\n'


class FakeModel:
    """The model's server; a context manager."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Base URL of the API."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

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


def _turns(name: str, options: Mapping[str, str]) -> list[list[Json]]:
    """Return what the model says, request by request."""
    cwd = options.get("cwd", "/tmp")
    path = f"{cwd}/{options.get('file', 'hello.py')}"
    count = int(options.get("chunks", "40"))
    thought = {"thinking": "First the request, then a tool. "}
    scenarios: dict[str, list[list[Json]]] = {
        "hello": [[thought, {"text": "# Hello\n\nSome **Markdown**.\n\n- one\n- two\n"}]],
        "count": [[{"pieces": [f"w{n} " for n in range(count)]}]],
        "write_file": [
            [
                thought,
                {"text": "Now the file.\n"},
                _call("write", filePath=path, content=_HELLO),
            ],
            [_DONE],
        ],
        "edit_file": [
            [_call("read", filePath=path)],
            [_call("edit", filePath=path, oldString="hello", newString="goodbye")],
            [_DONE],
        ],
        "run_command": [
            [{"text": "A command.\n"}, _shell("echo out; exit 3")],
            [_DONE],
        ],
        "touch": [[_shell(f"touch {path} && echo touched")], [_DONE]],
        "sleep_command": [[{"text": "A long one.\n"}, _shell("echo tick; sleep 300")], [_DONE]],
        "error": [[{"http_error": 400}]],
    }
    return scenarios.get(name, [[{"text": f"There is no scenario {name!r}."}]])


def _call(tool: str, **arguments: str) -> Json:
    return {"tool": tool, "arguments": arguments}


def _shell(command: str) -> Json:
    return _call("bash", command=command, description="Does what the test wants")


def _parts(request: Json) -> tuple[list[Json], float]:
    """Return what to say to a request, and how many pieces per second (0: at once)."""
    options: dict[str, str] = {}
    since = 0
    messages = request["messages"]
    for index, message in enumerate(messages):
        found = (
            _MARKER.findall(json.dumps(message.get("content"))) if message["role"] == "user" else []
        )
        if found:
            options = dict(pair.split("=", 1) for pair in found[-1].split() if "=" in pair)
            since = index
    rate = float(options.get("rate", "0"))
    if not request.get("tools"):
        return [{"text": "A title"}], rate  # agents also ask for titles and summaries
    turn = sum(1 for message in messages[since:] if message.get("tool_calls"))
    turns = _turns(options.get("scenario", ""), options)
    return (turns[turn] if turn < len(turns) else [_DONE]), rate


def _deltas(part: Json, number: int) -> Iterator[Json]:
    if "tool" in part:
        function = {"name": part["tool"], "arguments": ""}
        call = {"index": number, "id": f"call_{time.time_ns():x}", "type": "function"}
        yield {"tool_calls": [{**call, "function": function}]}
        arguments = {"arguments": json.dumps(part["arguments"])}
        yield {"tool_calls": [{"index": number, "function": arguments}]}
        return
    key = "reasoning_content" if "thinking" in part else "content"
    text = part.get("thinking") or part.get("text") or ""
    for piece in part.get("pieces") or [text[i : i + 12] for i in range(0, len(text), 12)]:
        yield {key: piece}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on stderr."""

    def do_POST(self) -> None:
        request: Json = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts, rate = _parts(request)
        error = next((part["http_error"] for part in parts if "http_error" in part), None)
        if error is not None:
            body = json.dumps({"error": {"message": "mock error", "type": "api_error"}}).encode()
            self.send_response(error)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        # The end of the stream is the end of the connection.
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self._stream(parts, rate)

    def _stream(self, parts: list[Json], rate: float) -> None:
        self._event({"role": "assistant", "content": ""})
        pieces = 0
        for number, part in enumerate(parts):
            for delta in _deltas(part, number):
                self._event(delta)
                pieces += 1
                if rate:
                    time.sleep(1 / rate)
        self._event({}, "tool_calls" if any("tool" in part for part in parts) else "stop")
        usage = {"prompt_tokens": 100, "completion_tokens": pieces, "total_tokens": 100 + pieces}
        self._send({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, delta: Json, finish: str | None = None) -> None:
        self._send({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _send(self, chunk: Json) -> None:
        head = {
            "id": "chatcmpl-mock",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "mock",
        }
        self.wfile.write(f"data: {json.dumps({**head, **chunk})}\n\n".encode())
        self.wfile.flush()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of agents that hang up: cancelling a turn does just that."""
