"""What commands refuse by their fields alone."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from acp_jupyter.api.models.turns import GetChanges


def test_changes_of_several_turns_are_those_of_one_file() -> None:
    assert GetChanges(turn_id="t", earlier=("s",), path="a").path == "a"
    assert GetChanges(turn_id="t", form="patch").form == "patch"
    with pytest.raises(ValidationError, match="one file at a time"):
        GetChanges(turn_id="t", earlier=("s",))
    with pytest.raises(ValidationError, match="one file at a time"):
        GetChanges(turn_id="t", earlier=("s",), path="a", form="patch")
