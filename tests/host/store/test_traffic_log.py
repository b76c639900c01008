from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.host.failing_disk import failing_disk
from tests.support.wait import eventually


def entry(seq: int, **message: object) -> TrafficEntry:
    return TrafficEntry(seq, 1000.25 + seq, "<", message, seq - 1 if seq % 2 else None)


def write(path: Path, *entries: TrafficEntry, limits: Limits | None = None) -> None:
    log = TrafficLog(path, limits or Limits())
    for each in entries:
        log.append(each)
    log.close()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session" / "traffic.ndjson"
    entries = [entry(n, text="Grüße 🎉", n=n) for n in range(1, 2000)]
    write(path, *entries)
    assert list(read_traffic(path)) == entries


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "session" / "traffic.ndjson"
    path.parent.mkdir()
    path.parent.chmod(0o755)
    path.touch()
    path.chmod(0o644)
    write(path, entry(1))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("torn", [1, 5, 30])
def test_a_torn_last_line_is_ignored_and_written_after(tmp_path: Path, torn: int) -> None:
    path = tmp_path / "s" / "traffic.ndjson"
    write(path, entry(1), entry(2))
    os.truncate(path, path.stat().st_size - torn)
    read = list(read_traffic(path))
    assert read[0] == entry(1)
    assert len(read) == (2 if torn == 1 else 1)
    write(path, entry(3))
    assert list(read_traffic(path))[-1] == entry(3)
    assert len(list(read_traffic(path))) == len(read) + 1


def test_lines_that_are_no_entries_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "s" / "traffic.ndjson"
    write(path, entry(1))
    with path.open("ab") as file:
        file.write(b'{}\n[1]\n\xff\n{"seq":1,"t":2,"d":"?","m":{}}\n' + b"[" * 100_000 + b"\n")
    assert list(read_traffic(path)) == [entry(1)]


def test_a_flush_waits_for_what_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "s" / "traffic.ndjson"
    log = TrafficLog(path, Limits())
    log.append(entry(1))
    assert log.flush()
    assert list(read_traffic(path)) == [entry(1)]
    log.close()
    log.close()
    log.append(entry(2))
    assert list(read_traffic(path)) == [entry(1)]


def test_a_full_log_says_so_once_and_the_session_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s" / "traffic.ndjson"
    limits = replace(Limits(), traffic_log_bytes=2000)
    write(path, *(entry(n, text="x" * 100) for n in range(1, 100)), limits=limits)
    assert path.stat().st_size < 2200
    *_, last = read_traffic(path)
    assert last.message == {"note": "log_full", "bytes": 2000}


def test_secrets_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "s" / "traffic.ndjson"
    environment = {"OPENAI_API_KEY": 'top"secret\\value', "HOME": "/home/somebody"}
    log = TrafficLog(path, Limits(), Redactor.of_environments(environment))
    log.append(
        entry(1, text='key is top"secret\\value', deep=[{'top"secret\\value': "/home/somebody"}])
    )
    log.close()
    assert "secret" not in path.read_text()
    (read,) = read_traffic(path)
    assert read.message == {"text": f"key is {REDACTED}", "deep": [{REDACTED: "/home/somebody"}]}


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrstuvwxyz0123",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w",
        "hf_abcdefghijklmnopqrstuv",
    ],
)
def test_what_looks_like_a_token_is_redacted(secret: str) -> None:
    assert Redactor().redact_text(f"use {secret}, please") == f"use {REDACTED}, please"


def test_headers_urls_and_keys_are_redacted() -> None:
    redact = Redactor().redact_text
    assert redact("Authorization: Bearer abc.def-ghi_jkl") == f"Authorization: Bearer {REDACTED}"
    assert redact("postgres://me:pass@host/db") == f"postgres://{REDACTED}@host/db"
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"
    assert redact(f"a {key} b") == f"a {REDACTED} b"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("OPENAI_API_KEY", True),
        ("API_KEYS", True),
        ("GITHUB_TOKEN", True),
        ("DB_PASSWORD_FILE", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("my_secret", True),
        ("AZURE_PAT", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("KEYBOARD_LAYOUT", False),
        ("PATH", False),
        ("SSH_AUTH_SOCK", False),
    ],
)
def test_which_variables_hold_secrets(name: str, is_secret: bool) -> None:
    redactor = Redactor.of_environments({name: "something long"})
    assert (redactor.redact_text("something long") == REDACTED) is is_secret


def test_short_values_are_left_alone() -> None:
    assert Redactor.of_environments({"A_KEY": "true", "B_TOKEN": ""}).redact_text("true") == "true"


@given(st.lists(st.text(min_size=8, max_size=12), max_size=3), st.text(max_size=30))
def test_no_secret_survives(secrets: list[str], text: str) -> None:
    redactor = Redactor(secrets)
    for secret in secrets:
        if secret not in REDACTED:
            assert secret not in redactor.redact_text(f"{text}{secret}")


def test_what_is_shown_of_an_entry_has_no_secret(tmp_path: Path) -> None:
    secret = "a-long-secret-of-the-user"
    log = TrafficLog(tmp_path / "s" / "traffic.ndjson", Limits(), Redactor([secret]))
    assert log.clean(entry(1, text=f"It is {secret}.")).message == {"text": f"It is {REDACTED}."}
    assert log.clean(entry(2, text="Nothing")) == entry(2, text="Nothing")
    log.close()


def test_a_deleted_log_is_written_again_once_the_disk_lets_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "s" / "traffic.ndjson"
    with failing_disk("acp_jupyter.host.store.traffic_log") as disk:
        log = TrafficLog(path, Limits())
        log.append(entry(1))
        log.flush()
        shutil.rmtree(path.parents[1])
        path.parents[1].touch()  # no folder can be made here
        log.recreate()
        path.parents[1].unlink()
        disk.error, disk.room = errno.ENOSPC, 10
        log.recreate()
        assert not path.exists()
        disk.room = None
        log.append(entry(2))
        log.flush()
        assert list(read_traffic(path)) == [entry(1), entry(2)]
        log.close()


def test_what_waits_for_space_is_written_once_there_is_some(tmp_path: Path) -> None:
    """Though nothing comes after it."""
    path = tmp_path / "s" / "traffic.ndjson"
    with failing_disk("acp_jupyter.host.store.traffic_log") as disk:
        log = TrafficLog(path, Limits())
        disk.error, disk.room = errno.ENOSPC, 0
        log.append(entry(1))
        assert not log.flush()
        disk.room = None
        eventually(path.read_bytes, "the line is written")
        assert list(read_traffic(path)) == [entry(1)]
        log.close()
