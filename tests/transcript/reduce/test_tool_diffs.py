"""Where in its file a change lies that an agent told."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from acp_jupyter.protocol.content import ToolDiff
from acp_jupyter.protocol.packets import Location
from acp_jupyter.transcript.output.diff_text import unified_diff
from acp_jupyter.transcript.reduce.tool_fields import content_diffs

A = "/w/a.py"
TOP = ToolDiff(path=A, old_text="a\nb\nc\nold\ne", new_text="a\nb\nc\nnew\nmore\ne")
LOW = ToolDiff(path=A, old_text="f\ng\nh\nold", new_text="f\ng\nh\nnew")


def places(*told: ToolDiff, lines: tuple[int | None, ...] = (), **raw: JsonValue) -> list[object]:
    locations = [Location(path=A, line=line) for line in lines]
    shown = content_diffs(told, "/w", exists=True, raw_input=raw, locations=locations)
    return [(diff.old_line, diff.new_line) for diff in shown]


def test_each_part_of_a_file_has_its_place() -> None:
    assert places(TOP, LOW, lines=(10, 41)) == [(10, 10), (40, 41)]
    assert places(TOP, lines=(1,)) == [(1, 1)]


@pytest.mark.parametrize(
    "lines",
    [(), (None,), (10, 41), (7,)],
    ids=["none", "no line", "more places than parts", "of the first change in a whole file"],
)
def test_a_whole_file_is_counted_from_its_first_line(lines: tuple[int | None, ...]) -> None:
    whole = ToolDiff(path=A, old_text="1\n2\n3\n4\n5\n6\n7\n", new_text="1\n2\n3\n4\n5\n6\nx\n")
    assert places(whole, lines=lines) == [(1, 1)]


def test_what_is_replaced_alone_has_no_place() -> None:
    part = ToolDiff(path=A, old_text="old", new_text="new")
    assert places(part, old_string="old") == [(None, None)]
    assert places(part, edits=[{"old_string": "old"}, 7]) == [(None, None)]
    assert places(part, lines=(10,), old_string="old") == [(None, None)]
    assert places(part, old_string="other") == [(1, 1)]


def test_places_belong_to_the_file_that_they_name() -> None:
    """Of a file with as many places as parts each part has its own; places may lack a line."""
    other = TOP.model_copy(update={"path": "/w/b.py"})
    third = LOW.model_copy(update={"path": "/w/c.py"})
    locations = [
        Location(path="/w/b.py", line=70),
        Location(path=A, line=10),
        Location(path=A),
        Location(path="/w/none.py", line=5),
        Location(path=A, line=41),
        Location(path="/w/c.py"),
    ]
    shown = content_diffs((TOP, other, LOW, third), "/w", exists=True, locations=locations)
    assert [(diff.path, diff.old_line, diff.new_line) for diff in shown] == [
        ("a.py", 10, 10),
        ("b.py", 70, 70),
        ("a.py", 40, 41),
        ("c.py", 1, 1),
    ]


def test_new_text_alone_moves_what_follows() -> None:
    added = ToolDiff(path=A, old_text=None, new_text="a\nb")
    assert places(added, LOW, lines=(1, 41)) == [(1, 1), (39, 41)]


def test_the_record_counts_as_the_view_does() -> None:
    (shown,) = content_diffs((LOW,), "/w", exists=True, locations=[Location(path=A, line=41)])
    assert "@@ -41,4 +41,4 @@" in unified_diff(shown).splitlines()[2]


def test_lines_are_counted_of_what_is_not_too_long() -> None:
    """Comparing takes long: beyond 4,000 lines of both texts nobody counts."""
    for more, counted in ((2, (2, 0)), (3, (None, None))):
        text = "x\n" * 1999
        whole = ToolDiff(path=A, old_text=text, new_text=text + "y\n" * more)
        (shown,) = content_diffs((whole,), "/w", exists=True)
        assert (shown.added, shown.removed) == counted
