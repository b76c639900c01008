"""The model's HTTP server."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.mockllm.answers import ANSWERS
from tests.support.mockllm.conversation import Api, Conversation, read
from tests.support.mockllm.parts import Call, Cut, Fail, Json, Part, Say, Step, Steps
from tests.support.mockllm.scenarios import DONE, scenario
from tests.support.mockllm.tools import made, resolved

__all__ = ["FakeModel"]

_APIS: Mapping[str, Api] = {
    r"/chat/completions$": "chat",
    r"/responses$": "responses",
    r"/messages$": "messages",
    r"[gG]enerateContent$": "gemini",
}

_OWN_WISH = "[SUGGESTION MODE"
"""How Claude begins when it wants to know what its user may type next."""


class FakeModel:
    """The model's server; a context manager.

    Parameters
    ----------
    title
        What it answers to those who want a title or a summary.
    """

    def __init__(self, title: str = "A title") -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.title = title
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def root(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """Base URL for those who want a version in it."""
        return f"{self.root}/v1"

    @property
    def prompts(self) -> dict[str, str]:
        """Words of prompts, and the marker that each stands for; may be added to."""
        return self._server.prompts

    @property
    def scripts(self) -> dict[str, Callable[[], Steps]]:
        """More scenarios by name; each is called for every request. May be added to."""
        return self._server.scripts

    @property
    def begun(self) -> list[str]:
        """The scenarios of all prompts that have come, in order.

        What Claude asks of its own accord, after some turns, is none.
        """
        return [*self._server.begun]

    @property
    def images(self) -> int:
        """How many images the last request had."""
        return self._server.images

    @property
    def tools(self) -> Sequence[str]:
        """The names of the tools of the last request that had any."""
        return self._server.tools

    @property
    def request(self) -> str:
        """The last request of an agent's turn, as JSON; those for a title are not."""
        return self._server.request

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


def _said(talk: Conversation, server: _Server) -> tuple[Sequence[Part], float]:
    """Return what to say, and how many pieces per second (0: at once)."""
    since, options = talk.options(server.prompts)
    rate = float(options.get("rate", "0"))
    if not talk.tools:
        # Agents also ask for titles, summaries and who speaks next.
        schema = talk.answer_schema
        return [Say(json.dumps(made("answer", schema, {})) if schema else server.title)], rate
    number = talk.turn(since)
    name = options.get("scenario", "")
    if number == 0 and not talk.messages[-1].text.startswith(_OWN_WISH):
        server.begun.append(name)
    turns = server.scripts[name]() if name in server.scripts else scenario(name, options)
    steps = turns[number] if number < len(turns) else [Say(DONE)]
    parts = [_part(step, talk, number, at) for at, step in enumerate(steps)]
    return [part for part in parts if part is not None], rate


def _part(step: Step, talk: Conversation, number: int, at: int) -> Part | None:
    if isinstance(step, Say | Fail | Cut):
        return step
    found = resolved(step, talk.tools)
    if found is None and step.optional:
        return None
    if found is None:
        return Say(f"[no tool matches {step.names[0]} among {[tool.name for tool in talk.tools]}]")
    return Call(f"call_t{number}x{at}_{uuid.uuid4().hex[:6]}", *found)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on stderr."""

    def do_HEAD(self) -> None:
        self._reply({})

    def do_GET(self) -> None:
        names = ("mock", "mock-2")
        if "/models" not in self.path:
            return self._reply({})
        models = [{"id": name, "object": "model", "type": "model"} for name in names]
        return self._reply({"object": "list", "data": models, "has_more": False})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if path.endswith("count_tokens"):
            return self._reply({"input_tokens": 100})
        if path.endswith(":countTokens"):
            return self._reply({"totalTokens": 100})
        api = next((name for pattern, name in _APIS.items() if re.search(pattern, path)), None)
        if api is None:
            return self._reply({}, 404)
        talk = read(api, body)
        self.server.images = sum(message.images for message in talk.messages)
        self.server.request = json.dumps(body) if talk.tools else self.server.request
        self.server.tools = tuple(tool.name for tool in talk.tools) or self.server.tools
        parts, rate = _said(talk, self.server)
        failure = next((part for part in parts if isinstance(part, Fail)), None)
        if failure is not None:
            error = {"message": "mock error", "type": "api_error", "code": failure.code}
            return self._reply({"type": "error", "error": error}, failure.code)
        if not (body.get("stream") or "streamGenerate" in path):
            if any(isinstance(part, Cut) for part in parts):
                self.close_connection = True
                return None
            return self._reply(ANSWERS[api].whole(parts))
        return self._stream(api, parts, rate)

    def _stream(self, api: Api, parts: Sequence[Part], rate: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        said = [part for part in parts if not isinstance(part, Cut)]
        events = list(ANSWERS[api].stream(said))
        cut = len(said) < len(parts)
        for event in (
            events[: 1 + max(at for at, e in enumerate(events) if e.paced)] if cut else events
        ):
            self._chunk(event.encoded())
            if rate and event.paced:
                time.sleep(1 / rate)
        if cut:
            self.close_connection = True
        else:
            self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _body(self) -> Json:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match self.headers.get("Content-Encoding"):
            case "gzip":
                body = gzip.decompress(body)
            case "deflate":
                body = zlib.decompress(body)
            case _:
                pass
        result: Json = json.loads(body or b"{}")
        return result

    def _reply(self, answer: Json, code: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    images = 0
    tools: tuple[str, ...] = ()
    request = ""
    title = ""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.prompts: dict[str, str] = {}
        self.scripts: dict[str, Callable[[], Steps]] = {}
        self.begun: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of agents that hang up: cancelling a turn does just that."""
