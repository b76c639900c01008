"""Answering an agent's questions, and changing what it hears next."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.delivery.access import may_see, users_only
from acp_jupyter.delivery.callers import Caller
from acp_jupyter.delivery.deciding import senders_only
from acp_jupyter.delivery.elicitation_commands import AnswerElicitation
from acp_jupyter.delivery.queue_commands import EditQueued, SendNow
from acp_jupyter.errors import UnknownTurn
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.session import Session

__all__ = ["Steering"]


class Steering:
    """Carries out ``answer_elicitation``, ``edit_queued`` and ``send_now``."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    def handle(
        self, command: AnswerElicitation | EditQueued | SendNow, caller: Caller
    ) -> dict[str, str]:
        """Carry out a command.

        Raises
        ------
        NotAllowed
            A kernel may stop and prompt, and so send now. What a user has said or answers is
            the user's own.
        """
        match command:
            case AnswerElicitation():
                who = users_only(caller, "answer a question of the agent").answerer
                session = self._host.session(command.session_id)
                turn_id = session.turns.elicitations.turn_of(command.request_id)
                senders_only(session, turn_id, caller, "answer a question of the agent")
                outcome = session.turns.elicitations.answer(
                    command.request_id, command.action, command.content, who
                )
                return {"outcome": outcome}
            case EditQueued():
                users_only(caller, "edit a message that waits")
                session = self._session(command.turn_id, caller)
                user = senders_only(session, command.turn_id, caller, "edit this message")
                session.turns.edit(command.turn_id, command.prompt, user)
            case SendNow():
                self._session(command.turn_id, caller).turns.send_now(command.turn_id)
            case _:
                assert_never(command)
        return {}

    def _session(self, turn_id: str, caller: Caller) -> Session:
        session = self._host.session_of_turn(turn_id)
        if not may_see(session, caller):
            raise UnknownTurn("This turn is not one of this notebook.")
        return session
