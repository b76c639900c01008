"""What a search's output says, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.tools.outputs import NO_FILES, SearchHit, SearchResult, read_search_result
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.shown import only
from tests.acceptance.turns_of_tools import TOOL_TURNS
from tests.support.transcript.traffic import Script

HIT = SearchHit(path="a.py", line=14, text="for row in rows:")


def found(*lines: str) -> SearchResult:
    return read_search_result(lines)


def test_lines_of_files_are_found_by_file() -> None:
    """S1.20: what is no line of a file is kept as a remark, what divides is not."""
    item = only(TOOL_TURNS["grep_found"](), ToolCall)
    assert item.files == ("src/app/page.tsx",)
    assert item.hits == (
        SearchHit(path="src/app/page.tsx", line=12, text="const data = useData();"),
        SearchHit(path="src/app/page.tsx", line=40, text="  return <Table data={data} />;"),
    )
    assert (item.count, item.remarks) == (2, ())
    assert found("a.py:14:for row in rows:", "--", "b.py:9:", "and 4 more") == SearchResult(
        files=("a.py", "b.py"),
        hits=(HIT, SearchHit(path="b.py", line=9, text="")),
        remarks=("and 4 more",),
    )
    assert found("a.py:14:for row in rows:\r").hits == (HIT,)
    assert found("a.py:14:x~", "b.py~").hits == (SearchHit(path="a.py", line=14, text="x~"),)
    assert found("a.py:1:b.py:2:c").hits == (SearchHit(path="a.py", line=1, text="b.py:2:c"),)


def test_hits_below_the_name_of_their_file() -> None:
    """S1.20: as opencode writes them."""
    lines = ("Found 2 matches", "a.py:", "  Line 14: for row in rows:", "", "b.py:", "  Line 9: x")
    assert found(*lines) == SearchResult(
        files=("a.py", "b.py"),
        hits=(HIT, SearchHit(path="b.py", line=9, text="x")),
        remarks=("Found 2 matches",),
    )
    assert found("a.py:", "  Line 14:for row in rows:").hits == (HIT,)
    for bad in (("  Line 14: x",), ("a.py", "  Line 14: x"), ("a.py:", "  Line : x")):
        assert found(*bad).hits is None


@pytest.mark.parametrize(
    "remark",
    [
        "Found 1 file",
        "Found 12 files",
        "Found 3 matches in all",
        "Showing 1 match",
        "Showing 20 results",
        "Found 1 result",
        "Showing 5 lines",
        "Found 1 line",
        "(Results are truncated. Consider a more specific path.)",
        "(Result cut)",
        "(Showing 100 of 300)",
        "(Output cut)",
        "(Truncated)",
    ],
)
def test_a_remark_is_no_file(remark: str) -> None:
    """S1.20: it stands beside the files."""
    assert found(remark, "src/a.py", "src/a.py", "b c.py") == SearchResult(
        files=("src/a.py", "b c.py"), remarks=(remark,)
    )


@pytest.mark.parametrize(
    "path",
    [
        "(app)/page.tsx",
        "Found 3 files/a.py",
        "No files",
        "a:b",
        "x:12",
        "(draft).md",
        "No files found!",
    ],
)
def test_a_file_of_an_odd_name_is_a_file(path: str) -> None:
    """S1.20: names that look like remarks or lines."""
    assert found(path) == SearchResult(files=(path,))


@pytest.mark.parametrize(
    "words", ["No files found", "No matches found", "No results found.", "No matches found."]
)
def test_nothing_was_found(words: str) -> None:
    """S1.21: an empty state, whatever the tool's own words are."""
    assert found(words) == SearchResult(remarks=(words,))
    assert only(TOOL_TURNS["search_none"](), ToolCall).remarks == (NO_FILES,)
    assert NO_FILES == "No files found"
    for output in (words, "", "\n"):
        script = Script()
        script.turn("Look.")
        script.update("tool_call", toolCallId="c", title="grep", kind="search")
        script.update(
            "tool_call_update", toolCallId="c", status="completed", rawOutput={"output": output}
        )
        item = only(script, ToolCall)
        assert (item.files, item.hits, item.count) == ((), None, 0)
        assert item.remarks == (NO_FILES,)


def test_paths_of_hits_are_relative() -> None:
    """S1.20: as all paths of an item are."""
    script = Script()
    script.turn("Look.")
    script.update("tool_call", toolCallId="c", title="grep", kind="search")
    output = {"output": f"{script.transcript.session.cwd}/src/a.py:14:for row in rows:"}
    script.update("tool_call_update", toolCallId="c", status="completed", rawOutput=output)
    item = only(script, ToolCall)
    assert item.files == ("src/a.py",)
    assert item.hits == (HIT.model_copy(update={"path": "src/a.py"}),)


def test_long_lines_are_cut() -> None:
    """S1.20: and a long number is no line."""
    assert found(f"a.py:999999999:{'x' * 500}").hits == (
        SearchHit(path="a.py", line=999999999, text="x" * 400),
    )
    assert found("a.py:1234567890:x").hits is None
    assert found("a.py:", "  Line 1234567890: x").hits is None


def test_many_lines_are_counted_as_they_are() -> None:
    """S1.20: beyond some thousands."""
    script = Script()
    script.turn("Look.")
    script.update("tool_call", toolCallId="c", title="grep", kind="search")
    output = {"output": "\n".join([*(f"a{n}" for n in range(5000)), "--"])}
    script.update("tool_call_update", toolCallId="c", status="completed", rawOutput=output)
    item = only(script, ToolCall)
    assert (item.count, len(item.files or ())) == (5001, 1000)


@given(st.lists(st.text(alphabet="ab:1( )-L\r\t") | st.text(), max_size=20))
def test_any_lines_are_read(lines: list[str]) -> None:
    seen = read_search_result(lines)
    assert seen.count <= len(lines)
    assert all(line.strip() for line in seen.remarks + seen.files)
