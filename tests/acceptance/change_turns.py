"""Turns in which something was made, or had to be allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.acceptance.golden import read
from tests.acceptance.turns_of_tools import imported
from tests.support.transcript.traffic import Script

__all__ = ["MADE_TURNS"]


def artifacts() -> Script:
    """What a turn made: with and without preview, known and unknown types."""
    web = {
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "type": "web_app",
        "name": "Web Application",
        "path": "outputs/web/",
        "preview_url": "/api/build/sessions/{session_id}/preview",
        "download_url": "/api/build/sessions/{session_id}/artifacts/outputs/web/",
        "mime_type": "text/html",
        "size_bytes": 4096,
    }
    table: dict[str, Any] = {"id": "a2", "type": "csv", "name": "sales.csv"}
    table |= {"path": "outputs/sales.csv", "mime_type": "text/csv", "size_bytes": 1024}
    script = imported(*({"type": "artifact_created", "artifact": a} for a in (web, table)), end="")
    for name in ("", "-no_preview", "-image"):
        script.imported(read(f"s1-artifact_created{name}"))
    script.imported({"type": "done", "stop_reason": "end_turn"})
    return script


def artifact_types() -> Script:
    """One artifact of each of the ten types."""
    types = ["web_app", "markdown", "image", "csv", "excel", "pptx", "docx", "pdf", "code", "other"]
    made = ({"id": t, "type": t, "name": f"A {t}", "path": f"outputs/{t}"} for t in types)
    return imported(*({"type": "artifact_created", "artifact": a} for a in made))


def file_write() -> Script:
    """Files that were made, changed and deleted."""
    made: dict[str, Any] = {"type": "file_write", "path": "outputs/file.py", "size_bytes": 1024}
    return imported(
        {**made, "operation": "create"},
        {**made, "operation": "update", "size_bytes": 2_500_000},
        {"type": "file_write", "path": "outputs/old.py", "operation": "delete"},
    )


def _asks(*, auto_approve: bool) -> dict[str, Any]:
    asked = {"type": "permission_request", "request_id": "pr_123", "operation": "delete_file"}
    return {**asked, "description": "Delete test.py?", "auto_approve": auto_approve}


def permission_auto_approved() -> Script:
    """A permission that the agent's own settings gave."""
    return imported(_asks(auto_approve=True))


def permission_asked() -> Script:
    """A permission that waits for its answer."""
    return imported(_asks(auto_approve=False), end="")


def permission_answered() -> Script:
    """A permission that was given, and why."""
    answer = {"type": "permission_response", "request_id": "pr_123"}
    given = {**answer, "approved": True, "reason": "User approved"}
    return imported(_asks(auto_approve=False), given)


def permission_refused() -> Script:
    """A permission that was not given, and why."""
    answer = {"type": "permission_response", "request_id": "pr_123"}
    given = {**answer, "approved": False, "reason": "Not today"}
    return imported(_asks(auto_approve=False), given)


MADE_TURNS: dict[str, Callable[[], Script]] = {
    "artifacts": artifacts,
    "artifact_types": artifact_types,
    "file_write": file_write,
    "permission_auto_approved": permission_auto_approved,
    "permission_asked": permission_asked,
    "permission_answered": permission_answered,
    "permission_refused": permission_refused,
}
