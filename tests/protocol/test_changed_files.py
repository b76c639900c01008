"""What is told of a file that a turn changed."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.host_events.session import ChangedFile


@pytest.mark.parametrize(
    ("kept", "old", "new", "unread"),
    [
        (True, "", "", False),
        (True, "a", "b", False),
        (False, "a", "", False),
        (False, "", "b", False),
        (False, "", "", True),
    ],
)
def test_a_file_of_which_nothing_is_known_was_not_read(
    kept: bool, old: str, new: str, unread: bool
) -> None:
    file = ChangedFile(path="a.txt", change="modified", kept=kept, old_text_id=old, new_text_id=new)
    assert file.unread is unread
