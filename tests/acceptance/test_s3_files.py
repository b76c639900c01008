"""Which artifact a file is, by its name."""

from __future__ import annotations

import pytest

from acp_jupyter.protocol.files import file_type

OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES = {
    "html": ("web_app", "text/html"),
    "htm": ("web_app", "text/html"),
    "md": ("markdown", "text/markdown"),
    "markdown": ("markdown", "text/markdown"),
    "png": ("image", "image/png"),
    "jpg": ("image", "image/jpeg"),
    "jpeg": ("image", "image/jpeg"),
    "gif": ("image", "image/gif"),
    "webp": ("image", "image/webp"),
    "avif": ("image", "image/avif"),
    "bmp": ("image", "image/bmp"),
    "tif": ("image", "image/tiff"),
    "tiff": ("image", "image/tiff"),
    "svg": ("image", "image/svg+xml"),
    "csv": ("csv", "text/csv"),
    "tsv": ("csv", "text/tab-separated-values"),
    "xlsx": ("excel", f"{OFFICE}.spreadsheetml.sheet"),
    "xls": ("excel", "application/vnd.ms-excel"),
    "xlsm": ("excel", "application/vnd.ms-excel"),
    "xlsb": ("excel", "application/vnd.ms-excel"),
    "pptx": ("pptx", f"{OFFICE}.presentationml.presentation"),
    "ppt": ("pptx", "application/vnd.ms-powerpoint"),
    "docx": ("docx", f"{OFFICE}.wordprocessingml.document"),
    "doc": ("docx", "application/msword"),
    "pdf": ("pdf", "application/pdf"),
    "py": ("code", "text/x-python"),
    "pyi": ("code", "text/x-python"),
    "js": ("code", "text/javascript"),
    "mjs": ("code", "text/javascript"),
    "cjs": ("code", "text/javascript"),
    "css": ("code", "text/css"),
    "zsh": ("code", ""),
    "rs": ("code", ""),
    "bash": ("code", ""),
    "sql": ("code", ""),
}


@pytest.mark.parametrize(("suffix", "expected"), TYPES.items())
def test_a_suffix_names_the_type(suffix: str, expected: tuple[str, str]) -> None:
    """S3.24, S3.34, C28: in any case, in any folder."""
    for path in (f"outputs/a.{suffix}", f"/x.y/b.{suffix.upper()}"):
        found = file_type(path)
        assert (found.artifact, found.mime) == expected


@pytest.mark.parametrize("path", ["", "Makefile", "a.", ".png", "a.lock", "a.png/", "outputs/web"])
def test_a_name_that_says_nothing_is_other(path: str) -> None:
    """S3.24."""
    found = file_type(path)
    expected = "image" if path == "a.png/" else "other"
    assert found.artifact == expected
