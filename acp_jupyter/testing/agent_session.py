"""A session with an agent of this process, in a host that is made for it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, JsonValue

from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.api.models.turns import AnswerPermission, PromptSession, TurnDetail
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.registry import Registry
from acp_jupyter.kernel.client.embedded_host import EmbeddedHost
from acp_jupyter.kernel.serving.agent_thread import check_agent
from acp_jupyter.kernel.serving.serve import serve_no_more, serve_to
from acp_jupyter.kernel.session import plain_blocks
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Obj, obj
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from acp_jupyter.transcript.view import TurnView

_NAME = "agent"
_POLL_SECONDS = 0.02

Prompt = str | Sequence[dict[str, JsonValue] | BaseModel]
Act = Callable[[str, TurnDetail], None]
"""Is called with a turn's id and its present state, again and again while it runs."""


class AgentSession:
    """A session with an agent; `close` ends it.

    Parameters
    ----------
    folder
        The session's folder; by default a new one, which is removed at the end.
    """

    def __init__(self, agent: Any, folder: str | Path | None = None) -> None:
        check_agent(agent)
        self._own = Path(tempfile.mkdtemp(prefix="acp-talk-")).resolve()
        self.folder = self._own / "folder" if folder is None else Path(folder).resolve()
        self.folder.mkdir(exist_ok=True)
        config = HostConfig(Registry({}, []), self.folder, self._own / "data", goes_on=False)
        self._host = EmbeddedHost("", config)
        try:
            self.serve(agent)
            command = CreateSession(agent=_NAME, cwd=str(self.folder), trust=True)
            self._session_id = self._host.create_session(command).session_id
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the agent and the session."""
        self._host.close()
        serve_no_more(self._host)
        shutil.rmtree(self._own, ignore_errors=True)

    def serve(self, agent: Any) -> None:
        """Put another agent in the place of the present one, from the next turn on."""
        serve_to(self._host, agent, _NAME)

    def prompt(self, prompt: Prompt, act: Act, seconds: float) -> Turn:
        """Send a prompt, and return the turn when it has ended."""
        command = PromptSession(
            session_id=self._session_id,
            prompt=plain_blocks(prompt),
            policy="ask",
            origin=Origin(view_id=uuid.uuid4().hex),
        )
        turn_id = self._host.run(command)["turn_id"]
        until = time.monotonic() + seconds
        try:
            while (detail := self._host.turn(turn_id)).turn.status != "done":
                act(turn_id, detail)
                _require_time(until, seconds)
                time.sleep(_POLL_SECONDS)
        except AssertionError:
            self.cancel(turn_id)
            raise
        return Turn(self._host, detail)

    def cancel(self, turn_id: str) -> None:
        """Stop a turn."""
        self._host.cancel(self._session_id, turn_id)

    def answer(self, asked: Permission, answer: str) -> None:
        """Answer a permission request by the id, name or kind of an option."""
        for option in asked.options:
            if answer in {option.option_id, option.name} or option.option_kind.startswith(answer):
                command = AnswerPermission(
                    session_id=self._session_id,
                    request_id=asked.request_id,
                    option_id=option.option_id,
                )
                with contextlib.suppress(BadRequest):  # the agent withdrew it just now
                    self._host.run(command)
                return
        names = ", ".join(option.option_id for option in asked.options)
        raise AssertionError(f"{asked.title}: {answer!r} is none of its options: {names}")

    def transcript(self) -> str:
        """Return the conversation so far as Markdown."""
        return str(self._host.transcript(self._session_id, "markdown")["markdown"])

    def messages(self) -> Iterator[tuple[str, Obj]]:
        """Yield what went to the agent (">") and came from it ("<"), in order."""
        for line in b"".join(self._host.traffic(self._session_id)).splitlines():
            entry = obj(read_json(line.decode("utf-8", "replace")))
            yield str(entry.get("d")), obj(entry.get("m"))


def _require_time(until: float, seconds: float) -> None:
    if time.monotonic() > until:
        raise AssertionError(f"The turn did not end within {seconds:g} s.")


def open_requests(detail: TurnDetail) -> list[Permission]:
    """Return the permission requests of a turn that nobody has answered."""
    requests = TurnView(detail.turn, detail.items).requests
    calls = (item.permission for item in requests if isinstance(item, ToolCall))
    return [asked for asked in calls if asked is not None]
