"""What the model says on the tour of the view: one turn for each part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from acp_jupyter.agents.demo.talk_tasks import ONE_OF_EACH, exactly
from tests.support.mockllm.parts import Options, Say, Step, Steps, Use
from tests.support.mockllm.tool_names import EDIT, READ, SHELL, TASK_UPDATE, TODO

__all__ = ["TOUR"]

_PLAN = ("Read report.py", "Replace the loops", "Check the result")
_LOOP = """    {name} = []
    for {one} in {many}:
        {name}.append({what})
"""
_LOOPS = (
    {"name": "kept", "one": "row", "many": "rows", "what": "row.strip()"},
    {"name": "found", "one": "value", "many": "values", "what": "value**2"},
)
_LIST = "    {name} = [{what} for {one} in {many}]\n"


def _plan(*states: str) -> Sequence[Step]:
    """Set the whole list, where the agent has a tool for that."""
    todos = [
        {"content": content, "status": status, "priority": "medium"}
        for content, status in zip(_PLAN, states, strict=True)
    ]
    return [Use((r"^(todowrite|write_todos|update_plan)$",), {"todos": todos}, optional=True)]


def _tick(done: int) -> Sequence[Step]:
    """Say the same by tools for one task at a time."""
    states = {done: "completed", done + 1: "in_progress"}
    return [
        Use(TASK_UPDATE, {"taskid": str(number), "status": state}, optional=True)
        for number, state in states.items()
        if 0 < number <= len(_PLAN)
    ]


def _edit(options: Options) -> Steps:
    path = f"{options['cwd']}/report.py"
    tasks = [
        Use((TODO[-1],), {"todos": [{"content": step, "status": "pending"}]}, optional=True)
        for step in _PLAN
    ]
    edits = [
        Use(EDIT, {"path": path, "old": _LOOP.format(**loop), "new": _LIST.format(**loop)})
        for loop in _LOOPS
    ]
    return [
        [
            Say("Two loops only append. The rest of the file stays as it is.", thinking=True),
            Say("A list comprehension says the same in one line.\n"),
            *_plan("in_progress", "pending", "pending"),
            *tasks,
            Use(READ, {"path": path}),
        ],
        [*_plan("completed", "in_progress", "pending"), *_tick(1), edits[0]],
        [edits[1]],
        [*_plan("completed", "completed", "completed"), *_tick(2), *_tick(3)],
        [Say("Both loops are **list comprehensions** now; `mean` had none.\n")],
    ]


def _text(_: Options) -> Steps:
    return [[Say("A mean shows it all.", thinking=True), Say(ONE_OF_EACH)]]


def _command(_: Options) -> Steps:
    command = 'python3 -B -c "import report; print(report.squares([1, 2, 3]))"'
    arguments = {"command": command, "description": "Try squares"}
    return [[Use(SHELL, arguments)], [Say("It prints `[1, 4, 9]`, as before.\n")]]


def _long(_: Options) -> Steps:
    return [[Say(exactly(20_000))]]


def _short(_: Options) -> Steps:
    return [[Say("Nothing is left to do.\n")]]


TOUR: Mapping[str, Callable[[Options], Steps]] = {
    "tour_edit": _edit,
    "tour_text": _text,
    "tour_command": _command,
    "tour_long": _long,
    "tour_short": _short,
}
