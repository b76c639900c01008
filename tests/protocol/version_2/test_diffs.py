"""Changes of files as version 2 tells them, read as texts of version 1."""

from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.version_2.diffs import diff_in_version_1

PATCH = """diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,2 @@
 one
--- two
+++ three
@@ -10,4 +10,3 @@ def f():
 x
 y
-gone
 z
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+first
+second
\\ No newline at end of file
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
"""


def change(operation: str, path: str, **more: str) -> dict[str, str]:
    return {"operation": operation, "path": path, **more}


def read(changes: list[Any], patch: str = "", **more: str) -> tuple[list[Any], list[Any]]:
    git: Obj = {"format": "git_patch", "text": patch, **more}
    return diff_in_version_1({"type": "diff", "changes": changes, "patch": git if patch else None})


def test_a_patch_of_several_files() -> None:
    told, places = read(
        [
            change("modify", "/w/src/a.py"),
            change("add", "/w/new.txt"),
            change("delete", "/w/old.txt"),
        ],
        PATCH,
    )
    assert [(d["path"], d["oldText"], d["newText"]) for d in told] == [
        ("/w/src/a.py", "one\n-- two", "one\n++ three"),
        ("/w/src/a.py", "x\ny\ngone\nz", "x\ny\nz"),
        ("/w/new.txt", None, "first\nsecond"),
        ("/w/old.txt", "bye\n", ""),
    ]
    assert places == [{"path": "/w/src/a.py", "line": 1}, {"path": "/w/src/a.py", "line": 10}]


def test_changes_without_lines_are_told_in_words() -> None:
    changes = [
        change("modify", "/w/b.png"),
        change("move", "/w/to", oldPath="/w/from"),
        change("_bless", "/w/c"),
        "odd",
    ]
    told, places = read(changes)
    words = ["Changed: /w/b.png", "Moved: /w/from → /w/to", "Changed: /w/c"]
    assert [item["content"]["text"] for item in told] == words
    assert places == []


def test_what_is_no_patch_of_git_is_not_read() -> None:
    for patch, more in (("+++ x", {}), (PATCH, {"format": "_own"}), (PATCH + "x" * 1_000_000, {})):
        told, _ = read([change("modify", "/w/src/a.py")], patch, **more)
        assert [item["content"]["text"] for item in told] == ["Changed: /w/src/a.py"]


def test_a_patch_that_breaks_off_harms_nothing() -> None:
    told, _ = read(
        [change("modify", "/w/src/a.py")], "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,9 +1,9 @@\n x"
    )
    assert [(d["path"], d["oldText"]) for d in told] == [("/w/src/a.py", "x")]


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("add", "New file: /w/b"),
        ("delete", "Deleted: /w/b"),
        ("modify", "Changed: /w/b"),
        ("move", "Moved: /w/a → /w/b"),
        ("copy", "Copied: /w/a → /w/b"),
        ("_bless", "Changed: /w/b"),
    ],
)
def test_what_is_done_to_a_file(operation: str, words: str) -> None:
    (told,), _ = read([change(operation, "/w/b", oldPath="/w/a")])
    assert told == {"type": "content", "content": {"type": "text", "text": words}}


@pytest.mark.parametrize(("operation", "told"), [("move", 2), ("copy", 2), ("modify", 1)])
def test_a_file_that_comes_from_elsewhere_is_told_beside_its_lines(
    operation: str, told: int
) -> None:
    changes = [change(operation, "/w/b", oldPath="/w/a")]
    found, _ = read(changes, "--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n")
    assert len(found) == told


def parts(patch: str, *paths: str) -> list[tuple[Any, ...]]:
    told, _ = read([change("modify", path) for path in paths], patch)
    return [(d["path"], d["oldText"], d["newText"]) for d in told if d["type"] == "diff"]


HUNK = "@@ -1 +1 @@\n-x\n+y\n"


@pytest.mark.parametrize(
    ("names", "paths", "path"),
    [
        ("--- a/~a\n+++ b/~a\n", ["/w/~a"], "/w/~a"),
        ("--- a/a~\n+++ b/a~\n", [], "a~"),
        ("--- a/a~\n+++ /dev/null\n", [], "a~"),
        ("--- a/a\t\n+++ b/a\t\r\n", [], "a"),
        ("--- a/one\n+++ b/one\n", ["/w/other"], "one"),
        ("--- one\n+++ two\n", [], "two"),
        ("--- b/one\n+++ b/one\n", ["/w/b/one"], "/w/b/one"),
        ("+++ b/one\n", [], "one"),
        ("--- /dev/null\n+++ /w/one\n", ["/w/one"], "/w/one"),
    ],
)
def test_the_file_that_a_patch_names(names: str, paths: list[str], path: str) -> None:
    ((found, _, _),) = parts(names + HUNK, *paths)
    assert found == path


def test_lines_without_a_file_and_between_two_parts_are_passed_over() -> None:
    assert parts(HUNK) == []
    names = "--- a/one\n+++ b/one\n"
    assert parts(f"{names}{HUNK}\nindex 1..2\n{HUNK}") == [("one", "x", "y")] * 2


def test_a_part_of_many_lines() -> None:
    names = "--- a/one\n+++ b/one\n"
    patch = "@@ -3,4 +3,3 @@\n a\n-b\n-c\n+d\n e\n+not of it\n"
    assert parts(names + patch) == [("one", "a\nb\nc\ne", "a\nd\ne")]
    assert parts(f"{names}@@ -3,3 +3 @@\n a\n-b\n-c\n-not of it\n") == [("one", "a\nb\nc", "a")]
    assert parts(f"{names}@@ -3 +3,3 @@\n a\n+b\n+c\n+not of it\n") == [("one", "a", "a\nb\nc")]


@pytest.mark.parametrize(("count", "told"), [(200, 200), (201, 0)])
def test_a_patch_of_many_parts(count: int, told: int) -> None:
    assert len(parts("--- a/one\n+++ b/one\n" + HUNK * count)) == told


@pytest.mark.parametrize(("more", "told"), [(0, 1), (1, 0)])
def test_a_million_characters_of_a_patch_are_read(more: int, told: int) -> None:
    patch = "--- a/one\n+++ b/one\n" + HUNK
    assert len(parts(patch + "x" * (1_000_000 + more - len(patch)))) == told
