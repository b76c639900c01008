"""Artifacts of build mode, from what lies on the disk."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import pytest

from acp_jupyter.dialects.onyx.build_content import (
    Artifact,
    ArtifactType,
    create_artifact_from_file,
)
from acp_jupyter.dialects.onyx.build_packets import ArtifactCreatedPacket
from acp_jupyter.errors import AcpError, FileMissing, FileRefused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    web = tmp_path / "work" / "outputs" / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("<p>Hello")
    (web / "assets" / "app.js").write_text("x" * 100)
    (web.parent / "a table.csv").write_text("a,b\n1,2\n")
    return tmp_path / "work"


def made(folder: Path, path: str, kind: ArtifactType = ArtifactType.WEB_APP) -> Artifact:
    return create_artifact_from_file("s1", path, kind, "Name", folder=folder, served=folder.parent)


def test_a_folder_with_a_page_is_a_web_app(folder: Path) -> None:
    """Id, size, type and URLs of a whole folder."""
    artifact = made(folder, "outputs/web/")
    assert str(uuid.UUID(artifact.id)) == artifact.id
    assert (artifact.type, artifact.name, artifact.path) == ("web_app", "Name", "outputs/web/")
    assert (artifact.mime_type, artifact.size_bytes) == ("text/html", 108)
    assert artifact.preview_url == "files/work/outputs/web/index.html"
    assert artifact.download_url == "files/work/outputs/web/index.html?download=1"
    packet = ArtifactCreatedPacket(artifact=artifact)
    assert json.loads(packet.model_dump_json())["artifact"]["type"] == "web_app"


def test_a_file(folder: Path) -> None:
    """URLs are quoted; a table has no preview."""
    artifact = made(folder, "outputs/a table.csv", ArtifactType.CSV)
    assert (artifact.mime_type, artifact.size_bytes) == ("text/csv", 8)
    assert artifact.preview_url is None
    assert artifact.download_url == "files/work/outputs/a%20table.csv?download=1"


def test_an_earlier_name_of_a_type_is_known() -> None:
    assert ArtifactType("nextjs_app") is ArtifactType.WEB_APP
    assert ArtifactType("hologram") is ArtifactType.OTHER


def test_the_same_file_is_the_same_artifact(folder: Path) -> None:
    """However its path is written; another session gives another id."""
    first = made(folder, "outputs/web/")
    assert made(folder, "./outputs/../outputs/web").id == first.id
    assert made(folder, "outputs/a table.csv").id != first.id
    other = create_artifact_from_file("s2", "outputs/web", ArtifactType.OTHER, "N", folder=folder)
    assert other.id != first.id


def test_what_the_server_does_not_serve_has_no_url(folder: Path) -> None:
    artifact = create_artifact_from_file(
        "s1", "outputs/web", ArtifactType.WEB_APP, "N", folder=folder, served=folder / "outputs/x"
    )
    assert (artifact.preview_url, artifact.download_url) == (None, None)
    bare = made(folder, "outputs/web/assets")
    assert (bare.preview_url, bare.mime_type, bare.size_bytes) == (None, None, 100)


OUTSIDE = "lies outside the folder of the session."


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("outputs/none.csv", FileMissing, "There is no file 'outputs/none.csv'."),
        ("../secret", FileRefused, f"'../secret' {OUTSIDE}"),
        ("/etc/passwd", FileRefused, f"'/etc/passwd' {OUTSIDE}"),
        ("link", FileRefused, f"'link' {OUTSIDE}"),
        ("loop", FileRefused, "'loop' can't be read: "),
        ("pipe", FileRefused, "'pipe' is neither a file nor a folder."),
        ("a\0b", FileRefused, "'a\\x00b' can't be read: "),
        ("x" * 5000, FileRefused, f"'{'x' * 5000}' can't be read: File name too long."),
    ],
)
def test_what_is_not_in_the_folder_is_refused(
    folder: Path, path: str, error: type[AcpError], words: str
) -> None:
    (folder.parent / "secret").write_text("x")
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    with pytest.raises(error) as raised:
        made(folder, path)
    message = raised.value.message
    assert message == words or (words.endswith(" ") and message.startswith(words))


def test_links_in_a_folder_are_not_counted(folder: Path) -> None:
    (folder / "outputs" / "web" / "big").symlink_to("/bin/sh")
    assert made(folder, "outputs/web").size_bytes == 108


def test_only_what_browsers_show_has_a_preview(folder: Path) -> None:
    shown = {kind for kind in ArtifactType if made(folder, "outputs/web/", kind).preview_url}
    assert shown == {ArtifactType.WEB_APP, ArtifactType.IMAGE, ArtifactType.PDF}
