"""An agent's calls of the notebook tools, as prompts and answers."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["NOTEBOOK", "PICTURE", "answers_in", "sender", "steps"]

NOTEBOOK = "work/n.ipynb"
PICTURE = """\
import base64
from IPython.display import Image, display
display(Image(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)))
"""
_SEND = """\
import http.client, json, os, time
from urllib.parse import urlsplit
from acp_jupyter.api import kernel_auth as proof

def send(method, path, body=None):
    url = urlsplit({api!r} + path)
    data = b"" if body is None else json.dumps(body).encode()
    stamp, nonce = str(int(time.time())), os.urandom(16).hex()
    key = get_ipython().kernel.session.key
    headers = {{
        proof.KERNEL_HEADER: {kernel_id!r}, proof.TIME_HEADER: stamp, proof.NONCE_HEADER: nonce,
        proof.SIGNATURE_HEADER: proof.sign(key, method, url.path, stamp, nonce, data),
    }}
    link = http.client.HTTPConnection(url.netloc, timeout=120)
    link.request(method, url.path, data, headers)
    return link.getresponse().status
"""


def sender(api: str, kernel_id: str) -> str:
    """Return code for a kernel: ``send`` asks the server with the kernel's own proof."""
    return _SEND.format(api=api, kernel_id=kernel_id)


def steps(*calls: tuple[str, dict[str, Any]]) -> str:
    """Return the prompt that makes the agent call these tools."""
    return json.dumps([{"tool": tool, "args": args} for tool, args in calls])


def answers_in(text: str) -> list[dict[str, Any]]:
    """Return what the tools answered, as the agent says it."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
