"""What kernels may ask about rules, as requests to the server."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from acp_jupyter.api.models.permissions import ListRules, RevokeRule

__all__ = ["rules_request"]


def rules_request(command: ListRules | RevokeRule) -> tuple[str, str, bytes]:
    """Return the method, path and body of a command."""
    if isinstance(command, RevokeRule):
        return "DELETE", f"rules/{quote(command.rule_id, safe='')}", b""
    query = urlencode({"session_id": command.session_id}) if command.session_id else ""
    return "GET", f"rules?{query}" if query else "rules", b""
