"""What the model says in each scenario, request by request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.mockllm.parts import Cut, Fail, Options, Say, Step, Steps, Use
from tests.support.mockllm.tool_names import AGENT, ASK, EDIT, GLOB, READ, SHELL, TODO, WRITE
from tests.support.mockllm.tour import TOUR

__all__ = ["DONE", "scenario"]

DONE = "All done: **finished** the task."

_HELLO_PY = 'def main():\n    print("hello")\n'
_NEED = {
    "sandboxpermissions": "require_escalated",
    "justification": "Do you want to allow this?",
}
"""What an agent in a sandbox needs to know that a command must be asked about."""
_THOUGHT = Say("First the request, then a tool. ", thinking=True)
_HELLO = "# Hello\n\nSome **Markdown**.\n\n- one\n- two\n"
_TODOS = ("Read the notebook", "Write the function", "Run the tests")


def scenario(name: str, options: Options) -> Steps:
    """Return the turns of a scenario; a turn may say, use tools, fail or be cut."""
    known = _SCENARIOS.get(name)
    return known(options) if known else [[Say(f"There is no scenario {name!r}.")]]


def _path(options: Options) -> str:
    return f"{options.get('cwd', '/tmp')}/{options.get('file', 'hello.py')}"


def _shell(command: str, **more: Any) -> Use:
    return Use(SHELL, {"command": command, "description": "Does what the test wants", **more})


def _words(options: Options, count: int) -> Say:
    return Say("", words=[f"w{n} " for n in range(int(options.get("chunks", count)))])


def _hello(_: Options) -> Steps:
    return [[_THOUGHT, Say(_HELLO)]]


def _think(_: Options) -> Steps:
    return [[Say("A long thought. " * 40, thinking=True), Say("Thought enough.")]]


def _count(options: Options) -> Steps:
    return [[_words(options, 40)]]


def _long_stream(options: Options) -> Steps:
    return [[_words(options, 5000)]]


def _write_file(options: Options) -> Steps:
    write = Use(WRITE, {"path": _path(options), "content": _HELLO_PY})
    return [[_THOUGHT, Say("Now the file.\n"), write], [Say(DONE)]]


def _edit_file(options: Options) -> Steps:
    edit = Use(EDIT, {"path": _path(options), "old": "hello", "new": "goodbye"})
    read = Use(READ, {"path": _path(options)})
    return [[Say("Reading first.\n"), read], [Say("Now the edit.\n"), edit], [Say(DONE)]]


def _bad_edit(options: Options) -> Steps:
    edit = Use(EDIT, {"path": _path(options), "old": "THIS IS NOT IN THE FILE", "new": "x"})
    return [[Use(READ, {"path": _path(options)})], [edit], [Say(DONE)]]


def _run_command(_: Options) -> Steps:
    return [[Say("A command.\n"), _shell("echo out; exit 3")], [Say(DONE)]]


def _touch(options: Options) -> Steps:
    return [[_shell(f"touch {_path(options)} && echo touched", **_NEED)], [Say(DONE)]]


def _three_ways(options: Options) -> Steps:
    """Change files by every way that there is: by an edit, by a write, by a command."""
    cwd, file = options.get("cwd", "/tmp"), _path(options)
    edit = Use(EDIT, {"path": file, "old": "hello", "new": "goodbye"})
    write = Use(WRITE, {"path": f"{cwd}/written.py", "content": _HELLO_PY})
    command = _shell(f"sed -i s/one/two/ {cwd}/by_command.txt", **_NEED)
    return [[Use(READ, {"path": file})], [edit], [write], [command], [Say(DONE)]]


def _sleep_command(_: Options) -> Steps:
    return [[Say("A long one.\n"), _shell("echo tick; sleep 300")], [Say(DONE)]]


def _todo_plan(_: Options) -> Steps:
    states = [
        ("in_progress", "pending", "pending"),
        ("completed", "in_progress", "pending"),
        ("completed", "completed", "completed"),
    ]
    turns: Steps = [
        [
            Say(f"Step {number}.\n"),
            Use(
                TODO,
                {"todos": _todos(state)},
            ),
        ]
        for number, state in enumerate(states)
    ]
    return [*turns, [Say(DONE)]]


def _todos(states: Sequence[str]) -> list[dict[str, str]]:
    return [
        {"content": content, "status": status}
        for content, status in zip(_TODOS, states, strict=True)
    ]


def _ask(_: Options) -> Steps:
    ask = Use(ASK, {"question": "Which colour?", "options": ["red", "green"]})
    return [[Say("A question.\n"), ask], [Say(DONE)]]


def _many_tools(options: Options) -> Steps:
    cwd = options.get("cwd", "/tmp")
    many = f"{cwd}/many.py"
    first: Sequence[Step] = [
        Say("Many tools at once.\n"),
        Use(READ, {"path": _path(options)}),
        _shell("echo one"),
        _shell("echo two"),
        Use(GLOB, {"pattern": "**/*", "path": cwd}),
    ]
    return [
        [*first],
        [Say("And a write.\n"), Use(WRITE, {"path": many, "content": _HELLO_PY})],
        [Use(READ, {"path": many})],
        [Use(EDIT, {"path": many, "old": "hello", "new": "goodbye"})],
        [_shell("python3 many.py || true")],
        [Say(DONE)],
    ]


def _subagent(options: Options) -> Steps:
    prompt = f"[[mock scenario=read cwd={options.get('cwd', '/tmp')}]] Read it."
    return [[Say("Delegating.\n"), Use(AGENT, {"prompt": prompt})], [Say(DONE)]]


def _read(options: Options) -> Steps:
    return [[Use(READ, {"path": _path(options)})], [Say(DONE)]]


def _error(options: Options) -> Steps:
    return [[Fail(int(options.get("code", 400)))]]


def _drop(_: Options) -> Steps:
    return [[Say("This stream will be cut. "), Cut()]]


_SCENARIOS: Mapping[str, Callable[[Options], Steps]] = {
    "hello": _hello,
    "think": _think,
    "count": _count,
    "long_stream": _long_stream,
    "write_file": _write_file,
    "edit_file": _edit_file,
    "bad_edit": _bad_edit,
    "run_command": _run_command,
    "touch": _touch,
    "three_ways": _three_ways,
    "sleep_command": _sleep_command,
    "todo_plan": _todo_plan,
    "ask": _ask,
    "many_tools": _many_tools,
    "subagent": _subagent,
    "read": _read,
    "error": _error,
    "drop": _drop,
    **TOUR,
}
