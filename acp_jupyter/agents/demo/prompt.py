"""A prompt: its content blocks as text, and the task that it asks for.

The first keyword wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

from acp_jupyter.agents.demo.workspace import TEXT_SUFFIXES
from acp_jupyter.agents.rpc import INVALID_PARAMS, RpcError


class Task(StrEnum):
    """The agent's tasks."""

    LOOK_AT = "look_at"
    PLOT = "plot"
    QUERY = "query"
    FIX_CELL = "fix_cell"
    NEXT_CELL = "next_cell"
    EDIT_NOTEBOOK = "edit_notebook"
    DELEGATE = "delegate"
    EXPLORE = "explore"
    EDIT = "edit"
    CREATE = "create"
    RUN = "run"
    MARKDOWN = "markdown"
    SLOW = "slow"
    BENCH = "bench"
    PLAN = "plan"
    TWICE = "twice"
    QUESTION = "question"
    CRASH = "crash"
    REFUSE = "refuse"
    MAX_TOKENS = "max_tokens"
    ERROR = "error"
    HELP = "help"


_FAILED_CELL = "A cell of this notebook failed"
"""The beginning of prompts from ``%acp fix`` and a cell's *Fix* button."""
_NEXT_CELL = "Suggest the next cell of this notebook"
"""The beginning of prompts from *Suggest Next Cell*."""
_OF_CELL = re.compile(r"Propose a fix of that one cell, whose id is `([^`\s]+)`")
_FIX = (
    r"fix(?:\s+(?:it|this|that))?(?=\W*$)"
    r"|fix\s+(?:(?:the|my|this|last|failing|failed)\s+)*(?:cell|notebook|error)"
)
_KEYWORDS: dict[Task, str] = {  # if two begin at the same position, the first of these
    Task.LOOK_AT: r"look at\s+(?!(?:the|th[ie]s|those|that|my|our|all|it|an?)\b)[^\W\d]\w*",
    Task.PLOT: r"plot",
    Task.QUERY: r"query(?=\s+[^\W\d]\w*\s*:)",
    Task.FIX_CELL: _FIX,
    Task.EDIT_NOTEBOOK: r"edit\s+(?:the|this|my)\s+notebook",
    Task.DELEGATE: r"delegate|subagents?",
    Task.EXPLORE: r"list|explore|read|show|look|explain|describe|what(?:'s| is| files are) in",
    Task.EDIT: r"edit|fix|improve|clean|add|change|make\b.*\b(?:faster|twice as fast|cleaner)",
    Task.CREATE: r"create|write",
    Task.RUN: r"run|test|tests|execute",
    Task.MARKDOWN: r"markdown|formulas?|maths",
    Task.SLOW: r"slow|slowly|long",
    Task.BENCH: r"bench",
    Task.PLAN: r"plan",
    Task.TWICE: r"(?:ask )?twice|two permissions",
    Task.QUESTION: r"ask me|question",
    Task.CRASH: r"crash",
    Task.REFUSE: r"refuse",
    Task.MAX_TOKENS: r"max[ _]tokens",
    Task.ERROR: r"error|fail",
    Task.HELP: r"help",
}
_PATTERNS = {
    task: re.compile(rf"(?<![\w/])/?(?:{words})\b", re.S) for task, words in _KEYWORDS.items()
}
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”")
_CONTENT = re.compile(r"\b(?:with|containing|saying)\b[^`\"“]*(`[^`]*`|\"[^\"]*\"|“[^”]*”)", re.S)
_VARIABLE = re.compile(r"(?<!\w)(?:look\s+at|plot|query)\s+(?:the\s+)?`?([^\W\d]\w*)", re.I)
_LOOK_AT_QUOTED = re.compile(r"(look\s+at\s+)`(\w+)`")
_SQL = re.compile(r"\bquery\s+[^\W\d]\w*\s*:(.*)", re.I | re.S)
_NUMBER = re.compile(r"\b(n|size|rate)\s*=\s*(\d{1,12}(?:\.\d{1,6})?)", re.I)
_NAME = re.compile(r"[^\s`\"'“”‘’()<>,;:!?]+")


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed prompt.

    Attributes
    ----------
    names
        The words that look like names of files, in order.
    content
        The quoted text after "with", "containing" or "saying".
    variable
        The name after "look at", "plot" or "query".
    sql
        What comes after "query NAME:".
    numbers
        The settings ``n``, ``size`` and ``rate`` it gives.
    cell_id
        The cell for which only a fix is to be proposed.
    """

    task: Task
    text: str
    names: tuple[str, ...]
    content: str | None
    variable: str | None
    numbers: dict[str, float]
    cell_id: str | None = None
    sql: str = ""


def understand(text: str) -> Request:
    """Return the task that `text` asks for."""
    content = _CONTENT.search(text)
    names = tuple(_file_names(text[: content.start(1)] if content else text))
    variable = _VARIABLE.search(text)
    query = _SQL.search(text)
    cell = _OF_CELL.search(text) if text.startswith(_FAILED_CELL) else None
    return Request(
        task=_task(text, names),
        text=text,
        names=names,
        content=content[1][1:-1] if content else None,
        variable=variable[1] if variable else None,
        numbers={key.lower(): float(number) for key, number in _NUMBER.findall(text)},
        cell_id=cell[1] if cell else None,
        sql=query[1].strip() if query else "",
    )


def _file_names(text: str) -> list[str]:
    words = (word.removeprefix("@").rstrip(".") for word in _NAME.findall(text))
    return [word for word in words if Path(word).suffix.lower() in TEXT_SUFFIXES]


def _task(text: str, names: tuple[str, ...]) -> Task:
    if text.startswith(_FAILED_CELL):  # code follows, with words of all kinds
        return Task.FIX_CELL
    if text.startswith(_NEXT_CELL):
        return Task.NEXT_CELL
    bare = _QUOTED.sub(" ", _LOOK_AT_QUOTED.sub(r"\1\2", text.lower()))
    for name in names:
        bare = bare.replace(name.lower(), " ")
    found = [
        (match.start(), task)
        for task, pattern in _PATTERNS.items()
        if (match := pattern.search(bare))
    ]
    # "Write a poem" names no file, so there is nothing to create.
    found = [pair for pair in found if pair[1] is not Task.CREATE or names]
    # "Fix clean.py" is about the file.
    found = [pair for pair in found if pair[1] is not Task.FIX_CELL or not names]
    return min(found, key=lambda pair: pair[0])[1] if found else Task.HELP


_TOLD = "<earlier-conversation>"
"""Begins the text that a client sends about earlier turns, which asks for nothing."""


def prompt_text(prompt: object) -> str:
    """Return the text of a prompt's blocks; links and attachments count by their names."""
    if not isinstance(prompt, list) or not all(isinstance(block, dict) for block in prompt):
        raise RpcError(INVALID_PARAMS, "The prompt is not a list of content blocks.")
    parts: list[str] = []
    for block in prompt:
        match block:
            case {"type": "text", "text": str(text)} if text.startswith(_TOLD):
                pass
            case {"type": "text", "text": str(text)}:
                parts.append(text)
            case {"type": "resource_link", "uri": str(uri)} | {
                "type": "resource",
                "resource": {"uri": str(uri)},
            }:
                parts.append(unquote(uri.removeprefix("file://")))
            case {"type": "image" | "audio"}:
                pass
            case _:
                raise RpcError(INVALID_PARAMS, "The prompt has a content block that can't be read.")
    text = "\n".join(parts)
    if not prompt or (parts and not text.strip()):
        raise RpcError(INVALID_PARAMS, "The prompt is empty.")
    return text
