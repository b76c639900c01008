"""What outlives a session: trusted folders, rules of folders, seals of recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.store.permission_stores import (
    PermissionStores,
    RecordingSeals,
    RulesStore,
    TrustStore,
)
from tests.support.host.permission_answers import rule


def test_trust_in_a_folder_is_taken_back_under_either_name(tmp_path: Path) -> None:
    folder, other, link = tmp_path / "ws", tmp_path / "other", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    store = TrustStore(tmp_path / "trust.json", [tmp_path / "always"])
    for each in (folder, other, folder, link):
        store.trust(each)
    assert [each.path for each in store.folders()[1:]] == [str(folder), str(other)]
    assert not store.revoke(str(tmp_path / "none"))
    assert not store.revoke(str(tmp_path / "always"))
    assert store.revoke(str(link))
    assert [each.path for each in store.folders()] == [str(tmp_path / "always"), str(other)]
    assert [store.trusts(each) for each in (folder, other)] == [False, True]
    (tmp_path / "trust.json").write_text("[")
    assert [store.trusts(tmp_path / name) for name in ("always", "other")] == [True, False]


def test_rules_of_a_folder(tmp_path: Path) -> None:
    store = RulesStore(tmp_path / "rules.json")
    read, edit, denied = rule("read"), rule("edit"), rule("read", "deny")
    one, two = tmp_path / "one", tmp_path / "two"
    for each in (read, edit, read, denied):
        store.add(one, each)
    store.add(two, edit)
    assert store.of(one) == (read, edit, denied)
    assert (store.of(two), store.of(tmp_path)) == ((edit,), ())
    assert not store.remove("none")
    assert store.remove(edit.id)
    assert store.all() == {str(one): (read, denied)}


def test_what_is_not_there_is_not_removed_from_the_file(tmp_path: Path) -> None:
    store, file = RulesStore(tmp_path / "rules.json"), tmp_path / "rules.json"
    assert not store.remove("none")
    assert not file.exists()


def test_a_folder_has_at_most_500_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    many = [rule(f"edit:{n}").model_dump(mode="json") for n in range(499)]
    file.write_text(json.dumps({"version": 1, "folders": {str(tmp_path): many}}))
    store, last = RulesStore(file), rule("read")
    store.add(tmp_path, last)
    with pytest.raises(BadRequest, match=r"\AThis folder has 500 rules\. Remove some first\.\Z"):
        store.add(tmp_path, rule("edit"))
    store.add(tmp_path, last)
    assert len(store.of(tmp_path)) == 500


def test_seals_of_recordings(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    seals = RecordingSeals(file)
    assert not seals.is_ours(b"a")
    first = seals.put(b"a\nb")
    assert first == seals.put(b"a\r\nb") == RecordingSeals(file).put(b"a\nb")
    assert seals.is_ours(b"a\r\nb")
    assert not seals.is_ours(b"a b")
    second = seals.put(b"c", instead_of=first)
    assert second != first
    assert [seals.is_ours(each) for each in (b"a\nb", b"c")] == [False, True]
    third = seals.put(b"d")
    assert [seals.is_ours(each) for each in (b"c", b"d")] == [True, True]
    assert seals.put(b"c") == second
    assert third != second
    # Another installation has another key.
    other = RecordingSeals(tmp_path / "other.json")
    assert other.put(b"c") != second
    file.write_text("[")
    assert not seals.is_ours(b"c")


def test_a_file_without_a_key_has_made_nothing(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    RecordingSeals(file).put(b"a")
    file.write_text(file.read_text().replace('"key"', '"no_key"'))
    assert not RecordingSeals(file).is_ours(b"a")


def test_where_they_are_kept(tmp_path: Path) -> None:
    stores = PermissionStores.in_folder(tmp_path, own=(tmp_path / "own",))
    stores.trust.trust(tmp_path)
    stores.rules.add(tmp_path, rule("read"))
    stores.seals.put(b"a")
    files = ["records.json", "rules.json", "trust.json"]
    assert sorted(each.name for each in tmp_path.glob("*.json")) == files
    assert stores.own_folders[::2] == (tmp_path, tmp_path / "own")
    trust = TrustStore(tmp_path / "else.json")
    assert PermissionStores.in_folder(tmp_path, trust).trust is trust
