"""Published Claude and Codex, started in a terminal, use an open notebook by a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.features.outside.support.clis import OUTSIDE_CLIS, OutsideCli
from tests.features.outside.support.keys_in_the_panel import make_key, revoke_keys
from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.published.authors_told import ToldAuthors
from tests.support.published.programs import processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.user import AsUser
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.long]

"""How long such an agent may take to its first call, on a busy machine."""
_PROMPT = "[[mock scenario={}]] Do it."


@dataclass(frozen=True)
class Place:
    """A terminal with an agent, beside a JupyterLab."""

    cli: OutsideCli
    home: Path
    model: FakeModel
    lab: LabPage

    def workspace(self, name: str) -> Workspace:
        return Workspace(self.lab.server.root, name)


@pytest.fixture(scope="module", params=OUTSIDE_CLIS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp(request.param)
    home = folder / "terminal-home"
    cli = OUTSIDE_CLIS[request.param]
    with (
        FakeModel() as model,
        JupyterServer(folder, app="jupyterlab", args=LAB_ARGS) as server,
    ):
        cli.set_up(home, model, server.url)
        visitor = Visitor(browser, folder / "traces")
        yield Place(cli, home, model, LabPage(visitor, server))
        visitor.close()
    eventually(lambda: not processes_of(home), "processes of the agent are left")


def _script(cli: OutsideCli, cell_id: str) -> Steps:
    """Look at the notebook, then change a cell."""
    edit = {
        "cell_id": cell_id,
        "fingerprint": fingerprint("print(max(rain))"),
        "edits": [{"old": "max(rain)", "new": "max(rain), min(rain)"}],
    }
    return [
        *cli.finds_tools,
        [Say("Looking.\n"), Use([r"list_cells$"], {}, exact=True)],
        [Use([r"edit_cell$"], edit, exact=True)],
        [Say("That is done.")],
    ]


def test_it_reads_asks_and_changes_a_cell_that_can_be_reverted(
    place: Place, told: ToldAuthors
) -> None:
    lab, cli = place.lab, place.cli
    sources = ("rain = [61, 48, 52]", "print(max(rain))")
    nb = lab.open(place.workspace("edits").notebook(*sources))
    told.saved.add(nb.file)
    nb.wait_for_kernel()
    cell_id = nb.read().cells[1].id
    place.model.scripts["edit"] = lambda: _script(cli, cell_id)
    _, key = make_key(lab, "Ask")
    lab.panel.button("Back to the session").click()
    process = cli.start(_PROMPT.format("edit"), key)
    panel = lab.panel.root
    card = panel.get_by_role("group", name="Edit cell 2 of nb.ipynb")
    expect(card).to_be_visible()
    expect(panel.get_by_role("heading", level=2).first).to_have_text(f"{cli.name} (outside)")
    expect(panel).to_contain_text("List the cells of the notebook")
    expect(nb.cell(1)).not_to_contain_text("min(rain)")
    assert process.poll() is None
    panel.get_by_role("button", name="Allow", exact=True).click()
    said = cli.end(process)
    assert said.code == 0, said.text
    assert "That is done." in said.text
    assert "nb.ipynb: 2 cells" in place.model.request
    assert "Edited. Its fingerprint is now" in place.model.request
    expect(nb.cell(1)).to_contain_text("max(rain), min(rain)")
    mark = lab.page.locator(".acp-cellchange")
    expect(mark).to_contain_text(f"Changed by {cli.name} (outside)")
    mark.get_by_role("button", name="Revert").click()
    expect(nb.cell(1)).not_to_contain_text("min(rain)")
    # The key was in its environment, and is in none of its files.
    files = [path for path in place.home.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if key.encode() in path.read_bytes()]


def test_a_key_that_reads_only_reads_and_changes_nothing(place: Place, told: ToldAuthors) -> None:
    lab, cli = place.lab, place.cli
    sources = ("rain = [61, 48, 52]", "print(max(rain))")
    nb = lab.open(place.workspace("reads").notebook(*sources))
    told.saved.add(nb.file)
    nb.wait_for_kernel()
    cell_id = nb.read().cells[1].id
    place.model.scripts["read"] = lambda: _script(cli, cell_id)
    _, key = make_key(lab)
    said = cli.end(cli.start(_PROMPT.format("read"), key))
    assert said.code == 0, said.text
    assert "nb.ipynb: 2 cells" in place.model.request
    assert "The policy read-only of this turn doesn't let agents" in place.model.request
    expect(nb.cell(1)).not_to_contain_text("min(rain)")


def test_a_revoked_key_is_refused_and_the_agent_is_told_why(place: Place) -> None:
    lab, cli = place.lab, place.cli
    lab.open(place.workspace("revoked").notebook("rain = [61, 48, 52]"))
    _, key = make_key(lab)
    revoke_keys(lab)
    place.model.scripts["late"] = lambda: _script(cli, "any")
    with AsUser(lab.server) as user:
        before = user.get("sessions")
        said = cli.end(cli.start(_PROMPT.format("late"), key))
        assert "This key is not valid: it was revoked" in said.text
        assert user.get("sessions") == before
