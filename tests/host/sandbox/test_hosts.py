"""Which hosts an agent reaches without a question, and which addresses nobody reaches."""

from __future__ import annotations

import pytest

from acp_jupyter.host.registry_entries import AgentSpec, SandboxEntry
from acp_jupyter.host.sandbox.hosts import agent_hosts, destination_of, is_public, naming

NAMED = ("example.org", "*.models.example", "localhost:8080", "[::1]:9000", "192.0.2.7")


@pytest.mark.parametrize(
    ("host", "port", "how"),
    [
        ("example.org", 443, "host"),
        ("EXAMPLE.org.", 80, "host"),
        ("example.org", 22, ""),
        ("www.example.org", 443, ""),
        ("notexample.org", 443, ""),
        ("a.models.example", 443, "host"),
        ("a.b.models.example", 443, "host"),
        ("models.example", 443, ""),
        ("evilmodels.example", 443, ""),
        ("localhost", 8080, "port"),
        ("localhost", 8081, ""),
        ("::1", 9000, "port"),
        ("0:0:0:0:0:0:0:1", 9000, "port"),
        ("192.0.2.7", 443, "host"),
    ],
)
def test_a_host_is_named_with_its_port_or_for_the_web(host: str, port: int, how: str) -> None:
    wanted = destination_of(host, port)
    assert wanted is not None
    assert naming(NAMED, wanted) == how


@pytest.mark.parametrize(
    "host", ["", "a b", "a/b", "a@b", "x" * 64, "a..b", "fe80::1%eth0", "a\r\nb", "-"]
)
def test_what_is_no_host_leads_nowhere(host: str) -> None:
    assert destination_of(host, 443) is None


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_what_is_no_port_leads_nowhere(port: int) -> None:
    assert destination_of("example.org", port) is None


def test_a_name_of_other_letters_is_shown_as_it_is_sent() -> None:
    wanted = destination_of("еxample.org", 443)
    assert wanted is not None
    assert wanted.words == "xn--xample-2of.org"


CLOSED = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.100.100.200", "224.0.0.1", "255.255.255.255", "240.0.0.1"),
    *("::", "::1", "fe80::1", "fd00:ec2::254", "fec0::1", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::"),
    *("not an address", ""),
]


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_of_this_machine_or_its_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_an_address_elsewhere_is_public_unless_it_is_ours(address: str) -> None:
    assert is_public(address)
    assert not is_public(address, {address})


def test_a_known_agent_has_the_hosts_of_its_model_its_entry_and_its_package() -> None:
    spec = AgentSpec(
        "mine",
        "Mine",
        "/usr/bin/npx",
        ("-y", "@agentclientprotocol/claude-agent-acp@0.101.0"),
        sandbox=SandboxEntry(hosts=("example.org",)),
    )
    env = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:4000/v1",
        "OPENAI_API_BASE": "https://llm.example/v1",
        "HOME_URL": "https://elsewhere.example",
        "OTHER_BASE_URL": "nonsense",
    }
    found = agent_hosts(spec, env)
    assert found[:2] == ("example.org", "registry.npmjs.org")
    assert "api.anthropic.com" in found
    assert "api.openai.com" not in found
    assert found[-2:] == ("127.0.0.1:4000", "llm.example:443")
    assert "elsewhere.example" not in " ".join(found)
