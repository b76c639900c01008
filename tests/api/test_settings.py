"""Which settings a cell or a line changes."""

from __future__ import annotations

import pytest

from acp_jupyter.api.settings import Settings
from acp_jupyter.errors import BadRequest
from acp_jupyter.transcript.model.session_state import ConfigChoice, ConfigOption
from tests.support.transcript.traffic import Script

FAST = ConfigOption(id="fast", name="Fast", type="boolean", current_value=False)

MODEL = ConfigOption(
    id="m",
    name="Model",
    category="model",
    type="select",
    current_value="small",
    choices=(ConfigChoice(value="small", name="Small"), ConfigChoice(value="big", name="Big one")),
)


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


@pytest.mark.parametrize("named", ["big", "BIG", "Big one"])
def test_a_model_is_the_option_of_that_category(named: str) -> None:
    state = Script().transcript.session.model_copy(update={"config_options": (FAST, MODEL)})
    assert Settings(model=named).changes(state).config == {"m": "big"}
    with pytest.raises(BadRequest, match="offers no choice of its model"):
        Settings(model=named).changes(Script().transcript.session)
