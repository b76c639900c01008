"""Keys by which a page's own connection is told from one that a script in the page has opened.

An output of a cell has the page's cookie and its origin, so it can open a WebSocket as the page
does. The key is given to a page when the browser loads it as a document, before any output is in
it; what a script fetches has none. The extension takes it out of the page and proves with it that
a connection is its own.
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
    """Makes the keys of a server's pages, and tells which are good.

    None is stored: a page that stays open while its server is started again keeps its key, as its
    user keeps the cookie.

    Parameters
    ----------
    cookie_secret
        With which the server signs its cookies.
    """

    def __init__(self, cookie_secret: bytes) -> None:
        self._secret = hmac.new(cookie_secret, b"acp-jupyter pages", hashlib.sha256).digest()

    def make(self, person: str) -> str:
        """Return a new key for a page of somebody."""
        nonce = secrets.token_hex(_NONCE_BYTES)
        return f"{nonce}-{self._sign(nonce, person)}"

    def is_good(self, key: str, person: str) -> bool:
        """Return whether a key was made here, for a page of the same person."""
        nonce, _, signature = key.partition("-")
        return hmac.compare_digest(self._sign(nonce, person).encode(), signature.encode())

    def put_in_pages(
        self, settings: dict[str, Any], person_of: Callable[[JupyterHandler, User], str]
    ) -> None:
        """Give each page that JupyterLab or Notebook sends a key of its own.

        What other extensions put into the page's configuration stays.

        Parameters
        ----------
        settings
            Of the web application.
        person_of
            Returns by what name a user who is logged in is known here.
        """
        before: Hook | None = settings.get(_HOOK)

        def hook(handler: JupyterHandler, page_config: PageConfig) -> PageConfig:
            config = page_config if before is None else before(handler, page_config)
            return {**config, OPTION: self._key_for(handler, person_of)}

        settings[_HOOK] = hook

    def _key_for(
        self, handler: JupyterHandler, person_of: Callable[[JupyterHandler, User], str]
    ) -> str:
        user = handler.current_user
        if not isinstance(user, User) or not _loads_a_page(handler.request.headers):
            return ""
        # A script could read the page from the browser's cache.
        handler.set_header("Cache-Control", "no-store")
        return self.make(person_of(handler, user))

    def _sign(self, nonce: str, person: str) -> str:
        return hmac.new(self._secret, f"{nonce}\n{person}".encode(), hashlib.sha256).hexdigest()


def _loads_a_page(headers: Mapping[str, str]) -> bool:
    """Return whether a browser loads a page, for all that the request says.

    No script can set these headers. A frame in a page of this server could be read by the scripts
    of that page. Browsers leave the headers out where a page comes over plain http from another
    machine.
    """
    what = headers.get("Sec-Fetch-Dest", "document")
    framed = what in {"iframe", "frame"} and headers.get("Sec-Fetch-Site") == "cross-site"
    return what == "document" or framed
