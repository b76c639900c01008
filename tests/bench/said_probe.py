"""A program that follows a session whose agent says the time, until its stdin ends.

In a process of its own, so that nothing else delays it. Writes how many milliseconds after it was
said each time of day was here.
"""

from __future__ import annotations

import json
import re
import select
import sys
import time

from websockets.sync.client import connect

__all__: list[str] = []

_SAID = re.compile(r"<(\d+\.\d+)>")


def main() -> None:
    url, token, session_id = sys.argv[1:]
    waits: list[float] = []
    headers = {"Authorization": f"token {token}"}
    with connect(url, additional_headers=headers, max_size=None) as stream:
        stream.send(json.dumps({"type": "subscribe", "session_id": session_id}))
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], 0)[0]:
            try:
                frame = str(stream.recv(0.5))
            except TimeoutError:
                continue
            now = time.time()
            if '"events"' not in frame[:20] or '"snapshot"' in frame:
                continue
            said = [float(at) for at in _SAID.findall(frame)]
            waits += [round((now - at) * 1000, 2) for at in said]
            seqs = [int(seq) for seq in re.findall(r'"seq":(\d+)', frame)]
            ack = {"type": "ack", "session_id": session_id, "seq": max(seqs)}
            stream.send(json.dumps(ack))
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
