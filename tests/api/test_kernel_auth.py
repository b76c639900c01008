from __future__ import annotations

import subprocess
import sys

import pytest

from acp_jupyter.api import kernel_auth

KEY = b"the key of a connection file"
NONCE = "ab" * 16
NOW = 1_800_000_000.0


def verified(**changed: str | bytes | float) -> bool:
    request: dict[str, str | bytes | float] = {
        "key": KEY,
        "method": "POST",
        "path": "/base/acp-jupyter/api/sessions?x=1",
        "time": str(int(NOW)),
        "nonce": NONCE,
        "body": b"{}",
    }
    signature = kernel_auth.sign(**request)  # type: ignore[arg-type]
    sent = {"signature": signature, "now": NOW, **request, **changed}
    return kernel_auth.verify(**sent)  # type: ignore[arg-type]


def test_a_genuine_request_is_taken() -> None:
    assert verified()


@pytest.mark.parametrize(
    "changed",
    [
        {"key": b"another"},
        {"key": b""},
        {"method": "DELETE"},
        {"path": "/base/acp-jupyter/api/sessions"},
        {"body": b"{ }"},
        {"nonce": "cd" * 16},
        {"nonce": ""},
        {"time": str(int(NOW) + 1)},
        {"time": "now"},
        {"time": "-1"},
        {"time": "²"},
        {"time": ""},
        {"signature": ""},
        {"signature": "é"},
        {"now": NOW + 61},
        {"now": NOW - 61},
    ],
)
def test_anything_else_is_not(changed: dict[str, str | bytes | float]) -> None:
    assert not verified(**changed)


def test_a_request_signed_with_an_empty_key_proves_nothing() -> None:
    signature = kernel_auth.sign(b"", "GET", "/", "1", NONCE, b"")
    assert not kernel_auth.verify(b"", "GET", "/", "1", NONCE, b"", signature=signature, now=1)


def test_the_server_and_the_kernel_prove_different_things() -> None:
    assert kernel_auth.server_proof(KEY, NONCE) != kernel_auth.server_proof(KEY, "cd" * 16)
    assert kernel_auth.server_proof(KEY, NONCE) != kernel_auth.server_proof(b"x", NONCE)


def test_a_nonce_counts_once_per_kernel() -> None:
    memory = kernel_auth.NonceMemory()
    assert memory.use("k1", NONCE, NOW)
    assert not memory.use("k1", NONCE, NOW + 119)
    assert memory.use("k2", NONCE, NOW)


def test_the_memory_is_bounded_and_one_kernel_does_not_fill_it_for_others() -> None:
    memory = kernel_auth.NonceMemory()
    taken = sum(memory.use("greedy", f"{number}", NOW) for number in range(30_000))
    assert taken == 20_000
    assert memory.use("other", NONCE, NOW)
    assert memory.use("greedy", "later", NOW + 121), "the window has passed"


def test_it_imports_the_standard_library_only() -> None:
    code = (
        "import sys; import acp_jupyter.api.kernel_auth;"
        "print({m.split('.')[0] for m in sys.modules} & {'acp', 'tornado', 'pydantic', 'IPython',"
        " 'jupyter_server', 'traitlets', 'ipywidgets', 'anywidget'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
