"""Saved prompts in cells: their arguments, their agent, and ``%acp prompts``."""

from __future__ import annotations

from pathlib import Path

from tests.support.kernel.cells import Kernel


def test_a_cell_calls_a_saved_prompt(kernel: Kernel, folder: Path) -> None:
    assert "There are no saved prompts in" in kernel.run("%acp prompts").ok().printed
    prompts = folder / ".acp" / "prompts"
    prompts.mkdir(parents=True)
    front = "---\ndescription: Greet\narguments: {who: all}\nagent: hello\npolicy: read-only\n---"
    (prompts / "greet.md").write_text(f"{front}\nGreet {{{{who}}}}.")
    (prompts / "bad.md").write_text("---\nagents: hello\n---\nText")
    table = kernel.run("%acp prompts").ok().output.data["text/plain"]
    assert "/greet" in table
    assert "who=all" in table
    assert "read-only" in table
    assert "it has 'agents'. Known are: description, arguments, agent, policy." in table
    # The cell names no agent: that of the file gets it.
    kernel.run("name = 'you'").ok()
    kernel.run("%%acp --format\n/greet {name}").ok()
    printed = kernel.run("print(_acp.text)").ok().printed
    assert "Hello from the **fake** agent. You said: Greet you." in printed
    assert "is for hello, and this session is of takes" in kernel.run("%%acp takes\n/greet").message
    assert "can't be used" in kernel.run("%%acp hello\n/bad").message
