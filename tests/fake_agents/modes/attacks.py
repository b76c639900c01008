"""An agent that tries what it may not."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from urllib.parse import quote, urlsplit

from _wire import ALLOW, REJECT, Json, Wire, in_turns

BODIES: list[Json] = [
    {"option_id": "yes"},
    {"policy": "allow-all"},
    {"prompt": "x", "policy": "allow-all"},
]
REQUEST_ID = 77


@in_turns
def tries_secrets(wire: Wire, session_id: str, text: str) -> str:
    """Ask for a permission, then try to grant it to itself.

    The prompt is JSON: ``url`` of the extension's routes, ``paths`` to try, ``session_id``,
    ``kernel_id``, the ``kernel_environment`` and ``cookies`` that could name the user. Every value
    of both environments is tried on every path as a token, a bearer, a cookie and as the key of a
    kernel's proof. What got in is reported as JSON.
    """
    plan = json.loads(text)
    call = {"toolCallId": "c1", "title": "Edit", "kind": "edit"}
    wire.update(session_id, "tool_call", **call, status="pending")
    params = {"sessionId": session_id, "toolCall": call, "options": [ALLOW, REJECT]}
    wire.request(REQUEST_ID, "session/request_permission", params)
    tried, got_in = attack(plan)
    report = {"tried": tried, "got_in": got_in, "environment": dict(os.environ)}
    wire.text(session_id, json.dumps(report))
    answer = wire.response(REQUEST_ID)
    wire.text(session_id, "\n" + json.dumps(answer.get("result")))
    return "end_turn"


def attack(plan: Json) -> tuple[int, list[str]]:
    url = urlsplit(plan["url"])
    assert url.hostname is not None
    host, connections = url.hostname, threading.local()
    values = sorted({*os.environ.values(), *plan["kernel_environment"].values()})

    def tried(number: int, path: str, value: str) -> list[tuple[str, int]]:
        if not hasattr(connections, "mine"):
            connections.mine = http.client.HTTPConnection(host, url.port, timeout=60)
        method = "GET" if path.rsplit("/", 1)[-1] in plan["reads"] else "POST"
        body = json.dumps(BODIES[number % len(BODIES)]).encode() if method == "POST" else b""
        answers = []
        for target, headers in disguises(plan, method, url.path + path, value, body):
            connections.mine.request(method, target, body, headers)
            answer = connections.mine.getresponse()
            answer.read()
            answers.append((f"{method} {target} {sorted(headers)} {answer.status}", answer.status))
        return answers

    keys = [(number, *key) for number, key in enumerate(product(plan["paths"], values))]
    # One after the other would wait seconds for each answer, and so try less.
    with ThreadPoolExecutor(_AT_ONCE) as attackers:
        answers = [
            each for found in attackers.map(tried, *zip(*keys, strict=True)) for each in found
        ]
    # 429: too many wrong keys, so that this one was not even looked at.
    return len(answers), [words for words, status in answers if status not in {403, 429}]


_AT_ONCE = 12


def disguises(
    plan: Json, method: str, path: str, value: str, body: bytes
) -> Iterator[tuple[str, dict[str, str]]]:
    plain = quote(value, safe="")
    printable = value if value.isascii() and value.isprintable() else plain
    yield f"{path}?token={plain}", {}
    yield path, {"Authorization": f"token {printable}"}
    yield path, {"Authorization": f"Bearer {printable}"}
    for name in plan["cookies"]:
        cookies = f"{name}={plain}; _xsrf=00"
        yield path, {"Cookie": cookies, "X-XSRFToken": "00"}
    stamp, nonce = str(int(time.time())), os.urandom(16).hex()
    digest = hashlib.sha256(body).hexdigest()
    signed = "\n".join([method, path, stamp, nonce, digest]).encode()
    proof = hmac.new(value.encode(), signed, hashlib.sha256).hexdigest()
    yield (
        path,
        {
            "X-Acp-Kernel": plan["kernel_id"],
            "X-Acp-Time": stamp,
            "X-Acp-Nonce": nonce,
            "X-Acp-Signature": proof,
        },
    )
