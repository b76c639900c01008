"""Agents outside and sandboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.api.models.sessions import SetConfig
from acp_jupyter.errors import BadRequest, NotAllowed
from acp_jupyter.features.outside.commands import MakeOutsideKey
from acp_jupyter.host.bounds import Bounds
from tests.sessions.test_sandboxes import NOTEBOOK, server

REQUIRED = Bounds.of({"allowed_sandboxes": ["folder"], "required_sandbox_level": "partial"})


def test_no_key_is_made_for_agents_outside_where_a_sandbox_is_required(tmp_path: Path) -> None:
    refused = pytest.raises(NotAllowed, match="Agents outside have no sandbox")
    with server(tmp_path, bounds=REQUIRED) as there, refused:
        there.send(MakeOutsideKey(notebook_path=NOTEBOOK))


def test_an_agent_outside_gets_no_sandbox_from_here(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session = there.run(lambda: there.host.open_outside("Other", NOTEBOOK, "ask", "ada"))
        with pytest.raises(BadRequest, match="Other was not started here"):
            there.send(SetConfig(session_id=session.session_id, sandbox="folder"))
        assert session.state.sandbox == "off"
