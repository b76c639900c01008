"""The page of the inbox, its script, and what a phone needs to install it as an app.

The page loads nothing but its own script, and its policy forbids anything else. It gets a page key
as JupyterLab's pages do, so it can answer requests.
"""

from __future__ import annotations

import asyncio
import html
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

from acp_jupyter.api.access import UserCaller
from acp_jupyter.errors import NotAllowed
from acp_jupyter.server.auth import authorize_user
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.page_keys import OPTION

_PLACE = "acp-jupyter/inbox"
_SCRIPT = Path(__file__).parents[2] / "static" / "inbox.js"

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "img-src 'self' data: blob:",
        "media-src data: blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

_PAGE = Template(
    """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#111111">
<meta name="referrer" content="no-referrer">
<link rel="icon" type="image/svg+xml" href="$place/icon.svg">
<link rel="manifest" href="$place/manifest.json" crossorigin="use-credentials">
<title>Inbox</title>
<script type="application/json" id="jupyter-config-data">$config</script>
<script src="$place/page.js" defer></script>
</head>
<body>
<main></main>
<noscript>The inbox needs JavaScript.</noscript>
</body>
</html>
"""
)

_ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
<rect width="512" height="512" rx="96" fill="#1976d2"/>
<path d="M112 288l56-144h176l56 144v80H112zM112 288h88l24 40h64l24-40h88" fill="none"
 stroke="#fff" stroke-width="28" stroke-linejoin="round"/>
</svg>
"""


class _OfUser(JupyterHandler):
    """Answers only a user whom the server's ``Authorizer`` lets use agents."""

    def initialize(self, *, backend: Backend) -> None:
        """Store the backend from the route list."""
        self._backend = backend

    @property
    def content_security_policy(self) -> str:
        """Allow this page's own script alone."""
        return _POLICY

    async def _user(self) -> UserCaller:
        try:
            return await authorize_user(self, "execute")
        except NotAllowed as error:
            raise HTTPError(error.status, error.message) from None

    def _place(self) -> str:
        return url_path_join(self.base_url, _PLACE)


class InboxHandler(_OfUser):
    """The page itself, with its key."""

    @authenticated
    async def get(self) -> None:
        """Send the page."""
        user = await self._user()
        config = {
            "baseUrl": self.base_url,
            OPTION: self._backend.page_keys.key_for(self, user.person),
        }
        # Sets the cookie that requests of this page are checked by.
        _ = self.xsrf_token
        self.set_header("Cache-Control", "no-store")
        # A page that opens this one, such as JupyterLab with its outputs, can't reach into it.
        self.set_header("Cross-Origin-Opener-Policy", "same-origin")
        self.set_header("Content-Type", "text/html; charset=utf-8")
        await self.finish(
            _PAGE.substitute(place=html.escape(self._place()), config=_in_script(config))
        )


class ScriptHandler(_OfUser):
    """The page's script."""

    @authenticated
    async def get(self) -> None:
        """Send the script, unless the browser has it."""
        await self._user()
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.set_header("Cache-Control", "private, no-cache")
        await self.finish(await asyncio.to_thread(_script))


class ManifestHandler(_OfUser):
    """What a browser needs to install the page as an app."""

    @authenticated
    async def get(self) -> None:
        """Send the manifest."""
        await self._user()
        place = self._place()
        manifest = {
            "name": "Jupyter agents",
            "short_name": "Agents",
            "id": place,
            "start_url": place,
            "scope": place,
            "display": "standalone",
            "background_color": "#ffffff",
            "icons": [{"src": f"{place}/icon.svg", "type": "image/svg+xml", "sizes": "any"}],
        }
        self.set_header("Content-Type", "application/manifest+json")
        await self.finish(json.dumps(manifest))


class IconHandler(_OfUser):
    """The app's icon."""

    @authenticated
    async def get(self) -> None:
        """Send the icon."""
        await self._user()
        self.set_header("Content-Type", "image/svg+xml")
        await self.finish(_ICON)


@cache
def _script() -> bytes:
    return _SCRIPT.read_bytes()


def _in_script(value: Mapping[str, Any]) -> str:
    return json.dumps(value).replace("<", "\\u003c")


PAGES = {
    "inbox": InboxHandler,
    "inbox/page.js": ScriptHandler,
    "inbox/manifest.json": ManifestHandler,
    "inbox/icon.svg": IconHandler,
}
