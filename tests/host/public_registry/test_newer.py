"""A newer registry, from a server on loopback that does well, and from one that doesn't."""

from __future__ import annotations

import asyncio
import gzip
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.public_registry.agents import PublicAgents, RegistryState
from acp_jupyter.host.public_registry.newer import DownloadedRegistry
from acp_jupyter.host.public_registry.snapshot import PublicAgent, Snapshot
from acp_jupyter.host.registry_entries import ProgramFinder
from tests.support.agents.registry import Publisher, listed, published
from tests.support.server.jupyter_server import free_port
from tests.support.wait import PATIENCE_SECONDS

BUNDLED = Snapshot(
    source="x",
    date="2026-11-20",
    agents=(
        PublicAgent(
            id="auggie",
            name="Auggie",
            command="auggie",
            args=("--acp",),
            runner="npx",
            package="@some/auggie@0.61.0",
            tried="2026-11-20",
        ),
        PublicAgent(id="gone", name="Gone", command="gone", runner="npx", package="gone@1.0.0"),
    ),
)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with Publisher() as publisher:
        yield publisher


def agents(tmp_path: Path, url: str, seconds: float = PATIENCE_SECONDS) -> PublicAgents:
    newer = DownloadedRegistry(tmp_path / "data" / "registry.json", url, seconds)
    return PublicAgents(tmp_path / "data", BUNDLED, newer)


def updated(of: PublicAgents) -> RegistryState:
    return asyncio.run(of.update())


def test_a_newer_list_is_taken_and_kept(tmp_path: Path, publisher: Publisher) -> None:
    public = agents(tmp_path, publisher.url)
    assert public.state == RegistryState("2026-11-20", may_update=True)
    assert updated(public) == RegistryState("2026-11-21", downloaded=True, may_update=True)
    assert public.ids() == ("auggie", "gone", "new-one")
    file = tmp_path / "data" / "registry.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = agents(tmp_path, publisher.url)
    assert (again.state.date, again.ids()) == ("2026-11-21", public.ids())
    # Who no longer allows it has the bundled one.
    assert PublicAgents(tmp_path / "data", BUNDLED).state.date == "2026-11-20"


def test_a_list_of_the_same_day_changes_nothing(tmp_path: Path, publisher: Publisher) -> None:
    publisher.headers = {"Last-Modified": "Fri, 20 Nov 2026 23:00:00 GMT"}
    public = agents(tmp_path, publisher.url)
    assert updated(public) == RegistryState("2026-11-20", may_update=True)
    assert public.ids() == ("auggie", "gone")


def test_what_a_newer_list_may_change(
    tmp_path: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages and how they are run, after consent; never how an installed program is run."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str) -> None:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)

    make("npx")
    binary = {"binary": {"linux-x86_64": {"archive": "x", "cmd": "./sh", "args": ["-c", "evil"]}}}
    publisher.pieces = (
        published(
            listed("auggie", "@some/auggie@9.0.0", args=["--yolo"], env={"A": "b c"}),
            {**listed("sh"), "distribution": binary},
        ),
    )
    public = agents(tmp_path, publisher.url)
    public.allow("auggie", "@some/auggie@0.61.0", None, ProgramFinder())
    updated(public)
    reports = {report.id: report for report in public.reports(ProgramFinder())}
    # The package is another one: it is asked about anew, as it would be run.
    assert reports["auggie"].status == "not_installed"
    assert reports["auggie"].package == "@some/auggie@9.0.0"
    assert reports["auggie"].run.startswith("A='b c' npx ")
    assert reports["auggie"].run.endswith(" -y @some/auggie@9.0.0 --yolo")
    # What is no longer listed is not downloaded.
    assert reports["gone"].package == ""
    # Which program an unknown agent is, nobody says.
    make("sh")
    assert {r.id: r.status for r in public.reports(ProgramFinder())}["sh"] == "not_installed"
    make("auggie")
    spec = public.get("auggie", ProgramFinder())
    assert spec is not None
    assert (spec.command, spec.args) == (str(folder / "auggie"), ("--acp",))
    assert dict(spec.env) == {}


def _answers(**changes: Any) -> Callable[[Publisher], None]:
    def change(publisher: Publisher) -> None:
        for name, value in changes.items():
            setattr(publisher, name, value)

    return change


HOSTILE: dict[str, tuple[Callable[[Publisher], None], str]] = {
    "HTML": (_answers(pieces=(b"<html>Sign in",)), "127.0.0.1 did not send valid JSON."),
    "nested": (_answers(pieces=(b"[" * 1_000_000,)), "127.0.0.1 did not send valid JSON."),
    "huge": (
        _answers(pieces=[b" " * 1_000_000] * 6),
        "127.0.0.1 sent more than 4 MiB.",
    ),
    "endless": (
        _answers(hangs=True, pieces=(b"{",)),
        "127.0.0.1 timed out after 1 s.",
    ),
    "no object": (_answers(pieces=(b"[]",)), "127.0.0.1 did not send a list of agents."),
    "another object": (
        _answers(pieces=(b'{"agents": {"a": 1}}',)),
        "127.0.0.1 did not send a list of agents.",
    ),
    "nothing in it": (
        _answers(pieces=(published(),)),
        "127.0.0.1 sent a list without a valid agent: it is empty.",
    ),
    "wrong entries": (
        _answers(pieces=(published(listed("x", package="-o evil")),)),
        "127.0.0.1 sent a list without a valid agent: distribution.npx.package does not "
        "have the right form.",
    ),
    "packed": (
        _answers(
            pieces=(gzip.compress(published(listed("x"))),),
            headers={"Content-Encoding": "gzip", "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT"},
        ),
        "127.0.0.1 sent compressed data, which is not supported.",
    ),
    "a redirect": (
        _answers(status=302, headers={"Location": "https://evil.example/registry.json"}),
        "127.0.0.1 redirects to evil.example, which is not followed.",
    ),
    "a redirect to no address": (
        _answers(status=302, headers={"Location": "http://["}),
        "127.0.0.1 redirects to another page, which is not followed.",
    ),
    "an error": (_answers(status=503), "127.0.0.1 answered with status 503."),
    "an older list": (
        _answers(headers={"Last-Modified": "Sat, 07 Feb 2026 10:00:00 GMT"}),
        "The list from 127.0.0.1 is dated 2026-02-07, older than the one in use.",
    ),
    "a list to come": (
        _answers(headers={"Last-Modified": "Mon, 01 Jan 2125 10:00:00 GMT"}),
        "The list from 127.0.0.1 is dated 2125-01-01, in the future.",
    ),
    "no date": (_answers(headers={}), "127.0.0.1 sent no valid Last-Modified header."),
    "a wrong date": (
        _answers(headers={"Last-Modified": "yesterday"}),
        "127.0.0.1 sent no valid Last-Modified header.",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_bad_answer_leaves_the_list_in_use(
    tmp_path: Path, publisher: Publisher, name: str
) -> None:
    spoil, words = HOSTILE[name]
    spoil(publisher)
    seconds = 1 if name == "endless" else PATIENCE_SECONDS
    public = agents(tmp_path, publisher.url, seconds)
    assert updated(public) == RegistryState("2026-11-20", may_update=True, failure=words)
    assert public.ids() == ("auggie", "gone")
    assert not (tmp_path / "data" / "registry.json").exists()


def test_a_failure_is_forgotten_with_the_next_good_answer(
    tmp_path: Path, publisher: Publisher
) -> None:
    public = agents(tmp_path, publisher.url)
    publisher.status = 503
    assert updated(public).failure
    publisher.status = 200
    assert updated(public) == RegistryState("2026-11-21", downloaded=True, may_update=True)


def test_one_entry_that_can_t_be_read_is_left_out(tmp_path: Path, publisher: Publisher) -> None:
    publisher.pieces = (published(listed("good"), listed("bad", args=[5]), listed("Wrong Id")),)
    public = agents(tmp_path, publisher.url)
    assert updated(public).failure == ""
    assert public.ids() == ("auggie", "gone", "good")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.org/", "c.AcpJupyter.registry_url must begin with https://."),
        ("file:///etc/passwd", "c.AcpJupyter.registry_url must begin with https://."),
        ("https://", "c.AcpJupyter.registry_url must begin with https://."),
        ("http://[", "c.AcpJupyter.registry_url is not a URL."),
    ],
)
def test_an_address_that_can_t_be_used(tmp_path: Path, url: str, words: str) -> None:
    assert updated(agents(tmp_path, url)).failure.startswith(words)


def test_where_nobody_answers(tmp_path: Path) -> None:
    failure = updated(agents(tmp_path, f"http://127.0.0.1:{free_port()}/")).failure
    assert failure.startswith("127.0.0.1 could not be reached:")


@pytest.mark.parametrize("content", [b"", b"{", b'{"date": 5}', b"\xff"])
def test_a_kept_list_that_is_broken_is_not_used(
    tmp_path: Path, publisher: Publisher, content: bytes
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "registry.json").write_bytes(content)
    public = agents(tmp_path, publisher.url)
    assert public.state.date == "2026-11-20"
    assert updated(public).date == "2026-11-21"


def test_without_leave_nothing_is_downloaded(tmp_path: Path) -> None:
    public = PublicAgents(tmp_path, BUNDLED)
    with pytest.raises(NotAllowed, match=r"Set c\.AcpJupyter\.newer_registry = True"):
        updated(public)
