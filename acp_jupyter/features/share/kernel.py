"""``%acp share``: writes a page for others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from IPython.core.error import UsageError

from acp_jupyter.api.cell_options import LineParser
from acp_jupyter.kernel.atomic_write import atomic_write
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.magics.export_import import named_session
from acp_jupyter.protocol.files import human_size
from acp_jupyter.system.printing import echo


def run_share(rest: Sequence[str]) -> None:
    """Write a turn or a session to a page for others."""
    parser = LineParser("%acp share", see="Type: %acp share PATH.html")
    parser.add_argument("path")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--session", default="")
    parser.add_argument("--thoughts", action="store_true")
    parser.add_argument("--force", action="store_true")
    given = parser.parse_args(rest)
    path = Path(given.path).expanduser()
    if path.suffix.lower() not in {".html", ".htm"}:
        raise UsageError(f"What is shared is a page: {path.name!r} should end with .html.")
    client = host_client()
    session = named_session(client.sessions(), given.session)
    shared = client.shared_page(
        session.session_id, "" if given.all else "last", thoughts=given.thoughts
    )
    size = atomic_write(path, [shared.encode()], force=given.force)
    what = "all turns" if given.all else "the last turn"
    echo(
        f"{given.path} has {what} of session {session.session_id[:8]}: {human_size(size)}. "
        "Read it before you send it to others."
    )
