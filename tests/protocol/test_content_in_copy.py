"""Files of a prompt that goes to an agent in a copy of the folder."""

from __future__ import annotations

from acp_jupyter.protocol.content import in_copy
from acp_jupyter.protocol.objects import Obj


def test_files_of_a_copied_folder_are_those_of_the_copy() -> None:
    blocks: tuple[Obj, ...] = (
        {"type": "text", "text": "file:///work/a"},
        {"type": "resource", "resource": {"uri": "file:///work/data/a.csv", "text": "1"}},
        {"type": "resource_link", "uri": "file:///work/raw.bin"},
        {"type": "resource_link", "uri": "file:///works/a"},
    )
    text, embedded, link, other = in_copy(blocks, "/work", "/copies/my work")
    assert text == blocks[0]
    assert embedded["resource"] == {"uri": "file:///copies/my%20work/data/a.csv", "text": "1"}
    assert link["uri"] == "file:///copies/my%20work/raw.bin"
    assert other == blocks[3]
