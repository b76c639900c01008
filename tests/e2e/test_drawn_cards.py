"""What only a browser draws of a card: colours and signs of a diff, and where its output stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.lab import LabPage
from tests.support.browser.roles import PanelView
from tests.support.scenes.steps import Step, call, diff, go_on, hold, put_scene, text, update
from tests.support.server.workspace import Workspace

_DRAWN = """line => {
  const style = getComputedStyle(line, '::after');
  // A canvas knows every notation of colours that a style sheet has.
  const pixel = colour => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    canvas.fillStyle = 'white';
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  return {
    sign: style.content,
    shown: style.display !== 'none' && style.visibility === 'visible' && style.opacity === '1',
    colour: pixel(style.color),
    background: pixel(getComputedStyle(line).backgroundColor),
  };
}"""


_IS_AT_END = """it =>
  it.scrollHeight > it.clientHeight + 100 && it.scrollHeight - it.scrollTop - it.clientHeight < 2"""
_SELECTED = "it => getSelection().toString().trim()"
_FIRST_SEEN = """it => {
  const { left, top } = it.getBoundingClientRect();
  const { offsetNode, offset } = document.caretPositionFromPoint(left + 40, top + 20);
  return offsetNode.textContent.slice(0, offset).split('\\n').length;
}"""


def _is_green(colour: list[int]) -> bool:
    red, green, blue = colour
    return green > red and green > blue


def _is_red(colour: list[int]) -> bool:
    red, green, blue = colour
    return red > green and red > blue


@pytest.mark.parametrize(
    "theme", ["JupyterLab Light", pytest.param("JupyterLab Dark", marks=pytest.mark.long)]
)
def test_a_diff_and_an_output_as_they_are_drawn(
    lab: LabPage, workspace: Workspace, theme: str
) -> None:
    """Signs and colours of a diff; output that grows while it is read."""
    # Without a notebook a session works in the server's own folder.
    folder = lab.server.root
    lab.open_empty(workspace.name)
    if theme != "JupyterLab Light":
        lab.use_theme(theme)
    panel = lab.panel
    panel.choose_agent("Player")
    edited = diff("a.py", "same\nold\n", "same\nnew\nmore\n")
    scene = [
        call("e1", "Edit", "edit", {"file_path": "a.py"}, edited),
        hold("bake"),
        call("bake", "Bash", "execute", {"command": "bake"}, status="in_progress"),
        *(_whole(60), hold("read")),
        *(_whole(90), hold("more")),
        *(_whole(120), hold("seen")),
    ]
    put_scene(folder, scene)
    panel.say("Edit a.py, then bake")
    _expect_signs_and_colours(panel)
    go_on(folder, "bake")
    _expect_to_stay_where_it_is_read(folder, panel)
    go_on(folder, "seen")
    expect(panel.stop).to_have_count(0)


def _expect_signs_and_colours(panel: PanelView) -> None:
    panel.tool("a.py").get_by_role("button", expanded=False).click()
    lines = panel.diff("a.py")
    expect(lines.locator("ins")).to_have_text(["new", "more"])
    expect(lines.locator("del")).to_have_text(["old"])
    for kind, sign, has_its_colour in (("ins", "+", _is_green), ("del", "−", _is_red)):
        for line in lines.locator(kind).all():
            drawn = line.evaluate(_DRAWN)
            assert drawn["sign"].startswith(f'"{sign}"'), drawn
            assert drawn["shown"], drawn
            assert has_its_colour(drawn["colour"]), drawn
            assert has_its_colour(drawn["background"]), drawn
    assert lines.locator(".ctx").evaluate(_DRAWN)["sign"] in {"none", "normal"}


def _expect_to_stay_where_it_is_read(folder: Path, panel: PanelView) -> None:
    """Who reads stays there; who looks at the end is kept at the end."""
    output = panel.tool("bake").get_by_role("group", name="Terminal output")
    expect(output).to_contain_text("step 059")
    assert output.evaluate(_IS_AT_END)
    # A selection is of nodes: it is lost when they are drawn again.
    output.evaluate("it => { it.scrollTop = 200; getSelection().selectAllChildren(it); }")
    selected = output.evaluate(_SELECTED)
    first = output.evaluate(_FIRST_SEEN)
    go_on(folder, "read")
    expect(output).to_contain_text("step 089")
    assert (output.evaluate("it => it.scrollTop"), output.evaluate(_FIRST_SEEN)) == (200, first)
    assert output.evaluate(_SELECTED).startswith(selected)
    output.evaluate("it => { it.scrollTop = it.scrollHeight; }")
    go_on(folder, "more")
    expect(output).to_contain_text("step 119")
    assert output.evaluate(_IS_AT_END)
    assert output.inner_text().split() == [word for n in range(120) for word in _line(n).split()]


def _line(number: int) -> str:
    return f"step {number:03}\n"


def _whole(lines: int) -> Step:
    """Progress that tells all of its output each time."""
    block = {"type": "content", "content": text("".join(map(_line, range(lines))))}
    return update("tool_call_update", toolCallId="bake", content=[block])
