"""Authentication of requests: users by Jupyter's identity, kernels by their connection key.

A request with a cookie must come from the server's own origin or a configured one. The host's
redactors get all secrets that would let their reader act as the user or as a kernel.
"""

from __future__ import annotations

import base64
import getpass
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from http.client import responses
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jupyter_core.utils import ensure_async
from jupyter_server import CallContext
from jupyter_server.auth.identity import PasswordIdentityProvider, User
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from tornado.web import HTTPError

from acp_jupyter.api.access import Caller, UserCaller
from acp_jupyter.api.kernel_auth import KERNEL_HEADER
from acp_jupyter.errors import AcpError, InvalidAnswers, NotAllowed
from acp_jupyter.transcript.redactor import KnownSecrets

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

    from acp_jupyter.server.backend import Backend


_ANY_ORIGIN_PROBE = "https://unlisted.invalid"


def origin_is_named(origin: str, hosts: Collection[str], listed: str, pattern: str | None) -> bool:
    """Return whether ``origin`` is one of ``hosts`` or configured.

    Parameters
    ----------
    listed
        ``ServerApp.allow_origin``. ``*`` does not count: it is meant for reading public data, and
        these routes run agents.
    """
    origin = origin.lower()
    host = urlsplit(origin).netloc
    if host and host in {name.lower() for name in hosts}:
        return True
    if listed and listed != "*":
        return origin == listed.lower()
    if pattern and not re.fullmatch(pattern, _ANY_ORIGIN_PROBE):
        return bool(re.fullmatch(pattern, origin))
    return False


class OwnOrigin(JupyterHandler):
    """Refuses a foreign Origin, even if ``allow_origin`` is ``*``.

    A request with a token is accepted from any origin: a foreign page does not know the token.
    """

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """Return whether the request's origin is allowed."""
        if self.skip_check_origin():
            return True
        origin = self.get_origin()
        if origin is None:
            # Not from a page: browsers send Origin with every WebSocket and POST.
            return True
        if origin_is_named(origin, self._own_hosts(), self.allow_origin, self.allow_origin_pat):
            return True
        self.log.warning("acp_jupyter: refused the origin %r on %s", origin, self.request.path)
        return False

    def _own_hosts(self) -> list[str]:
        hosts = [self.request.host]
        serverapp = self.serverapp
        forwarded = self.request.headers.get("X-Forwarded-Host")
        if forwarded and serverapp is not None and serverapp.trust_xheaders:
            hosts.append(forwarded.split(",")[0].strip())
        return hosts


RESOURCE = "acp"
"""The resource name for the server's ``Authorizer``."""

_GENERATED_NAME = re.compile(r"[0-9a-f]{32}|anonymous")
_NAME_CHARS = 100
_REASONS = {
    400: "bad_request",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    503: "too_many",
}


async def authorize_user(handler: JupyterHandler, action: str) -> UserCaller:
    """Return the user of a request if the server's ``Authorizer`` allows the action."""
    user = handler.current_user
    if not isinstance(user, User):
        raise NotAllowed("You are not logged in. Log in to Jupyter and reload the page.")
    if not await ensure_async(handler.authorizer.is_authorized(handler, user, action, RESOURCE)):
        raise NotAllowed(
            f"This server does not allow {user.username} to use agents. Ask its administrator."
        )
    return user_caller(handler, user)


def user_caller(handler: JupyterHandler, user: User) -> UserCaller:
    """Return the identity of a logged-in user."""
    generated = _is_generated(handler, user)
    return UserCaller(user.username, generated, "" if generated else _shown_name(user))


_HEADERS_OF_PAGES = ("Origin", "Sec-Fetch-Site")
"""Browsers set them whenever a page sends something, and no script can leave them out."""


def is_program(handler: JupyterHandler) -> bool:
    """Return whether a program sent the request, with a token.

    A script in a page, such as the output of a cell, has the page's cookie, and in JupyterLab
    the token, too. So a token doesn't count in a page's request, and a cookie never does.
    """
    headers = handler.request.headers
    if any(name in headers for name in _HEADERS_OF_PAGES):
        return False
    return handler.token_authenticated or "Cookie" not in headers


def _is_generated(handler: JupyterHandler, user: User) -> bool:
    """Return whether Jupyter generated the name, for a user with token or password only."""
    by_secret = isinstance(handler.identity_provider, PasswordIdentityProvider)
    unnamed = by_secret or user.display_name.startswith("Anonymous ")
    return unnamed and _GENERATED_NAME.fullmatch(user.username) is not None


def _shown_name(user: User) -> str:
    """Return the name to show for a user; empty for the server's owner."""
    name = (user.name or "") if _GENERATED_NAME.fullmatch(user.username) else user.username
    return "" if name in {*_owners(), "anonymous"} else name[:_NAME_CHARS]


def _owners() -> set[str]:
    """Return the account names that the server runs as."""
    try:
        account = getpass.getuser()
    except (OSError, KeyError, ImportError):
        account = ""
    return {account, os.environ.get("JUPYTERHUB_USER", ""), ""}


class AcpHandler(OwnOrigin, APIHandler):
    """Base of all routes: authenticates the caller first, and returns errors as JSON."""

    caller: Caller
    body_bytes = 32 * 1024 * 1024
    """Largest body of a request in bytes."""

    def initialize(self, *, backend: Backend, **_more: Any) -> None:
        """Store the backend from the route list."""
        self.backend = backend

    async def prepare(self) -> None:  # type: ignore[override] # as APIHandler does
        """Authenticate the caller, or refuse the request.

        A kernel's request is checked by its signature alone, which covers the whole request: no
        cookie counts beside it, so neither XSRF nor Origin matters. Jupyter's check of foreign host
        names stays. The ``Authorizer`` is not asked about kernels: it is for users, and the
        dispatcher limits what a kernel may do.
        """
        if KERNEL_HEADER in self.request.headers:
            CallContext.set(CallContext.JUPYTER_HANDLER, self)
            self.current_user = self._jupyter_current_user = None
            if not self.check_host():
                raise HTTPError(403)
            try:
                self.caller = await self.backend.kernels.identify(self.request)
            except NotAllowed:
                # Only wrong signatures wait, as all kernels share an address.
                await self.backend.key_throttle.refuse(f"{self.request.remote_ip} signature")
                raise
            self.current_user = User(username=f"kernel {self.caller.kernel_id}")
        else:
            await super().prepare()
            method = (self.request.method or "").upper()
            if method != "OPTIONS":
                # All text that is sent to an agent may run code.
                action = "read" if method in {"GET", "HEAD"} else "execute"
                self.caller = await authorize_user(self, action)
        if len(self.request.body) > self.body_bytes:
            raise HTTPError(413, "The request is too large.")

    def check_xsrf_cookie(self) -> None:
        """Check the XSRF token of a user's request; a kernel's request has its signature."""
        if KERNEL_HEADER in self.request.headers:
            return
        try:
            super().check_xsrf_cookie()
        except HTTPError as error:
            if "_xsrf" in (error.log_message or ""):
                raise HTTPError(
                    403, "The request lacks the XSRF token of this server. Reload the page."
                ) from None
            raise

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """Refuse a foreign origin with 403; APIHandler would answer 404."""
        if not super().check_origin(origin_to_satisfy_tornado):
            raise HTTPError(403, "Requests from other sites are refused.")
        return True

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Log an error, unless it is the caller's."""
        if not isinstance(value, AcpError):
            super().log_exception(typ, value, tb)

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Answer an `AcpError` with its own status."""
        error = _exception(kwargs)
        super().send_error(error.status if isinstance(error, AcpError) else status_code, **kwargs)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write ``{"message", "reason", "detail"}``."""
        error = _exception(kwargs)
        if isinstance(error, AcpError):
            body: dict[str, object] = {
                "message": error.message,
                "reason": error.reason,
                "detail": error.detail,
            }
            if isinstance(error, InvalidAnswers):
                body["fields"] = error.fields
        else:
            message = error.log_message if isinstance(error, HTTPError) else None
            body = {
                "message": message or responses.get(status_code, "Error"),
                "reason": _REASONS.get(status_code, "error"),
                "detail": "",
            }
        self.finish(json.dumps(body))


def _exception(kwargs: dict[str, Any]) -> BaseException | None:
    exc_info = kwargs.get("exc_info")
    return None if exc_info is None else exc_info[1]


_KERNEL_ACTIONS = "https://events.jupyter.org/jupyter_server/kernel_actions/v1"
_MAX_BYTES = 4096


class ServerSecrets:
    """Passes the server's secrets and each kernel's key to all redactors of a host."""

    def __init__(
        self, serverapp: ServerApp, known: KnownSecrets, kernel_keys: Callable[[], list[str]]
    ) -> None:
        self._serverapp = serverapp
        self._known = known
        self._kernel_keys = kernel_keys

    def begin(self) -> None:
        """Add the secrets now, and the keys again whenever a kernel starts or ends."""
        self._known.put("server", _own(self._serverapp))
        self._add_keys()

        async def acted(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
            self._add_keys()

        events = self._serverapp.event_logger
        if events is not None:
            events.add_listener(schema_id=_KERNEL_ACTIONS, listener=acted)

    def _add_keys(self) -> None:
        self._known.put("kernels", self._kernel_keys())


def _own(serverapp: ServerApp) -> Iterator[str]:
    """Yield the token, the password's hash, and the cookie secret in its encodings."""
    identity = serverapp.identity_provider
    yield str(getattr(identity, "token", ""))
    yield str(getattr(identity, "hashed_password", ""))
    secret = serverapp.cookie_secret
    if isinstance(secret, bytes):
        yield secret.hex()
        yield base64.b64encode(secret).decode()
    try:
        with Path(serverapp.cookie_secret_file).open("rb") as file:
            content = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    yield from content.splitlines()
