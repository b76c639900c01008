#!/usr/bin/env python3
"""Leaves a process behind that ignores SIGTERM, in a session of its own, with init for parent.

Its process id is in the answer to the prompt.
"""

from __future__ import annotations

import os
import signal

from _wire import Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    del text
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for fd in (0, 1, 2):
                os.close(fd)
            os.write(write, str(os.getpid()).encode())
            os.close(write)
            while True:
                signal.pause()
        os._exit(0)
    os.close(write)
    os.wait()
    wire.text(session_id, f"orphan {os.read(read, 20).decode()}")
    return "end_turn"


serve(prompt)
