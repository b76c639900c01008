"""The tasks that only talk: long answers, plans, a form, measuring, failing, and help.

Also the descriptions of files: a table by its columns, Python by its definitions.
"""

from __future__ import annotations

import ast
import csv
import html
import io
import itertools
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NoReturn

from acp_jupyter.agents.demo.prompt import Request
from acp_jupyter.agents.demo.session import DemoTurn, TurnCancelledError
from acp_jupyter.agents.rpc import INTERNAL_ERROR, INVALID_PARAMS, Json, RpcError
from acp_jupyter.protocol import formatting

_MAX_BENCH_CHARACTERS = 32_000_000
_LONG_BLOCKS = 40


async def long_answer(turn: DemoTurn, _request: Request) -> str:
    """Stream some pages of Markdown with thoughts in between."""
    for number, block in enumerate(itertools.islice(blocks(), _LONG_BLOCKS)):
        if number % 10 == 0:
            await turn.think(
                f"Part {number // 5 + 1} should say what happens next, and in which order."
            )
        await turn.say(block + "\n")
    await turn.say("That was all.\n")
    return "end_turn"


async def markdown(turn: DemoTurn, _request: Request) -> str:
    """Write one of each kind of formatted text."""
    await turn.think("A mean shows it all: a formula, a table, code and a diagram.")
    await turn.say(ONE_OF_EACH)
    return "end_turn"


async def next_cell(turn: DemoTurn, request: Request) -> str:
    """Suggest a cell that shows the variable that was defined last."""
    names = re.findall(r"^([^\W\d]\w*) = ", request.text, re.M)
    code = f'print(f"{{{names[-1]} = }}")' if names else 'print("Hello")'
    await turn.say(f"{code_block(code, 'python')}\n")
    return "end_turn"


async def plan(turn: DemoTurn, _request: Request) -> str:
    """Make a plan and tick it off."""
    steps = ["Look at the folder", "Choose a file", "Propose an edit", "Ask for permission"]
    for done, step in enumerate(steps):
        turn.plan(steps, done)
        await turn.think(f"{step}: this is only a plan, so nothing is done.")
    turn.plan(steps, len(steps))
    await turn.say("The plan is ticked off. Nothing was changed: `edit` does the same for real.\n")
    return "end_turn"


async def bench(turn: DemoTurn, request: Request) -> str:
    """Stream exactly N chunks of the requested size; report when the last one was written."""
    count, size = int(request.numbers.get("n", 5_000)), int(request.numbers.get("size", 20))
    if count < 1 or size < 1 or count * size > _MAX_BENCH_CHARACTERS:
        limit = f"N and size must be at least 1 and N times size at most {_MAX_BENCH_CHARACTERS:,}."
        raise RpcError(INVALID_PARAMS, limit, {"N": count, "size": size})
    turn.rate = request.numbers.get("rate", 0.0)
    text = exactly(count * size)
    start = time.time()
    await turn.stream(text[at : at + size] for at in range(0, len(text), size))
    await turn.peer.stdio.drain(0)
    end = time.time()
    turn.meta = {"acp_jupyter.demo": {"chunks": count, "seconds": end - start, "lastWrite": end}}
    return "end_turn"


async def crash(turn: DemoTurn, _request: Request) -> NoReturn:
    """End the process in the middle of a turn."""
    await turn.say("This answer stops in the middle of a")
    await turn.peer.stdio.drain(0)
    sys.stderr.write("demo agent: crashed, because the prompt asked for it\n")
    sys.stderr.flush()
    os._exit(3)


async def refuse(turn: DemoTurn, _request: Request) -> str:
    """Refuse to answer."""
    await turn.say("This agent refuses to answer, because the prompt asked for a refusal.\n")
    return "refusal"


async def max_tokens(turn: DemoTurn, _request: Request) -> str:
    """Stop as if the model had run out of tokens."""
    await turn.say("This answer ends early, as if the model had used up its")
    return "max_tokens"


async def fail(turn: DemoTurn, _request: Request) -> NoReturn:
    """Answer the prompt with a JSON-RPC error."""
    await turn.say("This turn ends with an error.\n")
    raise RpcError(INTERNAL_ERROR, "Internal error", {"details": "The prompt asked for an error."})


async def help_(turn: DemoTurn, request: Request) -> str:
    """List what this agent can do."""
    await turn.say(f"> {quote(request.text)}\n\n{_HELP}")
    return "end_turn"


_HELP = """This is the demo agent. It has no model, so it answers to a few keywords:

- `list` or `explore`: what is in this folder
- `edit`, `fix clean.py` or `make clean.py faster`: a plan, a diff, a question, and then the edit
- `create notes.md with "some text"`: a new file, after asking
- `look at df`: what a variable of the notebook's kernel is
- `query db: SELECT …`: the tables of the kernel, and a query of one, after asking
- `plot df`: a new cell below yours, run, with a plot that the agent sees
- `fix`: fixes the last cell that failed, and runs it again
- `edit the notebook`: edits one cell, unsaved text and all
- `run`: a harmless command, after asking
- `delegate`: a subagent that looks around and asks, its steps inside its call
- `plan`: a plan, ticked off
- `markdown`: formulas, a table, code and a diagram
- `slow`: a long answer; add `rate=20` for 20 chunks per second
- `ask twice`: two permission requests at once
- `ask me`: a form to fill in
- `crash`, `refuse`, `max tokens`, `error`: how a turn can fail
- `bench N=5000 size=20 rate=0`: an exact number of chunks
"""


_FORM: Json = {
    "type": "object",
    "title": "A chart",
    "properties": {
        "colour": {
            "type": "string",
            "title": "Colour",
            "oneOf": [
                {"const": "teal", "title": "Teal", "description": "Easy to tell from red"},
                {"const": "red", "title": "Red"},
            ],
            "default": "teal",
        },
        "points": {"type": "integer", "title": "Points", "minimum": 1, "maximum": 500},
        "grid": {"type": "boolean", "title": "With a grid", "default": True},
        "title": {"type": "string", "title": "Title", "maxLength": 60},
    },
    "required": ["colour", "points"],
}


async def ask_form(turn: DemoTurn, _request: Request) -> str:
    """Ask for a few values, and repeat the answers."""
    form: Json = {
        "sessionId": turn.session.id,
        "mode": "form",
        "message": "How should the chart look? Nothing is drawn: this only shows a question.",
        "requestedSchema": _FORM,
    }
    try:
        result = await turn.peer.request("elicitation/create", form)
    except RpcError as error:
        await turn.say(f"This client does not show questions: {error}\n")
        return "end_turn"
    match result:
        case {"action": "accept", "content": dict(content)}:
            answers = ", ".join(f"{name}: {quote(str(value))}" for name, value in content.items())
            await turn.say(f"You answered {answers}.\n")
        case {"action": "cancel"}:
            raise TurnCancelledError
        case _:
            await turn.say("You did not want to answer, and that is fine.\n")
    return "end_turn"


_SENTENCES = (
    "A cell sends its text to the agent and shows what comes back while it comes.",
    "The first chunk is drawn at once; later ones are gathered for a few milliseconds.",
    "A *tool call* appears as a card with its state, and a `diff` shows what would change.",
    "Nothing is written to disk before somebody has answered the **permission request**.",
    "The order of what is shown is the order in which the agent wrote it, always.",
    "When the page is loaded again, the turn goes on where it was.",
    "The notebook keeps the answer, so that it can be read without a kernel.",
)
_LISTS = (
    "- read the file that the prompt names\n- propose a small edit\n- ask before writing\n",
    "1. open the notebook\n2. run the first cell\n3. answer the question in its output\n",
)
_CODE = (
    "```python\n"
    "def mean(values: list[float]) -> float:\n"
    '    """Return the mean."""\n'
    "    return sum(values) / len(values)\n"
    "```\n",
    "```console\n$ python -m acp_jupyter.agents.demo\n```\n",
)
_TABLE = (
    "| Part | Runs in |\n| --- | --- |\n| agent | a process of its own |\n| view | the page |\n"
)


ONE_OF_EACH = r"""## The mean of a list

The mean of $n$ values is their sum divided by $n$; **no value, no mean**.

$$
\bar{x} = \frac{1}{n} \sum_{i=1}^{n} x_i
$$

| Values | Sum | Mean |
| --- | ---: | ---: |
| 1, 2, 3 | 6 | 2.0 |
| 4, 8 | 12 | 6.0 |

```python
def mean(values: list[float]) -> float:
    return sum(values) / len(values)
```

```mermaid
graph LR
    A[Values] --> B[Sum] --> C[Mean]
```

- [x] text, *emphasis* and `code`
- [ ] what the [Markdown guide](https://www.markdownguide.org) has beyond that
"""
"""Text, formula, table, code, diagram, tasks, link."""


def blocks() -> Iterator[str]:
    """Yield Markdown blocks without end, each ending in a line feed."""
    sentences = itertools.cycle(_SENTENCES)
    for number in itertools.count(1):
        yield f"## Part {number}\n"
        yield " ".join(itertools.islice(sentences, 3)) + "\n"
        yield _LISTS[number % 2]
        yield " ".join(itertools.islice(sentences, 2)) + "\n"
        yield _CODE[number % 2]
        if number % 4 == 0:
            yield _TABLE


def exactly(length: int) -> str:
    """Return Markdown of exactly `length` characters whose last line is ``END``."""
    end = "\n\nEND"
    if length <= len(end):
        return end[len(end) - length :]
    room = length - len(end)
    parts: list[str] = []
    for block in blocks():
        if len(block) + 1 > room:
            break
        parts.append(block + "\n")
        room -= len(block) + 1
    # The rest is plain words: a truncated block could leave a code fence open around the end.
    filler = ("and so on " * (room // 10 + 1))[:room]
    return "".join(parts) + filler + end


def one_line(text: str, limit: int) -> str:
    """Return the start of `text` on one line, without control, bidi and surrogate characters."""
    visible = "".join(
        c if unicodedata.category(c)[0] not in "CZ" else " " for c in text[: 4 * limit]
    )
    line = " ".join(visible.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def quote(text: str, limit: int = 200) -> str:
    """Return the start of `text` on one line as Markdown that shows exactly its characters."""
    return re.sub(r"([\\`*_\[\]~|#!])", r"\\\1", html.escape(one_line(text, limit), quote=False))


def plain_name(name: str) -> str:
    """Return a file's name without what would break a table cell or a code span."""
    return re.sub(r"[`|]", "_", one_line(name, 200))


def code_block(text: str, language: str = "") -> str:
    """Return `text` in a fence that nothing in it can close."""
    return f"{formatting.code_block(text.rstrip(), language)}\n"


_MAX_LINES = 12
_MAX_COLUMNS = 20
_MAX_DEFINITIONS = 10
_MAX_ROWS = 50_000
_LANGUAGES = {
    ".py": "python",
    ".md": "markdown",
    ".json": "json",
    ".toml": "toml",
    ".js": "js",
    ".ts": "ts",
}


def describe(name: str, source: str) -> str:
    """Return a description of a file, as Markdown."""
    match PurePath(name).suffix.lower():
        case ".csv":
            words = _describe_table(name, source)
        case ".py":
            words = _describe_module(name, source)
        case _:
            words = ""
    return words or _describe_text(name, source)


def excerpt(name: str, source: str) -> str:
    """Return its first lines as a code block."""
    lines = source.splitlines()[:_MAX_LINES]
    return code_block("\n".join(lines), _LANGUAGES.get(PurePath(name).suffix.lower(), ""))


def _describe_text(name: str, source: str) -> str:
    count = len(source.splitlines())
    lines = "1 line" if count == 1 else f"{count} lines"
    return f"`{plain_name(name)}` has {lines} and begins like this:\n\n{excerpt(name, source)}"


def _describe_table(name: str, source: str) -> str:
    try:
        header, *rows = list(csv.reader(io.StringIO(source), strict=True))[:_MAX_ROWS]
    except (csv.Error, ValueError):
        return ""
    if not rows or any(len(row) != len(header) for row in rows):
        return ""
    text = f"`{plain_name(name)}` is a table with {len(rows)} rows and {len(header)} columns:\n\n"
    text += "| Column | Smallest | Largest | Mean |\n| --- | ---: | ---: | ---: |\n"
    for index, title in enumerate(header[:_MAX_COLUMNS]):
        values = [row[index] for row in rows]
        text += f"| {plain_name(title)} | {' | '.join(_summary(values))} |\n"
    if len(header) > _MAX_COLUMNS:
        text += f"\n{len(header) - _MAX_COLUMNS} more columns are not shown.\n"
    return text


def _summary(values: Sequence[str]) -> tuple[str, str, str]:
    """Return the minimum, maximum and mean; for words, the number of different ones."""
    try:
        numbers = [float(value) for value in values if value.strip()]
    except ValueError:
        numbers = []
    if not numbers:
        return (f"{len(set(values))} different", "", "")
    mean = sum(numbers) / len(numbers)
    return (f"{min(numbers):g}", f"{max(numbers):g}", f"{mean:.4g}")


def _describe_module(name: str, source: str) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    purpose = _first_line(tree)
    text = f"`{plain_name(name)}`" + (f": {purpose}\n" if purpose else " is a Python module.\n")
    for node in found[:_MAX_DEFINITIONS]:
        what = "class" if isinstance(node, ast.ClassDef) else "function"
        does = _first_line(node)
        text += f"\n- the {what} `{node.name}`" + (f": {does}" if does else "")
    return text + f"\n\n{excerpt(name, source)}"


def _first_line(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    lines = (ast.get_docstring(node) or "").splitlines()
    return one_line(lines[0], 200) if lines else ""
