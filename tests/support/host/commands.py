"""Every command, an example of each, and a way to send one to a host as a user or as a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter

from acp_jupyter.api.access import Caller
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.session_state import TurnState
from tests.support.features import tables
from tests.support.host.driver import Driver
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["MODELS", "CommandSender", "example"]

EXAMPLES: dict[str, Any] = {
    "agent": "demo",
    "agent_session_id": "s",
    "action": "decline",
    "cell_id": "c",
    "end": 1,
    "address": "unix:/nowhere/agents",
    "folder": "/",
    "import_id": "i",
    "key": "0" * 64,
    "key_id": "k",
    "notebook_path": "book.ipynb",
    "number": 1,
    "package": "package@1",
    "path": "a.py",
    "place": 0,
    "prompt": "Hi",
    "request_id": "r",
    "rule_id": "r",
    "start": 0,
    "terminal_id": "t",
    "tool_call_id": "c",
}
"""Values for fields that a command can't be made without."""

CELLS = (Cell(id="c", cell_type="code", source="x = 1"),)
"""Of every notebook, as a page tells them."""

OF_COMMANDS: dict[str, dict[str, Any]] = {
    "answer_permission": {"option_id": "yes"},
    "get_context": {"session_id": None},
    "import_log": {"content": b"{}"},
    "start_import": {"content": b"{}"},
    "list_rules": {"session_id": None},
    "redact_text": {"session_id": None, "text": "Hi"},
    "search_sessions": {"text": "Hi"},
    "trust_folder": {"folder": "/"},
    **tables("OF_COMMANDS"),
}
"""Values for fields of one command; None for the session's."""


def _models(kind: Any) -> Iterator[Any]:
    inner = getattr(kind, "__value__", kind)
    parts = get_args(inner)
    if not parts:
        yield inner
    elif getattr(inner, "__metadata__", None):
        yield from _models(inner.__origin__)
    else:
        for part in parts:
            yield from _models(part)


MODELS = {model.model_fields["name"].default: model for model in _models(Command)}
ADAPTER: TypeAdapter[Any] = TypeAdapter(Command)


def example(name: str, session: Session, turn_id: str) -> Any:
    """Return a command that is about this session and its turn."""
    known = {**EXAMPLES, "session_id": session.session_id, "turn_id": turn_id}
    fields = MODELS[name].model_fields
    more = OF_COMMANDS.get(name, {})
    wanted = {field for field, told in fields.items() if told.is_required()} - set(more)
    body = {field: known[field] for field in wanted}
    body |= {field: known[field] if value is None else value for field, value in more.items()}
    return ADAPTER.validate_python({"name": name, **body})


class CommandSender(Driver):
    """A host, its dispatcher, and who calls it."""

    def __init__(self, host: AgentHost, root: Path) -> None:
        super().__init__(host, root)
        self.dispatcher = Dispatcher(host, self)

    def holds(self, path: str) -> bool:
        return True

    async def cells(self, path: str) -> tuple[Cell, ...]:
        return CELLS

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        return ()

    def kernel_of(self, notebook_path: str) -> str:
        return ""

    def send(self, caller: Caller, name: str, **fields: Any) -> Any:
        command = ADAPTER.validate_python({"name": name, **fields})
        return self.host.submit(self.dispatcher.handle(command, caller)).result(PATIENCE_SECONDS)

    def make(self, caller: Caller, **fields: Any) -> Session:
        asked = {"agent": "demo", "start": "lazy", "notebook_path": "book.ipynb", **fields}
        state = self.send(caller, "create_session", **asked)
        return self.host.sessions[state.session_id]

    def settle(self) -> None:
        """Stop what runs and waits, and see it end."""
        for session in tuple(self.host.sessions.values()):
            for waiting in session.state.queue:
                self.run(partial(session.cancel, waiting.turn_id))
            self.run(session.cancel)
            eventually(lambda session=session: session.state.active_turn_id is None)  # type: ignore[misc]

    def say(self, caller: Caller, session: Session, text: str = "Hi", **fields: Any) -> TurnState:
        sent = self.send(caller, "prompt", session_id=session.session_id, prompt=text, **fields)
        return session.transcript.turns[sent["turn_id"]]
