"""What seed 002's turns made, and what had to be allowed."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.files import artifact_type_name, file_operation_title, human_size
from acp_jupyter.transcript.model.items import Artifact, FileWriteItem
from acp_jupyter.transcript.model.tool_items import ContentBlockItem, ToolCall
from tests.acceptance.change_turns import MADE_TURNS
from tests.acceptance.shown import only, shown
from tests.acceptance.turns_of_seeds import SEED_TURNS


def test_written_files_are_rows() -> None:
    """S3.22: what was done, and sizes for people."""
    rows = shown(MADE_TURNS["file_write"](), FileWriteItem)
    assert [(row.title, row.path, row.size) for row in rows] == [
        ("Created", "outputs/file.py", "1.0 kB"),
        ("Changed", "outputs/file.py", "2.5 MB"),
        ("Deleted", "outputs/old.py", ""),
    ]


@pytest.mark.parametrize(
    ("operation", "title"),
    [
        ("create", "Created"),
        ("update", "Changed"),
        ("edit", "Changed"),
        ("append", "Changed"),
        ("delete", "Deleted"),
        ("chmod", "Wrote"),
    ],
)
def test_operations(operation: str, title: str) -> None:
    """S3.22."""
    assert file_operation_title(operation) == title


@pytest.mark.parametrize(
    ("size_bytes", "size"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1024, "1.0 kB"),
        (4096, "4.1 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_500_000, "1.5 MB"),
        (999_950_000, "1.0 GB"),
        (5_000_000_000_000, "5000.0 GB"),
    ],
)
def test_sizes(size_bytes: int, size: str) -> None:
    """S3.22, S3.32."""
    assert human_size(size_bytes) == size


def test_an_artifact_in_full() -> None:
    """S3.23, S3.25: every field, and the template filled in."""
    web, table, *_ = shown(MADE_TURNS["artifacts"](), Artifact)
    assert web.artifact_id == "550e8400-e29b-41d4-a716-446655440000"
    assert (web.type, web.name, web.path) == ("web_app", "Web Application", "outputs/web/")
    assert web.preview_url == "/api/build/sessions/s1/preview"
    assert web.download_url == "/api/build/sessions/s1/artifacts/outputs/web/"
    assert (web.mime_type, web.size_bytes, web.size) == ("text/html", 4096, "4.1 kB")
    assert (table.type_name, table.mime_type, table.size) == ("CSV", "text/csv", "1.0 kB")


NAMES = {
    "web_app": "Web app",
    "markdown": "Markdown",
    "image": "Image",
    "csv": "CSV",
    "excel": "Excel",
    "pptx": "PowerPoint",
    "docx": "Word",
    "pdf": "PDF",
    "code": "Code",
    "other": "File",
}


def test_ten_types_of_artifacts() -> None:
    """S3.24: each with a name for people."""
    made = shown(MADE_TURNS["artifact_types"](), Artifact)
    assert {item.type: item.type_name for item in made} == NAMES
    for item in made:
        assert artifact_type_name(item.type) == NAMES[item.type]


@pytest.mark.parametrize(
    ("turn", "state", "outcome"),
    [
        ("permission_asked", "pending", ""),
        ("permission_auto_approved", "allowed", "Allowed by the agent's own settings"),
        ("permission_answered", "allowed", "Allowed once: User approved"),
        ("permission_refused", "rejected", "Rejected: Not today"),
    ],
)
def test_permissions_and_their_answers(turn: str, state: str, outcome: str) -> None:
    """S3.26, S3.27, C23: what was wanted, what became of it, and why."""
    call = only(MADE_TURNS[turn](), ToolCall)
    assert (call.title, call.output) == ("delete_file", "Delete test.py?")
    assert call.permission is not None
    assert (call.permission.state, call.permission.outcome) == (state, outcome)
    options = [(o.option_id, o.name, o.option_kind) for o in call.permission.options]
    assert options == [("allow", "Allow", "allow_once"), ("reject", "Reject", "reject_once")]


def test_content_that_is_no_text() -> None:
    """S3.29, S3.30, S3.31, S3.32: image, audio, a file and a link to one."""
    image, audio, resource, link, _ = shown(SEED_TURNS["blocks"](), ContentBlockItem)
    assert (image.type, image.data, image.mime_type) == ("image", "iVBORw0KGgo=", "image/png")
    assert (audio.type, audio.data, audio.mime_type) == ("audio", "UklGRg==", "audio/wav")
    assert (resource.type, resource.text, resource.name) == ("resource", "# Notes\n", "notes.md")
    assert (resource.uri, resource.mime_type) == ("file:///ws/notes.md", "text/markdown")
    assert (link.type, link.uri, link.name) == ("resource_link", "file:///ws/file.txt", "file.txt")
    assert (link.mime_type, link.size) == ("text/plain", 1024)
