"""Reads stored checkpoints: the trees of each turn, and single files in them."""

from __future__ import annotations

from acp_jupyter.errors import ChangesGone
from acp_jupyter.host.workspace.checkpoints.diff import blobs
from acp_jupyter.host.workspace.checkpoints.folder_checkpoints import Checkpoints
from acp_jupyter.host.workspace.checkpoints.git import GitError

_REFS = "refs/turns/"


def kept_trees(checkpoints: Checkpoints) -> dict[str, tuple[str, str]]:
    """Return the trees before and after each turn that are still stored. Blocks.

    A running turn is left out, as it has no tree after it.
    """
    command = ("for-each-ref", "--format=%(objectname) %(refname)", _REFS)
    try:
        output = checkpoints.git.run(*command, seconds=checkpoints.limits.checkpoint_seconds)
    except GitError:
        return {}
    trees: dict[str, dict[str, str]] = {}
    for line in output.decode().splitlines():
        tree, _, ref = line.partition(" ")
        turn_id, _, moment = ref.removeprefix(_REFS).partition("/")
        trees.setdefault(turn_id, {})[moment] = tree
    return {
        turn_id: (each["before"], each["after"])
        for turn_id, each in trees.items()
        if {"before", "after"} <= each.keys()
    }


def read_file(checkpoints: Checkpoints, tree: str, path: str) -> bytes | None:
    """Return the content of a file in a tree; None if there is none. Blocks."""
    git, limits = checkpoints.git, checkpoints.limits
    seconds = limits.checkpoint_seconds
    try:
        listed = git.run("ls-tree", "-z", tree, "--", f":(literal){path}", seconds=seconds)
        kind, _, _ = listed.partition(b"\t")
        mode, what, name = kind.decode().split() if kind else ("", "", "")
        if what != "blob" or not mode.startswith("100"):
            return None
        held = blobs(git, (name,), seconds, limits.checkpoint_file_bytes)
    except GitError as error:
        raise ChangesGone(f"What {path} was then can't be read: {error}.") from None
    return held.get(name)
