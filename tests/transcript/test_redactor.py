"""What counts as a secret, and what must come through unchanged."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.transcript import secret_patterns
from acp_jupyter.transcript.redactor import KnownSecrets, Redactor, named_secrets
from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.patterns.pumped_texts import pumped

R = REDACTED
ROOT = Path(__file__).parents[2]
RANDOM = "kd83hfKq02mXz71pWvR5"

SECRETS = [
    ("ya29.a0AfH6SMBx" + RANDOM, R),
    ("gsk_" + RANDOM, R),
    ("nvapi-" + RANDOM, R),
    ("xai-" + RANDOM, R),
    ("sk_live_" + RANDOM, R),
    ("dckr_pat_" + RANDOM, R),
    (f"SG.{RANDOM}.{RANDOM}", R),
    ("dapi" + "0123456789abcdef" * 2, R),
    ("AKIAIOSFODNN7EXAMPLE", R),
    ("sk-ant-api03-abcdefghijklmnop", R),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", f"Authorization: Basic {R}"),
    ("authorization: token " + RANDOM, f"authorization: token {R}"),
    ("Authorization: Bearer abc.def-ghi_jkl", f"Authorization: Bearer {R}"),
    ('{"Authorization": "Basic dXNlcjpwYXNz"}', f'{{"Authorization": "Basic {R}"}}'),
    ("http://127.0.0.1:8888/lab?token=my-own-words", f"http://127.0.0.1:8888/lab?token={R}"),
    ("GET /x?a=1&access_token=abcdefgh HTTP/1.1", f"GET /x?a=1&access_token={R} HTTP/1.1"),
    ("https://a.b/c?sv=2&sig=ab%2Fcd%3D1", f"https://a.b/c?sv=2&sig={R}"),
    ("password=hunter2hunter2", f"password={R}"),
    ("PASSWORD: 'S3cr3t!pw'", f"PASSWORD: '{R}'"),
    ('"db_password": "hunter2hunter2"', f'"db_password": "{R}"'),
    ('{\\"password\\": \\"hunter2hunter2\\"}', f'{{\\"password\\": \\"{R}\\"}}'),
    ("connect(user='a', password='hunter2x')", f"connect(user='a', password='{R}')"),
    ("host=x user=y password=pa55word! port=1", f"host=x user=y password={R} port=1"),
    ("Server=db;Pwd=hunter2hunter2;", f"Server=db;Pwd={R};"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", f"aws_secret_access_key = {R}"),
    ("AccountKey=kd83hfKq02mXz71pWvR5ab==;x", f"AccountKey={R};x"),
    (f'"name":"API_TOKEN","value":"{RANDOM}"', f'"name":"API_TOKEN","value":"{R}"'),
    (f"X-Api-Key: {RANDOM}", f"X-Api-Key: {R}"),
    (f"client_secret: {RANDOM}\n", f"client_secret: {R}\n"),
    ("postgres://me:pass@host/db", f"postgres://{R}@host/db"),
    ("-----BEGIN PRIVATE KEY-----\nab\n-----END PRIVATE KEY----- x", f"{R} x"),
    ("-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 64 + "\n" + "B" * 64 + "\n\nend", f"{R}\n\nend"),
]  # fmt: skip

HARMLESS = [
    "password=getpass()", "password = getpass.getpass('Password: ')", "password: str",
    "def f(password: str | None = None, token: Token2[int] = x): ...", "password=password",
    'password=os.environ["DB_PASSWORD"]', "password = config.db1.password", "password=$DB_PASS1",
    "password=${DB_PASSWORD1}", "password={password1}", "password=<your-password-1>",
    "PASSWORD=%(password1)s", 'type="password"', '"password": "required"',
    "password_file=/a/b1c2d3",
    "password: /run/secrets/db1", "f(password=sha256_of_it, x=1)", "token = next(tokens)",
    "max_tokens=4096", '"totalTokens": 123456', "token: Uint8Array", "token_count=1234567890123456",
    "private_key: Ed25519PrivateKey", "api_key=os.environ['KEY']", 'token="user_token_2"',
    "Bearer authentication is used", "Bearer {token}", "Authorization: Basic",
    "task-manager-for-2026",
    "a risk-of-something-very-long-2", "sk-learn-compatible-estimators",
    "x_token=options.access_token_2",
    "postgres://{user}:{password}@host/db", "https://x.y/?token=<token>", "?token=YOUR_TOKEN_HERE",
    "https://example.org/a:b/c@d", "eyJ is how they begin",
    "sha256=0123456789abcdef0123456789abcdef",
    "the -----BEGIN PRIVATE KEY----- line comes first. Then the rest of the text goes on.",
    "commit 0123456789abcdef0123456789abcdef01234567", "OLDPWD=/home/ada/work1", "PWD=/srv/lab22",
]  # fmt: skip


@pytest.mark.parametrize(("text", "clean"), SECRETS)
def test_what_looks_like_a_secret_is_replaced(text: str, clean: str) -> None:
    assert Redactor().redact_text(text) == clean
    assert Redactor().redact_text(f"before {text} ")[7:-1] == clean


@pytest.mark.parametrize("text", HARMLESS)
def test_words_and_code_come_through(text: str) -> None:
    assert Redactor().redact_text(text) == text
    assert Redactor().redact_text(f"{text}\n") == f"{text}\n"


PLANTED = {
    "tests/server/test_canary.py",
    "tests/server/test_login.py",
    "tests/server/test_secrets.py",
    "tests/server/test_who_presses.py",
    "tests/sandbox/test_bad_input.py",
    "tests/support/planted_secret.py",
    "tests/support/patterns/repeated.py",
    "tests/host/requests/test_elicitation.py",
    "tests/host/workspace/test_env_files.py",
    "tests/transcript/test_permission_evidence.py",
    "tests/transcript/test_linear_patterns.py",
    "tests/transcript/output/test_bundle.py",
    "tests/transcript/test_redactor.py",
    "tests/transcript/test_token_formats.py",
    "tests/host/store/test_traffic_log.py",
    "tests/agents/remote/test_pure.py",
    "tests/agents/remote/test_refusals.py",
}


def test_this_repository_comes_through_but_for_what_was_planted() -> None:
    names = subprocess.run(
        ["git", "ls-files", "*.py", "*.ts", "*.tsx", "*.md", "*.ipynb", "*.ndjson", "*.toml"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()  # fmt: skip
    if not names:
        pytest.skip("no git here")
    redact = Redactor().redact_text
    changed = set()
    for name in names:
        text = (ROOT / name).read_text(errors="replace") if (ROOT / name).is_file() else ""
        if redact(text) != text:
            changed.add(name)
    assert changed <= PLANTED


def hard_texts() -> st.SearchStrategy[str]:
    """Return texts of beginnings, parts and ends of secrets."""
    parts = {"\n", " ", '"', "'", "=", ": ", "&", "@", "[redacted]", "a1", RANDOM}
    parts |= {text for text, _ in SECRETS} | set(HARMLESS)
    for pattern in secret_patterns.PATTERNS:
        rest = getattr(pattern, "rest", "")
        parts |= {unit for _, unit in pumped(pattern.start + rest)[:8]}
    return st.lists(st.sampled_from(sorted(parts)), max_size=8).map("".join)


@given(hard_texts())
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    once = Redactor().redact_text(text)
    assert Redactor().redact_text(once) == once


@given(hard_texts(), hard_texts())
def test_lines_are_clean_together_as_they_are_alone(one: str, two: str) -> None:
    redact = Redactor().redact_text
    one, two = (text.replace("\n", " ").replace("-----BEGIN", "") for text in (one, two))
    assert redact(f"{one}\n\n{two}") == f"{redact(one)}\n\n{redact(two)}"


@given(hard_texts(), st.integers(0, 300))
def test_nothing_is_lost_between_two_windows(text: str, before: int) -> None:
    """A long text is searched piece by piece, so that other threads get their turn."""
    text = "." * before + " " + text + " " + "." * 1_200
    whole = Redactor().redact_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secret_patterns, "_WINDOW_CHARS", 100)
        patch.setattr(secret_patterns, "_REACH_CHARS", 1_000)
        assert Redactor().redact_text(text) == whole


NAMES = st.sampled_from(["password", "API_TOKEN", "name", "value", "text"])
VALUES = st.sampled_from(["hunter2hunter2", RANDOM, "DB_PASSWORD", "words"])


@given(st.dictionaries(NAMES, VALUES))
def test_what_a_name_tells_of_in_json_is_found_in_its_line_too(value: dict[str, str]) -> None:
    """The log looks at the line first, and at its parts only where the line holds something."""
    pair = {key: value.pop(key) for key in ("name", "value") if key in value}  # as ACP has them
    redactor, value = Redactor(), pair | value
    line = json.dumps(value, separators=(",", ":"))
    assert (redactor.redact(value) != value) == (redactor.redact_text(line) != line)


def test_variables_in_a_message_are_cleaned_by_their_names() -> None:
    env = [{"name": "DB_PASSWORD", "value": "hunter2hunter2"}, {"name": "LANG", "value": "C.UTF-8"}]
    message = {"params": {"env": env, "headers": {"Authorization": "Basic dXNlcjpwYXNz"}}}
    cleaned = Redactor().redact(message)["params"]
    assert cleaned["env"] == [{"name": "DB_PASSWORD", "value": R}, env[1]]
    assert cleaned["headers"] == {"Authorization": f"Basic {R}"}


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("DB_PWD", True), ("REGISTRY_AUTH", True), ("SENTRY_DSN", True), ("MY_JWT", True),
        ("CONNECTION_STRING", True), ("AZURE_STORAGE_CONNECTION_STRING", True), ("PRIVATE", True),
        ("APP_PRIVATE_PEM", True), ("JWT_SIGNING", True), ("PWD", False), ("OLDPWD", False),
        ("SSH_AUTH_SOCK", False), ("AUTHOR", False), ("LANG", False),
    ],
)  # fmt: skip
def test_which_names_tell_of_secrets(name: str, is_secret: bool) -> None:
    assert named_secrets({name: "something long"}) == ({"something long"} if is_secret else set())


def test_the_parts_of_an_address_and_of_a_connection_string_are_known() -> None:
    variables = {"DATABASE_URL": "postgres://u:in-the-url@h/d", "X_DSN": "Server=h;Pwd=in-the-dsn"}
    assert {"in-the-url", "in-the-dsn"} <= named_secrets(variables)


def test_what_is_learnt_later_is_known_to_all() -> None:
    shared = KnownSecrets()
    first, second = Redactor(shared=shared), Redactor(["mine-alone-1"], shared)
    shared.put("server", ["a token/with+signs", "short"])
    for redactor in (first, second):
        assert redactor.redact_text("is a token/with+signs") == f"is {R}"
        assert redactor.redact_text("?t=a%20token%2Fwith%2Bsigns") == f"?t={R}"
        assert redactor.redact_message({"a": ["a token/with+signs"]}) == {"a": [R]}
    assert first.redact_text("mine-alone-1 is short") == "mine-alone-1 is short"
    shared.put("server", [])
    assert first.redact_text("is a token/with+signs") == "is a token/with+signs"


def test_what_is_to_be_allowed_is_seen_whole_but_for_what_is_known() -> None:
    asked = {"command": "curl -H 'Authorization: Basic dXNlcjpwYXNz' ?token=abcdefgh1 && rm x"}
    assert Redactor(["another-value"]).redact_message(asked) is asked


@given(
    st.text(max_size=40),
    st.sampled_from([pattern for pattern in secret_patterns.PATTERNS if pattern.start]).flatmap(
        lambda pattern: st.sampled_from(secret_patterns.literals_of(pattern.start))
    ),
    st.text(max_size=40),
)
def test_the_quick_look_misses_no_begin(before: str, literal: str, after: str) -> None:
    assert secret_patterns.maybe_secret(f"{before}{literal}{after}")


@pytest.mark.parametrize("pattern", secret_patterns.PATTERNS, ids=lambda pattern: pattern.name)
def test_a_start_is_the_literals_that_it_is_taken_for(
    pattern: secret_patterns.SecretPattern,
) -> None:
    literals = secret_patterns.literals_of(pattern.start)
    assert all(re.fullmatch(pattern.start, literal) for literal in literals)
    # Nothing else is in it that would stand for more: no sign of a regular expression is left.
    plain = re.sub(r"\[[^]\\-]{1,20}\]|\\.", "", pattern.start)
    assert not re.search(r"[][.*+?(){}|^$\\]", plain)


@given(st.text(st.sampled_from('ab"\\\n{}'), max_size=30), st.booleans())
def test_a_known_secret_is_found_by_the_raw_text_too(text: str, whole: bool) -> None:
    """The text of a line without escapes stands for its value; with escapes it does not."""
    secret = 'ab"b\na{}b'
    value = {"text": f"{text}{secret}" if whole else text}
    redactor = Redactor({secret})
    raw = json.dumps(value)
    assert redactor.redact_message(value, raw) == redactor.redact_message(value)
