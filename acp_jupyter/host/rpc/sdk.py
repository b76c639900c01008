"""The models of the protocol's SDK for requests, in both directions, and for their results.

The SDK takes most of a second to import, so a thread imports this module when the first agent
starts. ``session/update`` is not among these messages: it streams, and is
read by `acp_jupyter.protocol`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp import schema
from acp.meta import AGENT_METHODS, CLIENT_METHODS
from pydantic import BaseModel, TypeAdapter

from acp_jupyter.host.rpc.unmodelled import METHODS, McpMessage
from acp_jupyter.protocol.objects import Obj, obj


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
    """Return a request or notification to an agent as its model; None where there is none.

    Raises
    ------
    ValidationError
        It is not valid.
    """
    return _read(_SENT, method, params)


def result(method: str, value: Any) -> BaseModel | None:
    """Return an agent's answer as its model; None where there is none.

    Raises
    ------
    ValidationError
        It is not valid.
    """
    return _read(_RESULTS, method, {} if value is None else value)


def asked(method: str, params: Mapping[str, Any]) -> BaseModel | None:
    """Return an agent's request or notification as its model; None where there is none.

    Raises
    ------
    ValidationError
        It is not valid.
    """
    if method == CLIENT_METHODS["elicitation_create"] and not _KNOWS_OTHER_FIELDS:
        params = _without_other_fields(params)
    return _read(_ASKED, method, params)


def answer(method: str, value: Obj | None) -> Any:
    """Return our answer to an agent's request as its model says it.

    Raises
    ------
    ValidationError
        It is not valid.
    """
    model = None if value is None else _read(_ANSWERS, method, value)
    if model is None:
        return value
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


_KNOWS_OTHER_FIELDS = hasattr(schema, "ElicitationOtherPropertySchema")
"""Since 0.12. Before, one field of an unknown type would refuse its form."""
_FIELDS = frozenset({"string", "number", "integer", "boolean", "array"})


def _without_other_fields(params: Mapping[str, Any]) -> Obj:
    form = obj(params.get("requestedSchema"))
    kept = {n: each for n, each in obj(form.get("properties")).items() if _type(each) in _FIELDS}
    return {**params, **({"requestedSchema": {**form, "properties": kept}} if form else {})}


def _type(field: object) -> object:
    return field.get("type") if isinstance(field, Mapping) else None


def _read(models: Mapping[str, TypeAdapter[Any]], method: str, value: Any) -> BaseModel | None:
    adapter = models.get(method)
    if adapter is None:
        return None
    model: BaseModel = adapter.validate_python(value)
    return model
