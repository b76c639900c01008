"""The functions of seed 004: outputs as text, diffs, paths, ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_jupyter.packets import (
    DiffData,
    ToolOutput,
    extract_diff_data,
    extract_new_text,
    extract_old_text,
    format_tool_output,
    gen_id,
    get_relative_path,
    normalize_todo_status,
    parse_packet,
)
from acp_jupyter.protocol.files import relative_path, with_relative_paths
from acp_jupyter.protocol.packets import ToolCallProgress
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.protocol.tools.outputs import (
    BashOutput,
    BashToolOutput,
    ReadOutput,
    ReadToolOutput,
    SearchOutput,
    SearchToolOutput,
    TaskOutput,
    TaskToolOutput,
    TodoOutput,
    TodoToolOutput,
    UnknownToolOutput,
    WriteOutput,
    WriteToolOutput,
)

Json = dict[str, Any]
DIFF = {"type": "diff", "path": "/a", "oldText": "old", "newText": "new"}


def gives(tool: str, raw: Any, content: Any = None) -> ToolOutput | None:
    packet = {"toolCallId": "c", "title": tool, "rawOutput": raw, "content": content}
    progress = parse_packet({"type": "tool_call_progress", **packet})
    assert isinstance(progress, ToolCallProgress)
    return progress.output


TODO: Json = {"content": "ä", "status": "completed", "activeForm": "b"}
ITEM = TodoItem(content="ä", status="completed", active_form="b")
TWO = SearchOutput(files=("a", "b"), count=2)
ONE = SearchOutput(files=("a",), count=1)
OUTPUTS: list[tuple[str, Any, ToolOutput]] = [
    ("glob", {"output": "a\nb"}, SearchToolOutput(tool_name="glob", data=TWO)),
    ("grep", {"output": "a"}, SearchToolOutput(tool_name="grep", data=ONE)),
    ("read", {"output": "t"}, ReadToolOutput(data=ReadOutput(content="t"))),
    ("bash", {"output": "o"}, BashToolOutput(data=BashOutput(output="o"))),
    ("task", {"output": "done"}, TaskToolOutput(data=TaskOutput(result="done"))),
    ("todowrite", {"metadata": {"todos": [TODO]}}, TodoToolOutput(data=TodoOutput(todos=(ITEM,)))),
    ("mytool", {"a": [1]}, UnknownToolOutput(data={"a": [1]})),
    ("webfetch", "text", UnknownToolOutput(data="text")),
]


@pytest.mark.parametrize(("tool", "raw", "output"), OUTPUTS, ids=[o[0] for o in OUTPUTS])
def test_outputs(tool: str, raw: Any, output: ToolOutput) -> None:
    """S5.15: one form for each tool; what is unknown stays as it came."""
    assert gives(tool, raw) == output


@pytest.mark.parametrize("tool", ["write", "edit"])
@pytest.mark.parametrize(
    ("raw", "diff", "expected"),
    [
        ({}, DIFF, WriteOutput(new_text="new", old_text="old", is_new_file=False)),
        ({}, {**DIFF, "oldText": ""}, WriteOutput(new_text="new", old_text="")),
        ({}, {**DIFF, "oldText": None}, WriteOutput(new_text="new", old_text="")),
        ({}, None, WriteOutput()),
        ({"metadata": {"exists": True}}, None, WriteOutput(is_new_file=False)),
        ({"metadata": {"exists": "yes"}}, None, WriteOutput()),
        ({"error": "disk full"}, None, WriteOutput(success=False)),
    ],
    ids=str,
)
def test_outputs_of_writes(tool: Any, raw: Json, diff: Json | None, expected: WriteOutput) -> None:
    """S5.16, C6: success, both texts, new or not."""
    content = None if diff is None else [diff]
    assert gives(tool, raw, content) == WriteToolOutput(tool_name=tool, data=expected)


def test_content_says_it_before_the_raw_output() -> None:
    """S5.15: a text once, joined from its blocks; a fence around all of it goes."""
    text = {"type": "text", "text": "```sh\none\n```"}
    once = BashToolOutput(data=BashOutput(output="one\n"))
    assert gives("bash", {"output": "raw"}, [text]) == once
    two = [{"type": "text", "text": t} for t in ("```a\nx\n``` and ```b\ny\n```", "", "two")]
    joined = "```a\nx\n``` and ```b\ny\n```\ntwo"
    assert gives("task", None, two) == TaskToolOutput(data=TaskOutput(result=joined))
    pair = [{"type": "text", "text": t} for t in ("one", "two")]
    assert gives("task", None, pair) == TaskToolOutput(data=TaskOutput(result="one\ntwo"))
    for fenced in ("```c-x\none\n```", "```\none\n```\n"):
        said = [{"type": "text", "text": fenced}]
        assert gives("task", None, said) == TaskToolOutput(data=TaskOutput(result="one\n"))
    unclosed = [{"type": "text", "text": "```sh\none"}]
    assert gives("task", None, unclosed) == TaskToolOutput(data=TaskOutput(result="```sh\none"))
    assert gives("mytool", None, [text]) == UnknownToolOutput(data="one\n")


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_arguments_that_are_repeated_are_no_output(between: str) -> None:
    """S5.15: where they are the call's own, and what follows them stays whole."""
    packet = {"type": "tool_call_progress", "toolCallId": "c", "title": "task"}
    for raw_input, output in (({"a": 1}, "~ done"), ({"a": 2}, f'{{"a": 1}}{between}~ done')):
        text = {"type": "text", "text": f'{{"a": 1}}{between}~ done'}
        progress = parse_packet({**packet, "rawInput": raw_input, "content": [text]})
        assert isinstance(progress, ToolCallProgress)
        assert progress.output == TaskToolOutput(data=TaskOutput(result=output))


def test_no_output_is_no_text() -> None:
    """S5.28."""
    assert format_tool_output(None) == ""


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (SearchToolOutput(tool_name="grep", data=SearchOutput(files=("a", "b"))), "a\nb"),
        (SearchToolOutput(tool_name="glob", data=SearchOutput()), ""),
        (ReadToolOutput(data=ReadOutput(content="text")), "text"),
        (WriteToolOutput(tool_name="write", data=WriteOutput(new_text="new")), "new"),
        (WriteToolOutput(tool_name="edit", data=WriteOutput()), ""),
    ],
    ids=str,
)
def test_text_of_files(output: ToolOutput, text: str) -> None:
    """S5.29."""
    assert format_tool_output(output) == text


def test_text_of_work() -> None:
    """S5.30: output, result, and JSON with an indent of two."""
    assert (
        format_tool_output(BashToolOutput(data=BashOutput(output="out\n", exit_code=1))) == "out\n"
    )
    assert format_tool_output(TaskToolOutput(data=TaskOutput(result="done"))) == "done"
    todos = gives("todowrite", {"metadata": {"todos": [TODO]}})
    assert format_tool_output(todos) == json.dumps([TODO], indent=2, ensure_ascii=False)
    assert '\n    "activeForm": "b"\n' in format_tool_output(todos)
    data = UnknownToolOutput(data={"ä": [1, None]})
    assert format_tool_output(data) == '{\n  "ä": [\n    1,\n    null\n  ]\n}'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, DiffData("", "", is_new_file=True)),
        ("x", DiffData("", "", is_new_file=True)),
        ({"type": "diff", "oldText": "a"}, DiffData("", "", is_new_file=True)),
        ([], DiffData("", "", is_new_file=True)),
        ([{"type": "content"}, None], DiffData("", "", is_new_file=True)),
        ([DIFF], DiffData("old", "new", is_new_file=False)),
        ([None, DIFF, {**DIFF, "oldText": ""}], DiffData("old", "new", is_new_file=False)),
        ([{"type": "diff", "oldText": None, "newText": None}], DiffData("", "", is_new_file=True)),
        ([{"type": "diff", "oldText": 5, "newText": []}], DiffData("", "", is_new_file=True)),
        ([{"type": "diff", "oldText": "", "newText": "n"}], DiffData("", "n", is_new_file=True)),
    ],
    ids=str,
)  # fmt: skip
def test_extract_diff_data(content: Any, expected: DiffData) -> None:
    """S5.36, S5.37, C7: the first diff; without one, that of a new and empty file."""
    assert extract_diff_data(content) == expected
    assert extract_old_text(content) == expected.old_text
    assert extract_new_text(content) == expected.new_text


@pytest.mark.parametrize(
    ("full", "relative"),
    [
        pytest.param("", "", id="S5.38"),
        pytest.param("/s/outputs/web/a.ts", "web/a.ts", id="S5.39"),
        pytest.param("/s/outputs/a/outputs/b", "a/outputs/b", id="S5.39 first"),
        pytest.param("/sandboxes/7/outputs/a/b", "a/b", id="S5.39 before sandboxes"),
        pytest.param("/x/sandboxes/7f/src/a.ts", "src/a.ts", id="S5.40"),
        pytest.param("/x/sandboxes/7f", "7f", id="S5.40 nothing below"),
        pytest.param("/x/sandboxes//a/b", "b", id="S5.40 no id"),
        pytest.param("/x/outputs/", "", id="S5.41 nothing below"),
        pytest.param("/home/me/a.ts", "a.ts", id="S5.41"),
        pytest.param("a.ts", "a.ts", id="S5.41 no slash"),
        pytest.param("outputs/a/b.ts", "b.ts", id="S5.41 no slash before outputs"),
        pytest.param("/home/me/", "", id="S5.41 folder"),
        pytest.param("/s/outputs/a\nb", "a\nb", id="S5.39 one line"),
        pytest.param("/s/outputs/a\n", "a\n", id="S5.39 to the end"),
        pytest.param("/x/sandboxes/7/a\nb", "a\nb", id="S5.40 one line"),
        pytest.param("/xsandboxes/7/a/b", "b", id="S5.40 whole word"),
        pytest.param("/xoutputs/a/b", "b", id="S5.39 whole word"),
    ],
)
def test_get_relative_path(full: str, relative: str) -> None:
    """S5.38, S5.39, S5.40, S5.41: below outputs, below a sandbox, else the base name."""
    assert get_relative_path(full) == relative


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/ws/src/a.py", "/ws", "src/a.py"),
        ("/ws/src/a.py", "/ws/", "src/a.py"),
        ("/ws", "/ws", "."),
        ("/wsx/a.py", "/ws", "/wsx/a.py"),
        ("/etc/hosts", "/ws", "/etc/hosts"),
        ("src/a.py", "/ws", "src/a.py"),
        ("/ws~/a.py", "/ws~", "a.py"),
        ("C:\\ws\\src\\a.py", "C:\\ws", "src/a.py"),
        ("/a", "", "/a"),
        ("", "/ws", ""),
    ],
)
def test_live_paths_are_relative_to_the_folder(path: str, cwd: str, expected: str) -> None:
    """S5.41, C17: two files of one name stay two; what lies elsewhere stays whole."""
    assert relative_path(path, cwd) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Read /ws/src/a.py", "Read src/a.py"),
        ("List /ws", "List ."),
        ("Diff /ws/a and /ws/b", "Diff a and b"),
        ("Read /wsx/a", "Read /wsx/a"),
        ("Read /old/ws/a", "Read /old/ws/a"),
        ("Read x", "Read x"),
    ],
)
def test_paths_in_titles(words: str, expected: str) -> None:
    """C17."""
    assert with_relative_paths(words, "/ws/") == expected
    assert with_relative_paths(words, "") == words
    assert with_relative_paths(words.replace("/ws", "/ws~"), "/ws~") == expected.replace(
        "/ws", "/ws~"
    )


def test_ids_and_statuses() -> None:
    """S5.46: ids are unique; a status that is unknown is pending."""
    assert len({gen_id() for _ in range(1000)}) == 1000
    assert all(gen_id() for _ in range(3))
    known = ["pending", "in_progress", "completed"]
    others: list[Any] = ["done", "", None, 5, [], "PENDING"]
    assert [normalize_todo_status(status) for status in known] == known
    assert {normalize_todo_status(status) for status in others} == {"pending"}
