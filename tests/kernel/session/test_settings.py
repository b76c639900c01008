"""Which settings a cell or a line changes."""

from __future__ import annotations

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.kernel.settings import Settings
from acp_jupyter.transcript.model.session_state import ConfigOption
from tests.support.script import Script

FAST = ConfigOption(id="fast", name="Fast", type="boolean", current_value=False)


def changed(named: str) -> dict[str, str | bool]:
    state = Script().transcript.session.model_copy(update={"config_options": (FAST,)})
    return Settings(config=(("fast", named),)).changes(state).config


@pytest.mark.parametrize("named", ["true", "Yes", "on", "1"])
def test_what_turns_an_option_on(named: str) -> None:
    assert changed(named) == {"fast": True}


@pytest.mark.parametrize("named", ["false", "No", "off", "0"])
def test_what_is_off_already_is_not_changed(named: str) -> None:
    assert changed(named) == {}


def test_what_an_option_can_not_be_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"Fast can't be 'perhaps'\. Type true or false\."):
        changed("perhaps")
