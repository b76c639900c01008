"""Files and links that change in one step: a reader finds the old or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets

__all__ = ["replace_file", "replace_link"]

_NAME_CHARS = 60
_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def replace_link(folder: int, name: str, target: str) -> None:
    """Make a symbolic link beside ``name`` and rename it over."""
    temporary = _beside(name)
    os.symlink(target, temporary, dir_fd=folder)
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def replace_file(folder: int, name: str, data: bytes, mode: int | None) -> None:
    """Write ``data`` beside ``name`` and rename it over.

    Parameters
    ----------
    folder
        File descriptor of the folder.
    name, data
        The file in it.
    mode
        Its permission bits; None for those of a new file.
    """
    temporary = _beside(name)
    fd = os.open(temporary, _MADE, 0o666, dir_fd=folder)
    try:
        with os.fdopen(fd, "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _beside(name: str) -> str:
    return f".{name[:_NAME_CHARS]}.{secrets.token_hex(4)}.tmp"
