"""An agent gets exactly the cells, values and pictures that go along with a message."""

from __future__ import annotations

import base64
import json
import re

import pytest
from playwright.sync_api import expect

from tests.support.browser.composer import PNG, attachments, blocks_of, blocks_told, give, take
from tests.support.browser.lab import LabPage
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace


@pytest.mark.long
def test_exactly_these_cells_and_a_screenshot(lab: LabPage, workspace: Workspace) -> None:
    nb = lab.open(
        workspace.notebook(
            "alpha = 1\nprint('out of alpha')",
            "beta = 'stays here'",
            "gamma = [1, 2]",
            "%load_ext acp_jupyter",
            "pass",
        )
    )
    nb.wait_for_kernel()
    for index in range(4):
        nb.run_to_end(index)
    panel = lab.panel
    panel.choose_agent("takes")
    take(panel, "Compare @cell1", "Cells", "Cell 1: alpha = 1")
    take(panel, " with @cell3", "Cells", "Cell 3: gamma = [1, 2]")
    give(panel.message, "paste", "shot.png", "image/png", PNG)
    expect(attachments(panel)).to_have_count(3)
    # A cell goes as it stands when the message is sent, saved or not.
    nb.set_source(2, "gamma = [1, 2, 3]  # typed")
    panel.message.press("Enter")
    text, first, third, shot = blocks_told(lab.server, panel)
    assert re.sub(r"\s+", " ", text["text"]).startswith("Compare @")
    assert first["resource"]["text"].startswith("alpha = 1\nprint('out of alpha')")
    assert first["resource"]["text"].endswith("# Output:\nout of alpha\n")
    assert third["resource"]["text"] == "gamma = [1, 2, 3]  # typed"
    assert (shot["type"], shot["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(shot["data"]) == PNG
    assert "stays here" not in json.dumps([text, first, third])

    # A cell that is gone by then goes nowhere, and what was written stays.
    take(panel, "And @cell2", "Cells", "Cell 2: beta = 'stays here'")
    nb.delete_cell(1)
    panel.message.press("Enter")
    expect(panel.text(re.compile("is no longer there, so nothing was sent"))).to_be_visible()
    expect(panel.message).to_have_value(re.compile("^And @"))
    expect(attachments(panel)).to_have_count(1)

    # The same by the magic: a value, a file as it is in its editor, and a picture.
    (workspace.folder / "shot.png").write_bytes(PNG)
    nb.run_to_end(
        3, "%%acp takes --var gamma --attach clean.py --attach shot.png\nWhat is wrong with it?"
    )
    with AsUser(lab.server) as user:
        asked, file, picture, value = blocks_of(user, user.session_of(nb.path, "takes"))
    assert asked["text"].startswith("What is wrong with it?")
    assert file["resource"]["text"] == workspace.clean_py
    assert base64.b64decode(picture["data"]) == PNG
    assert "gamma: list\nlength 2\n[1, 2]" in value["text"]
    assert "alpha" not in json.dumps([asked, file, value])
