"""What the user of an agent outside does in the panel."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser.lab import LabPage

__all__ = ["make_key", "revoke_keys"]


def make_key(lab: LabPage, policy: str = "") -> tuple[str, str]:
    """Make a key as a person does; return the address and the key that are shown."""
    root = lab.panel.root
    lab.command("acp-jupyter:outside-access")
    expect(root.get_by_role("heading", name="Access for an outside agent")).to_be_visible()
    if policy:
        root.get_by_role("radio", name=re.compile(f"^{policy}")).check()
    root.get_by_role("button", name="Make a key").click()
    shown = root.get_by_role("group", name="The new key")
    expect(shown).to_be_visible()
    variable, command = shown.locator("pre").all_inner_texts()
    key = re.fullmatch(r"export ACP_JUPYTER_KEY=(acp-key-\S+)", variable)
    url = re.fullmatch(r"jupyter acp mcp --url (\S+)", command)
    assert key is not None
    assert url is not None
    return url[1], key[1]


def revoke_keys(lab: LabPage) -> None:
    """Revoke all keys there are."""
    root = lab.panel.root
    lab.command("acp-jupyter:outside-access")
    none = root.get_by_text("There are no keys.")
    revoke = root.get_by_role("list", name="Keys").get_by_role("button", name=re.compile("^Revoke"))
    expect(none.or_(revoke.first)).to_be_visible()
    for left in range(revoke.count(), 0, -1):
        revoke.first.click()
        expect(revoke).to_have_count(left - 1)
    expect(none).to_be_visible()
