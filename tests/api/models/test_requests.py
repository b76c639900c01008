"""What commands refuse by their fields alone."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from acp_jupyter.api.models.turns import GetChanges
from acp_jupyter.features.history.commands import GetHistory


def test_changes_of_several_turns_are_those_of_one_file() -> None:
    assert GetChanges(turn_id="t", earlier=("s",), path="a").path == "a"
    assert GetChanges(turn_id="t", form="patch").form == "patch"
    with pytest.raises(ValidationError, match="one file at a time"):
        GetChanges(turn_id="t", earlier=("s",))
    with pytest.raises(ValidationError, match="one file at a time"):
        GetChanges(turn_id="t", earlier=("s",), path="a", form="patch")


def test_a_moment_of_the_history_is_that_of_a_turn() -> None:
    assert GetHistory(notebook_path="n.ipynb").turn_id == ""
    assert GetHistory(notebook_path="n.ipynb", turn_id="t", path="a", before=True).before
    for more in ({"path": "a"}, {"before": True}):
        with pytest.raises(ValidationError, match="name the turn as well"):
            GetHistory.model_validate({"notebook_path": "n.ipynb", **more})
