#!/usr/bin/env python3
"""Mixes what is no protocol into its output; with --only it writes nothing else."""

from __future__ import annotations

import sys

from _wire import Wire, serve

GARBAGE = (
    b"Loading plugins...\n",
    b"\x1b[2K\x1b[1G\x1b[33mwarning\x1b[0m\n",
    b"\n \n",
    b"{not json}\n",
    b"123\n",
    b'"text"\n',
    b"null\n",
    b"NaN\n",
    b"\xff\xfe\x00broken\n",
    b"[" * 3000 + b"\n",
    b'{"a":' * 3000 + b"\n",
    b"[[], [null, 5]]\n",
    b'{"jsonrpc":"2.0"}\n',
)


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    for line in GARBAGE:
        wire.write(line)
        wire.text(session_id, "still ")
    wire.text(session_id, "here")
    return "end_turn"


the_wire = Wire()
for piece in GARBAGE:
    the_wire.write(piece)
if "--only" in sys.argv:
    while the_wire.line():
        the_wire.write(b"I do not speak this.\n")
else:
    serve(prompt, the_wire)
