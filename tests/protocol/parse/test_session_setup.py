"""Modes, options and models of a session, in every spelling that agents have."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.parse.session import legacy_models, session_setup

Json = dict[str, Any]
MODELS: Json = {
    "currentModelId": "b",
    "availableModels": [{"modelId": "a", "name": "A", "description": "Small"}, {"modelId": "b"}],
}
SNAKE: Json = {
    "current_model_id": "b",
    "available_models": [{"model_id": "a", "name": "A", "description": "Small"}, {"model_id": "b"}],
}
OPTION: Json = {
    "id": "model",
    "category": "model",
    "name": "Model",
    "type": "select",
    "currentValue": "b",
    "options": [
        {"value": "a", "name": "A", "description": "Small"},
        {"value": "b", "name": "", "description": ""},
    ],
}


@pytest.mark.parametrize("models", [MODELS, SNAKE])
def test_models_of_the_older_field_are_an_option(models: Json) -> None:
    assert session_setup({"models": models}).options == (OPTION,)
    other: Json = {"id": "effort", "category": "thought"}
    assert session_setup({"models": models, "configOptions": [other]}).options == (other, OPTION)


@pytest.mark.parametrize(
    "option", [{"category": "model"}, {"id": "model"}, {"configId": "model"}], ids=str
)
def test_an_option_for_the_model_is_enough(option: Json) -> None:
    assert session_setup({"models": MODELS, "configOptions": [option]}).options == (option,)


@pytest.mark.parametrize("models", [None, 5, {}, {"availableModels": [{"name": "A"}, 5, {}]}])
def test_a_model_without_an_id_can_not_be_chosen(models: Any) -> None:
    assert legacy_models({"models": models}) == ()
    assert session_setup({"models": models}).options is None
    assert session_setup({"models": models, "config_options": [5, {}]}).options == ()
