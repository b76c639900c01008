"""Variables that one kernel writes and another reads: what is shared, what is left out, bounds.

Each kernel is a process of its own, as only one can be ``__main__``.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.features.variants.copied_variables import CopiedVariables
from acp_jupyter.features.variants.variable_copies import write_variables
from tests.support.kernel.own_shell import own_shell

_RUN = """\
import sys
from IPython.core.interactiveshell import InteractiveShell
from acp_jupyter.features.variants import variable_copies

shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell).raise_error()
print("\\n" + getattr(variable_copies, {name!r})(shell, *{arguments!r}))
for cell in {after!r}:
    shell.run_cell(cell).raise_error()
"""


def _run(folder: Path, name: str, *arguments: Any, cells: Any = (), after: Any = ()) -> list[str]:
    code = _RUN.format(name=name, arguments=arguments, cells=cells, after=after)
    env = os.environ | {"IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": os.getcwd()}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip().splitlines()


def write(folder: Path, *cells: str, most: int = 10_000_000, seconds: float = 30) -> Any:
    told = _run(folder, "write_variables_json", str(folder / "file"), most, seconds, cells=cells)
    return CopiedVariables.model_validate_json(told[-1])


def read(folder: Path, *after: str, copied: str = "/x", copy: str = "/y") -> tuple[Any, list[str]]:
    path = str(folder / "file")
    told = _run(folder, "read_variables_json", path, copied, copy, after=after)
    return CopiedVariables.model_validate_json(told[0]), told[1:]


def test_what_variables_share_is_shared_in_the_copy(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "helpers.py").write_text("def triple(x): return x * 3\n")
    (tmp_path / "gone.py").write_text("")
    cells = (
        f"import sys, json as j; sys.path.append({str(tmp_path / 'lib')!r})\nimport helpers, gone",
        "shared = []; one, two = {'s': shared}, shared\nfactor = 2",
        "class Point:\n    def __init__(self): self.all = shared",
        "point = Point()\ndouble = lambda: two * 2",
        "def scaled(x): return helpers.triple(x) * factor",
        "import io\nlog = open('log.txt', 'w'); each = (i for i in [1]); _hidden = 1",
        "import acp_jupyter\nclient = acp_jupyter.Variants(())\nshell = get_ipython()",
    )
    written = write(tmp_path, *cells)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert written.left_out[:2] == ("log (_io.TextIOWrapper)", "each (generator)")
    assert [each.partition(" ")[0] for each in written.left_out[2:]] == ["client", "shell"]
    # Where the copied folder is on the path, its copy is looked in.
    (tmp_path / "lib").rename(tmp_path / "copy")
    (tmp_path / "gone.py").unlink()
    use = (
        "shared.append(7); factor = 10",
        "print(json.dumps([one, two, point.all, scaled(1), double(), type(point) is Point]))",
        "print(helpers.__file__, '_hidden' in globals(), 'log' in globals())",
    )
    told, said = read(
        tmp_path, "import json", *use, copied=str(tmp_path / "lib"), copy=str(tmp_path / "copy")
    )
    assert told.trouble == ""
    assert told.left_out == ("gone (can't be imported)",)
    assert told.count == written.count - 1
    assert json.loads(said[0]) == [{"s": [7]}, [7], [7], 30, [7, 7], True]
    assert said[1] == f"{tmp_path / 'copy' / 'helpers.py'} False False"
    assert (tmp_path / "log.txt").read_text() == ""


def test_it_is_bounded_whatever_the_values_do(tmp_path: Path) -> None:
    endless = (
        "class Endless:\n    def __reduce__(self):\n        while True: pass\nendless = Endless()"
    )
    fails = "class Fails:\n    def __reduce__(self): raise SystemExit\nfails = Fails()"
    offline = "class Client:\n    def __reduce__(self): raise ConnectionError\nclient = Client()"
    large = "large, middle, small = bytes(3_000_000), bytes(900_000), 1\nother = bytes(800_000)"
    told = write(
        tmp_path, endless, "endless = Endless()", fails, offline, large, most=1_000_000, seconds=3
    )
    assert set(told.left_out) == {
        *(
            "endless (takes too long)",
            "fails (Fails)",
            "client (Client)",
            "large (too large)",
            "middle (too large)",
        ),
    }
    _, said = read(tmp_path, "print(small, len(other), Endless.__name__)")
    assert said == ["1 800000 Endless"]


def test_what_can_not_be_read_leaves_nothing_half_read(tmp_path: Path) -> None:
    assert not write(
        tmp_path, "class Bad:\n    def __reduce__(self): return eval, ('1 / 0',)", "bad = Bad()"
    ).trouble
    told, said = read(tmp_path, "print('Bad' in globals())")
    assert told.trouble == "ZeroDivisionError: division by zero"
    assert (told.count, said) == (0, ["False"])


def test_without_dill_or_a_place_nothing_is_written(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['dill'] = None"
    assert write(tmp_path, hidden).trouble == "dill is not installed in the notebook's kernel"
    assert not (tmp_path / "file").exists()
    (tmp_path / "file").symlink_to(tmp_path / "elsewhere")
    assert "symbolic links" in write(tmp_path, "a = 1").trouble
    assert not (tmp_path / "elsewhere").exists()


def test_what_can_not_be_written_is_found_without_writing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_shell(tmp_path, monkeypatch) as shell:
        shell.run_cell("each = (i for i in [1]); small = b'1'; large = b'1' * 2000")  # type: ignore[no-untyped-call]
        written = write_variables(shell, tmp_path / "file", 1000, 30)
    assert (written.count, written.left_out) == (1, ("each (generator)", "large (too large)"))
    assert b"small" in (tmp_path / "file").read_bytes()
