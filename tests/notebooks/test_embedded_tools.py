"""Code of an agent's tools in a kernel that holds the host itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.notebook_tools.in_process import write_notebook
from tests.support.agents.fake_agent import script
from tests.support.kernel.cells import Kernel
from tests.support.wait import eventually

TOOL = """
import asyncio
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.code_runner import EmbeddedKernelRunner
from acp_jupyter.notebook_tools.kernel_runner import KernelError

client = host_client()
runner = EmbeddedKernelRunner(client.cells)

def tool(code, seconds=600, in_cell=False):
    async def run():
        while in_cell and not client.cells.waits('this'):
            await asyncio.sleep(0.01)
        return await runner.execute('this', code, timeout_seconds=seconds)
    return client.host.submit(run())
"""
SLOW = "%%acp demo\nslow rate=200"


def until_done(kernel: Kernel, name: str) -> None:
    """Wait while no cell runs: the work is done between two of them."""
    eventually(lambda: kernel.run(f"print({name}.done())").ok().printed == "True\n")


@pytest.mark.long
def test_the_waiting_cell_runs_it(kernel: Kernel) -> None:
    kernel.run(TOOL).ok()
    kernel.run("first = tool('print(1); made = 42; made', in_cell=True)").ok()
    cell = kernel.run(SLOW).ok()
    assert "42" not in cell.printed
    shown = kernel.run("for each in first.result().outputs: print(each['output_type'])").ok()
    assert shown.printed == "stream\ndisplay_data\n"
    assert kernel.run("print(made)").ok().printed == "42\n"


def test_between_cells_it_runs_on_the_main_thread(kernel: Kernel) -> None:
    kernel.run(TOOL).ok()
    kernel.run("import threading; late = tool('threading.current_thread().name')").ok()
    until_done(kernel, "late")
    told = kernel.run("print(late.result().outputs[0]['data']['text/plain'])").ok()
    assert told.printed == "'MainThread'\n"
    kernel.run("stuck = tool('import time; time.sleep(600)', seconds=0.3)").ok()
    until_done(kernel, "stuck")
    assert kernel.run("print(stuck.result().status)").ok().printed == "timeout\n"


def test_an_agents_code_neither_prompts_nor_answers(kernel: Kernel) -> None:
    kernel.run(TOOL).ok()
    prompts = "import acp_jupyter; acp_jupyter.connect('demo')"
    answers = (
        "from acp_jupyter.api.models.turns import AnswerPermission; "
        "client.call(AnswerPermission(session_id='s', request_id='r', option_id='o'), 1)"
    )
    kernel.run(f"tried = [tool(each, in_cell=True) for each in ({prompts!r}, {answers!r})]").ok()
    kernel.run(SLOW).ok()
    told = kernel.run("print(*(each.result().outputs[0]['ename'] for each in tried))").ok()
    assert told.printed == "NotAllowed NotAllowed\n"


@pytest.mark.long
def test_it_is_not_restarted_from_within(kernel: Kernel) -> None:
    kernel.run(TOOL).ok()
    code = (
        "async def restart():\n"
        "    try:\n"
        "        await runner.restart('this')\n"
        "    except KernelError as trouble:\n"
        "        return trouble.trouble\n"
        "print(client.host.submit(restart()).result())"
    )
    assert kernel.run(code).ok().printed == "refused\n"


@pytest.mark.long
def test_an_agent_of_a_known_notebook_uses_its_kernel_and_its_file(
    folder: Path,
) -> None:
    """As in a JupyterLab whose server lacks the extension: questions come by stdin."""
    config = folder.parent / "config" / "acp_agents.json"
    agents = json.loads(config.read_text())
    agents["agent_servers"]["notebook_user"] = script("notebook_user")
    config.write_text(json.dumps(agents))
    write_notebook(folder / "n.ipynb", "%%acp", "there + 1")
    steps = [
        {"tool": "list_variables", "args": {}},
        {"tool": "run_cells", "args": {"cell_ids": ["cell-1"]}},
    ]
    with Kernel(folder, env={"JPY_SESSION_NAME": "n.ipynb"}) as kernel:
        kernel.run("%load_ext acp_jupyter\nthere = 41").ok()
        cell = kernel.run(
            f"%%acp notebook_user\n{json.dumps(steps)}", cell_id="cell-0", answers=["1"]
        ).ok()
        assert len(cell.questions) == 1
        told = kernel.run("print(_acp.text)").ok().printed
    assert "there: int" in told
    assert "42" in told
    written = json.loads((folder / "n.ipynb").read_text())["cells"][1]["outputs"]
    assert written[0]["data"]["text/plain"] == ["42"]
