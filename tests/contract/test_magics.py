"""The words and options of ``%%acp`` and ``%acp``, as their help and Tab tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter import load_ipython_extension
from tests.contract.golden import check
from tests.support.kernel.own_shell import own_shell


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("COLUMNS", "80")  # the width that argparse wraps at
    with own_shell(tmp_path, monkeypatch) as shell:
        load_ipython_extension(shell)
        yield shell


def test_the_help_of_cells_and_lines(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(line: str) -> str:
        capsys.readouterr()
        assert shell.run_cell(line).success  # type: ignore[no-untyped-call]
        return capsys.readouterr().out.rstrip()

    help_ = said("%acp help")
    assert said("%%acp --help") in help_
    names = re.findall(r"^  %acp (\w+)", help_, re.MULTILINE)
    more = [said(f"%acp {name} --help") for name in names]
    assert more == [said(f"%acp help {name}") for name in names]
    check("magics.txt", "\n\n----\n".join([help_, *more]).split("\n"))


def _offered(shell: InteractiveShell, text: str) -> list[str]:
    with provisionalcompleter():
        return [each.text for each in shell.Completer.completions(text, len(text))]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("%%acp de", ["demo"]),
        ("%%acp Gem", ['"Gemini CLI"']),
        ('%%acp "gemini c', ['"Gemini CLI"']),
        ('%%acp "Gemini CLI" --pol', ["--policy"]),
        ("%%acp demo --policy acc", ["accept-edits"]),
        ("%acp sess", ["sessions"]),
        ("%%acp demo\nLook at @cl", ["@clean_rows", "@clean.py"]),
        ("%%time\n%%acp demo\n(@clean.", ["@clean.py"]),
    ],
)
def test_what_tab_completes(
    shell: InteractiveShell,
    typed: str,
    expected: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "clean.py").touch()
    monkeypatch.chdir(tmp_path)
    shell.user_ns["clean_rows"] = [1]
    assert _offered(shell, typed) == expected


def test_the_words_that_tab_offers(shell: InteractiveShell) -> None:
    def offered(line: str) -> str:
        with provisionalcompleter():
            found = [each.text for each in shell.Completer.completions(line, len(line))]
        return " ".join(text for text in found if text.startswith("-") or line[-1] == " ")

    lines = ["%acp "]
    lines += [f"%acp {name} --" for name in offered("%acp ").split()]
    lines += ["%%acp --", "%%acp --policy ", "%%acp --allow ", "%acp policy "]
    lines += ["%acp export a.md --", "%acp export --format "]
    lines += ["%acp import a.log --", "%acp import --as "]
    check("completions.txt", (f"{line}: {offered(line)}".rstrip() for line in lines))
