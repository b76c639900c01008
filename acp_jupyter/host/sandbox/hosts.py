"""Hosts on the network: which ones an agent in a sandbox reaches without a question."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ValidationError, field_validator

from acp_jupyter.host.public_registry.known import KNOWN
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.protocol.objects import Model

_USUAL_PORTS = (443, 80)
"""Of a host that is named without one."""
_LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)({_LABEL}\.)*{_LABEL}")
_MAX_PORT = 65_535
_OF_MODELS = re.compile(r"[A-Z0-9_]+_BASE_URL|OPENAI_API_BASE|AZURE_OPENAI_ENDPOINT")
"""Variables that say where an agent's model is."""
_PACKAGES = {
    "npx": ("registry.npmjs.org",),
    "uvx": ("pypi.org", "files.pythonhosted.org"),
}
"""Where the programs that run an agent's package get it."""
PYTHON_PACKAGES = (*_PACKAGES["uvx"], "conda.anaconda.org", "repo.anaconda.com")
"""Where pip, uv and conda get packages of Python."""
_EMBEDDED = ipaddress.ip_network("64:ff9b::/96")
"""Addresses of IPv6 that stand for one of IPv4, behind NAT64."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Destination(Model):
    """Where a connection is to lead."""

    host: str
    """A name in lower case, or an address."""
    port: int

    @field_validator("host", mode="before")
    @classmethod
    def _plain(cls, host: object) -> str:
        if not isinstance(host, str):
            raise ValueError("no text")  # noqa: TRY004 - pydantic's
        plain = host.rstrip(".").casefold()
        address = _address(plain)
        if address is not None:
            return str(address)
        if not plain.isascii():
            plain = plain.encode("idna").decode()
        if not _NAME.fullmatch(plain):
            raise ValueError("no name of a host")
        return plain

    @field_validator("port")
    @classmethod
    def _in_range(cls, port: int) -> int:
        if not 0 < port <= _MAX_PORT:
            raise ValueError("no port")
        return port

    @property
    def url(self) -> str:
        """The address of all that it offers, as rules name it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        match self.port:
            case 80:
                return f"http://{host}/"
            case 443:
                return f"https://{host}/"
            case port:
                return f"https://{host}:{port}/"

    @property
    def words(self) -> str:
        """The same for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in _USUAL_PORTS else f"{host}:{self.port}"


def destination_of(host: str, port: int) -> Destination | None:
    """Return where a host and a port lead; None where they are none."""
    try:
        return Destination(host=host, port=port)
    except (ValidationError, UnicodeError):
        return None


Naming = Literal["", "host", "port"]
"""How a destination is named: not, without its port, or with it."""


def naming(hosts: Iterable[str], wanted: Destination) -> Naming:
    """Return how a list names a destination.

    Its entries are ``example.org`` (of it the ports of https and http), ``*.example.org`` (all
    names below it) and ``example.org:8080``.
    """
    found: Naming = ""
    for entry in hosts:
        host, port = _split(entry)
        if not _covers(host, wanted.host):
            continue
        if port == wanted.port:
            return "port"
        if port is None and wanted.port in _USUAL_PORTS:
            found = "host"
    return found


def _split(entry: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(f"//{entry}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "", None
    if host.startswith("*."):
        return host, port
    plain = destination_of(host, port or 1)
    return ("" if plain is None else plain.host), port


def _covers(entry: str, host: str) -> bool:
    if entry.startswith("*."):
        return host.endswith(entry[1:]) and _address(host) is None
    return bool(entry) and entry == host


def agent_hosts(spec: AgentSpec, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the hosts that an agent needs: of its model, its login and its package."""
    return tuple(dict.fromkeys(_hosts(spec, env)))


def _hosts(spec: AgentSpec, env: Mapping[str, str]) -> Iterator[str]:
    yield from spec.sandbox.hosts
    yield from _PACKAGES.get(os.path.basename(spec.command), ())
    words = (spec.id, os.path.basename(spec.command), *spec.args)
    for known in KNOWN:
        if any(_is_of(word, known.id, known.command, known.package) for word in words):
            yield from known.hosts
    for name, value in env.items():
        if _OF_MODELS.fullmatch(name):
            yield from _host_in(value)


def _is_of(word: str, *names: str) -> bool:
    return word in names or any(name and word.startswith(f"{name}@") for name in names)


def _host_in(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if parts.scheme in {"http", "https"} and host:
        port = port or (443 if parts.scheme == "https" else 80)
        yield f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_public(address: str, own: Iterable[str] = ()) -> bool:
    """Return whether an address is of another machine, somewhere on the internet.

    Those of this machine, of its networks and of a cloud's own services are not.
    """
    found = _address(address)
    if found is None or str(found) in own:
        return False
    if found in _EMBEDDED:
        return is_public(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)), own)
    if not found.is_global or found.is_multicast or found.is_reserved or found.is_unspecified:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        teredo = found.teredo or ()
        inner = [each for each in (found.ipv4_mapped, found.sixtofour, *teredo) if each]
        return not found.is_site_local and all(is_public(str(each), own) for each in inner)
    return True


def is_address(host: str) -> bool:
    """Return whether a host is given by an address."""
    return _address(host) is not None


def _address(text: str) -> _Address | None:
    if "%" in text:  # an interface of this machine
        return None
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
