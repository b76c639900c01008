"""Markdown that the agent writes: long answers of any length, and foreign text made harmless.

The prose is always the same, for measuring.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from collections.abc import Iterator

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
    """Yield Markdown blocks for ever, each ending in a line feed."""
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
    # The rest is plain words: a block cut short could leave a code fence open around the end.
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
    """Return the name of a file without what would break a table cell or a code span."""
    return re.sub(r"[`|]", "_", one_line(name, 200))


def code_block(text: str, language: str = "") -> str:
    """Return `text` fenced so that nothing in it can close the fence."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
