"""Which Origin a request by cookie may come from: this server's own, or a listed one."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import origin_matches_pat

__all__ = ["OwnOrigin", "origin_is_named"]

_ANY_ORIGIN_PROBE = "https://unlisted.invalid"


def origin_is_named(origin: str, hosts: Collection[str], listed: str, pattern: str | None) -> bool:
    """Tell whether ``origin`` is one of ``hosts``, or named by the server's configuration.

    Parameters
    ----------
    origin
        The request's ``Origin``.
    hosts
        What this server is called, with port where it is not the scheme's own.
    listed
        ``ServerApp.allow_origin``. ``*`` names nobody: it is meant for reading public things,
        and these routes run agents.
    pattern
        ``ServerApp.allow_origin_pat``. One that takes any origin names nobody either.
    """
    origin = origin.lower()
    host = urlsplit(origin).netloc
    if host and host in {name.lower() for name in hosts}:
        return True
    if listed and listed != "*":
        return origin == listed.lower()
    if pattern and not origin_matches_pat(pattern, _ANY_ORIGIN_PROBE):
        return bool(origin_matches_pat(pattern, origin))
    return False


class OwnOrigin(JupyterHandler):
    """Refuses a foreign Origin, also where ``allow_origin`` is ``*``.

    A token in the request counts whatever the origin: only who knows it can send it.
    """

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """Tell whether the request may come from where it comes from."""
        if self.skip_check_origin():
            return True
        origin = self.get_origin()
        if origin is None:
            # Not a page: browsers send it with every WebSocket and POST.
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
