"""Kernels that the server starts know ``%acp`` and ``%%acp`` without ``%load_ext``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.server.jupyter_server import JupyterServer, KernelSide

ROOT = Path(__file__).parents[2]
LAUNCH = ("-m", "ipykernel_launcher", "-f", "{connection_file}")
# The kernel's environment has no acp_jupyter: nothing that leads to it is on the path.
HIDES = """\
import pathlib, sys
sys.path[:] = [path for path in sys.path if not pathlib.Path(path, "acp_jupyter").is_dir()]
"""
# A kernel of somebody else: it ends on any argument that it does not know.
STRICT = """\
import sys
from ipykernel.kernelapp import IPKernelApp
if len(sys.argv) != 2:
    raise SystemExit(f"unknown arguments: {sys.argv[2:]}")
IPKernelApp.launch_instance(argv=["-f", sys.argv[1]])
"""


def _install(folder: Path, name: str, argv: Sequence[str], **env: str) -> None:
    place = folder / "data" / "kernels" / name
    place.mkdir(parents=True)
    spec = {"argv": list(argv), "display_name": name, "language": "python", "env": env}
    (place / "kernel.json").write_text(json.dumps(spec))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("magics")
    profile = folder / "ipython" / "profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_config.py").write_text("c.MagicsManager.lazy_magics = {'mine': 'my_ext'}\n")
    bare = folder / "bare"
    bare.mkdir()
    (bare / "sitecustomize.py").write_text(HIDES)
    strict = folder / "strict.py"
    strict.write_text(STRICT)
    _install(folder, "bare", (sys.executable, *LAUNCH), PYTHONPATH=str(bare))
    _install(folder, "strict", (sys.executable, str(strict), "{connection_file}"))
    with JupyterServer(folder) as server:
        yield server


@pytest.fixture
def kernel(server: JupyterServer, request: pytest.FixtureRequest) -> KernelSide:
    return server.start_kernel(f"{request.node.name}.ipynb")


def _is_imported(kernel: KernelSide) -> str:
    return kernel.run("import sys; print('acp_jupyter' in sys.modules)").strip()


def test_both_magics_work_in_a_fresh_kernel_and_nothing_is_imported_before(
    kernel: KernelSide,
) -> None:
    assert kernel.run("%who").strip() == "Interactive namespace is empty."
    assert _is_imported(kernel) == "False"
    assert "can be installed" in kernel.run("%acp agents")
    assert _is_imported(kernel) == "True"
    kernel.run("%%acp demo\nSay something")
    assert kernel.run("print(_acp.stop_reason)").strip() == "end_turn"


def test_tab_knows_the_magics_before_their_first_use(kernel: KernelSide) -> None:
    def offered(text: str) -> str:
        return kernel.run(
            "from IPython.core.completer import provisionalcompleter\n"
            "with provisionalcompleter():\n"
            f"    found = get_ipython().Completer.completions({text!r}, {len(text)})\n"
            "    print(*(each.text for each in found))"
        ).strip()

    assert "import" in offered("imp")
    assert _is_imported(kernel) == "False"
    assert offered("%%acp dem") == "demo"
    assert offered("%acp sess") == "sessions"


def test_magics_that_the_user_configured_stay(kernel: KernelSide) -> None:
    code = "print(get_ipython().magics_manager.lazy_magics['mine'])"
    assert kernel.run(code).strip() == "my_ext"


def test_load_ext_still_works(kernel: KernelSide) -> None:
    assert kernel.run("%load_ext acp_jupyter").strip() == ""
    assert "can be installed" in kernel.run("%acp agents")


def test_a_restarted_kernel_knows_them_again(server: JupyterServer, kernel: KernelSide) -> None:
    with server.user() as user:
        user.post(f"{server.url}api/kernels/{kernel.kernel_id}/restart").raise_for_status()
    assert "can be installed" in kernel.run("%acp agents")


def test_a_kernel_without_the_package_says_how_to_install_it(server: JupyterServer) -> None:
    kernel = server.start_kernel("bare.ipynb", "bare")
    caught = "import traceback\ntry:\n    get_ipython().run_cell_magic('acp', 'demo', 'hi')\n"
    said = kernel.run(f"{caught}except Exception as error:\n    print(error)")
    assert "acp-jupyter is not installed in this kernel's environment" in said
    assert "%pip install acp-jupyter" in said
    # Once it is there, the same cell works.
    kernel.run(f"import sys; sys.path.append({str(ROOT)!r})")
    assert "can be installed" in kernel.run("%acp agents")


def test_another_kernel_gets_no_argument(server: JupyterServer) -> None:
    kernel = server.start_kernel("strict.ipynb", "strict")
    assert kernel.run("print('alive')").strip() == "alive"


@pytest.mark.long
def test_a_setting_turns_it_off(tmp_path: Path) -> None:
    with JupyterServer(tmp_path, args=("--AcpJupyter.lazy_magics=False",)) as server:
        kernel = server.start_kernel("off.ipynb")
        code = "print(get_ipython().find_line_magic('acp'))"
        assert kernel.run(code).strip() == "None"
        kernel.run("%load_ext acp_jupyter")
        assert "can be installed" in kernel.run("%acp agents")
