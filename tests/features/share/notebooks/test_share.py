"""``%acp share`` and `Turn.share`, with a host in the kernel and one in the server."""

from __future__ import annotations

from pathlib import Path

from tests.notebooks.test_import_export import host, served, server
from tests.support.kernel.cells import Kernel

__all__ = ["host", "served", "server"]


def test_a_turn_and_a_session_are_shared(host: Kernel, tmp_path: Path) -> None:
    host.run("%%acp hello --session shared --out turn\nGood morning").ok()
    host.run("%%acp hello --session shared --out later\nGood evening").ok()
    said = host.run(f"%acp share {tmp_path / 'last.html'} --session shared").ok().printed
    assert "has the last turn of session " in said
    assert "Read it before you send it" in said
    host.run(f"%acp share {tmp_path / 'all.html'} --session shared --all").ok()
    turn = host.run(f"print(turn.share({str(tmp_path / 'turn.html')!r}).name)").ok().printed
    assert turn.strip() == "turn.html"
    pages = {path.stem: path.read_text() for path in tmp_path.glob("*.html")}
    found = {
        name: [words for words in ("Good morning", "Good evening") if words in page]
        for name, page in pages.items()
    }
    assert found == {
        "last": ["Good evening"],
        "all": ["Good morning", "Good evening"],
        "turn": ["Good morning"],
    }
    again = host.run(f"%acp share {tmp_path / 'last.html'} --session shared")
    assert again.error == "BadRequest"
    assert "--force" in again.message
    wrong = host.run(f"%acp share {tmp_path / 'last.md'}")
    assert ".html" in wrong.message + wrong.printed
    assert not (tmp_path / "last.md").exists()


def test_tab_knows_the_options(kernel: Kernel) -> None:
    assert kernel.complete("%acp share x.html --a") == ["--all"]
