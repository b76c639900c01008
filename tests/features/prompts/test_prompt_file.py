"""What the front matter of a saved prompt may say, and the words for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.errors import AcpError, BadRequest
from acp_jupyter.features.prompts.prompt_file import PromptFile, PromptFolder
from acp_jupyter.host.limits import Limits


def read(tmp_path: Path, content: str) -> PromptFile:
    file = tmp_path / ".acp" / "prompts" / "p.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    found = PromptFolder(tmp_path, Limits()).read("p")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("front", "words"),
    [
        ("a: b: c", "it is no YAML: mapping values are not allowed here in line 2"),
        ("- a\n- b", "it must have lines such as"),
        ("tools: all", "it has 'tools'. Known are"),
        ("policy: yolo", "policy must be one of: ask"),
        ("policy: [allow-all]", "policy must be one of: ask"),
        ("description: [a]", "description must be a text"),
        ("agent: {a: b}", "agent must be a text"),
        ("arguments: file", "arguments must have a line for each"),
        ("arguments: {'a b': 1}", "'a b' can't be an argument"),
        ("arguments: {a: {type: int}}", "the argument a has 'type'"),
        ("arguments: {a: {default: [1]}}", "the default of a must be a text or a number"),
        ("a: &x [1]\nb: *x", "it has an alias"),
        ("description: !!python/object/apply:os.system [ls]", "it is no YAML"),
        ("description: " + "[" * 5000, "it is no YAML"),
        ("description: " + "x" * 20_000, "it has more than 10000 characters"),
        ("arguments: {" + ", ".join(f"a{n}: 1" for n in range(21)) + "}", "more than 20 arguments"),
    ],
)
def test_broken_front_matter_is_explained(tmp_path: Path, front: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read(tmp_path, f"---\n{front}\n---\nText")
    assert words in refused.value.message
    assert ".acp/prompts/p.md" in refused.value.message


@pytest.mark.parametrize("content", ["", "---\n---\n", "---\ndescription: a\n---\n \n"])
def test_a_prompt_has_a_text(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadRequest, match="has no prompt"):
        read(tmp_path, content)


def test_what_is_no_front_matter_is_text(tmp_path: Path) -> None:
    assert read(tmp_path, "Text\n---\nmore").filled("") == "Text\n---\nmore"
    with pytest.raises(BadRequest, match="no second line ---"):
        read(tmp_path, "---\ndescription: a\nText")
    with pytest.raises(AcpError, match="bytes"):
        read(tmp_path, "x" * 200_000)


def test_defaults_are_texts(tmp_path: Path) -> None:
    text = "{{a}}|{{b}}|{{c}}|{{d}}"
    front = "arguments: {a: 1.50, b: true, c: '', d: 2026-12-01, e: {default: x}}"
    found = read(tmp_path, f"\ufeff---\r\n{front}\r\n---\r\n{text}")
    assert found.filled("e=y") == "1.5|true||2026-12-01"
    with pytest.raises(BadRequest, match=r'write \\"'):
        found.filled(r'a="\x"')
