"""Try an agent of your own with a scripted user, in a cell or in tests.

The agent runs in this process, and talks to a host that is made for it. Permissions, files and the
transcript work as they do for users, without a server and without your settings. `talk_to` is a
pytest fixture: import it in a test module or in ``conftest.py``.
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
    """A conversation of a scripted user with an agent, as a context manager.

    Parameters
    ----------
    agent
        An ``acp.Agent``, as for `acp_jupyter.serve`.
    folder
        The session's folder; by default a new one, which is removed at the end.

    Attributes
    ----------
    folder
        The session's folder.

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
        """Send a prompt, answer the agent's requests as scripted, and return the finished turn.

        Parameters
        ----------
        prompt
            Text, or content blocks.
        answers
            Answers to the agent's permission requests, in order: the id, name or kind of an
            option, or the beginning of its kind, such as ``allow`` or ``reject``.
        cancel_at
            Cancel the turn as soon as the agent's answer contains this text.
        seconds
            Longest duration of the turn.

        Raises
        ------
        AssertionError
            The script has too few or too many answers, ``cancel_at`` did not occur, or the turn
            took too long.
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
        """Return the conversation so far as Markdown."""
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
        """Return a function that opens conversations, which end with the test."""
        with contextlib.ExitStack() as opened:
            yield lambda agent, *args: opened.enter_context(Conversation(agent, *args))
