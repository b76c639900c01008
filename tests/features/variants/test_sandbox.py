"""The sandbox of a variant, and what it reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.api.access import Caller, KernelCaller, UserCaller
from acp_jupyter.api.models.sessions import SetConfig
from acp_jupyter.errors import NotAllowed
from acp_jupyter.features.variants.commands import CreateVariant
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.transcript.model.session_state import SessionState
from tests.sessions.test_sandboxes import NOTEBOOK, can_write, needs_walls, server
from tests.support.host.restarts import Server
from tests.support.wait import PATIENCE_SECONDS


@needs_walls
@pytest.mark.parametrize(
    ("chosen", "written"), [(None, {"within"}), ("read-only", set()), ("off", {"within", "beside"})]
)
def test_a_variant_is_in_the_sandbox_of_the_notebooks_session_unless_one_is_named(
    tmp_path: Path, chosen: Sandbox | None, written: set[str]
) -> None:
    with server(tmp_path) as there:
        beside = there.open("own", notebook_path=NOTEBOOK)
        there.send(SetConfig(session_id=beside.session_id, sandbox="folder"))
        state = there.send(CreateVariant(agent="own", notebook_path=NOTEBOOK, sandbox=chosen))
        assert isinstance(state, SessionState)
        variant = there.host.sessions[state.session_id]
        assert can_write(there, variant) == written


def test_a_variant_reaches_what_the_notebooks_session_does_and_a_kernel_opens_no_more(
    tmp_path: Path,
) -> None:
    kernel = KernelCaller("k", NOTEBOOK)

    def variant(there: Server, network: Network | None, caller: Caller) -> Network:
        asked = CreateVariant(agent="own", notebook_path=NOTEBOOK, network=network)
        state = there.submit(asked, caller).result(PATIENCE_SECONDS)
        assert isinstance(state, SessionState)
        return state.network

    with server(tmp_path, network="hosts") as there:
        # There is no session of the notebook yet: as for any new one.
        assert variant(there, None, kernel) == "hosts"
        with pytest.raises(NotAllowed, match="from hosts to all: do it in the panel"):
            variant(there, "all", kernel)
        beside = there.open("own", notebook_path=NOTEBOOK)
        there.send(SetConfig(session_id=beside.session_id, network="none"))
        assert variant(there, None, kernel) == "none"
        with pytest.raises(NotAllowed, match="from none to hosts"):
            variant(there, "hosts", kernel)
        assert variant(there, "hosts", UserCaller("ada")) == "hosts"


@needs_walls
def test_where_the_copy_is_configured_a_variant_is_in_its_own(tmp_path: Path) -> None:
    with server(tmp_path, sandbox="copy") as there:
        variant = there.send(CreateVariant(agent="own"))
        assert isinstance(variant, SessionState)
        assert (variant.sandbox, variant.copied_folder) == ("copy", "")
