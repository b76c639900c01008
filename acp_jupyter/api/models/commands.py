"""All commands: one union for every way in, and which of them an agent's code may send.

:mod:`acp_jupyter.api.dispatch` is their only reader.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.api.models.agents import AgentCommand, ListAgents
from acp_jupyter.api.models.changes import GetChanges, ListChangingSessions, RevertTurn
from acp_jupyter.api.models.permissions import (
    AnswerElicitation,
    AnswerPermission,
    ListRules,
    PermissionCommand,
)
from acp_jupyter.api.models.sessions import (
    CreateSession,
    GetSession,
    KillTerminal,
    ListSessions,
    SessionCommand,
    SetConfig,
)
from acp_jupyter.api.models.traffic import GetTraffic, GetTrafficLine, GetTranscript, ImportLog
from acp_jupyter.api.models.turns import (
    AttachTurn,
    Cancel,
    EditQueued,
    GetItems,
    GetRecords,
    GetTurn,
    PromptSession,
    SendNow,
)
from acp_jupyter.errors import NotAllowed

Command = TypeAliasType(
    "Command",
    Annotated[
        ListAgents
        | ListSessions
        | CreateSession
        | GetSession
        | SessionCommand
        | PromptSession
        | Cancel
        | AnswerPermission
        | SetConfig
        | GetItems
        | GetTurn
        | AttachTurn
        | GetRecords
        | GetTranscript
        | GetTraffic
        | GetTrafficLine
        | ImportLog
        | AnswerElicitation
        | EditQueued
        | SendNow
        | KillTerminal
        | GetChanges
        | ListChangingSessions
        | RevertTurn
        | AgentCommand
        | PermissionCommand,
        Field(discriminator="name"),
    ],
)


_READ_ONLY = (
    Cancel,
    GetChanges,
    GetSession,
    GetTraffic,
    GetTranscript,
    GetTurn,
    ListAgents,
    ListRules,
    ListSessions,
)


def require_read_only(command: Command) -> None:
    """Refuse what an agent's code may not do, whoever it says it is.

    Raises
    ------
    NotAllowed
        The command does more than look.
    """
    if not isinstance(command, _READ_ONLY):
        raise NotAllowed(
            "This code is run by an agent's tool, so it can't start agents, prompt or change "
            "them, or answer for the user. Put it into a cell and ask the user to run that."
        )
