"""What the portable layer can't promise, and the notice for a system that nobody has tried."""

from __future__ import annotations

import re
from pathlib import Path

from acp_jupyter.system.portable import untried

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "hosts.md"


def test_the_page_lists_the_promises_that_tests_are_skipped_for() -> None:
    section = PAGE.read_text().partition("## Without POSIX")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| ([^|]+?) \|", section, re.MULTILINE)
    needed = {
        name
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r'mark\.posix\("([^"]+)"\)', path.read_text())
    }
    assert listed[0] == "Name"
    assert set(listed[1:]) - {"---"} == needed


def test_windows_has_a_notice_and_linux_none() -> None:
    assert "Nobody has tried it on Windows" in untried("win32")
    assert (PAGE.parent / "how-to" / "windows.md").is_file()
    assert untried("linux") == ""
