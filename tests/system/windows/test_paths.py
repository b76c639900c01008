"""Paths of Windows: which spellings are of one file, and which are of none."""

from __future__ import annotations

import pytest

from acp_jupyter.host.requests.protected_paths import is_protected
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.system.windows.paths import (
    extended,
    is_name_surrogate,
    is_windows_path,
    path_key,
    relative_to,
    why_not_plain,
)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("src/app.py", None),
        (r"src\app.py", None),
        ("..", None),
        ("console.py", None),
        ("com10", None),
        ("nulls/a", None),
        ("a~b.txt", None),
        ("CON", "the name of a device"),
        ("nul", "the name of a device"),
        ("src/NUL.txt", "the name of a device"),
        ("aux .tar.gz", "the name of a device"),
        ("COM1", "the name of a device"),
        ("lpt¹.txt", "the name of a device"),
        ("conin$", "the name of a device"),
        ("a.txt:x", "a colon"),
        ("a.txt::$DATA", "a colon"),
        ("C:a.txt", "a colon"),
        ("a.txt.", "a trailing dot or blank"),
        ("src /a", "a trailing dot or blank"),
        ("GIT~1/config", "a short name"),
        ("progra~1.exe", "a short name"),
        ("a*.py", "a character that Windows does not allow"),
        ("a\x00b", "a character that Windows does not allow"),
        ("a\x1fb", "a character that Windows does not allow"),
    ],
)
def test_a_name_is_of_the_file_that_it_seems_to_be_of(path: str, why: str | None) -> None:
    assert why_not_plain(path) == why


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Work\src\app.py",
        "c:/work/SRC/app.py",
        r"C:\Work\.\lib\..\src\app.py",
        r"C:\Work\src.\app.py. ",
        r"C:\Work\src\app.py::$DATA",
        r"\\?\C:\Work\src\app.py",
        r"\??\C:\Work\src\app.py",
    ],
)
def test_all_spellings_of_a_path_are_compared_as_one(path: str) -> None:
    assert path_key(path) == r"c:\work\src\app.py"
    assert relative_to(path, r"c:\WORK").casefold().startswith("src")  # type: ignore[union-attr]


def test_paths_of_servers_are_compared_too() -> None:
    assert path_key(r"\\Server\Share\a") == path_key(r"\\?\UNC\server\share\A")
    assert path_key(r"\\server\share\a") != path_key(r"\\server\other\a")


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        (r"C:\work\src\App.py", r"C:\work", "src/App.py"),
        (r"c:\WORK", "C:/work/", "."),
        (r"C:\workshop\a", r"C:\work", None),
        (r"D:\work\a", r"C:\work", None),
        (r"C:\work\..\other\a", r"C:\work", None),
        (r"\\server\share\work\a", r"\\SERVER\share\work", "a"),
        (r"\\?\C:\work\a", r"C:\work", "a"),
        (r"C:\a", "C:\\", "a"),
    ],
)
def test_a_path_is_inside_a_folder_in_any_spelling(
    path: str, folder: str, inside: str | None
) -> None:
    assert relative_to(path, folder) == inside


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        (r"C:\a", True),
        ("c:/a", True),
        (r"\\server\share\a", True),
        (r"\\?\C:\a", True),
        ("C:a", False),
        ("/a/b", False),
        ("a:b", False),
        ("//a/b", False),
        (r"a\b", False),
    ],
)
def test_absolute_paths_of_windows_are_known_anywhere(path: str, is_one: bool) -> None:
    assert is_windows_path(path) == is_one


def test_long_paths_get_the_form_that_has_no_limit() -> None:
    name = "n" * 250
    assert extended(r"C:\a") == r"C:\a"
    assert extended(f"C:/a/./{name}") == rf"\\?\C:\a\{name}"
    assert extended(rf"\\server\share\{name}") == rf"\\?\UNC\server\share\{name}"
    assert extended(rf"\\?\C:\{name}") == rf"\\?\C:\{name}"
    assert extended(name) == name


def test_links_and_junctions_lead_elsewhere_and_files_of_a_cloud_do_not() -> None:
    symlink, junction, onedrive = 0xA000000C, 0xA0000003, 0x9000001A
    assert is_name_surrogate(symlink)
    assert is_name_surrogate(junction)
    assert not is_name_surrogate(onedrive)
    assert not is_name_surrogate(0)


@pytest.mark.parametrize(
    "path",
    [
        ".ENV",
        r"src\.Git\config",
        ".git./config",
        "conftest.py::$DATA",
        "conftest.py. .",
        "ConfTest.PY",
        "GIT~1/hooks/x",
        r"\\?\C:\work\Makefile",
        r"C:\work\NODE_MODULES\a.js",
    ],
)
def test_a_protected_file_is_protected_in_every_spelling(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize(
    ("path", "cwd", "shown"),
    [
        (r"C:\Work\src\a.py", "C:/work", "src/a.py"),
        (r"\\?\C:\work\src\a.py", r"C:\work", "src/a.py"),
        ("c:/work/a.py", r"C:\Work", "a.py"),
        (r"C:\elsewhere\a.py", r"C:\work", "C:/elsewhere/a.py"),
        # A client on Linux, whose agent is on Windows, and the other way
        (r"C:\Users\me\a.py", "/home/me", "C:/Users/me/a.py"),
        ("/home/me/a.py", r"C:\work", "/home/me/a.py"),
        ("/home/me/a.py", "/home/me", "a.py"),
        ("/home/ME/a.py", "/home/me", "/home/ME/a.py"),
    ],
)
def test_paths_of_an_agent_are_shown_by_the_sessions_folder(
    path: str, cwd: str, shown: str
) -> None:
    assert relative_path(path, cwd) == shown
