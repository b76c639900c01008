"""Variants of a prompt, each with a kernel of its own beside that of the notebook."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.workspace.checkpoints.notebook_cells import fingerprint
from tests.notebook_tools.in_a_server.calls import NOTEBOOK, answers_in, sender, steps
from tests.notebook_tools.in_process import write_notebook
from tests.support.host.checkpoints import held
from tests.support.kernel.cells import Cell, Kernel
from tests.support.kernel.notebook_file import read_notebook
from tests.support.processes import any_alive, family
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.user import AsUser
from tests.support.wait import eventually

_CHANGED = "n = there\nprint(n)"


def _kernels(server: JupyterServer) -> set[int]:
    """The processes of all kernels of a server."""
    below = family(server.pid, without="no such")
    return {pid for pid, command in below.items() if "ipykernel_launcher" in command}


def _listed(server: JupyterServer) -> list[str]:
    """The kernels that a page sees."""
    with server.user() as user:
        return [each["id"] for each in user.get(f"{server.url}api/kernels").json()]


def _places(server: JupyterServer) -> Iterator[Path]:
    """What is kept for variants while they work."""
    return (server.root.parent / "data" / "acp-jupyter" / "variants").iterdir()


def _try(kernel: Kernel, prompt: str, *options: str, cell_id: str = "cell-0") -> Cell:
    line = " ".join(("%%acp notebook_user, notebook_user --try --policy allow-all", *options))
    return kernel.run(f"{line}\n{prompt}", cell_id=cell_id, watched=True).ok()


def _said(kernel: Kernel, number: int) -> list[dict[str, Any]]:
    return answers_in(kernel.run(f"print(_acp[{number}].text)").ok().printed)


def _notices(kernel: Kernel, number: int) -> str:
    return kernel.run(f"print(_acp[{number}].to_markdown())").ok().printed


def _above(cell: Cell) -> str:
    """What stands above the turns."""
    return str(cell.outputs[0].data["text/markdown"])


def test_each_works_with_copies_of_the_variables(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    kernel.run("there, shared = 42, []\nother = {'s': shared}\ndef twice(x): return x * 2").ok()
    kernel.run(f"log = open({str(server.root / 'log.txt')!r}, 'w'); before = _acp = 0").ok()
    before, listed, running = held(path.parent), _listed(server), _kernels(server)
    edit = {"cell_id": "cell-1", "fingerprint": fingerprint("n = 1"), "source": _CHANGED}
    prompt = steps(
        ("list_variables", {}),
        ("run_code", {"code": "shared.append(twice(there)); there += 1; print(other, there)"}),
        ("edit_cell", edit),
        ("run_cells", {"cell_ids": ["cell-1"]}),
        ("run_code", {"code": "import os; print(os.getcwd())"}),
    )
    cell = _try(kernel, prompt)
    assert "It has its own kernel" in _above(cell)
    for number in range(2):
        variables, ran, edited, cells, folder = _said(kernel, number)
        assert "there: int = 42" in variables["text"]
        assert "You alone use this kernel" in variables["text"]
        assert "Not copied: log (_io.TextIOWrapper)." in variables["text"]
        assert "You alone use this kernel" not in ran["text"]
        assert "{'s': [84]} 43" in ran["text"]
        assert not edited["failed"]
        assert "\n43\n" in cells["text"]
        assert str(server.root) not in folder["text"]
        assert "Not copied: log" in _notices(kernel, number)
    assert kernel.run("print(there, shared)").ok().printed == "42 []\n"
    assert held(path.parent) == before
    assert _listed(server) == listed
    assert _kernels(server) == running
    eventually(lambda: not list(_places(server)), "neither copies nor variables are left")
    kernel.run("_acp[1].keep()").ok()
    kept = read_notebook(path).cells[1]
    assert (kept.source, kept.outputs[0].text) == (_CHANGED, "43\n")
    kernel.run("log.close()").ok()


def test_the_cells_above_run_again_in_the_copy_if_that_is_chosen(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    """Cells that ask agents are left out, and what needs them; the first error ends it."""
    write_notebook(
        path,
        "rerun_a = 1\nopen('made.txt', 'a').write('x')",
        "%%acp\nSay something",
        "import acp_jupyter\nasked = acp_jupyter.connect('notebook_user')",
        "asked.id",
        "rerun_b = rerun_a + 1",
        "rerun_b / 0",
        "rerun_c = 3",
        "%%acp",
    )
    prompt = steps(("list_variables", {"pattern": "rerun_*"}), ("list_variables", {}))
    cell = _try(kernel, prompt, "--restore rerun", cell_id="cell-7")
    assert "The code cells above this one run again" in _above(cell)
    for number in range(2):
        first, second = _said(kernel, number)
        assert "rerun_a: int = 1" in first["text"]
        assert "rerun_b: int = 2" in first["text"]
        assert "rerun_c" not in first["text"]
        assert (
            "It ran 2 of the 7 code cells above again. Not run: cell 2 (it asks an agent), "
            "cell 3 (it asks an agent), cell 4 (it uses asked, which cell 3 sets; that was "
            "skipped). Cell 6 failed: ZeroDivisionError: division by zero. What comes after it was "
            "not run." in first["text"]
        )
        assert "In it" not in second["text"]
    assert not (path.parent / "made.txt").exists()
    assert kernel.run("print('rerun_a' in globals())").ok().printed == "False\n"
    kernel.run("_acp[0].keep()").ok()
    assert (path.parent / "made.txt").read_text() == "x"
    unknown = kernel.run(
        "%%acp notebook_user, notebook_user --try --restore rerun\n[]", cell_id="other"
    )
    assert "Which cell asks is not known" in unknown.message


@pytest.mark.long
def test_a_kernel_that_dies_is_not_replaced_unsaid_and_asks_nobody(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    kernel.run("class Bad:\n    def __reduce__(self): return eval, ('1 / 0',)\nbad = Bad()").ok()
    own_id = "get_ipython().kernel.parent.connection_file.rpartition('kernel-')[2][:-5]"
    attack = sender(server.api, "").replace("KERNEL_HEADER: ''", f"KERNEL_HEADER: {own_id}")
    asks = "acp_jupyter.connect('notebook_user')"
    prompt = steps(
        ("run_code", {"code": f"{attack}\nprint([send('GET', 'sessions')])"}),
        ("run_code", {"code": f"import acp_jupyter; {asks}"}),
        ("run_code", {"code": "import os; os._exit(1)"}),
        ("list_variables", {}),
        ("restart_kernel", {}),
        ("run_code", {"code": "print('again')"}),
        ("list_variables", {"pattern": "bad"}),
    )
    _try(kernel, prompt)
    sent, asked, died, dead, restarted, again, left = _said(kernel, 0)
    assert "as they could not be read: ZeroDivisionError: division by zero" in sent["text"]
    assert "[403]" in sent["text"]
    assert "in a check or a variant can't ask agents" in asked["text"]
    assert died["failed"]
    assert "restart_kernel starts it again, without variables" in dead["text"]
    assert not restarted["failed"]
    assert "\nagain\n" in again["text"]
    assert "0 variables" in left["text"]
    kernel.run("del bad").ok()


def test_without_tools_there_is_no_kernel(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    running = _kernels(server)
    cell = _try(kernel, "tools", "--no-tools")
    assert "the notebook tools are turned off" in _above(cell)
    assert kernel.run("print(_acp[0].text)").ok().printed.strip() == "no tools"
    # The tools for cells need none.
    _try(kernel, steps(("list_cells", {})), "--restore none")
    assert "This kernel" not in _said(kernel, 0)[0]["text"]
    assert _kernels(server) == running
    outside = path.parent.parent / "elsewhere"
    outside.mkdir(exist_ok=True)
    code = "import acp_jupyter\ntried = acp_jupyter.try_several('tools', ['notebook_user'] * 2"
    kernel.run(f"{code}, cwd={str(outside)!r}).wait()").ok()
    told = kernel.run("print(tried.rows()[0]['kernel'], tried[0].text)").ok().printed
    assert "n.ipynb is not in the folder that is copied" in told
    assert "no tools" in told


def test_an_interrupt_ends_a_kernel_that_is_just_restored(
    server: JupyterServer, side: KernelSide, kernel: Kernel, path: Path
) -> None:
    write_notebook(path, "import time; open('begun', 'w').close(); time.sleep(600)", "%%acp")
    running = _kernels(server)

    interrupted: list[bool] = []

    def interrupt(_cell: Cell) -> None:
        # Once: a second one could end what the kernel says of the cell's end.
        begun = any((place / "work" / "begun").exists() for place in _places(server))
        if begun and not interrupted:
            interrupted.append(True)
            with server.user() as user:
                user.post(f"{server.url}api/kernels/{side.kernel_id}/interrupt").raise_for_status()

    line = "%%acp notebook_user, notebook_user --try --restore rerun --policy allow-all"
    cell = kernel.run(
        f"{line}\n{steps(('list_variables', {}))}",
        cell_id="cell-1",
        watched=True,
        on_progress=interrupt,
    )
    assert cell.error == "KeyboardInterrupt"
    eventually(lambda: _kernels(server) == running)
    eventually(lambda: not list(_places(server)))


@pytest.mark.long
def test_none_outlives_a_server_that_is_killed_or_its_kernelspec(tmp_path: Path) -> None:
    with JupyterServer(tmp_path, agents=fake_agents("notebook_user")) as server:
        write_notebook(server.root / NOTEBOOK, "%%acp")
        spec = tmp_path / "data" / "kernels" / "own" / "kernel.json"
        spec.parent.mkdir(parents=True)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        words = {"argv": argv, "display_name": "Own", "language": "python"}
        spec.write_text(json.dumps(words))
        side = server.start_kernel(NOTEBOOK, "own")
        with Kernel(server.root, connection_file=side.connection_file) as kernel:
            kernel.run("%load_ext acp_jupyter").ok()
            spec.rename(tmp_path / "gone.json")
            _try(kernel, steps(("list_variables", {}), ("list_cells", {})))
            variables, cells = _said(kernel, 0)
            assert "There is no kernel 'own' here any more" in variables["text"]
            assert not cells["failed"]
            (tmp_path / "gone.json").rename(spec)
            line = "%%acp notebook_user, notebook_user --try --background"
            asks = steps(("run_code", {"code": "1"}))
            kernel.run(f"{line}\n{asks}", cell_id="cell-0", watched=True).ok()
            with AsUser(server) as user:
                turn = user.newest_turn(user.session_of(NOTEBOOK, "notebook_user"))
                asked = user.permission(turn)["title"]
            assert asked.endswith("wants to run code in the variant's own kernel")
            eventually(lambda: len(_kernels(server)) == 3)
            kernels = _kernels(server)
        server.kill()
        eventually(lambda: not any_alive(kernels))
