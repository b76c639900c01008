"""How a kernel authenticates to its server, and the server to the kernel.

Both hold the key of the kernel's connection file; it never travels. The
kernel signs each request, the server signs the kernel's nonce in its answer
to the handshake, before the kernel sends it a prompt. Standard library only:
the kernel side uses this as well.
"""

from __future__ import annotations

import hashlib
import hmac

URL_VARIABLE = "ACP_JUPYTER_URL"
"""Environment variable of kernels: the address of the server that started them; no secret."""

KERNEL_HEADER = "X-Acp-Kernel"
TIME_HEADER = "X-Acp-Time"
NONCE_HEADER = "X-Acp-Nonce"
SIGNATURE_HEADER = "X-Acp-Signature"

WINDOW_SECONDS = 60
"""How far the two clocks may differ."""

_NONCE_HEX_CHARS = 32
_NONCES_PER_KERNEL = 20_000
_KERNELS = 1000


def sign(key: bytes, method: str, path: str, time: str, nonce: str, body: bytes) -> str:
    """Return the signature of a request.

    Parameters
    ----------
    method, path, body
        The request; ``path`` includes the query.
    time, nonce
        The values of the headers: seconds since the epoch, and 16 random bytes in hex.
    """
    digest = hashlib.sha256(body).hexdigest()
    return _hmac(key, "\n".join([method, path, time, nonce, digest]))


def verify(
    key: bytes,
    method: str,
    path: str,
    time: str,
    nonce: str,
    body: bytes,
    *,
    signature: str,
    now: float,
) -> bool:
    """Return whether ``signature`` is valid for this request and ``key``, and recent.

    An empty key proves nothing: Jupyter allows kernels that don't sign messages.
    """
    if not key or not time.isdecimal() or abs(now - int(time)) > WINDOW_SECONDS:
        return False
    if len(nonce) != _NONCE_HEX_CHARS:
        return False
    wanted = sign(key, method, path, time, nonce, body)
    return hmac.compare_digest(wanted.encode(), signature.encode())


def server_proof(key: bytes, nonce: str) -> str:
    """Return the server's answer to ``nonce``, which needs the kernel's key."""
    return _hmac(key, f"acp-jupyter\n{nonce}")


def _hmac(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class NonceMemory:
    """The nonces of recent requests, so that none is accepted twice."""

    def __init__(self) -> None:
        self._used: dict[str, dict[str, float]] = {}

    def use(self, kernel_id: str, nonce: str, now: float) -> bool:
        """Add ``nonce``; return False if it was used before.

        A kernel with too many requests in the window is refused, too, which harms only itself.
        """
        used = self._used.setdefault(kernel_id, {})
        while used and used[oldest := next(iter(used))] <= now:
            del used[oldest]
        if nonce in used or len(used) >= _NONCES_PER_KERNEL:
            return False
        # Twice the window: the request may have come from a clock that is ahead.
        used[nonce] = now + 2 * WINDOW_SECONDS
        if len(self._used) > _KERNELS:
            self._forget_kernels(now)
        return True

    def _forget_kernels(self, now: float) -> None:
        self._used = {
            kernel_id: used
            for kernel_id, used in self._used.items()
            if any(end > now for end in used.values())
        }
