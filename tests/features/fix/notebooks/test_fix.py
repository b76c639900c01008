"""``%acp fix``: what it sends, and what Tab and the help say of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.kernel.cells import Kernel


@pytest.fixture
def folder(folder: Path) -> Path:
    """The agent ``takes`` tells what it was sent, and takes everything."""
    file = folder.parent / "config" / "acp_agents.json"
    config = json.loads(file.read_text())
    config["agent_servers"]["takes"]["args"] += ["image", "embeddedContext"]
    file.write_text(json.dumps(config))
    return folder


def answer(kernel: Kernel, cell: str) -> str:
    kernel.run(cell).ok()
    return kernel.run("print(_acp.text)").ok().printed.strip()


def test_fix_sends_the_cell_and_its_error(kernel: Kernel) -> None:
    kernel.run("%acp use hello").ok()
    assert "Nothing has failed" in kernel.run("%acp fix").printed
    kernel.run("def half(x):\n    return x / 0\n\nhalf(3)  # here")
    prompt = answer(kernel, "%acp fix")
    assert "```python\ndef half(x):" in prompt
    assert "half(3)  # here" in prompt
    assert "ZeroDivisionError" in prompt
    assert "Traceback (most recent call last)" in prompt
    assert "acp_jupyter/kernel" not in prompt
    about = kernel.run("print(_acp.to_markdown())").ok().printed.splitlines()[0]
    assert "ZeroDivisionError: division by zero" in about
    assert re.fullmatch(r"\*.*About the error in cell In\\\[\d+\\\].*: .*\*", about), about
    kernel.run("%acp nonsense")
    assert "was of a magic" in kernel.run("%acp fix").printed


def test_fix_bounds_what_it_sends(kernel: Kernel) -> None:
    kernel.run("%acp use hello").ok()
    kernel.run(f"x = {'y' * 30_000!r}\nraise ValueError(x * 10)")
    prompt = answer(kernel, "%acp fix --policy deny")
    assert len(prompt) < 30_000
    assert "characters left out" in prompt
    kernel.run("for x in [1:\n  pass")
    assert "SyntaxError" in answer(kernel, "%acp fix")


def test_fix_sends_the_error_with_its_cell_and_variables(kernel: Kernel) -> None:
    kernel.run("import math\ncount, total, other = 0, 10, 'not named'").ok()
    assert kernel.run("mean = math.floor(total / count)").error == "ZeroDivisionError"
    kernel.run("%acp fix takes").ok()
    prompt, variables = json.loads(kernel.run("print(_acp.text)").ok().printed)
    assert "mean = math.floor(total / count)" in prompt["text"]
    assert "ZeroDivisionError" in prompt["text"]
    assert 'File "<cell>", line 1' in prompt["text"]
    assert "interactiveshell.py" not in prompt["text"]
    assert "/ipykernel_" not in prompt["text"]
    told = variables["text"]
    assert 'origin="variable count"' in told
    assert 'origin="variable total"' in told
    assert "other" not in told
    assert "variable math" not in told


def test_its_options_are_those_of_a_cell(kernel: Kernel) -> None:
    assert kernel.complete("%acp fix --pol") == ["--policy"]
    assert "%%acp --help" in kernel.run("%acp fix --help").ok().printed
