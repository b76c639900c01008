"""Which paths and folders a tool's raw input names, and where that can't be told."""

from __future__ import annotations

import pytest

from acp_jupyter.transcript.raw_input import local_path, read_command_fields, read_path_fields

CWD = "/ws"
MAX = 1_000_000
"""Characters of a patch that is read."""
NAMED = "*** Add File: new.py\n"


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("file:///ws/a%20b.py", "a b.py"),
        ("FILE:///etc/x", "/etc/x"),
        ("file://localhost/ws/a.py", "a.py"),
        ("file://host/ws/a.py", None),
        ("https://example.org/a.py", None),
    ],
)
def test_only_an_address_of_this_machine_is_a_path(address: str, path: str | None) -> None:
    assert local_path(address, CWD) == path


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [("/ws", ""), ("/ws/", ""), (".", ""), ("/ws/sub", "sub"), ("/ws/sub/..", "sub/..")],
)
def test_a_folder_that_a_link_may_lead_out_of_is_told(cwd: str, folder: str) -> None:
    """Behind a link ``..`` is another folder than that of the session."""
    assert read_command_fields({"command": "make", "cwd": cwd}, CWD).folder == folder


@pytest.mark.parametrize(
    ("field", "patch", "paths", "is_clear"),
    [
        ("patch", NAMED.ljust(MAX, "x"), {"new.py"}, True),
        ("patch", NAMED.ljust(MAX + 1, "x"), set(), False),
        ("patch", "x", set(), False),
        ("diff", "x" * MAX, set(), True),
        ("diff", "x" * (MAX + 1), set(), False),
    ],
    ids=["longest", "too long", "names nothing", "longest diff", "too long a diff"],
)
def test_a_patch_that_is_too_long_to_read_may_change_anything(
    field: str, patch: str, paths: set[str], is_clear: bool
) -> None:
    found = read_path_fields({field: patch}, CWD)[field]
    assert (found.paths, found.is_clear) == (paths, is_clear)
