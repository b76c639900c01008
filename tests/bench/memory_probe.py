"""A server extension that tells what the server's process holds."""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join


class _Memory(JupyterHandler):
    @allow_unauthenticated
    def get(self) -> None:
        """Answer with the MiB that are left when all garbage is given back."""
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
        rolled = Path("/proc/self/smaps_rollup").read_text().splitlines()
        kib = next(int(line.split()[1]) for line in rolled if line.startswith("Rss:"))
        self.finish({"mib": kib / 1024})


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "tests.bench.memory_probe"}]


def _load_jupyter_server_extension(app: ServerApp) -> None:
    pattern = url_path_join(app.web_app.settings["base_url"], "memory-probe")
    app.web_app.add_handlers(  # type: ignore[no-untyped-call]
        ".*$", [(pattern, _Memory)]
    )
