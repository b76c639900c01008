"""``*** Begin Patch`` in an input becomes diffs, on the card and in its permission request."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from acp_jupyter.protocol.content import ToolDiff
from acp_jupyter.protocol.packets import ToolCallStart
from acp_jupyter.protocol.parse.packet import parse_packet
from acp_jupyter.protocol.tools.inputs import patch_diffs
from tests.support.host.permission_answers import answer, asked

UPDATE = """*** Begin Patch
*** Update File: {path}
@@ def main
 def main():
-    print("a")
+    print("b")
@@
-old
*** End Patch
"""


def test_each_run_of_changed_lines_is_a_diff() -> None:
    assert patch_diffs({"input": UPDATE.format(path="a.py")}) == (
        ToolDiff(
            path="a.py",
            old_text='def main():\n    print("a")\n',
            new_text='def main():\n    print("b")\n',
        ),
        ToolDiff(path="a.py", old_text="old\n", new_text=""),
    )


def test_an_empty_line_is_one_that_stays() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n a\n\n-b\n+c\n*** End Patch"
    assert patch_diffs(patch) == (ToolDiff(path="a", old_text="a\n\nb\n", new_text="a\n\nc\n"),)


def test_files_are_added_deleted_and_moved() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x = 1\n+\n*** Delete File: old.py\n"
        "*** Update File: a.py\n*** Move to: b.py\n@@\n+y\n*** End of File\n*** End Patch"
    )
    added, updated = patch_diffs(patch)
    assert added == ToolDiff(path="new.py", old_text=None, new_text="x = 1\n\n")
    assert updated == ToolDiff(path="a.py", old_text="", new_text="y\n")
    assert added.is_new_file()
    assert not updated.is_new_file()


@pytest.mark.parametrize(
    "raw_input",
    [
        None,
        {},
        {"input": "print(1)"},
        {"input": "*** Begin Patch\nnot a patch"},
        {"input": "*** Begin Patch\n*** Add File: a\n-x\n*** End Patch"},
        {"input": "*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch"},
        {"path": "a.patch", "content": UPDATE.format(path="a.py")},
        {"one": UPDATE.format(path="a.py"), "two": UPDATE.format(path="b.py")},
        ["*** Begin Patch"],
    ],
    ids=str,
)
def test_anything_else_gives_none(raw_input: JsonValue) -> None:
    assert patch_diffs(raw_input) == ()


@pytest.mark.parametrize(("chars", "read"), [(1_000_000, True), (1_000_001, False)])
def test_a_patch_of_a_million_characters_is_read(chars: int, read: bool) -> None:
    begin = "*** Begin Patch\n*** Add File: a\n+"
    assert bool(patch_diffs(begin + "x" * (chars - len(begin)))) is read


@pytest.mark.parametrize(("count", "read"), [(500, True), (501, False)])
def test_a_patch_of_very_many_changes_is_shown_as_it_is(count: int, read: bool) -> None:
    patch = "*** Begin Patch\n*** Update File: a\n" + "@@\n-x\n+y\n" * count
    assert len(patch_diffs(patch)) == (count if read else 0)


LINES = st.lists(st.text(alphabet="ab +-@*\t", max_size=6), min_size=1, max_size=6)


@given(LINES, LINES)
def test_a_patch_is_read_as_it_was_written(old: list[str], new: list[str]) -> None:
    body = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    patch = f"*** Begin Patch\n*** Update File: a.txt\n@@\n same\n{body}*** End Patch\n"
    diffs = patch_diffs({"patch": patch})
    if old == new:
        assert diffs == ()
    else:
        (diff,) = diffs
        assert diff.old_text == "".join(f"{line}\n" for line in ["same", *old])
        assert diff.new_text == "".join(f"{line}\n" for line in ["same", *new])


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    patch_diffs(f"*** Begin Patch\n{text}")


def test_a_request_shows_the_patch_and_the_file_decides() -> None:
    for path, chosen in (("a.py", "once"), ("/ws/sub/a.py", "once"), ("../a.py", None)):
        call = asked("other", {"input": UPDATE.format(path=path)}, title="apply_patch: {…")
        assert [diff.new_text for diff in call.diffs] == ['def main():\n    print("b")\n', ""]
        assert (call.tool_kind, call.title) == ("edit", "Editing file")
        assert call.diffs[0].old_line is None, "a patch does not say where its lines are"
        assert answer(call, policy="accept-edits", root=Path("/ws")) == chosen


def test_a_diff_of_the_content_counts_before_the_patch() -> None:
    diff = {"type": "diff", "path": "a.py", "oldText": "1", "newText": "2"}
    raw_input = {"input": UPDATE.format(path="a.py")}
    start = {"sessionUpdate": "tool_call", "toolCallId": "c", "rawInput": raw_input}
    for content, texts in (([diff], ["2"]), (["Done."], ['def main():\n    print("b")\n', ""])):
        packet = parse_packet({**start, "content": content})
        assert isinstance(packet, ToolCallStart)
        assert len(packet.content or ()) == len(content) + len(texts) - (content == [diff])
        diffs = (item for item in packet.content or () if isinstance(item, ToolDiff))
        assert [each.new_text for each in diffs] == texts


def test_a_deletion_that_no_diff_shows_is_shown_whole() -> None:
    patch = "*** Begin Patch\n*** Delete File: a.py\n*** Update File: b.py\n+x\n*** End Patch"
    call = asked("other", {"input": patch}, title="apply_patch: {…")
    assert call.permission is not None
    assert [(detail.name, detail.value) for detail in call.permission.details] == [("input", patch)]
