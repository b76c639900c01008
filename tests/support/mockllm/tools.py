"""Which of the agent's tools a wish means, and what that tool wants to be told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.mockllm.parts import Json, Tool, Use
from tests.support.mockllm.tool_names import EDIT, READ, SHELL, WRITE

__all__ = ["filled", "made", "resolved"]

Wish = Mapping[str, Any]

_SPELLINGS = {
    **dict.fromkeys(("filepath", "absolutepath", "filename", "file", "dirpath", "paths"), "path"),
    **dict.fromkeys(("oldstring", "oldstr", "oldtext"), "old"),
    **dict.fromkeys(("newstring", "newstr", "newtext"), "new"),
    **dict.fromkeys(("value", "name"), "label"),
    **dict.fromkeys(("title", "activeform"), "step"),
    "cmd": "command",
}
"""What tools call a parameter, without punctuation, to what a wish calls it."""

_TODOS = {"todos", "plan", "tasks"}
_TODO_TEXTS = {"subject", "description", "activeform"}


def resolved(use: Use, tools: Sequence[Tool]) -> tuple[Tool, Json | str] | None:
    """Return the tool and its arguments; None where the agent has none for it."""
    wish = use.arguments
    tool = _offered(use.names, tools)
    if use.exact:
        return None if tool is None else (tool, dict(wish))
    if tool is None and use.names in (WRITE, EDIT):
        wish = {"command": f"apply_patch <<'PATCH'\n{_patch(wish)}PATCH\n"}
        tool = _offered(SHELL, tools)
    elif tool is None and use.names is READ:
        wish = {"command": f"cat {wish['path']}"}
        tool = _offered(SHELL, tools)
    if tool is None:
        return None
    if tool.is_text:
        return tool, _patch(wish) if "path" in wish else str(wish.get("command", ""))
    return tool, filled(tool.schema, wish)


def filled(schema: Json, wish: Wish) -> Json:
    """Return an object of that schema that says what the wish says."""
    required = set(schema.get("required") or [])
    result: Json = {}
    for name, raw in (schema.get("properties") or {}).items():
        inner = _one_of(raw)
        value = _meant(name, inner, wish)
        if value is None and name in required:
            value = made(name, inner, wish)
        if value is not None:
            result[name] = value
    return result


def made(name: str, schema: Json, wish: Wish) -> Any:
    """Return some valid value."""
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match _type(schema):
        case "integer" | "number":
            return 30_000 if "time" in name.lower() else max(1, int(schema.get("minimum", 1)))
        case "boolean":
            return False
        case "array":
            items = _one_of(schema.get("items", {}))
            return [made(name, items, wish)] if schema.get("minItems") else []
        case "object":
            return filled(schema, wish)
        case _:
            return f"mock {name}"


def _offered(names: Sequence[str], tools: Sequence[Tool]) -> Tool | None:
    for pattern in names:
        for tool in tools:
            if re.search(pattern, tool.name, re.IGNORECASE):
                return tool
    return None


def _meant(name: str, schema: Json, wish: Wish) -> Any:
    """Return what the wish says for a parameter, None where it says nothing."""
    word = re.sub("[^a-z]", "", name.lower())
    spelled = _SPELLINGS.get(word, word)
    if "question" in wish:
        return _question(word, schema, wish)
    if spelled in wish:
        value = wish[spelled]
        if _type(schema) != "array" or isinstance(value, list):
            return value
        return ["bash", "-lc", value] if spelled == "command" else [value]
    if "path" in wish and word in {"patch", "input"}:
        return _patch(wish)
    if "todos" in wish:
        return _todo(word, schema, wish["todos"])
    return None


def _todo(word: str, schema: Json, todos: Sequence[Wish]) -> Any:
    if word in _TODOS:
        items = _one_of(schema.get("items", {}))
        return [filled(items, {"step": one["content"], **one}) for one in todos]
    if word in _TODO_TEXTS:  # a tool for one at a time
        begun = (todo for todo in todos if todo["status"] == "in_progress")
        return next(begun, todos[-1])["content"]
    return None


def _question(word: str, schema: Json, wish: Wish) -> Any:
    items = _one_of(schema.get("items", {}))
    match word:
        case "questions":
            return [filled(items, wish)]
        case "question" | "header" | "prompt":
            return wish["question"]
        case "options" | "choices":
            if _type(items) == "string":
                return list(wish["options"])
            return [
                filled(items, {"label": option, "description": option})
                for option in wish["options"]
            ]
        case _:
            return None


def _patch(wish: Wish) -> str:
    """Return a change in the words of ``apply_patch``."""
    path = wish["path"]
    if "old" in wish:
        lines = [f"*** Update File: {path}", "@@", " def main():"]
        lines += [f'-    print("{wish["old"]}")', f'+    print("{wish["new"]}")']
    else:
        lines = [f"*** Add File: {path}", *(f"+{line}" for line in wish["content"].splitlines())]
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def _one_of(schema: Any) -> Json:
    if not isinstance(schema, dict):
        return {}
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices and "type" not in schema:
        return next((choice for choice in choices if _type(choice) != "null"), schema)
    return schema


def _type(schema: Json) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    return kind.lower() if isinstance(kind, str) else ""
