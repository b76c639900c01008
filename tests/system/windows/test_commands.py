"""Command lines of Windows, read again by the rules of the programs that get them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.system.windows.commands import (
    batch_command_line,
    command_line,
    shell_command,
    shell_line,
)

WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20)


def by_the_c_library(line: str) -> list[str]:
    """Split a line as ``CommandLineToArgvW`` documents it, with a doubled quote as one."""
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        word, quoted = "", False
        while at < len(line) and (quoted or line[at] not in " \t"):
            slashes = len(line) - at - len(line[at:].lstrip("\\"))
            if slashes and line[at + slashes : at + slashes + 1] == '"':
                word += "\\" * (slashes // 2)
                at += slashes
                if slashes % 2:
                    word += '"'
                    at += 1
            elif slashes:
                word += "\\" * slashes
                at += slashes
            elif line[at] == '"':
                if quoted and line[at + 1 : at + 2] == '"':
                    word += '"'
                    at += 1
                else:
                    quoted = not quoted
                at += 1
            else:
                word += line[at]
                at += 1
        words.append(word)
    return words


def by_cmd(line: str) -> str:
    """Return what cmd.exe runs of ``cmd.exe /c "…"``; fail where it would run more than that."""
    inner = line.partition('/c "')[2]
    assert inner.endswith('"')
    inner = inner[:-1].replace("%%cd:~,%", "%\0")
    assert not re.search(r"%[^%\0]+%", inner.replace("%\0", "\0")), "it expands a variable"
    quoted = False
    for char in inner:
        quoted ^= char == '"'
        assert quoted or char not in "&|<>()^\r\n", "it runs something else"
    return inner.replace("%\0", "")


@given(st.lists(WORDS, max_size=5))
def test_a_script_gets_just_its_arguments(arguments: list[str]) -> None:
    line = batch_command_line(r"C:\Program Files\npx.cmd", arguments)
    assert by_the_c_library(by_cmd(line)) == [r"C:\Program Files\npx.cmd", *arguments]


@pytest.mark.parametrize(
    "argument",
    ['"&calc.exe', "%PATH%", "%CMDCMDLINE:~-1%&calc.exe", "a^b", "x|y", "!v!", "a\\", '\\"&x', ""],
)
def test_no_argument_runs_anything(argument: str) -> None:
    line = batch_command_line(r"C:\npm\agent.cmd", [argument, "next"])
    assert by_the_c_library(by_cmd(line)) == [r"C:\npm\agent.cmd", argument, "next"]


def test_a_plain_script_is_run_as_it_would_be_typed() -> None:
    assert (
        batch_command_line(r"C:\npm\npx.cmd", ["-y", "@org/agent@1.2", "--acp", "a b"])
        == r'cmd.exe /e:on /v:off /d /c ""C:\npm\npx.cmd" -y @org/agent@1.2 --acp "a b""'
    )


@pytest.mark.parametrize("argument", ["a\nb", "a\rb", "a\0b", "\x1a"])
def test_what_cmd_cant_pass_on_is_refused(argument: str) -> None:
    with pytest.raises(ValueError, match="control character"):
        batch_command_line("x.cmd", [argument])


@pytest.mark.parametrize("script", ['a".cmd', "a\\", "a\nb.cmd"])
def test_what_is_no_name_of_a_script_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="name of a script"):
        batch_command_line(script, [])


@pytest.mark.parametrize("name", ["shim.cmd", "shim.BAT", "shim.cmd. "])
def test_a_script_on_path_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(0o755)
    line = command_line([name, "a&b"], str(tmp_path))
    assert line == f'cmd.exe /e:on /v:off /d /c ""{tmp_path / name}" "a&b""'


def test_a_program_gets_words_as_the_c_library_splits_them(tmp_path: Path) -> None:
    line = command_line(["agent.exe", "a b", 'say "hi"', "C:\\dir\\"], str(tmp_path))
    assert by_the_c_library(line) == ["agent.exe", "a b", 'say "hi"', "C:\\dir\\"]


def test_a_line_for_the_shell_stays_as_it_is() -> None:
    command = shell_command('dir "a b" & echo %PATH%')
    assert command_line(command, "") == (
        'cmd.exe /d /s /v:off /c "chcp 65001 >nul & dir "a b" & echo %PATH%"'
    )


def test_arguments_beside_a_line_are_words() -> None:
    assert shell_line("dir /b", ["a&b", "c"]) == 'dir /b "a&b" c'
