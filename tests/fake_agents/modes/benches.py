"""An agent that is measured with."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from _wire import Wire, in_turns

from acp_jupyter.agents.demo import talk_tasks

_FILE = re.compile(r"bench file=(\S+) size=(\d+)")
_WANTED = re.compile(r"bench N=(\d+) size=(\d+) rate=([\d.]+)")


@in_turns
def measured(wire: Wire, session_id: str, text: str, times: str) -> str:
    """Stream what ``bench N=… size=… rate=…`` or ``bench file=… size=…`` asks for, and note when.

    The last such words of a prompt count: other clients put words of their own around them. The
    file ``times`` gets the times of the first and the last write.
    """
    file = _FILE.findall(text)
    found = _WANTED.findall(text)
    if file:
        said, size, rate = Path(file[-1][0]).read_text(), int(file[-1][1]), 0.0
        count = -(-len(said) // size)
    elif found:
        count, size, rate = int(found[-1][0]), int(found[-1][1]), float(found[-1][2])
        said = talk_tasks.exactly(count * size)
    else:
        wire.text(session_id, "ready\n")
        return "end_turn"
    first = time.time()
    for number in range(count):
        if rate and wire.rest(max(0.0, first + number / rate - time.time())):
            break
        wire.text(session_id, said[number * size : (number + 1) * size])
    Path(times).write_text(json.dumps([first, time.time()]))
    return "end_turn"


@in_turns
def says_the_time(wire: Wire, session_id: str, _: str) -> str:
    """Say what time it is, 50 times a second, until the turn is cancelled."""
    while not wire.rest(0.02):
        wire.text(session_id, f"<{time.time():.4f}> ")
    return "end_turn"
