"""Outputs of seed 000's tools, as packets and as users see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.packets import ToolOutput, parse_packet
from acp_jupyter.protocol.content import TextBlock, ToolContentBlock, ToolDiff
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.tools.outputs import (
    BashOutput,
    BashToolOutput,
    Diagnostic,
    ReadToolOutput,
    SearchOutput,
    SearchToolOutput,
    TodoToolOutput,
    WriteToolOutput,
)
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance import golden
from tests.acceptance.shown import only
from tests.acceptance.turns_of_tools import TOOL_TURNS


def gives(tool: str, raw_output: Any, content: Any = None) -> ToolOutput | None:
    """Read an output as that of a tool."""
    packet = {"toolCallId": "c", "title": tool, "rawOutput": raw_output, "content": content}
    progress = parse_packet({"type": "tool_call_progress", **packet})
    assert isinstance(progress, ToolCallProgress)
    return progress.output


def of_golden(name: str) -> ToolOutput | None:
    progress = golden.packet(f"s1-tool_call_progress-{name}")
    assert isinstance(progress, ToolCallProgress)
    return progress.output


def item(turn: str) -> ToolCall:
    return only(TOOL_TURNS[turn](), ToolCall)


def test_what_a_search_found() -> None:
    """S1.20: paths one by one, count, and whether there were more."""
    found = (
        "files/linear/issues/ENG-1.json",
        "files/linear/issues/ENG-2.json",
        "files/linear/projects/q1.json",
    )
    output = of_golden("glob")
    assert isinstance(output, SearchToolOutput)
    assert output.data == SearchOutput(files=found, count=3)
    call = item("search_found")
    assert (call.files, call.count, call.truncated) == (found, 3, False)
    many = item("search_truncated")
    assert (len(many.files or ()), many.count, many.truncated) == (5, 240, True)


def test_a_search_without_metadata_counts_itself() -> None:
    """S1.20: blank lines are no paths."""
    assert gives("grep", {"output": "~/a\n\nb~\n"}) == SearchToolOutput(
        tool_name="grep", data=SearchOutput(files=("~/a", "b~"), count=2)
    )
    assert gives("glob", {"output": "a", "truncated": True}) == SearchToolOutput(
        tool_name="glob", data=SearchOutput(files=("a",), count=1, truncated=True)
    )


def test_lines_of_windows_are_lines() -> None:
    """S1.20: what ends them is no part of a path."""
    assert gives("glob", {"output": "a.py\r\nb.py\r\n"}) == SearchToolOutput(
        tool_name="glob", data=SearchOutput(files=("a.py", "b.py"), count=2)
    )


@pytest.mark.parametrize("words", ["No files found", "No files found\n", ""])
def test_nothing_found_is_no_file(words: str) -> None:
    """S1.21: not one file of that name."""
    assert gives("glob", {"output": words, "metadata": {"count": 0}}) == SearchToolOutput(
        tool_name="glob", data=SearchOutput()
    )
    call = item("search_none")
    assert (call.files, call.count) == ((), 0)


def test_a_file_without_its_wrapper() -> None:
    """S1.22: for display; the raw output is kept."""
    output = of_golden("read")
    assert isinstance(output, ReadToolOutput)
    assert output.data.content == 'import pandas as pd\n\ndf = pd.read_csv("sales.csv")'
    assert not output.data.truncated
    call = item("read_wrapped")
    assert call.output == output.data.content
    assert isinstance(call.raw_output, dict)
    assert str(call.raw_output["output"]).startswith("<file>\n00001| import pandas")
    assert item("read_truncated").truncated


@pytest.mark.parametrize(
    ("whole", "content", "first_line"),
    [
        ("<file>\n00001| a\n00002| b\n</file>", "a\nb", 1),
        ("<file>\n00120| a\n00121| \n\n(More.)\n</file>", "a\n\n\n(More.)", 120),
        ("<content>\na\n</content>", "a", None),
        ("<file>a</file>", "a", None),
        (" \n<file>\na\n</file> \n", "a", None),
        ("1|a\n2|b", "a\nb", 1),
        ("     1\ta\n     2\tb", "a\nb", 1),
        ("  9→a\n 10→b", "a\nb", 9),
        ("00001| a\n00002| b\n...", "a\nb\n...", 1),
        ("00001| a\n...\n", "a\n...\n", 1),
        ("00001| a\n(More.)\n", "a\n(More.)\n", 1),
        ("00001| a\nEnd of file", "a\nEnd of file", 1),
        ("plain\n<file>", "plain\n<file>", None),
        ("<file>unclosed", "<file>unclosed", None),
        ("00001| a\n00009| b\nc", "00001| a\n00009| b\nc", None),
        ("1| a\nnot a number\n3| c", "1| a\nnot a number\n3| c", None),
        ("", "", None),
    ],
)
def test_line_numbers_are_no_code(whole: str, content: str, first_line: int | None) -> None:
    """S1.22, S1.23: they go only where they count on."""
    output = gives("read", {"output": whole, "metadata": {"preview": "x", "truncated": False}})
    assert isinstance(output, ReadToolOutput)
    assert (output.data.content, output.data.first_line) == (content, first_line)


def test_the_gutter_begins_at_the_first_line() -> None:
    """S1.23: 120 is a number beside the code, not a part of it."""
    call = item("read_truncated")
    assert call.first_line == 120
    assert call.output.startswith("    return rows\n")
    assert "00120" not in call.output


def test_a_command_gives_its_text_once() -> None:
    """S1.24: output and metadata.output are the same text."""
    failed = BashOutput(output="error TS2304: Cannot find name 'rows'.\n", exit_code=3)
    assert of_golden("bash-failed") == BashToolOutput(data=failed)
    call = item("bash_exit_3")
    assert (call.output, call.exit_code) == (failed.output, 3)
    assert (item("bash_done").exit_code, item("bash_done").truncated) == (0, False)


@pytest.mark.parametrize(
    ("raw", "output", "code"),
    [
        ({"output": "a", "exit_code": 2}, "a", 2),
        ({"output": "a", "exitCode": 2}, "a", 2),
        ({"output": "a", "exit": 2}, "a", 2),
        ({"output": "a", "metadata": {"exit_code": 2}}, "a", 2),
        ({"output": "a", "metadata": {"exitCode": 2.0}}, "a", 2),
        ({"stdout": "a", "stderr": "b", "exit": 0}, "ab", 0),
        ({"stdout": "a"}, "a", None),
        ({"formatted_output": "a"}, "a", None),
        ({"error": "a"}, "a", None),
        ({"result": "a", "query": "ls"}, "a", None),
        ([{"result": "a", "query": "ls"}, {"result": "b", "query": "pwd"}], "a\nb", None),
        ([{"result": "a", "query": "ls"}, {"result": "b"}], "a", None),
        ("a", "a", None),
        ("Exit code 127\nnot found", "Exit code 127\nnot found", 127),
        ("Exit code 3", "Exit code 3", 3),
        ("Exit code 1234\n", "Exit code 1234\n", None),
        ("Exit code \n", "Exit code \n", None),
        ("Exit code 3 of 4", "Exit code 3 of 4", None),
        ({"output": "a", "exit": True}, "a", None),
        ({"output": "a", "exit": "2"}, "a", None),
        (5, "", None),
    ],
    ids=str,
)
def test_exit_codes_wherever_they_stand(raw: Any, output: str, code: int | None) -> None:
    """S1.24."""
    assert gives("bash", raw) == BashToolOutput(data=BashOutput(output=output, exit_code=code))


@pytest.mark.parametrize("value", [True, False, 1, None])
def test_what_is_cut_says_so(value: Any) -> None:
    """S1.24: truncated, and only if it is true."""
    expected = BashOutput(output="a", exit_code=0, truncated=value is True)
    raw = {"output": "a", "metadata": {"exit": 0, "truncated": value}}
    assert gives("bash", raw) == BashToolOutput(data=expected)


def test_diagnostics_are_listed() -> None:
    """S1.25: severities in words, lines from 1, files without findings left out."""
    path = "/path/to/file.ts"
    expected = (
        Diagnostic(path=path, line=2, message="'y' is declared but its value is never read."),
        Diagnostic(path=path, line=1, severity="warning", message="Prefer a longer name than 'x'."),
    )
    output = of_golden("edit-diagnostics")
    assert isinstance(output, WriteToolOutput)
    assert output.data.diagnostics == expected
    assert item("edit_diagnostics").diagnostics == expected
    assert item("edit_existing").diagnostics == ()
    assert item("write_new").output == "Wrote file successfully."


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        ({"message": "m"}, Diagnostic(path="a", message="m")),
        ({"message": "m", "severity": 1}, Diagnostic(path="a", message="m")),
        ({"message": "m", "severity": 3}, Diagnostic(path="a", severity="info", message="m")),
        ({"x": "ü"}, Diagnostic(path="a", message='{"x": "ü"}')),
        ({"message": "m", "range": {"start": {"line": -4}}}, Diagnostic(path="a", message="m")),
        ("text", Diagnostic(path="a", message="{}")),
    ],
    ids=str,
)
def test_odd_diagnostics(finding: Any, expected: Diagnostic) -> None:
    """S1.25: none is lost."""
    output = gives("write", {"output": "", "metadata": {"diagnostics": {"a": [finding], "b": 5}}})
    assert isinstance(output, WriteToolOutput)
    assert output.data.diagnostics == (expected,)


def test_the_list_of_the_metadata_wins() -> None:
    """S1.26: over the string, which counts only without it."""
    one, two = ([{"content": name, "status": "pending", "activeForm": ""}] for name in "ab")
    for metadata, content in (({"todos": two}, "b"), ({}, "a"), ({"todos": "no list"}, "a")):
        output = gives("todowrite", {"output": json.dumps(one), "metadata": metadata})
        assert isinstance(output, TodoToolOutput)
        assert [todo.content for todo in output.data.todos] == [content]
    half = gives("todowrite", {"output": '[{"content": "\\ud83d"}]'})
    assert isinstance(half, TodoToolOutput)
    assert half.data.todos[0].content == "\ufffd"
    for broken in ("no json", "[" * 100_000, "5"):
        output = gives("todowrite", {"output": broken})
        assert isinstance(output, TodoToolOutput)
        assert output.data.todos == ()


def test_content_and_diff_stand_side_by_side() -> None:
    """S1.27, S1.28, S1.29: both are kept, in one array."""
    progress = golden.packet("s1-tool_call_progress-edit")
    assert isinstance(progress, ToolCallProgress)
    assert progress.content == (
        ToolContentBlock(block=TextBlock(text="Wrote file successfully.")),
        ToolDiff(
            path="/path/to/file.ts",
            old_text="const x = 1;",
            new_text="const x = 2;\nconst y = 3;",
        ),
    )
    call = item("edit_existing")
    assert call.output == "Wrote file successfully."
    (diff,) = call.diffs
    assert (diff.path, diff.old_text) == ("/path/to/file.ts", "const x = 1;")
    assert (diff.new_text, diff.added, diff.removed) == ("const x = 2;\nconst y = 3;", 2, 1)
