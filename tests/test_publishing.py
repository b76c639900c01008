"""Saved turns where HTML is not kept, and plots in HTML."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook

from acp_jupyter import publishing
from acp_jupyter.publishing import TurnPreprocessor, TurnRenderer, read_notebook, without_html
from acp_jupyter.transcript.output.record import TURN_MIME

TURNS = TurnPreprocessor()  # type: ignore[no-untyped-call]
MARKDOWN = """\
Some **words** with a | b.

<details>
<summary><b>Run</b> <code>ls &lt;a&gt;</code> (done)</summary>

```text
<details>
</details>
```

<details open>
<summary>Inner</summary>

- <b>Read a.py</b> 3 lines
</details>

<samp>

```sh
<samp>
```

</samp>

</details>

<sub>Demo, 3 s</sub>

~~~nolanguage
x
~~~"""
PLAIN = """\
Some **words** with a | b.

**Run** ls &lt;a&gt; (done)
>
> ```text
> <details>
> </details>
> ```
>
> **Inner**
> >
> > - **Read a.py** 3 lines
>
>
> ```sh
> <samp>
> ```
>
>

*Demo, 3 s*

~~~
x
~~~"""


def test_calls_are_bold_and_what_was_folded_is_a_quotation() -> None:
    assert without_html(MARKDOWN) == PLAIN


@pytest.mark.parametrize("template", ["lab", "acp"])
def test_nbconvert_shows_diffs_in_the_font_of_code(template: str) -> None:
    """Its own template gives them the font of their parent; ours colours them, too."""
    diff = "<samp>\n\n```diff\n-a\n+b\n```\n\n</samp>"
    shown = f"<details open>\n<summary><b>Edit</b></summary>\n\n{diff}\n\n</details>"
    turn = {**_turn(), "data": {TURN_MIME: {}, "text/markdown": shown}}
    cell = new_code_cell("", outputs=[turn])  # type: ignore[no-untyped-call]
    exporter = HTMLExporter(template_name=template)  # type: ignore[no-untyped-call]
    page, _ = exporter.from_notebook_node(new_notebook(cells=[cell]))  # type: ignore[no-untyped-call]
    assert re.search(r'<samp>\s*<div class="highlight"><pre>.*class="gd">-a<.*</samp>', page, re.S)
    assert (re.search(r"\.highlight \.gi \{\s*background", page) is not None) is (template == "acp")
    assert "Traceback" not in page


def _turn() -> dict[str, Any]:
    data = {TURN_MIME: {}, "text/markdown": "<sub>Demo</sub>"}
    return {"output_type": "display_data", "data": data, "metadata": {}}


@pytest.mark.parametrize(
    ("extension", "markdown"),
    [(".html", "<sub>Demo</sub>"), (".md", "<sub>Demo</sub>"), (".tex", "*Demo*")],
)
def test_html_stays_where_the_format_keeps_it(extension: str, markdown: str) -> None:
    cell = {"outputs": [_turn()]}
    converted, _ = TURNS.preprocess_cell(cell, {"output_extension": extension}, 0)
    assert converted["outputs"][0]["data"] == {"text/markdown": markdown}


@pytest.mark.parametrize(
    ("text", "alt"),
    [("<Figure size 1x1>", "Figure size 1x1"), ("", "Output of a cell"), ('"<', "&quot;")],
)
def test_a_plot_in_html_has_a_text_that_stands_for_it(text: str, alt: str) -> None:
    data = {"image/png": "AA\nBB\n", "text/plain": text}
    cell = {"outputs": [{"output_type": "display_data", "data": data}]}
    TURNS.preprocess_cell(cell, {"output_extension": ".html"}, 0)
    assert data["text/html"] == f'<img alt="{alt}" src="data:image/png;base64,AABB">'


def test_a_notebook_for_nbsphinx_has_no_html_of_turns() -> None:
    code = {
        **{"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 1},
        "outputs": [_turn()],
    }
    words = {"cell_type": "markdown", "id": "b", "source": "<b>Hi</b>", "metadata": {}}
    cells = [code, words]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    first, second = read_notebook(json.dumps(notebook)).cells
    assert first.outputs[0].data == {"text/markdown": "*Demo*"}
    assert second.source == "<b>Hi</b>"


class Output(NamedTuple):
    """What myst-nb gives a renderer."""

    mime_type: str
    string: str = "**Hi**"
    cell_index: int = 0
    output_index: int = 0


def test_only_the_markdown_of_a_turn_is_drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_nodes", lambda _, data: iter([data.string]))
    page = object()

    def drawn(output: Output, *, inline: bool = False) -> list[Any] | None:
        return TurnRenderer.handle_mime(page, output, inline)

    markdown = Output("text/markdown")
    assert drawn(markdown) is None
    assert drawn(Output(TURN_MIME)) == []
    assert drawn(markdown._replace(output_index=1)) is None
    assert drawn(markdown, inline=True) is None
    assert drawn(markdown) == ["**Hi**"]
    assert drawn(markdown) is None
