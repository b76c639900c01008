"""What code shows for long, or too much of, is kept as a notebook would show it in the end."""

from __future__ import annotations

from acp_jupyter.notebook_tools.outputs import Outputs, Reply

LARGE = "x" * 1_000_000


def test_what_was_cleared_takes_no_room() -> None:
    outputs = Outputs()
    for step in range(30):
        outputs.clear(wait=True)
        outputs.print("stdout", f"{step} " + "." * 20_000)
        outputs.display({"text/plain": LARGE})
    printed, shown = outputs.done()
    assert str(printed["text"]).startswith("29 ..")
    assert shown["data"] == {"text/plain": LARGE}
    assert not outputs.truncated


def test_a_display_that_changes_takes_the_room_of_one() -> None:
    outputs = Outputs()
    outputs.display({"image/png": LARGE}, display_id="plot")
    for step in range(30):
        outputs.display({"image/png": f"{step}{LARGE}"}, display_id="plot", update=True)
        outputs.display({"image/png": LARGE}, display_id="nobody knows it", update=True)
    (shown,) = outputs.done()
    assert shown["data"] == {"image/png": f"29{LARGE}"}
    assert not outputs.truncated


def test_many_displays_have_their_bound_together() -> None:
    outputs = Outputs()
    for _ in range(20):
        outputs.display({"image/png": LARGE})
    assert outputs.truncated
    assert sum(len(str(each["data"])) for each in outputs.done()) < 17 * len(LARGE)


def test_two_streams_in_turns_are_bounded() -> None:
    outputs = Outputs()
    for _ in range(5_000):
        outputs.print("stdout", "o")
        outputs.print("stderr", "e")
    assert outputs.truncated
    assert len(outputs.done()) == 2_000
    outputs.error("ValueError", "no", ["ValueError: no"])
    assert outputs.done()[-1]["output_type"] == "error"


def test_a_result_has_the_number_of_its_run() -> None:
    outputs = Outputs()
    outputs.display({"text/plain": "shown"})
    outputs.display({"text/plain": "2"}, execution_count=7)
    shown, result = outputs.done()
    assert (shown["output_type"], shown.get("execution_count")) == ("display_data", None)
    assert (result["output_type"], result["execution_count"]) == ("execute_result", 7)


def test_codes_of_a_terminal_take_no_room_of_what_an_agent_reads() -> None:
    coloured = "".join(f"\x1b[3{step % 8}m\x1b[1mx{step}\x1b[0m\x1b[K " for step in range(700))
    outputs = Outputs()
    outputs.print("stdout", coloured)
    outputs.display({"text/plain": coloured})
    outputs.error("ValueError", "no", [coloured])
    reply = Reply()
    reply.outputs("cell", outputs.done())
    assert "\x1b" not in reply.text
    assert "left out" not in reply.text
    assert reply.text.count("x699 ") == 3
