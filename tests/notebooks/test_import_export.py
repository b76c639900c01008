"""``%acp import`` and ``%acp export``, with a host in the kernel and one in the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.dialects.import_dialects import DIALECTS
from acp_jupyter.kernel.magics.help import KINDS
from acp_jupyter.transcript.output.record import TURN_MIME
from tests.support.kernel.cells import Cell, Kernel
from tests.support.log.recorded import TRAFFIC
from tests.support.server.jupyter_server import JupyterServer, fake_agents

LOG = TRAFFIC / "codex-edit_file.jsonl"
SESSIONS = (
    "from acp_jupyter.kernel.client.server_client import host_client\n"
    "print([state.session_id for state in host_client().sessions()])"
)
FORMATS = ("traffic", "packets", "build-mode", "markdown", "html", "json")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    with JupyterServer(tmp_path_factory.mktemp("server"), agents=fake_agents("hello")) as server:
        (server.root / "folder").mkdir()
        yield server


@pytest.fixture(scope="module")
def served(server: JupyterServer) -> Iterator[Kernel]:
    file = server.start_kernel("folder/own.ipynb").connection_file
    with Kernel(server.root, connection_file=file) as kernel:
        kernel.run("%load_ext acp_jupyter").ok()
        yield kernel


@pytest.fixture(params=["kernel", pytest.param("server", marks=pytest.mark.long)])
def host(request: pytest.FixtureRequest) -> Kernel:
    """A kernel with a host in it, or in its server."""
    name = {"kernel": "kernel", "server": "served"}[request.param]
    kernel = request.getfixturevalue(name)
    assert isinstance(kernel, Kernel)
    return kernel


def test_a_log_is_imported_and_its_last_turn_shown(host: Kernel, tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(LOG.read_bytes() + b'{"t": 9, "d"')
    cell = host.run(f"%acp import {torn}").ok()
    first, problem = cell.printed.splitlines()
    assert first.startswith("Imported as session ")
    assert first.endswith(": ACP traffic, 1 turn, 24 lines.")
    assert problem.startswith(f"{torn}:27: This is not JSON")
    turn = cell.output.data[TURN_MIME]
    assert turn["final"] is True
    assert "```diff" in cell.output.data["text/markdown"]
    sessions = host.run("%acp sessions").ok().output.data["text/plain"]
    assert "Imported: torn.jsonl" in sessions


def test_an_interrupt_cancels_a_long_import(kernel: Kernel, tmp_path: Path) -> None:
    """The cell shows how far it is, and nothing is left."""
    chunk = {
        "type": "agent_message_chunk",
        "content": {"type": "text", "text": "words "},
    }
    (tmp_path / "big.ndjson").write_text(f"{json.dumps(chunk)}\n" * 150_000)
    before = kernel.run(SESSIONS).ok().printed
    interrupted: list[str] = []

    def interrupt(cell: Cell) -> None:
        shown = str(cell.output.data.get("text/plain", "")) if cell.outputs else ""
        if "lines, " in shown and not interrupted:
            interrupted.append(shown)
            kernel.manager.interrupt_kernel()

    cell = kernel.run(f"%acp import {tmp_path / 'big.ndjson'}", on_progress=interrupt)
    assert cell.error == "KeyboardInterrupt"
    assert interrupted[0].startswith("Importing big.ndjson: ")
    assert interrupted[0].endswith("MB. Interrupt the kernel to cancel.")
    assert cell.output.data["text/plain"] == "Cancelled. Nothing of the log is kept."
    assert kernel.run(SESSIONS).ok().printed == before


def test_an_imported_session_takes_no_prompt(host: Kernel) -> None:
    host.run(f"%acp import {LOG} --name old").ok()
    cell = host.run(
        "from acp_jupyter.kernel.client.server_client import host_client\n"
        "from acp_jupyter.api.models.turns import PromptSession\n"
        "client = host_client()\n"
        "old = next(s for s in client.sessions() if s.title == 'Imported: old')\n"
        "client.run(PromptSession(session_id=old.session_id, prompt='Go on', can_ask=False))"
    )
    assert cell.error == "SessionImported"
    assert "no agent" in cell.message


def test_every_format_is_written_and_nothing_is_overwritten(host: Kernel, tmp_path: Path) -> None:
    host.run("%%acp hello\nGood morning").ok()
    for form in FORMATS:
        file = tmp_path / f"out.{form}"
        said = host.run(f"%acp export {file} --format {form}").ok().printed
        assert said.startswith("Exported session ")
        assert f"{form}, " in said
    traffic, packets, build, markdown, html, whole = (
        (tmp_path / f"out.{form}").read_text() for form in FORMATS
    )
    assert json.loads(traffic.splitlines()[0])["m"]["note"] == "session_opened"
    assert json.loads(packets.splitlines()[0])["seq"] == 1
    assert json.loads(packets.splitlines()[-1])["type"] == "prompt_response"
    assert json.loads(build.splitlines()[-1])["type"] == "done"
    assert "Good morning" in markdown
    assert html.startswith("<!DOCTYPE html>")
    assert json.loads(whole)["turns"][-1]["status"] == "done"

    again = host.run(f"%acp export {tmp_path / 'out.html'}")
    assert again.error == "BadRequest"
    assert "--force" in again.message
    (tmp_path / "out.html").write_text("old")
    host.run(f"%acp export {tmp_path / 'out.html'} --force").ok()
    assert (tmp_path / "out.html").read_text() == html
    assert len(list(tmp_path.glob("*out.*"))) == len(list(tmp_path.glob("out.*"))) == len(FORMATS)


def test_what_is_exported_can_be_imported(host: Kernel, tmp_path: Path) -> None:
    host.run("%%acp demo --policy allow-all --out turn\nedit").ok()
    text = host.run("print(turn.text)").ok().printed
    host.run(f"%acp export {tmp_path / 'whole.ndjson'}").ok()
    host.run(f"%acp export {tmp_path / 'packets.ndjson'} --format packets").ok()
    host.run(f"%acp export {tmp_path / 'build.ndjson'} --format build-mode").ok()
    for name, kind in (
        ("whole", "ACP traffic"),
        ("packets", "packets"),
        ("build", "build-mode packets"),
    ):
        cell = host.run(f"%acp import {tmp_path / name}.ndjson").ok()
        assert f": {kind}, 1 turn" in cell.printed
        assert cell.printed.count("\n") == 1, "no problems"
        turn = cell.output.data[TURN_MIME]
        answer = "\n\n".join(i["text"] for i in turn["items"] if i["kind"] == "agent_message")
        assert f"{answer}\n" == text
        assert turn["turn"]["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("import", "UsageError", "%acp import PATH"),
        ("import none.jsonl", "FileMissing", "There is no file none.jsonl"),
        (f"import {LOG} --as nonsense", "UsageError", "claude-cli"),
        (f"import {LOG} --as claude-cli", "NothingToImport", "is a log of ACP traffic"),
        (f"import {__file__}", "NothingToImport", "is not a log that can be imported"),
        ("export", "UsageError", "%acp export PATH"),
        ("export out.txt", "UsageError", "--format"),
        ("export out.txt --format nonsense", "UsageError", "build-mode"),
        ("export out.md", "UnknownSession", "no session yet"),
    ],
)
def test_a_mistake_says_what_to_type(mistaken: Kernel, line: str, error: str, words: str) -> None:
    cell = mistaken.run(f"%acp {line}")
    assert cell.error == error or cell.printed.startswith(f"{error}: ")
    assert words in cell.message + cell.printed


def test_which_session_is_exported(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run("%%acp hello --session one --out one\nFirst").ok()
    kernel.run("%%acp hello --session two\nSecond").ok()
    kernel.run(f"%acp export {tmp_path / 'newest.md'}").ok()
    assert "Second" in (tmp_path / "newest.md").read_text()
    kernel.run(f"%acp export {tmp_path / 'named.md'} --session one").ok()
    assert "First" in (tmp_path / "named.md").read_text()
    session = kernel.run("print(one.session_id)").ok().printed.strip()
    kernel.run(f"%acp export {tmp_path / 'by_id.md'} --session {session[:8]}").ok()
    assert "First" in (tmp_path / "by_id.md").read_text()
    assert kernel.run(f"%acp export {tmp_path / 'x.md'} --session nine").error == "UnknownSession"
    assert kernel.run(f"%acp export {tmp_path / 'no' / 'x.md'}").error == "BadRequest"
    assert sorted(path.name for path in tmp_path.glob("*.md")) == [
        "by_id.md",
        "named.md",
        "newest.md",
    ]


def test_a_turn_is_html_too(kernel: Kernel) -> None:
    kernel.run("%%acp hello --out turn\nGood morning").ok()
    page = kernel.run("print(turn.to_html())").ok().printed
    assert page.startswith("<!DOCTYPE html>")
    assert "Good morning" in page
    cell = kernel.run(
        "import sys\n"
        "sys.modules['markdown_it'] = None\n"
        "for name in [n for n in sys.modules if n.endswith(('.html', '.html_markdown'))]:\n"
        "    del sys.modules[name]\n"
        "turn.to_html()"
    )
    assert cell.error == "MissingPackage"
    assert "pip install jinja2 markdown-it-py" in cell.message


def test_tab_knows_formats_and_kinds(kernel: Kernel) -> None:
    assert kernel.complete("%acp exp") == ["export"]
    assert kernel.complete("%acp export x.ndjson --format b") == ["build-mode"]
    assert kernel.complete("%acp import x.ndjson --as c") == ["claude-cli"]
    assert KINDS == DIALECTS
