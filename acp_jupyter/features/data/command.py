"""``jupyter acp data``: says what is kept, and deletes sessions by notebook, by age, or all."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.features.data.kept import KeptData, KeptSession, size_of
from acp_jupyter.protocol.files import human_size
from acp_jupyter.protocol.formatting import quantity
from acp_jupyter.system.printing import echo
from acp_jupyter.transcript.escaping import one_line

_PARTS = (
    ("sessions", "what you and agents said, and what agents did"),
    ("checkpoints", "files before and after turns, for Changes and Revert"),
    ("downloads", "agents that you allowed to be downloaded"),
)
_DAY_SECONDS = 24 * 60 * 60
_SHOWN = 20


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if all was done, 1 if not, 2 for a wrong line."""
    given = _parser().parse_args(words)
    folder = given.folder or _data_folder()
    data = KeptData(folder)
    if given.action == "show":
        _show(data)
        return 0
    wanted = _chosen(data.sessions(), given)
    if not wanted:
        echo("There is no such session. Nothing was deleted.")
        return 0
    if not (given.yes or _is_confirmed(wanted)):
        echo("Nothing was deleted.")
        return 1
    return _delete(data, wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "jupyter acp data",
        description="Show what acp-jupyter keeps on this machine: where, and how large it is. "
        "delete removes sessions with their checkpoints, after one question. Notebooks, and the "
        "turns saved in them, stay as they are.",
    )
    parser.add_argument("--folder", type=Path, help="default: that of c.AcpJupyter.data_dir")
    parser.set_defaults(action="show")
    actions = parser.add_subparsers(metavar="ACTION")
    actions.add_parser("show", help="list what is kept (the default)")
    delete = actions.add_parser("delete", help="delete sessions")
    delete.set_defaults(action="delete")
    which = delete.add_mutually_exclusive_group(required=True)
    which.add_argument("--notebook", metavar="PATH", help="those of one notebook")
    which.add_argument("--older-than", metavar="DAYS", type=_days, help="those unused for so long")
    which.add_argument("--all", action="store_true", help="all sessions")
    delete.add_argument("--yes", action="store_true", help="don't ask")
    return parser


def _days(text: str) -> float:
    days = float(text)
    if not days >= 0:
        raise ValueError
    return days


def _data_folder() -> Path:
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "acp-jupyter"


def _show(data: KeptData) -> None:
    if not data.folder.is_dir():
        echo(f"Nothing is kept: {data.folder} does not exist.")
        return
    echo(f"{data.folder}: {human_size(size_of(data.folder))}\n")
    for name, words in _PARTS:
        echo(f"  {name:12} {human_size(size_of(data.folder / name)):>9}  {words}")
    sessions = data.sessions()
    if not sessions:
        echo("\nThere are no sessions.")
        return
    by_notebook: dict[str, list[KeptSession]] = {}
    for session in sessions:
        by_notebook.setdefault(session.notebook, []).append(session)
    echo()
    for notebook, found in by_notebook.items():
        size = human_size(sum(each.size for each in found))
        age = _age(found[0].changed_at)
        echo(f"  {one_line(notebook, 60) or 'without a notebook'}")
        echo(f"    {quantity(len(found), 'session')}, {size}, last used {age}")


def _chosen(sessions: list[KeptSession], given: argparse.Namespace) -> list[KeptSession]:
    if given.notebook is not None:
        return [each for each in sessions if _is_of(each, given.notebook)]
    if given.older_than is not None:
        oldest = time.time() - given.older_than * _DAY_SECONDS
        return [each for each in sessions if each.changed_at <= oldest]
    return sessions


def _is_of(session: KeptSession, path: str) -> bool:
    """Return whether a session is of a notebook: its path, or that below the server's root."""
    notebook, there = session.notebook, Path(path)
    if not notebook or not (there.is_absolute() or there.exists()):
        return bool(notebook) and notebook == path
    there = there.resolve()
    # Notebooks of other folders may have the same path below their servers' roots.
    folder = Path(session.meta.facts.copied or session.meta.facts.cwd).resolve()
    return there.as_posix().endswith(f"/{notebook}") and there.is_relative_to(folder)


def _is_confirmed(sessions: list[KeptSession]) -> bool:
    for session in sessions[:_SHOWN]:
        facts = session.meta.facts
        title = one_line(facts.title, 50) or "New session"
        where = one_line(session.notebook or facts.cwd, 50)
        echo(f"  {title} ({facts.agent_info.name}, {where}, {_age(session.changed_at)})")
    if len(sessions) > _SHOWN:
        echo(f"  and {len(sessions) - _SHOWN} more")
    size = human_size(sum(each.size for each in sessions))
    what = f"Delete {quantity(len(sessions), 'session')} ({size}) with their checkpoints?"
    echo(f"{what} This can't be undone. [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _delete(data: KeptData, sessions: list[KeptSession]) -> int:
    left = 0
    for session, words in data.delete(sessions):
        if words:
            left += 1
            title = one_line(session.meta.facts.title, 50) or "New session"
            echo(f"Not deleted: {title}. {words}")
    echo(f"Deleted {quantity(len(sessions) - left, 'session')}.")
    return 1 if left else 0


def _age(at: float) -> str:
    days = int((time.time() - at) // _DAY_SECONDS)
    return "today" if days <= 0 else f"{quantity(days, 'day')} ago"
