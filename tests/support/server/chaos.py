"""Breaks everything that can break, as a seed says, and remembers what was really allowed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection

from tests.support.agents.fake_agent import script
from tests.support.processes import all_processes
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import open_session, start_turn
from tests.support.wait import eventually

__all__ = ["SESSIONS", "TURNS", "Chaos", "Sent"]

SESSIONS = 8
TURNS = 200
_RESTARTS = 2
_VERBS = (*("say",) * 12, "flood", "ask", "ask", "deaf", "die")
_SOCKETS = 4


@dataclass
class Sent:
    """A prompt of the test."""

    key: str
    verb: str
    turn_id: str
    session_id: str


@dataclass
class Chaos:
    """Two hundred turns over eight sessions on a server that is killed meanwhile."""

    folder: Path
    seed: int
    sent: list[Sent] = field(default_factory=list)
    allowed: set[str] = field(default_factory=set)
    """Keys of the requests that this test has answered with yes, or may have."""
    kills: int = 0
    files_at_start: int = 0
    """Open in the last server before any agent ran in it."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.journal = self.folder / "journal"
        self.journal.mkdir()
        self.agents = {"chaos": script("chaos", str(self.journal))}
        self.sessions: list[str] = []
        self._sockets: list[tuple[ClientConnection, contextlib.ExitStack]] = []
        self._stopped: set[int] = set()

    def server(self) -> JupyterServer:
        return JupyterServer(self.folder / "server", agents=self.agents)

    def run(self) -> Iterator[tuple[JupyterServer, httpx.Client]]:
        """Go through all turns; at the end yield a server that still runs, once."""
        restarts = {TURNS * part // (_RESTARTS + 1) for part in range(1, _RESTARTS + 1)}
        while True:
            with self.server() as server, server.user() as client:
                self._open_sessions(client)
                self.files_at_start = psutil.Process(server.pid).num_fds()
                while len(self.sent) < TURNS:
                    self._step(server, client)
                    if len(self.sent) in restarts:
                        restarts.discard(len(self.sent))
                        break
                else:
                    self._settle(client)
                    yield server, client
                    return
                self._wake_all()
                self._hang_up()
                server.kill()
                self.kills += 1
                eventually(lambda: not self.processes(), "agents of a killed server end")

    def processes(self) -> list[int]:
        """Return the agents that are left, of whichever server."""
        found = []
        for process in all_processes():
            with contextlib.suppress(psutil.Error):
                words = process.cmdline()
                if str(self.journal) in words and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process.pid)
        return found

    # -- one step ----------------------------------------------------------------

    def _step(self, server: JupyterServer, client: httpx.Client) -> None:
        draw = self.random.random()
        if draw < 0.72:
            self._prompt(client)
        elif draw < 0.88:
            self._answer(client)
        elif draw < 0.90:
            self._signal(signal.SIGKILL)
        elif draw < 0.92:
            self._signal(signal.SIGSTOP)
        elif draw < 0.95:
            self._wake_all()
        elif draw < 0.98:
            self._cancel(client)
        else:
            self._cut_sockets(server)

    def _open_sessions(self, client: httpx.Client) -> None:
        for number in range(len(self.sessions), SESSIONS):
            cwd = self.folder / "server" / "root" / f"part{number % 2}"
            cwd.mkdir(exist_ok=True)
            self.sessions.append(open_session(client, "chaos", cwd=str(cwd), start="lazy"))

    def _prompt(self, client: httpx.Client) -> None:
        session_id = self.random.choice(self.sessions)
        if client.get(f"sessions/{session_id}").json()["queue"]:
            return  # else most turns would only wait for the server's end
        verb = self.random.choice(_VERBS)
        key = f"k{self.seed}x{len(self.sent)}"
        turn_id = start_turn(client, session_id, f"{key} {verb}")
        sent = Sent(key, verb, turn_id, session_id)
        self.sent.append(sent)
        if verb == "say" and self.random.random() < 0.75:
            # Else a slow machine's turns would all be cut off by what comes next.
            eventually(partial(self._is_done_or_held_up, client, sent), f"{sent} ends")

    def _is_done_or_held_up(self, client: httpx.Client, sent: Sent) -> bool:
        """Return whether a turn has ended, or may wait for another turn or for a stopped agent."""
        turn = client.get(f"turns/{sent.turn_id}").json()["turn"]
        return bool(self._stopped) or turn["status"] != "running"

    def _pending(self, client: httpx.Client, session_id: str) -> list[dict[str, Any]]:
        page = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
        items = [item for item in page["items"] if item.get("permission")]
        return [item for item in items if item["permission"]["state"] == "pending"]

    def _answer(self, client: httpx.Client) -> None:
        session_id = self.random.choice(self.sessions)
        for item in self._pending(client, session_id):
            option = self.random.choice(("yes", "no"))
            if option == "yes":
                self.allowed.add(item["tool_call_id"])
            request_id = item["permission"]["request_id"]
            answer = client.post(
                f"sessions/{session_id}/permissions/{request_id}", json={"option_id": option}
            )
            assert answer.status_code in {200, 409, 410}, answer.text

    def _signal(self, number: signal.Signals) -> None:
        agents = self.processes()
        if not agents:
            return
        pid = self.random.choice(sorted(agents))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        if number == signal.SIGSTOP:
            self._stopped.add(pid)

    def _wake_all(self) -> None:
        for pid in self._stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self._stopped.clear()

    def _cancel(self, client: httpx.Client) -> None:
        session_id = self.random.choice(self.sessions)
        assert client.post(f"sessions/{session_id}/cancel", json={}).status_code == 200

    def _cut_sockets(self, server: JupyterServer) -> None:
        self._hang_up()
        for _ in range(_SOCKETS):
            stack = contextlib.ExitStack()
            stream = stack.enter_context(server.stream())
            for session_id in self.sessions:
                stream.send(f'{{"type": "subscribe", "session_id": "{session_id}"}}')
            self._sockets.append((stream, stack))

    def _hang_up(self) -> None:
        """Cut the connections as a network does, without a word."""
        for connection, stack in self._sockets:
            with contextlib.suppress(OSError, WebSocketException):
                connection.socket.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError, WebSocketException):
                stack.close()
        self._sockets.clear()

    def _settle(self, client: httpx.Client) -> None:
        """Let everything that still can come to its end, allowing nothing."""
        self._wake_all()
        for sent in self.sent:
            eventually(partial(self._is_done, client, sent), f"{sent} ends")
        self._hang_up()

    def _is_done(self, client: httpx.Client, sent: Sent) -> bool:
        answer = client.get(f"turns/{sent.turn_id}")
        assert answer.status_code == 200, (sent, answer.text)
        turn = answer.json()["turn"]
        if turn["status"] == "requires_action":
            client.post(f"sessions/{sent.session_id}/cancel", json={})
        elif turn["status"] == "running" and sent.verb != "say":
            self._wake_all()
        return bool(turn["status"] == "done")
