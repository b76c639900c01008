"""The address of a remote agent: its URL, its authentication headers, its view of folders."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit


class AddressError(Exception):
    """The address can't be used; the message says what to correct."""


@dataclass(frozen=True, slots=True)
class Address:
    """The location of a remote agent.

    Attributes
    ----------
    url
        ``wss://`` or ``https://``; ``ws://`` and ``http://`` where no header is sent, or to this
        machine.
    variables
        Names of headers, each with the environment variable that holds its value.
    folders
        Folders here, each with the folder there that has the same files.
    """

    url: str
    variables: Mapping[str, str]
    folders: Mapping[str, str]

    @classmethod
    def of(cls, url: str, variables: Mapping[str, str], folders: Mapping[str, str]) -> Address:
        """Check and return an address."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            _ = parts.port
        except ValueError:
            raise AddressError("The address is not a URL.") from None
        if parts.scheme not in {"ws", "wss", "http", "https"} or not host:
            raise AddressError("The address must begin with wss:// or https:// and name a host.")
        if parts.username is not None or parts.password is not None:
            raise AddressError(
                "The address holds a user or a password. Put it into an environment variable, "
                "and name that under headers."
            )
        if variables and parts.scheme in {"ws", "http"} and not _is_here(host):
            raise AddressError(
                f"{parts.scheme}://{host} would send the headers unencrypted. "
                "Use wss:// or https://."
            )
        return cls(url, dict(variables), dict(folders))

    @property
    def websocket(self) -> bool:
        """Whether it is reached by WebSocket."""
        return self._parts.scheme in {"ws", "wss"}

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, so that no proxy is used."""
        return _is_here(self._parts.hostname or "")

    @property
    def shown(self) -> str:
        """The URL without its query, which may hold a secret."""
        return self._parts._replace(query="", fragment="").geturl()

    def headers(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the headers with their values."""
        values = {}
        for name, variable in self.variables.items():
            value = environment.get(variable, "").strip()
            if not value:
                raise AddressError(
                    f"The environment variable {variable}, for the header {name}, is not set. "
                    "Set it where Jupyter is started, then restart the agent."
                )
            if not value.isprintable() or not value.isascii():
                raise AddressError(f"The value of {variable} can't be sent in the header {name}.")
            values[name] = value
        return values

    def explain(self, status: int) -> str:
        """Return what the user can do about an HTTP status that ends a connection."""
        answered = f"{self.shown} answered {status}"
        if status in {401, 403}:
            variables = ", ".join(self.variables.values())
            check = (
                f"Check the variable {variables}" if variables else "Name a header under headers"
            )
            return f"{answered}: the login is not accepted. {check}."
        if 300 <= status < 400:
            return (
                f"{answered}: it redirects to another address, which is not followed. "
                "Put the new address into the configuration of this agent."
            )
        return f"{answered}. Check the address of this agent."

    @property
    def _parts(self) -> SplitResult:
        return urlsplit(self.url)


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
