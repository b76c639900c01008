"""Completion in the prompts of cells: what JupyterLab's completer offers, and what comes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.composer import blocks_of
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually


def test_the_first_line_is_completed(lab: LabPage, workspace: Workspace) -> None:
    """Agents, options and their values, and the subcommands of `%acp`."""
    nb = _open(lab, workspace, "")
    offered = _complete(nb, 0, "%%acp de")
    expect(offered).to_contain_text("demo")
    lab.page.keyboard.press("Enter")
    expect(offered).to_be_hidden()
    _complete(nb, 0, " --pol")
    expect(_names(offered)).to_have_text(["--policy"])
    lab.page.keyboard.press("Enter")
    _complete(nb, 0, " acc")
    lab.page.keyboard.press("Enter")
    expect(nb.cell(0).locator(".cm-line")).to_have_text(["%%acp demo --policy accept-edits"])

    nb.set_source(0, "")
    _complete(nb, 0, "%acp sess")
    expect(_names(offered)).to_have_text(["sessions"])


@pytest.mark.long("tests/notebooks/test_context.py has what goes along")
def test_what_the_prompt_names_goes_along(lab: LabPage, workspace: Workspace) -> None:
    """The agent gets what it would get of the panel's message; Python's words are not offered."""
    nb = _open(lab, workspace, "cleaned = list(range(3))", "%%acp takes --trust\nLook at ")
    nb.run_to_end(0)
    offered = _complete(nb, 1, "@cl")
    _expect_offered(nb, ["@cleaned", "@clean.py", "@cell 1: cleaned = list(range(3))"])
    _take(offered, "@clean.py")
    _complete(nb, 1, ", @clean")
    _take(offered, "@cleaned")
    _complete(nb, 1, " and @cell1")
    _take(offered, "@cell 1: cleaned = list(range(3))")
    prompt = "Look at @clean.py, @cleaned and @cell 1"
    expect(nb.cell(1).locator(".cm-line").nth(1)).to_have_text(prompt)

    nb.run_to_end(1)
    with AsUser(lab.server) as user:
        text, file, variable, cell = blocks_of(user, user.session_of(nb.path))
    assert text["text"] == prompt
    assert file["uri"] == (workspace.folder / "clean.py").as_uri()
    assert file["type"] == "resource_link"
    assert variable["resource"]["text"].startswith("cleaned: list")
    assert variable["resource"]["uri"].endswith("/variable/cleaned")
    assert cell["resource"]["text"] == "cleaned = list(range(3))"


@pytest.mark.long
def test_a_prompt_has_no_python(lab: LabPage, workspace: Workspace) -> None:
    """No keyword, no variable and no word of the cell; code is completed as before."""
    (workspace.folder / "imports.csv").touch()
    nb = _open(lab, workspace, "imp", "%%acp demo\nAn important imp")
    offered = _complete(nb, 0, "")
    expect(offered).to_contain_text("import")
    lab.page.keyboard.press("Escape")
    expect(offered).to_be_hidden()

    _type(nb, 1, "")
    _answered(nb, lambda: lab.page.keyboard.press("Tab"))
    expect(offered).to_be_hidden()
    _complete(nb, 1, " @imp")
    _expect_offered(nb, ["@cell 1: imp", "@imports.csv"])


@pytest.mark.long
def test_commands_begin_a_prompt(lab: LabPage, workspace: Workspace) -> None:
    """Those of the session's agent, once there is one."""
    nb = _open(lab, workspace, "%%acp demo\nhelp", "%%acp demo\n")
    nb.run_to_end(0)
    expect(nb.turn(0).root).to_be_visible()
    offered = _complete(nb, 1, "/exp")
    expect(_names(offered)).to_have_text(["/explore names of files"])
    lab.page.keyboard.press("Enter")
    expect(nb.cell(1).locator(".cm-line").nth(1)).to_have_text("/explore ")


@pytest.mark.long
def test_typing_at_opens_the_list_where_the_settings_wish_it(
    lab: LabPage, workspace: Workspace
) -> None:
    """It follows what is typed, and closes behind the mention."""
    settings = lab.server.root.parent / "config/lab/user-settings/@jupyterlab/completer-extension"
    settings.mkdir(parents=True)
    (settings / "manager.jupyterlab-settings").write_text('{"autoCompletion": true}')
    nb = _open(lab, workspace, "%%acp demo\nLook at ")
    offered = _offered(nb)
    _type(nb, 0, "@")
    expect(_names(offered)).to_have_text(["@nb.ipynb", "@clean.py"])
    lab.page.keyboard.type("clnpy")
    expect(_names(offered)).to_have_text(["@clean.py"])
    lab.page.keyboard.type(" and")
    expect(offered).to_be_hidden()


@pytest.mark.long
def test_prompts_are_completed_in_notebook_7(
    lab: LabPage, visitor: Visitor, workspace: Workspace
) -> None:
    nb = _open(LabPage(visitor, lab.server, "notebook"), workspace, "%%acp de", "%%acp demo\n")
    offered = _complete(nb, 0, "")
    expect(_names(offered)).to_have_text(["demo"])
    nb.lab.page.keyboard.press("Enter")
    _complete(nb, 1, "Read @cl")
    _expect_offered(nb, ["@clean.py"])


_FIND = """path => [...jupyterapp.shell.widgets('main')]
  .find(widget => widget.context?.path === path)"""


def _open(lab: LabPage, workspace: Workspace, *cells: str) -> OpenNotebook:
    nb = lab.open(workspace.notebook(*cells))
    nb.wait_for_kernel()
    # JupyterLab gives a kernel one second, and its first completions take longer: it imports.
    for code in ("%%acp ", "imp"):
        nb.lab.page.evaluate(
            f"""([path, code]) => ({_FIND})(path).sessionContext.session.kernel
              .requestComplete({{code, cursor_pos: code.length}}).then(() => null)""",
            [nb.path, code],
        )
    return nb


def _type(nb: OpenNotebook, index: int, text: str) -> None:
    """Type at the end of a cell."""
    editor = nb.cell(index).locator(".cm-content")
    editor.click()
    expect(editor).to_be_focused()
    nb.lab.page.keyboard.press("Control+End")
    nb.lab.page.keyboard.type(text)


def _complete(nb: OpenNotebook, index: int, text: str) -> Locator:
    """Type at the end of a cell, and press Tab; return the completer with its list."""
    _type(nb, index, text)
    offered = _offered(nb)

    def asked_again() -> bool:
        # JupyterLab shows nothing of what a busy machine answers after a second.
        nb.lab.page.keyboard.press("Tab")
        with contextlib.suppress(TimeoutError):
            offered.wait_for(timeout=5_000)
        return offered.is_visible()

    eventually(asked_again, "completions")
    return offered


def _offered(nb: OpenNotebook) -> Locator:
    return nb.lab.page.locator(".jp-Completer:visible")


def _names(offered: Locator) -> Locator:
    return offered.locator(".jp-Completer-match")


def _expect_offered(nb: OpenNotebook, names: list[str]) -> None:
    """Ask again until these are offered: files that a busy server lists late come with the next."""
    offered, keyboard = _offered(nb), nb.lab.page.keyboard

    def asked() -> bool:
        if _names(offered).all_text_contents() == names:
            return True
        keyboard.press("Escape")
        expect(offered).to_be_hidden()
        keyboard.press("Tab")
        expect(offered).to_be_visible()
        return False

    eventually(asked, lambda: f"{names}; there was {_names(offered).all_text_contents()}")


def _take(offered: Locator, name: str) -> None:
    offered.locator(".jp-Completer-item").filter(has_text=name).click()
    expect(offered).to_be_hidden()


def _answered(nb: OpenNotebook, act: Callable[[], None]) -> None:
    """Do something, and wait until the kernel has completed and the page has drawn that."""
    nb.lab.page.evaluate(
        f"""path => {{
          const {{kernel}} = ({_FIND})(path).sessionContext.session;
          window.answered = new Promise(resolve => {{
            const listen = (_, {{msg}}) => {{
              if (msg.header.msg_type === 'complete_reply') {{
                kernel.anyMessage.disconnect(listen);
                requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)));
              }}
            }};
            kernel.anyMessage.connect(listen);
          }});
        }}""",
        nb.path,
    )
    act()
    nb.lab.page.evaluate("answered")
