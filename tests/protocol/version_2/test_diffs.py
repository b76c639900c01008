"""Changes of files as version 2 tells them, read as texts of version 1."""

from __future__ import annotations

from typing import Any

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
