"""Inputs and outputs of tools are told apart by the tool's name, in either spelling."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from acp_jupyter.packets import ToolInput, ToolOutput
from acp_jupyter.protocol.tools import inputs, outputs

INPUTS: list[BaseModel] = [
    inputs.GlobInput(pattern="a"),
    inputs.GrepInput(pattern="a"),
    inputs.ReadInput(file_path="a"),
    inputs.WriteInput(file_path="a"),
    inputs.EditInput(file_path="a"),
    inputs.BashInput(command="a"),
    inputs.TaskInput(prompt="a"),
    inputs.TodoWriteInput(todos=(inputs.TodoItem(content="a"),)),
    inputs.WebFetchInput(url="a"),
    inputs.WebSearchInput(query="a"),
    inputs.OtherInput(tool_name="view_image", subject="a"),
    inputs.UnknownInput(raw={"a": 1}),
]
OUTPUTS: list[BaseModel] = [
    outputs.SearchToolOutput(tool_name="glob", data=outputs.SearchOutput(count=1)),
    outputs.SearchToolOutput(tool_name="grep", data=outputs.SearchOutput(count=1)),
    outputs.ReadToolOutput(data=outputs.ReadOutput(content="a")),
    outputs.WriteToolOutput(tool_name="write", data=outputs.WriteOutput(new_text="a")),
    outputs.WriteToolOutput(tool_name="edit", data=outputs.WriteOutput(new_text="a")),
    outputs.BashToolOutput(data=outputs.BashOutput(output="a")),
    outputs.TaskToolOutput(data=outputs.TaskOutput(result="a")),
    outputs.TodoToolOutput(data=outputs.TodoOutput(todos=(inputs.TodoItem(content="a"),))),
    outputs.UnknownToolOutput(data={"a": 1}),
    outputs.UnknownToolOutput(tool_name="view_image", data="a"),
]


@pytest.mark.parametrize(
    ("union", "value"),
    [*((ToolInput, each) for each in INPUTS), *((ToolOutput, each) for each in OUTPUTS)],
    ids=str,
)
def test_what_was_written_is_read_as_the_same_type(union: Any, value: BaseModel) -> None:
    adapter = TypeAdapter[Any](union)
    assert adapter.validate_python(value) == value
    for by_alias in (True, False):
        written = adapter.dump_python(value, by_alias=by_alias, warnings="error")
        read = adapter.validate_python(written)
        assert (type(read), read) == (type(value), value)


def test_what_names_no_tool_is_of_an_unknown_one() -> None:
    raw = {"raw": {"a": 1}}
    assert TypeAdapter[Any](ToolInput).validate_python(raw) == inputs.UnknownInput(raw={"a": 1})
    data = {"data": {"a": 1}}
    assert TypeAdapter[Any](ToolOutput).validate_python(data) == outputs.UnknownToolOutput(
        data={"a": 1}
    )


@pytest.mark.parametrize("union", [ToolInput, ToolOutput])
@pytest.mark.parametrize("wrong", [{"toolName": "bash", "pattern": "a"}, {"toolName": []}, 5])
def test_what_is_of_no_tool_is_refused(union: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="validation error"):
        TypeAdapter[Any](union).validate_python(wrong)
