"""A server on which several people are known by name, as on a hub with shared servers."""

from __future__ import annotations

import httpx

from tests.support.server.jupyter_server import JupyterServer

__all__ = ["NAMED", "as_person"]

NAMED = """
from jupyter_server.auth import Authorizer, IdentityProvider, User

class Named(IdentityProvider):
    def get_user(self, handler):
        told = handler.request.headers.get("Authorization", "")
        known = {"token of-ada": "ada", "token of-bob": "bob", "token of-cara": "cara",
                 "token of-dan": "dan"}
        name = known.get(told)
        return User(name) if name else super().get_user(handler)

    def is_token_authenticated(self, handler):
        return True

class Table(Authorizer):
    async def is_authorized(self, handler, user, action, resource):
        if resource != "acp":
            return True
        if user.username == "cara":  # uses the server, and no agents
            return False
        return user.username != "dan" or action in {"read", "write"}

c.ServerApp.identity_provider_class = Named
c.ServerApp.authorizer_class = Table
"""
"""``ada`` and ``bob`` may use agents, ``cara`` may not, and ``dan`` may not execute."""


def as_person(server: JupyterServer, name: str) -> httpx.Client:
    """Return a client of somebody."""
    client = server.client()
    client.headers["Authorization"] = f"token of-{name}"
    return client
