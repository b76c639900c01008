"""Single changes within a file, taken back in any order."""

from __future__ import annotations

import random
import re
from difflib import SequenceMatcher

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.workspace.checkpoints.hunks import without_hunks
from acp_jupyter.protocol.host_events.session import Hunk
from tests.support.generated import examples

_TEXT = st.lists(st.sampled_from(["a", "b", "c", "", "d\x0b\x0ce"]), max_size=12)


_BYTES = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\r"]), max_size=12).map(b"".join)


def _bare(text: bytes) -> list[bytes]:
    """Lines without their line feeds."""
    return [line.removesuffix(b"\n") for line in re.findall(rb"[^\n]*\n|[^\n]+", text)]


def _hunks_as_the_page(old: bytes, new: bytes) -> list[Hunk]:
    """Lines are the same without their line feeds; the last ones only if both or none has it."""
    before, after = _bare(old), _bare(new)
    if old.endswith(b"\n") != new.endswith(b"\n"):
        side = after if old.endswith(b"\n") else before
        if side:
            side[-1] += b"\n"
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        Hunk(old_start=a, old_end=b, new_start=c, new_end=d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _hunks(old: bytes, new: bytes) -> list[Hunk]:
    matcher = SequenceMatcher(None, old.split(b"\n")[:-1], new.split(b"\n")[:-1], autojunk=False)
    return [
        Hunk(old_start=a, old_end=b, new_start=c, new_end=d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


@given(_TEXT, _TEXT, st.randoms(use_true_random=False))
def test_all_of_them_are_the_text_before(
    before: list[str], after: list[str], order: random.Random
) -> None:
    old, new = ("".join(f"{line}\n" for line in lines).encode() for lines in (before, after))
    hunks = _hunks(old, new)
    order.shuffle(hunks)
    assert without_hunks(old, new, hunks) == old
    assert without_hunks(old, new, ()) == new
    some = hunks[: len(hunks) // 2]
    kept = without_hunks(old, new, some)
    for hunk in some:
        there = b"\n".join(old.split(b"\n")[hunk.old_start : hunk.old_end])
        assert there in kept


def test_a_line_without_an_end_swallows_no_other() -> None:
    gone = Hunk(old_start=1, old_end=2, new_start=1, new_end=1)
    assert without_hunks(b"a\nb\n", b"a", [gone]) == b"a\nb\n"
    assert without_hunks(b"a\r\nb", b"a", [gone]) == b"a\r\nb"


def test_what_is_last_again_ends_as_it_did() -> None:
    more = Hunk(old_start=1, old_end=1, new_start=1, new_end=2)
    assert without_hunks(b"a", b"a\nb", [more]) == without_hunks(b"a", b"a\nb\n", [more]) == b"a"
    assert without_hunks(b"a\n", b"a\nb", [more]) == b"a\n"


@examples(300)
@given(_BYTES, _BYTES, st.lists(st.booleans(), min_size=12, max_size=12))
@example(b"a\nb\n", b"a\r\nb", [])
def test_any_of_them_are_what_a_model_says(old: bytes, new: bytes, flags: list[bool]) -> None:
    hunks = _hunks_as_the_page(old, new)
    assert without_hunks(old, new, hunks) == old
    assert without_hunks(old, new, ()) == new
    some = [hunk for hunk, flag in zip(hunks, flags, strict=False) if flag]
    model, at = [], 0
    before, after = _bare(old), _bare(new)
    for hunk in some:
        model += after[at : hunk.new_start] + before[hunk.old_start : hunk.old_end]
        at = hunk.new_end
    assert _bare(without_hunks(old, new, some)) == model + after[at:]


@pytest.mark.parametrize(
    "hunks",
    [
        [(0, 1, 0, 9)],
        [(0, 9, 0, 1)],
        [(1, 0, 0, 1)],
        [(0, 1, 1, 0)],
        [(0, 1, 0, 2), (1, 2, 1, 2)],
        [(0, 2, 0, 1), (1, 2, 1, 2)],
    ],
)
def test_nonsense_is_refused(hunks: list[tuple[int, int, int, int]]) -> None:
    named = [Hunk(old_start=a, old_end=b, new_start=c, new_end=d) for a, b, c, d in hunks]
    with pytest.raises(BadRequest):
        without_hunks(b"1\n2\n", b"one\ntwo\n", named)
