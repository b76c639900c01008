"""A command in a terminal: live in its card, stopped there, and readable in the saved file."""

from __future__ import annotations

import os

from playwright.sync_api import expect

from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.browser.lab import LabPage
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

LOAD = "%load_ext acp_jupyter"

BAR = (
    "printf 'tests \\033[32mgreen\\033[0m\\n';"
    "for n in 0 50 100; do printf '\\r%3d%%|####' $n; done; printf '\\n';"
    "cat {fifo}; sleep 600"
)


def test_a_command_is_seen_live_stopped_in_its_card_and_saved(
    lab: LabPage, workspace: Workspace
) -> None:
    fifo = workspace.folder / "go"
    os.mkfifo(fifo)
    command = BAR.format(fifo=fifo)
    prompt = steps(
        create(command),
        call(),
        ask("wait_for_exit"),
        ask("release"),
        update(status="failed"),
    )
    nb = lab.open(workspace.notebook(LOAD, f"%%acp terminal_script --policy allow-all\n{prompt}"))
    nb.load_extension()
    turn = nb.run(1)
    card = turn.tool("Build")
    output = card.get_by_role("group", name="Terminal output")
    # It opens by itself: it runs for more than two seconds.
    expect(output).to_contain_text("tests green")
    expect(output.locator(".ansi-green-fg")).to_have_text("green")
    expect(output).to_contain_text("100%|####")
    expect(output).not_to_contain_text("50%")
    with fifo.open("w") as writer:
        writer.write("later\n")
    expect(output).to_contain_text("later")
    card.get_by_role("button", name="Stop this command").click()
    expect(card).to_contain_text("Stopped by you")
    nb.wait_for_end(1)
    expect(turn.root).to_contain_text('"signal": "SIGTERM"')
    expect(card.get_by_role("button", name="Stop this command")).to_have_count(0)
    expect(output).to_contain_text("later")

    def saved() -> str:
        outputs = [output for cell in nb.read()["cells"] for output in cell.get("outputs", ())]
        return "".join("".join(each["data"].get("text/markdown", "")) for each in outputs)

    markdown = eventually(lambda: text if "later" in (text := saved()) else "")
    assert "tests green\n100%|####\nlater\n" in markdown
