"""Keys that distinguish a page's own connection from one that a script in the page opens.

An output of a cell has the page's cookie and its origin, so it can open a WebSocket as the page
does. A page gets a key when the browser loads it as a document, before it has any output; a page
that a script fetches has no key. The extension removes the key from the page, and proves with it
that it has opened the connection.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from jupyter_server.auth.identity import User
from jupyter_server.base.handlers import JupyterHandler

OPTION = "acpPageKey"
"""The name of the key in the page's configuration."""

PageConfig: TypeAlias = dict[str, Any]
Hook: TypeAlias = Callable[[JupyterHandler, PageConfig], PageConfig]

_HOOK = "page_config_hook"
_NONCE_BYTES = 16


class PageKeys:
    """Makes and checks the keys of a server's pages.

    Keys are not stored: like the user's cookie, the key of an open page stays valid when the
    server restarts.
    """

    def __init__(self, cookie_secret: bytes) -> None:
        self._secret = hmac.new(cookie_secret, b"acp-jupyter pages", hashlib.sha256).digest()

    def make(self, person: str) -> str:
        """Return a new key for a person's page."""
        nonce = secrets.token_hex(_NONCE_BYTES)
        return f"{nonce}-{self._sign(nonce, person)}"

    def is_good(self, key: str, person: str) -> bool:
        """Return whether this server made the key for the same person."""
        nonce, _, signature = key.partition("-")
        return hmac.compare_digest(self._sign(nonce, person).encode(), signature.encode())

    def put_in_pages(
        self, settings: dict[str, Any], person_of: Callable[[JupyterHandler, User], str]
    ) -> None:
        """Add a key to the configuration of each page of JupyterLab or Notebook.

        Settings that other extensions add to the configuration stay.
        """
        before: Hook | None = settings.get(_HOOK)

        def hook(handler: JupyterHandler, page_config: PageConfig) -> PageConfig:
            config = page_config if before is None else before(handler, page_config)
            user = handler.current_user
            person = person_of(handler, user) if isinstance(user, User) else None
            return {**config, OPTION: "" if person is None else self.key_for(handler, person)}

        settings[_HOOK] = hook

    def key_for(self, handler: JupyterHandler, person: str) -> str:
        """Return a key for the page that a request loads; empty if a script may have sent it."""
        if not _loads_a_page(handler.request.headers):
            return ""
        # A script could read the page from the browser's cache.
        handler.set_header("Cache-Control", "no-store")
        return self.make(person)

    def _sign(self, nonce: str, person: str) -> str:
        return hmac.new(self._secret, f"{nonce}\n{person}".encode(), hashlib.sha256).hexdigest()


def _loads_a_page(headers: Mapping[str, str]) -> bool:
    """Return whether a browser loads this as a page, by the request's headers.

    Scripts can't set these headers. A frame in a page of this server doesn't count, as scripts of
    that page could read it. Over plain http from another machine, browsers omit the headers.
    """
    what = headers.get("Sec-Fetch-Dest", "document")
    framed = what in {"iframe", "frame"} and headers.get("Sec-Fetch-Site") == "cross-site"
    return what == "document" or framed
