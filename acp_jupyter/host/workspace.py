"""Which folder a session works in."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.errors import BadRequest, NotAllowed

__all__ = ["choose_cwd", "resolve_cwd"]


def choose_cwd(root: Path, notebook_path: str) -> Path:
    """Return the folder for the sessions of a notebook.

    The nearest git root above the notebook that lies within ``root``, else the notebook's own
    folder. What leads out of ``root`` gives ``root``.

    Parameters
    ----------
    root
        The server's root folder.
    notebook_path
        Relative to it, with forward slashes; empty for none.
    """
    root = root.resolve()
    folder = (root / notebook_path).parent.resolve() if notebook_path else root
    if not folder.is_relative_to(root) or not folder.is_dir():
        return root
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
        if candidate == root:
            break
    return folder


def resolve_cwd(root: Path, cwd: str, *, inside_root: bool) -> Path:
    """Return the folder that a caller named.

    Parameters
    ----------
    root
        The server's root folder.
    cwd
        Absolute, or relative to ``root``; ``~`` is the home folder.
    inside_root
        Whether only folders in ``root`` will do. So it is for kernels: what runs in them may be
        an agent's code, and a session's files are opened to its agent.

    Raises
    ------
    BadRequest
        There is no such folder.
    NotAllowed
        It lies outside ``root``, and must not.
    """
    root = root.resolve()
    try:
        folder = (root / Path(cwd).expanduser()).resolve()
        is_folder = folder.is_dir()
    except (OSError, RuntimeError, ValueError):
        is_folder = False
    if not is_folder:
        raise BadRequest(f"There is no folder {cwd}. Name a folder that exists.")
    if inside_root and not folder.is_relative_to(root):
        raise NotAllowed(
            f"The folder {cwd} is outside the server's root folder. "
            "From a notebook only folders within it can be used."
        )
    return folder
