"""Text and code of answers: into cells, in colour, typeset, drawn; and nothing hostile in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import TurnView
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"
HOSTILE = Path(__file__).resolve().parents[1] / "fixtures" / "markdown" / "hostile"
ANSWER = r"""Read the file in pieces, so that $\sum_{i=1}^n x_i$ needs one pass; it costs $5 and $6.

```python
import csv
total = sum(float(row["x"]) for row in rows)  # one pass
```

$$
\frac{1}{n} \sum_{i=1}^n x_i
$$

```markdown
# What it does
```

```mermaid
graph LR
    A[Read] --> B[Sum]
```
"""


@pytest.mark.long
def test_code_goes_into_cells_and_text_is_drawn_well(lab: LabPage, workspace: Workspace) -> None:
    (workspace.folder / "answer.md").write_text(ANSWER)
    nb = lab.open(workspace.notebook(LOAD, "%%acp says\nanswer.md", "last = 1"))
    nb.load_extension()
    nb.run_to_end(1)
    turn = nb.turn(1)
    code = turn.root.locator(".acp-code")
    expect(code.nth(0).locator("code .k")).to_have_text(["import", "for", "in"])
    expect(code.nth(0).locator("code .str")).to_have_text('"x"')
    expect(code.nth(0).locator("code .c")).to_have_text("# one pass")
    expect(turn.root.locator(".acp-formula mjx-container")).to_have_count(2)
    expect(turn.root.locator(".acp-formula .vh").first).to_have_text(r"$\sum_{i=1}^n x_i$")
    expect(turn.text("it costs $5 and $6.")).to_be_visible()
    diagram = code.nth(2).get_by_role("img", name="Diagram")
    expect(diagram).to_be_visible()
    assert diagram.evaluate("image => image.decode().then(() => image.naturalWidth > 50)")

    # In a cell output: below that cell, whatever cell is active; never run.
    expect(_button(code.nth(0), "Replace cell 2")).to_have_count(0)
    _button(code.nth(0), "Insert as cell below").click()
    eventually(lambda: len(_cells(nb)) == 4)
    assert _cells(nb)[2] == (
        "code",
        'import csv\ntotal = sum(float(row["x"]) for row in rows)  # one pass',
    )
    expect(nb.prompt_mark(2)).to_have_text("[ ]:")
    _button(code.nth(1), "Insert as cell below").click()
    eventually(lambda: _cells(nb)[2] == ("markdown", "# What it does"))

    # In the panel the buttons follow the active cell.
    panel = lab.panel
    boxes = panel.root.locator(".acp-code")
    nb.cell(4).locator(".jp-InputPrompt").click()
    replace = _button(boxes.nth(0), "Replace cell 5")
    expect(replace).to_be_visible()
    replace.click()
    eventually(lambda: _cells(nb)[4][1].startswith("import csv"))
    assert len(_cells(nb)) == 5
    expect(nb.prompt_mark(4)).to_have_text("[ ]:")
    lab.command("notebook:undo")
    eventually(lambda: _cells(nb)[4] == ("code", "last = 1"))


def test_hostile_text_runs_and_fetches_nothing(lab: LabPage, workspace: Workspace) -> None:
    names = sorted(path.name for path in HOSTILE.glob("*.md"))
    for name in names:
        shutil.copy(HOSTILE / name, workspace.folder / name)
    left: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((lab.server.url, "data:", "blob:")):
            left.append(request.url)

    lab.page.on("request", note)
    sources = [f"%%acp says\n{name}" for name in names]
    nb = lab.open(workspace.notebook(LOAD, *sources))
    nb.load_extension()
    for index, _name in enumerate(names, start=1):
        nb.run_to_end(index)
        turn = nb.turn(index)
        nb.cell(index).scroll_into_view_if_needed()
        _expect_drawn(turn)
        _touch_all(turn.root)
    panel = lab.panel
    expect(panel.log).to_contain_text("not a diagram at all")
    _touch_all(panel.root)
    # A formula and a diagram that are harmless come last: all before them were drawn.
    (workspace.folder / "last.md").write_text("$x$\n\n```mermaid\ngraph LR\nA-->B\n```\n")
    panel.say("last.md")
    expect(panel.root.locator(".acp-diagram img").last).to_be_visible()
    assert left == []
    assert lab.page.evaluate("window.hacked") is None
    assert lab.page.locator("#acp-jupyter-panel").count() == 1
    hosts = "hostile.invalid"
    loaded = "() => performance.getEntriesByType('resource').map(entry => entry.name)"
    assert [name for name in lab.page.evaluate(loaded) if hosts in name] == []


def _button(box: Locator, name: str) -> Locator:
    return box.get_by_role("button", name=name, exact=True)


def _cells(nb: OpenNotebook) -> list[tuple[str, str]]:
    found = nb.lab.page.evaluate(
        """path => [...jupyterapp.shell.widgets('main')]
          .find(w => w.context && w.context.path === path)
          .content.widgets.map(cell => [cell.model.type, cell.model.sharedModel.getSource()])""",
        nb.path,
    )
    return [(kind, source) for kind, source in found]


def _expect_drawn(turn: TurnView) -> None:
    expect(turn.root.locator(".acp-prose").first).to_be_visible()
    expect(turn.root.locator(".acp-prose.live")).to_have_count(0)


def _touch_all(root: Locator) -> None:
    """Point at, focus and toggle whatever is there, as a careless person does."""
    root.evaluate(
        """root => {
          for (const element of root.querySelectorAll('.acp-prose *')) {
            for (const type of ['pointerenter', 'mouseover', 'focus', 'toggle', 'load', 'error']) {
              element.dispatchEvent(new Event(type, { bubbles: true }));
            }
          }
        }"""
    )
