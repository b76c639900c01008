"""Try an agent of your own with a scripted person: in a cell, and in tests.

The agent runs in this process, and a host of its own with a folder of its own talks to it. So
permissions, files and the transcript are those that people get, and no server and no setting of
yours has a part in it. `talk_to` is a pytest fixture: a test module or ``conftest.py`` imports it.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, JsonValue

from acp_jupyter.api.models.sessions import CreateSession
from acp_jupyter.api.models.turns import AnswerPermission, TurnDetail
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.registry import Registry
from acp_jupyter.kernel.client.embedded_host import EmbeddedHost
from acp_jupyter.kernel.serving.agent_thread import check_agent
from acp_jupyter.kernel.serving.serve import serve_no_more, serve_to
from acp_jupyter.kernel.session import plain_blocks
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall

__all__ = ["Conversation"]

_NAME = "agent"
_POLL_SECONDS = 0.02
_LONGEST_SECONDS = 60.0


class Conversation:
    """A conversation of a scripted person with an agent; use it with ``with``.

    Parameters
    ----------
    agent
        An ``acp.Agent``, as for `acp_jupyter.serve`.
    folder
        Where it works; by default an empty one, which is gone at the end.

    Attributes
    ----------
    folder
        Where it works.

    Examples
    --------
    >>> with Conversation(Librarian()) as person:
    ...     turn = person.say("Write the list", answers=["reject"])
    ...     assert turn.text == "You said no."
    """

    def __init__(self, agent: Any, folder: str | Path | None = None) -> None:
        check_agent(agent)
        self._own = Path(tempfile.mkdtemp(prefix="acp-talk-")).resolve()
        self.folder = self._own / "folder" if folder is None else Path(folder).resolve()
        self.folder.mkdir(exist_ok=True)
        config = HostConfig(Registry({}, []), self.folder, self._own / "data", goes_on=False)
        self._host = EmbeddedHost("", config)
        try:
            serve_to(self._host, agent, _NAME)
            command = CreateSession(agent=_NAME, cwd=str(self.folder), trust=True)
            self._session_id = self._host.create_session(command).session_id
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the agent and the conversation."""
        self._host.close()
        serve_no_more(self._host)
        shutil.rmtree(self._own, ignore_errors=True)

    def say(
        self,
        prompt: str | Sequence[dict[str, JsonValue] | BaseModel],
        *,
        answers: Sequence[str] = (),
        cancel_at: str = "",
        seconds: float = _LONGEST_SECONDS,
    ) -> Turn:
        """Send a prompt, do as the script says, and return the turn at its end.

        Parameters
        ----------
        prompt
            Text, or content blocks.
        answers
            For the agent's permission requests, in turn: an option's id, name or kind, or the
            beginning of that, such as ``allow`` or ``reject``.
        cancel_at
            Stop the turn as soon as the agent has said these words.
        seconds
            Longest time until the end.

        Raises
        ------
        AssertionError
            The agent asked for more or less than the script answers, never said the words, or
            did not end its turn in time.
        """
        turn_id = self._host.prompt(
            self._session_id,
            plain_blocks(prompt),
            policy="ask",
            origin=Origin(view_id=uuid.uuid4().hex),
            can_ask=True,
        )
        left, answered = list(answers), set[str]()
        cancelled, until = False, time.monotonic() + seconds
        while (detail := self._host.turn(turn_id)).turn.status != "done":
            for asked in _open_requests(detail):
                if asked.request_id not in answered:
                    answered.add(asked.request_id)
                    self._answer(turn_id, asked, left)
            if cancel_at and not cancelled and cancel_at in _said(detail):
                cancelled = True
                self._host.cancel(self._session_id, turn_id)
            if time.monotonic() > until:
                self._host.cancel(self._session_id, turn_id)
                raise AssertionError(f"The turn did not end within {seconds:g} s.")
            time.sleep(_POLL_SECONDS)
        if left:
            raise AssertionError(f"The agent did not ask for {len(left)} of the answers: {left}.")
        if cancel_at and not cancelled:
            raise AssertionError(f"The turn ended, and the agent had not said {cancel_at!r}.")
        return Turn(self._host, detail)

    def transcript(self) -> str:
        """Return the conversation so far, in Markdown."""
        return str(self._host.transcript(self._session_id, "markdown")["markdown"])

    def _answer(self, turn_id: str, asked: Permission, left: list[str]) -> None:
        if not left:
            self._host.cancel(self._session_id, turn_id)
            raise AssertionError(f"The script has no answer for this: {asked.title}")
        answer = left.pop(0)
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
        self._host.cancel(self._session_id, turn_id)
        names = ", ".join(option.option_id for option in asked.options)
        raise AssertionError(f"{asked.title}: {answer!r} is none of its options: {names}")


def _open_requests(detail: TurnDetail) -> list[Permission]:
    calls = (item.permission for item in detail.items if isinstance(item, ToolCall))
    return [asked for asked in calls if asked is not None and asked.state == "pending"]


def _said(detail: TurnDetail) -> str:
    return "".join(item.text for item in detail.items if isinstance(item, AgentMessage))


with contextlib.suppress(ImportError):  # a cell needs no pytest
    import pytest

    @pytest.fixture
    def talk_to() -> Iterator[Callable[..., Conversation]]:
        """Open conversations, as `Conversation` does, and close them at the end of the test."""
        with contextlib.ExitStack() as opened:
            yield lambda agent, *args: opened.enter_context(Conversation(agent, *args))
