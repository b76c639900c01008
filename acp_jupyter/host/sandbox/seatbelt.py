"""The walls in the language of macOS's ``sandbox-exec``.

Written from Apple's own profiles and not run yet on a Mac: `docs/how-to/sandbox.md` says so.
"""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.sandbox.walls import Access, Walls

_BEGIN = """\
(version 1)
(allow default)
(deny file-write*)
(deny signal)
(allow signal (target same-sandbox))
(deny process-info* (target others))
(deny mach-priv-task-port)
(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys"))
"""

_RULES: dict[Access, tuple[str, ...]] = {
    "write": ("(allow file-read* {0})", "(allow file-write* {0})"),
    "read": ("(allow file-read* {0})", "(deny file-write* {0})"),
    "hidden": ("(deny file-read* {0})", "(deny file-write* {0})"),
}


def seatbelt_arguments(program: str, walls: Walls, private: Path, port: int = 0) -> list[str]:
    """Return ``sandbox-exec`` with a profile, to which a command is added."""
    return [program, "-p", seatbelt_profile(walls, private, port)]


def seatbelt_profile(walls: Walls, private: Path, port: int = 0) -> str:
    """Return the profile of walls; of its rules the last one that fits counts."""
    lines = [_BEGIN]
    for place in walls.places:
        access: Access = "hidden" if place.access == "own" else place.access
        if place.path != "/":
            where = f"(subpath {_quoted(place.path)})"
            lines += [rule.format(where) for rule in _RULES[access]]
    own = f"(subpath {_quoted(str(private / 'tmp'))})"
    lines += [rule.format(own) for rule in _RULES["write"]]
    if walls.network.reach != "all":
        lines.append('(deny network-outbound (remote ip "*:*"))')
        lines.append('(deny network-bind (local ip "*:*"))')
    if port:
        lines.append(f'(allow network-outbound (remote ip "localhost:{port}"))')
    return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
