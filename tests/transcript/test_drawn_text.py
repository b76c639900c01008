"""A secret that is whole only where it is drawn is taken out of what was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript.drawn_text import DrawnText
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.patterns.pumped_texts import MAX_RATIO, grows_linearly

R = REDACTED
HEAD, TAIL = "gh" + "p_kd83hfKq02mX", "z71pWvR5kd83hfKq02mX"
KNOWN = "of our own choice"


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        (f"is \x1b[31m{HEAD}\x1b[0m{TAIL}.", f"is \x1b[31m{R}\x1b[0m."),
        (f"\x1b[1;38:5:9m{HEAD[:2]}\x1b[m{HEAD[2:]}{TAIL}", f"\x1b[1;38:5:9m{R}\x1b[m"),
        (f"{HEAD}\x9b4m{TAIL}", f"{R}\x9b4m"),
        (
            f"{HEAD}\x1b]8;;http://a\x07{TAIL}\x1b]8;;\x1b\\",
            f"{R}\x1b]8;;http://a\x07\x1b]8;;\x1b\\",
        ),
        (f"{HEAD}\x1b(B{TAIL} x", f"{R}\x1b(B x"),
        (f"{HEAD}\u200b{TAIL}", R),
        (f"{HEAD[:1]}\u2060\ufeff{HEAD[1:]}\xad{TAIL} \u200bx", f"{R} \u200bx"),
        (f"a &#103;{HEAD[1:]}{TAIL} b", f"a {R} b"),
        (f"&#x67;{HEAD[1:]}{TAIL}&amp;", f"{R}&amp;"),
        (f"{HEAD.replace('_', '&lowbar;')}{TAIL}", R),
        (f"<b>{HEAD}</b>{TAIL}<br>", f"<b>{R}<br>"),
        (f'<span class="a">{HEAD}</span><span>{TAIL}</span>', f'<span class="a">{R}</span>'),
        (f"{HEAD}<wbr/>{TAIL}", R),
        ("".join(f"{char}\x08{char}" for char in HEAD + TAIL), "g\x08" + R),
        ("pass\x1b[1mword\x1b[0m=hunter2\x1b[3mhunter2", f"pass\x1b[1mword\x1b[0m={R}\x1b[3m"),
        ("of our\x1b[0m own choice", f"{R}\x1b[0m"),
        ("of our&nbsp;own choice of <i>our</i> own choice", f"of our&nbsp;own choice {R}"),
    ],
)
def test_what_is_drawn_whole_is_replaced(written: str, clean: str) -> None:
    assert Redactor([KNOWN]).redact_text(written) == clean
    assert Redactor([KNOWN]).redact_text(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mpassword\x1b[0m = getpass()",
        "if a < b and c > d: token: <b>str</b>",
        "&lt;password&gt; &amp;&amp; 1 &unknown; &",
        "<script>let token = next</script>",
        "family \U0001f469\u200d\U0001f469\u200d\U0001f467 and \u2764\ufe0f",
    ],
)
def test_other_text_stays_as_it_was_written(text: str) -> None:
    assert Redactor([KNOWN]).redact_text(text) == text


def test_saved_and_shared_text_has_none_that_is_coloured_in_part() -> None:
    """Notebooks, HTML and shared pages are written from what goes through the scrubber."""
    scrubber = Scrubber("/srv/work", "/home/ada", Redactor())
    item = AgentMessage(id="i1", text=f"in /srv/work: {HEAD}\x1b[1m{TAIL}\x1b[0m")
    assert scrubber.model(item).text == f"in .: {R}\x1b[1m\x1b[0m"


PIECES = [
    "a",
    "b c",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\u200b",
    "&amp;",
    "&#97;",
    "&x;",
    "<b>",
    "</i>",
    "<",
    "x\x08",
    "\n",
    "&",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.data())
def test_each_part_of_what_is_drawn_is_found_in_what_was_written(
    raw: str, data: st.DataObject
) -> None:
    drawn = DrawnText.of(raw)
    assert drawn.without([]) == raw
    if not drawn.text:
        return
    begin = data.draw(st.integers(0, len(drawn.text) - 1))
    end = data.draw(st.integers(begin + 1, len(drawn.text)))
    after = DrawnText.of(drawn.without([(begin, end)])).text
    before, behind = drawn.text[:begin], drawn.text[end:]
    assert after.count(R) == 1
    # An entity that is drawn as one sign goes whole.
    assert after.startswith(before)
    assert after.endswith(behind)


@pytest.mark.parametrize(
    "unit",
    [
        "\x1b",
        "\x1b[",
        "\x1b]",
        "\x9d",
        "\x1b]a",
        "&",
        "&#",
        "&a",
        "&amp;",
        "<",
        "<a",
        "<a ",
        "</b",
        "\x08",
        "a\x08",
        "\u200b",
        "\x1b[0m",
        "<b>x",
        f"\x1b[1m{HEAD}\x1b[0m{TAIL} ",
    ],
)
def test_hidden_signs_are_read_in_linear_time(unit: str) -> None:
    assert grows_linearly(Redactor([KNOWN]).redact_text, ("", unit)) < MAX_RATIO
