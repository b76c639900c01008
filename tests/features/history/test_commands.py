"""What the commands refuse by their fields alone."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from acp_jupyter.features.history.commands import GetHistory


def test_a_moment_of_the_history_is_that_of_a_turn() -> None:
    assert GetHistory(notebook_path="n.ipynb").turn_id == ""
    assert GetHistory(notebook_path="n.ipynb", turn_id="t", path="a", before=True).before
    for more in ({"path": "a"}, {"before": True}):
        with pytest.raises(ValidationError, match="name the turn as well"):
            GetHistory.model_validate({"notebook_path": "n.ipynb", **more})
