"""Values of messages, as what they should be or as nothing."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from acp_jupyter.protocol.objects import bool_or_none


@pytest.mark.parametrize(
    ("value", "told"),
    [(True, True), (False, False), (None, None), ("true", None), (1, None), ([], None), ({}, None)],
)
def test_what_is_neither_true_nor_false_is_nothing(value: JsonValue, told: bool | None) -> None:
    assert bool_or_none(value) is told
