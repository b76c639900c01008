"""The table of tools: names, arguments and what agents read of them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self, TypeAlias, TypeVar

from pydantic import Field, ValidationError, model_validator

from acp_jupyter.api.models.documents import CellType
from acp_jupyter.protocol.objects import Model, misfits

MAX_CHARS = 200_000
"""Longest source of a cell that a tool writes."""
_CODE_CHARS = 8_000
_MAX_SECONDS = 3600.0

Id = Annotated[str, Field(min_length=1, max_length=200)]
Source = Annotated[str, Field(max_length=MAX_CHARS)]
Code = Annotated[str, Field(min_length=1, max_length=_CODE_CHARS)]
Seconds = Annotated[float, Field(gt=0, le=_MAX_SECONDS)]

_Input = TypeVar("_Input", bound="ToolInput")


class WrongArguments(Exception):
    """The arguments do not fit the tool; the message says which."""


class ToolInput(Model):
    """Arguments of a tool."""

    tool: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str]
    """What an agent reads of it."""
    changes: ClassVar[bool] = True
    """Whether it changes or runs something, and so needs permission."""

    notebook: str | None = Field(
        default=None,
        max_length=4096,
        description="Path of another notebook that the prompt links to; default: the user's own.",
    )


def input_schema(row: type[ToolInput]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, without the names of our classes."""
    schema = row.model_json_schema()
    schema.pop("description", None)
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    kinds = schema.pop("$defs", {})
    return {"type": "object", "properties": {}, **_inlined(schema, kinds)}


def _inlined(schema: Any, kinds: dict[str, Any]) -> Any:
    """Put parts in the place of references to them, which some clients do not follow."""
    match schema:
        case {"$ref": str(reference)}:
            kind = kinds[reference.rpartition("/")[2]]
            left = {name: value for name, value in kind.items() if name != "title"}
            return _inlined(left, kinds)
        case dict():
            return {name: _inlined(value, kinds) for name, value in schema.items()}
        case list():
            return [_inlined(value, kinds) for value in schema]
        case _:
            return schema


def read_input(row: type[_Input], arguments: dict[str, Any]) -> _Input:
    """Check the arguments of a call."""
    try:
        return row.model_validate(arguments)
    except ValidationError as error:
        raise WrongArguments(f"{row.tool}: {misfits(error)[0]}.") from None


class ListCells(ToolInput):
    """`list_cells`."""

    tool = "list_cells"
    title = "List the cells of the notebook"
    words = (
        "List the cells of the user's open notebook, unsaved changes included: for each its id, "
        "type, first line, number of lines, fingerprint, execution count and kinds of outputs. "
        "Other tools take the ids; edits take the fingerprint too."
    )
    changes = False

    start: int = Field(default=0, ge=0, description="Index of the first cell to list.")


class ReadCells(ToolInput):
    """`read_cells`."""

    tool = "read_cells"
    title = "Read cells"
    words = (
        "Read the whole source of cells, with their fingerprints, and their outputs: text is cut "
        "where it is long, plots come as images."
    )
    changes = False

    cell_ids: tuple[Id, ...] = Field(
        min_length=1, max_length=50, description="Ids as `list_cells` gives them."
    )
    outputs: bool = Field(default=True, description="Whether the outputs are wanted too.")


class InsertTool(ToolInput):
    """`insert_cell`."""

    tool = "insert_cell"
    title = "Insert a cell"
    words = (
        "Insert a new cell into the user's notebook; it is not run. Returns its id and "
        "fingerprint. Give `after` or `before`; without either it comes last."
    )

    source: Source = Field(description="The whole text of the cell.")
    cell_type: CellType = "code"
    after: Id | None = Field(default=None, description="Id of the cell that it comes after.")
    before: Id | None = Field(default=None, description="Id of the cell that it comes before.")


class TextEdit(Model):
    """One edit of a text."""

    old: str = Field(
        min_length=1,
        max_length=MAX_CHARS,
        description="Text of the cell, exactly as it is; it must be there once.",
    )
    new: Source = Field(description="The replacement.")
    all: bool = Field(
        default=False,
        description="Change every occurrence of `old`; otherwise it must occur once.",
    )


class EditTool(ToolInput):
    """`edit_cell`."""

    tool = "edit_cell"
    title = "Edit a cell"
    words = (
        "Change the source of a cell; its outputs stay until it is run. Give `edits`, old and new "
        "text, for a small change, or `source` for the whole text. Refused as `stale` when the "
        "user has changed the cell since you read it."
    )

    cell_id: Id
    fingerprint: Id = Field(
        description="Fingerprint of the source that you read, from `list_cells` or `read_cells`."
    )
    source: Source | None = Field(default=None, description="The new text of the whole cell.")
    edits: tuple[TextEdit, ...] = Field(
        default=(),
        max_length=50,
        description="Edits of its text, carried out one after the other: all of them, or none.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.source is None) == (not self.edits):
            raise ValueError("give source or edits, one of the two")
        return self


class MoveTool(ToolInput):
    """`move_cell`."""

    tool = "move_cell"
    title = "Move a cell"
    words = "Move a cell. Give `after` or `before`; without either it comes last."

    cell_id: Id
    fingerprint: Id = Field(description="Fingerprint of the source that you read.")
    after: Id | None = Field(default=None, description="Id of the cell that it should come after.")
    before: Id | None = Field(
        default=None, description="Id of the cell that it should come before."
    )


class DeleteTool(ToolInput):
    """`delete_cell`."""

    tool = "delete_cell"
    title = "Delete a cell"
    words = "Delete a cell and its outputs."

    cell_id: Id
    fingerprint: Id = Field(description="Fingerprint of the source that you read.")


class RunCells(ToolInput):
    """`run_cells`."""

    tool = "run_cells"
    title = "Run cells"
    words = (
        "Run code cells in the notebook's kernel, one after the other, up to the first that fails. "
        "Their outputs are written into the notebook and returned: text, and plots as images."
    )

    cell_ids: tuple[Id, ...] = Field(
        min_length=1,
        max_length=20,
        description="Ids as `list_cells` gives them, in the order in which to run them.",
    )
    timeout_seconds: Seconds = Field(
        default=120.0, description="Time limit per cell; then it is interrupted."
    )


class ListVariables(ToolInput):
    """`list_variables`."""

    tool = "list_variables"
    title = "List the variables of the kernel"
    words = (
        "List the user's variables in the notebook's kernel: name, type, shape or length, and a "
        "short preview of the value."
    )
    changes = False

    pattern: str = Field(
        default="*", max_length=200, description="Names to list, `*` and `?` as in file names."
    )


class ReadLastError(ToolInput):
    """`last_error`."""

    tool = "last_error"
    title = "Look at the last error of the kernel"
    words = (
        "Show the last error that the user's code has raised in the notebook's kernel, with the "
        "variables of each frame of its traceback: name, type and a short preview of the value, "
        "as a debugger would after the error. Nothing is run or changed."
    )
    changes = False


class Inspect(ToolInput):
    """`inspect`."""

    tool = "inspect"
    title = "Inspect a name"
    words = (
        "Show what the kernel knows of a name or an expression such as `df.groupby`: signature, "
        "documentation, type."
    )
    changes = False

    code: Code = Field(description="The name, or code that has it.")
    position: int | None = Field(
        default=None,
        ge=0,
        description="Cursor position in the code, in characters; default: the end.",
    )


class Complete(ToolInput):
    """`complete`."""

    tool = "complete"
    title = "Complete code"
    words = "List how the kernel would complete code at a position, e.g. the columns of `df.`."
    changes = False

    code: Code
    position: int | None = Field(
        default=None,
        ge=0,
        description="Cursor position in the code, in characters; default: the end.",
    )


class RunCode(ToolInput):
    """`run_code`."""

    tool = "run_code"
    title = "Run code in the kernel"
    words = (
        "Run code in the notebook's kernel without a cell of its own, with the user's variables. "
        "Returns what it prints and shows; plots come as images. Top-level await works. "
        "The user sees the code first, and which variables it would overwrite. Use insert_cell and "
        "run_cells for what should stay in the notebook."
    )

    code: Code
    timeout_seconds: Seconds = Field(
        default=60.0, description="Time limit; then the code is interrupted."
    )


class ListTables(ToolInput):
    """`list_tables`."""

    tool = "list_tables"
    title = "List the tables of the kernel"
    words = (
        "List the tables in the notebook's kernel: DataFrames with their sizes and columns, and "
        "connections (SQLite, DuckDB, SQLAlchemy, ibis) with their tables."
    )
    changes = False


class DescribeTable(ToolInput):
    """`describe_table`."""

    tool = "describe_table"
    title = "Describe a table"
    words = (
        "Describe a DataFrame: columns, types, missing and distinct values, first rows; or the "
        "tables of a connection, with their columns and types. Values of masked columns are left "
        "out."
    )
    changes = False

    name: Id = Field(description="The variable that has it, from `list_tables`.")
    table: str = Field(
        default="", max_length=1000, description="A table of the connection in that variable."
    )


class Query(ToolInput):
    """`query`."""

    tool = "query"
    title = "Query a table"
    words = (
        "Run one SELECT on a connection of the kernel, or on a DataFrame, which is a table of its "
        "variable's name there (in DuckDB's SQL). It can only read, and sees what is committed. "
        "Returns the first rows as a table of Markdown. Masked columns can't be named, nor taken "
        "by `*`. The user sees the SQL first."
    )

    name: Id = Field(
        description="The variable that has the connection or the DataFrame, from `list_tables`."
    )
    sql: Code = Field(description="One SELECT.")
    limit: int = Field(default=50, ge=1, le=1000, description="Most rows to return.")
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = Field(
        default=30.0, description="Time limit; then the query is stopped."
    )


class Interrupt(ToolInput):
    """`interrupt`."""

    tool = "interrupt"
    title = "Interrupt the kernel"
    words = "Stop the code that one of these tools runs in the kernel. Variables stay."


class RestartKernel(ToolInput):
    """`restart_kernel`."""

    tool = "restart_kernel"
    title = "Restart the kernel"
    words = "Restart the notebook's kernel. All variables are lost."


SERVER_NAME = "notebook"

AnyTool: TypeAlias = (
    ListCells
    | ReadCells
    | InsertTool
    | EditTool
    | MoveTool
    | DeleteTool
    | RunCells
    | ListVariables
    | ReadLastError
    | Inspect
    | Complete
    | RunCode
    | ListTables
    | DescribeTable
    | Query
    | Interrupt
    | RestartKernel
)

_CELL_TOOLS: tuple[type[AnyTool], ...] = (
    ListCells,
    ReadCells,
    InsertTool,
    EditTool,
    MoveTool,
    DeleteTool,
)
_KERNEL_TOOLS: tuple[type[AnyTool], ...] = (
    RunCells,
    ListVariables,
    ReadLastError,
    Inspect,
    Complete,
    RunCode,
    ListTables,
    DescribeTable,
    Query,
    Interrupt,
    RestartKernel,
)

TOOLS: dict[str, type[AnyTool]] = {row.tool: row for row in (*_CELL_TOOLS, *_KERNEL_TOOLS)}

KERNEL_TOOLS = frozenset(row.tool for row in _KERNEL_TOOLS)
"""Those that need a kernel."""
