"""The models of the protocol's SDK for requests, in both directions, and for their results.

The SDK takes most of a second to import, so a thread imports this module when the first agent
starts. ``session/update`` is not among these messages: it streams, and is
read by `acp_jupyter.protocol`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from acp import schema
from acp.meta import AGENT_METHODS, CLIENT_METHODS
from pydantic import BaseModel, TypeAdapter, ValidationError

from acp_jupyter.host.rpc.unmodelled import METHODS, McpMessage
from acp_jupyter.protocol.objects import Obj


def _adapters(named: Mapping[str, Any], methods: Mapping[str, str]) -> dict[str, TypeAdapter[Any]]:
    return {methods.get(name, name): TypeAdapter(model) for name, model in named.items()}


_SENT = _adapters(
    {
        "initialize": schema.InitializeRequest,
        "authenticate": schema.AuthenticateRequest,
        "logout": schema.LogoutRequest,
        "session_new": schema.NewSessionRequest,
        "session_load": schema.LoadSessionRequest,
        "session_resume": schema.ResumeSessionRequest,
        "session_fork": schema.ForkSessionRequest,
        "session_list": schema.ListSessionsRequest,
        "session_delete": schema.DeleteSessionRequest,
        "session_close": schema.CloseSessionRequest,
        "session_set_mode": schema.SetSessionModeRequest,
        "session_set_config_option": (
            schema.SetSessionConfigOptionSelectRequest | schema.SetSessionConfigOptionBooleanRequest
        ),
        "session_prompt": schema.PromptRequest,
        "session_cancel": schema.CancelNotification,
    },
    AGENT_METHODS,
)
_RESULTS = _adapters(
    {
        "initialize": schema.InitializeResponse,
        "authenticate": schema.AuthenticateResponse,
        "logout": schema.LogoutResponse,
        "session_new": schema.NewSessionResponse,
        "session_load": schema.LoadSessionResponse,
        "session_resume": schema.ResumeSessionResponse,
        "session_fork": schema.ForkSessionResponse,
        "session_list": schema.ListSessionsResponse,
        "session_delete": schema.DeleteSessionResponse,
        "session_close": schema.CloseSessionResponse,
        "session_set_mode": schema.SetSessionModeResponse,
        "session_set_config_option": schema.SetSessionConfigOptionResponse,
        "session_prompt": schema.PromptResponse,
    },
    AGENT_METHODS,
)
_ASKED = _adapters(
    {
        "session_request_permission": schema.RequestPermissionRequest,
        "fs_read_text_file": schema.ReadTextFileRequest,
        "fs_write_text_file": schema.WriteTextFileRequest,
        "terminal_create": schema.CreateTerminalRequest,
        "terminal_output": schema.TerminalOutputRequest,
        "terminal_wait_for_exit": schema.WaitForTerminalExitRequest,
        "terminal_kill": schema.KillTerminalRequest,
        "terminal_release": schema.ReleaseTerminalRequest,
        "elicitation_create": schema.CreateElicitationRequest,
        "elicitation_complete": schema.CompleteElicitationNotification,
        "mcp_message": McpMessage,
    },
    CLIENT_METHODS,
)
_ANSWERS = _adapters(
    {
        "session_request_permission": schema.RequestPermissionResponse,
        "fs_read_text_file": schema.ReadTextFileResponse,
        "fs_write_text_file": schema.WriteTextFileResponse,
        "terminal_create": schema.CreateTerminalResponse,
        "terminal_output": schema.TerminalOutputResponse,
        "terminal_wait_for_exit": schema.WaitForTerminalExitResponse,
        "terminal_kill": schema.KillTerminalResponse,
        "terminal_release": schema.ReleaseTerminalResponse,
        "elicitation_create": schema.CreateElicitationResponse,
    },
    CLIENT_METHODS,
)
assert not METHODS.keys() & (_SENT.keys() | _ANSWERS.keys())


def sent(method: str, params: Mapping[str, Any]) -> BaseModel | None:
    """Return a request or notification to an agent as its model; None where there is none."""
    return _read(_SENT, method, params)


def result(method: str, value: Any) -> BaseModel | None:
    """Return an agent's answer as its model; None where there is none."""
    return _read(_RESULTS, method, {} if value is None else value)


def asked(method: str, params: Mapping[str, Any]) -> BaseModel | None:
    """Return an agent's request or notification as its model; None where there is none."""
    try:
        return _read(_ASKED, method, params)
    except ValidationError:
        if _TOLERATES:
            raise
    model: BaseModel = _tolerant(_ASKED[method], params)
    return model


def answer(method: str, value: Obj | None) -> Any:
    """Return our answer to an agent's request as its model says it."""
    model = None if value is None else _read(_ANSWERS, method, value)
    if model is None:
        return value
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


_TOLERATES = hasattr(schema, "ElicitationOtherPropertySchema")
"""Since 0.12 optional fields that are wrong are left out. Before, one would refuse its request."""
_MAX_WRONG = 100


def _tolerant(model: TypeAdapter[Any], params: Mapping[str, Any]) -> Any:
    """Leave out what is wrong, one part at a time from the inside out, until one is needed."""
    rest = copy.deepcopy(dict(params))
    for _ in range(_MAX_WRONG):
        try:
            return model.validate_python(rest)
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_context=False, include_input=False)
            if not _leave_out(rest, wrong[0]["loc"]):
                raise
    return model.validate_python(params)


def _leave_out(value: Any, place: Sequence[int | str]) -> bool:
    """Leave out the innermost part of a place that is there; return whether there was one."""
    inner: tuple[Any, Any] | None = None
    for name in place:  # names of models stand between those of fields
        is_there = name in value if isinstance(value, dict) else False
        if isinstance(value, list) and isinstance(name, int):
            is_there = name < len(value)
        if is_there:
            inner, value = (value, name), value[name]
    if inner is None:
        return False
    del inner[0][inner[1]]
    return True


def _read(models: Mapping[str, TypeAdapter[Any]], method: str, value: Any) -> BaseModel | None:
    adapter = models.get(method)
    if adapter is None:
        return None
    model: BaseModel = adapter.validate_python(value)
    return model
