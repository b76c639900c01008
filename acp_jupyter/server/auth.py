"""Who calls a route: a user by Jupyter's identity, or a kernel by its connection key."""

from __future__ import annotations

import getpass
import json
import os
import re
from http.client import responses
from types import TracebackType
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server import CallContext
from jupyter_server.auth.identity import PasswordIdentityProvider, User
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from tornado.web import HTTPError

from acp_jupyter.delivery.callers import Caller, UserCaller
from acp_jupyter.delivery.kernel_proof import KERNEL_HEADER
from acp_jupyter.errors import AcpError, InvalidAnswers, NotAllowed
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.origin import OwnOrigin

__all__ = ["RESOURCE", "AcpHandler", "authorize_user"]

RESOURCE = "acp"
"""What an ``Authorizer`` is asked about."""

_MADE_UP = re.compile(r"[0-9a-f]{32}|anonymous")
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
    """Return the user of a request, once the server's ``Authorizer`` has agreed.

    Raises
    ------
    NotAllowed
        Nobody is logged in, or this user may not use agents.
    """
    user = handler.current_user
    if not isinstance(user, User):
        raise NotAllowed("Nobody is logged in. Log in to Jupyter and reload the page.")
    if not await ensure_async(handler.authorizer.is_authorized(handler, user, action, RESOURCE)):
        raise NotAllowed(
            f"This server does not allow {user.username} to use agents. "
            "Its administrator decides that."
        )
    made_up = _is_made_up(handler, user)
    return UserCaller(user.username, made_up, "" if made_up else _told(user))


def _is_made_up(handler: JupyterHandler, user: User) -> bool:
    """Tell whether Jupyter made this name up, for whoever has the server's token or password."""
    by_secret = isinstance(handler.identity_provider, PasswordIdentityProvider)
    unnamed = by_secret or user.display_name.startswith("Anonymous ")
    return unnamed and _MADE_UP.fullmatch(user.username) is not None


def _told(user: User) -> str:
    """Return a user's name where it says something: not that of the server's owner."""
    name = (user.name or "") if _MADE_UP.fullmatch(user.username) else user.username
    return "" if name in {*_owners(), "anonymous"} else name[:_NAME_CHARS]


def _owners() -> set[str]:
    """Return the names of the account that the server runs as."""
    try:
        account = getpass.getuser()
    except (OSError, KeyError, ImportError):
        account = ""
    return {account, os.environ.get("JUPYTERHUB_USER", ""), ""}


class AcpHandler(OwnOrigin, APIHandler):
    """Base of all routes: knows its caller before any verb runs, answers errors as JSON."""

    caller: Caller
    body_bytes = 32 * 1024 * 1024
    """Longest body of a request."""

    def initialize(self, *, backend: Backend, **_more: Any) -> None:
        """Take the collaborators of the route list."""
        self.backend = backend

    async def prepare(self) -> None:  # type: ignore[override] # as APIHandler does
        """Find out who calls; refuse everybody else.

        A kernel's request is checked by its signature alone, which covers the whole request: no
        cookie counts beside it, so neither XSRF nor Origin can matter. Of Jupyter's own checks
        the one against foreign host names stays. The ``Authorizer`` is not asked about kernels:
        it speaks of people, and what a kernel may do is bounded by the dispatcher.
        """
        if KERNEL_HEADER in self.request.headers:
            CallContext.set(CallContext.JUPYTER_HANDLER, self)
            self.current_user = self._jupyter_current_user = None
            if not self.check_host():
                raise HTTPError(403)
            self.caller = await self.backend.kernels.identify(self.request)
            self.current_user = User(username=f"kernel {self.caller.kernel_id}")
        else:
            await super().prepare()
            method = (self.request.method or "").upper()
            if method != "OPTIONS":
                # Whatever is sent to an agent runs something.
                action = "read" if method in {"GET", "HEAD"} else "execute"
                self.caller = await authorize_user(self, action)
        if len(self.request.body) > self.body_bytes:
            raise HTTPError(413, "The request is too large.")

    def check_xsrf_cookie(self) -> None:
        """Check the XSRF token of a user; a kernel's request stands and falls by its proof."""
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
        """Refuse a foreign origin with 403; APIHandler would say that there is no such route."""
        if not super().check_origin(origin_to_satisfy_tornado):
            raise HTTPError(403, "Requests from other sites are refused.")
        return True

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Keep errors that are meant for the caller out of the log."""
        if not isinstance(value, AcpError):
            super().log_exception(typ, value, tb)

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Answer an error of ours with its own status."""
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
