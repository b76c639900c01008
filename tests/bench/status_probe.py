"""A program that asks a Jupyter server for its status again and again, until its stdin ends.

In a process of its own, so that nothing else delays it. Writes the milliseconds of each answer.
While one answer is late others would have been asked for: each of them counts too, with what it
would have waited, so that one stop of a second is no single outlier.
"""

from __future__ import annotations

import json
import select
import sys
import time

import httpx

__all__ = ["PAUSE_SECONDS"]

PAUSE_SECONDS = 0.01


def main() -> None:
    url, token = sys.argv[1:]
    waits: list[float] = []
    headers = {"Authorization": f"token {token}"}
    with httpx.Client(headers=headers, timeout=300) as client:
        client.get(url).raise_for_status()
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
            began = time.perf_counter()
            client.get(url).raise_for_status()
            waited = time.perf_counter() - began
            while waited > 0:
                waits.append(round(waited * 1000, 2))
                waited -= PAUSE_SECONDS
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
