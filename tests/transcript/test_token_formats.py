"""Tokens of today's services are found, and what only resembles them is left alone.

The values are made here from parts, so that no scanner of repositories takes them for real.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import random
import re
import string
import sys
import uuid
from pathlib import Path
from types import ModuleType

import pytest

from acp_jupyter.transcript import secret_patterns
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.secret_patterns import REDACTED, TokenFormats
from acp_jupyter.transcript.token_formats import TOKEN_FORMATS
from tests.support.patterns.pumped_texts import MAX_RATIO, grows_linearly

R = REDACTED
ROOT = Path(__file__).parents[2]
_CHANCE = random.Random(40)
HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
URL_SAFE = ALNUM + "_-"


def some(characters: str, count: int) -> str:
    return "".join(_CHANCE.choices(characters, k=count))


def joined(*parts: str) -> str:
    return "".join(parts)


FORMATS = {
    "OpenAI, project": joined(
        "sk-", "proj-", some(URL_SAFE, 74), "T3", "BlbkFJ", some(URL_SAFE, 74)
    ),
    "OpenAI, service account": joined("sk-", "svcacct-", some(ALNUM, 58)),
    "Anthropic": joined("sk-", "ant-", "api03-", some(URL_SAFE, 93), "AA"),
    "Anthropic, OAuth": joined("sk-", "ant-", "oat01-", some(URL_SAFE, 93), "AA"),
    "OpenRouter": joined("sk-", "or-v1-", some(HEX, 64)),
    "DeepSeek": joined("sk-", some(HEX, 32)),
    "Google API": joined("AI", "za", some(URL_SAFE, 35)),
    "Google Gemini": joined("AQ.", "Ab8RN6", some(URL_SAFE, 44)),
    "Google OAuth": joined("ya", "29.", some(URL_SAFE, 60)),
    "Google client": joined("GOC", "SPX-", some(URL_SAFE, 28)),
    "Groq": joined("gs", "k_", some(ALNUM, 52)),
    "xAI": joined("xa", "i-", some(ALNUM, 80)),
    "Perplexity": joined("ppl", "x-", some(ALNUM, 48)),
    "Together": joined("tgp", "_v1_", some(URL_SAFE, 43)),
    "Cerebras": joined("cs", "k-", some(HEX, 48)),
    "NVIDIA": joined("nv", "api-", some(URL_SAFE, 64)),
    "Replicate": joined("r", "8_", some(ALNUM, 37)),
    "Hugging Face": joined("h", "f_", some(string.ascii_letters, 34)),
    "Hugging Face, organisation": joined("api", "_org_", some(string.ascii_letters, 34)),
    "LangSmith": joined("lsv2", "_pt_", some(HEX, 32), "_", some(HEX, 10)),
    "Langfuse": joined("sk-", "lf-", str(uuid.UUID(int=_CHANCE.getrandbits(128)))),
    "Pinecone": joined("pc", "sk_", some(ALNUM, 6), "_", some(ALNUM, 63)),
    "LlamaCloud": joined("ll", "x-", some(ALNUM, 48)),
    "Weights & Biases": joined("wan", "db_v1_", some(ALNUM, 77)),
    "GitHub": joined("gh", "p_", some(ALNUM, 36)),
    "GitHub, app": joined("gh", "s_", some(ALNUM, 36)),
    "GitHub, fine-grained": joined("github", "_pat_", some(ALNUM, 22), "_", some(ALNUM, 59)),
    "GitLab": joined("gl", "pat-", some(URL_SAFE, 20)),
    "GitLab, deploy": joined("gl", "dt-", some(ALNUM, 20)),
    "GitLab, runner": joined("gl", "rt-", some(ALNUM, 20)),
    "Bitbucket": joined("AT", "ATT3xFfGF0", some(ALNUM, 150)),
    "AWS": joined("AK", "IA", some(BASE32, 16)),
    "AWS, Bedrock": joined("AB", "SK", some(ALNUM, 120)),
    "Databricks": joined("da", "pi", some(HEX, 32)),
    "DigitalOcean": joined("dop", "_v1_", some(HEX, 64)),
    "Docker Hub": joined("dckr", "_pat_", some(URL_SAFE, 27)),
    "Cloudflare": joined("cf", "ut_", some(ALNUM, 40), some(HEX, 8)),
    "Vercel": joined("vc", "p_", some(ALNUM, 56)),
    "Supabase": joined("sb", "p_", some(HEX, 40)),
    "Supabase, project": joined("sb_", "secret_", some(ALNUM, 31)),
    "PlanetScale": joined("pscale", "_pw_", some(ALNUM, 43)),
    "Neon": joined("na", "pi_", some(string.ascii_lowercase + string.digits, 64)),
    "MongoDB Atlas": joined("mdb_", "sa_sk_", some(URL_SAFE, 40)),
    "Fly": joined("Authorization: Bearer ", "fm2_", some(ALNUM, 100)),
    "Render": joined("rn", "d_", some(ALNUM, 28)),
    "Heroku": joined("HR", "KU-", "AA", some(ALNUM, 58)),
    "Netlify": joined("NETLIFY_AUTH_TOKEN=", some(ALNUM, 40)),
    "Slack, bot": joined(
        "xo", "xb-", some(string.digits, 12), "-", some(string.digits, 12), "-", some(ALNUM, 24)
    ),
    "Slack, app": joined(
        "xa", "pp-1-A", some(UPPER, 10), "-", some(string.digits, 13), "-", some(HEX, 64)
    ),
    "Telegram": joined(some("123456789", 10), ":", "AA", some(URL_SAFE, 33)),
    "Stripe": joined("sk", "_live_", some(ALNUM, 24)),
    "Stripe, restricted": joined("rk", "_live_", some(ALNUM, 24)),
    "Stripe, webhook": joined("wh", "sec_", some(ALNUM, 32)),
    "Shopify": joined("shp", "at_", some(HEX, 32)),
    "Square": joined("sq0", "atp-", some(URL_SAFE, 22)),
    "SendGrid": joined("S", "G.", some(URL_SAFE, 22), ".", some(URL_SAFE, 43)),
    "Brevo": joined("xkey", "sib-", some(HEX, 64), "-", some(ALNUM, 16)),
    "Mailgun": joined("ke", "y-", some(HEX, 32)),
    "Resend": joined("re", "_", some("23456789abcdefghjk", 8), "_", some("23456789abcdefghjk", 24)),
    "Airtable": joined("pa", "t", some(ALNUM, 14), ".", some(HEX, 64)),
    "Notion": joined("nt", "n_", some(string.digits, 11), some(ALNUM, 35)),
    "Linear": joined("lin", "_api_", some(ALNUM, 40)),
    "Figma": joined("fi", "gd_", some(URL_SAFE, 40)),
    "Postman": joined("PM", "AK-", some(HEX, 24), "-", some(HEX, 34)),
    "npm": joined("np", "m_", some(ALNUM, 36)),
    "PyPI": joined("pypi-", "AgEIcHlwaS5vcmc", some(URL_SAFE, 120)),
    "TestPyPI": joined("pypi-", "AgENdGVzdC5weXBpLm9yZw", some(URL_SAFE, 120)),
    "RubyGems": joined("ruby", "gems_", some(HEX, 48)),
    "Grafana": joined("gl", "sa_", some(ALNUM, 32), "_", some(HEX, 8)),
    "New Relic": joined("NR", "AK-", some(UPPER, 27)),
    "Sentry": joined("sntr", "yu_", some(HEX, 64)),
    "PostHog": joined("ph", "x_", some(ALNUM, 43)),
    "Vault": joined("hv", "s.", some(URL_SAFE, 95)),
    "Terraform": joined('token = "', some(ALNUM, 14), ".atlasv1.", some(ALNUM, 64), '"'),
    "Doppler": joined("dp", ".pt.", some(ALNUM, 43)),
    "1Password": joined("ops_", "eyJ", some(ALNUM, 260)),
    "Tailscale": joined("ts", "key-api-", some(ALNUM, 24)),
    "Pulumi": joined("pu", "l-", some(HEX, 40)),
    "Prefect": joined("pn", "u_", some(ALNUM, 36)),
    "Dynatrace": joined("dt0", "c01.", some(UPPER, 24), ".", some(UPPER, 64)),
    "Sourcegraph": joined("sg", "p_", some(HEX, 16), "_", some(HEX, 40)),
    "age": joined("AGE-", "SECRET-KEY-1", some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "Elastic": joined("es", "su_", some(ALNUM, 70), "=="),
    "JSON web token": joined(
        "ey", "J", some(ALNUM, 33), ".ey", "J", some(ALNUM, 60), ".", some(URL_SAFE, 43)
    ),
}


def hides(text: str, secret: str) -> bool:
    """Return whether no eight characters of the secret's second half are left."""
    cleaned, half = Redactor().redact_text(text), secret[len(secret) // 2 :].rstrip('"=')
    return R in cleaned and not any(half[i : i + 8] in cleaned for i in range(len(half) - 7))


@pytest.mark.parametrize("service", FORMATS)
@pytest.mark.parametrize(
    "around",
    ["{}", "the key is {}.", "KEY={}\n", "'{}',", "a\\n{}\\nb", "[{}](x)", "\x1b[32m{}\x1b[0m"],
)
def test_tokens_of_services_are_found(service: str, around: str) -> None:
    assert hides(around.format(FORMATS[service]), FORMATS[service])


@pytest.mark.parametrize("service", FORMATS)
def test_a_token_that_is_coloured_in_part_is_found(service: str) -> None:
    token = FORMATS[service]
    cut = len(token) // 3
    for mark in ("\x1b[31m", "\u200b", "</span><span>"):
        assert hides(f"{token[:cut]}{mark}{token[cut:]}", token)
    assert hides(json.dumps({"a": token}), token)


NAMED = """
password pass passwd passphrase passcode pw psw pwd PGPASSWORD DB_PASS dbPass mysql_pw WIFI_PSK
creds credential AWS_CREDENTIALS bearer bearer_token auth _auth token api_key apiKey client_secret
ACCESS_KEY privateKey
"""
VALUES = ("Kd83hfKq02mXz71pWvR5", "correct7horse8battery9")


@pytest.mark.parametrize("name", NAMED.split())
@pytest.mark.parametrize(
    "line", ["{n}={v}", '{n} = "{v}"', '"{n}": "{v}",', "{n}: {v}", "--x {n}={v} -y", "{n}='{v}';"]
)
def test_usual_names_tell_of_a_secret(name: str, line: str) -> None:
    for value in VALUES:
        text = line.format(n=name, v=value)
        if not (name.startswith("priv") and line == "{n}: {v}"):  # as code has its types
            assert value not in Redactor().redact_text(text), text


@pytest.mark.parametrize(
    "command",
    [
        "mysql --password Kd83hfKq02mX db",
        "tool --api-key 'Kd83hfKq02mX'",
        "gh --auth-token Kd83hfKq02mX",
        "curl -u me:Kd83hfKq02mX http://a",
        "machine a.org login me password Kd83hfKq02mX",
        "curl -H 'Authorization: Bearer Kd83hfKq02mX'",
        "curl http://me:Kd83hfKq02mX@a.org/",
    ],
)
def test_secrets_in_commands_are_found(command: str) -> None:
    assert "Kd83hfKq02mX" not in Redactor().redact_text(command)


def _picture(seed: int) -> str:
    return base64.b64encode(random.Random(seed).randbytes(30_000)).decode()


INNOCENT = [
    hashlib.sha256(b"a").hexdigest(),
    hashlib.md5(b"a").hexdigest(),
    "commit " + hashlib.sha1(b"a").hexdigest(),
    str(uuid.UUID(int=7**40)),
    "sha512-" + base64.b64encode(hashlib.sha512(b"a").digest()).decode(),
    "sha256:" + hashlib.sha256(b"b").hexdigest(),
    "index 0123abc..4567def 100644",
    "password = getpass()",
    "token: str",
    "token: str | None = None",
    "pass: int",
    "auth = None",
    "pw = getpass.getpass()",
    "auth=HTTPBasicAuth(user, pw)",
    "auth: AuthBase",
    "creds: Credentials",
    "credentials = load_credentials(path)",
    "bearer = HTTPBearer()",
    "bearer: bool = False",
    "api_key = os.environ['API_KEY']",
    'token = config["token"]',
    "password: ${{ secrets.DB_PASS }}",
    "secret_name = 'my-database-password'",
    "token_type: bearer",
    "auth: required",
    "pass: true",
    "pass  # nothing to do",
    "1 pass: tests/test_a.py",
    "bypass = compass(direction)",
    "OAuth: authorization code flow with PKCE",
    "auth0-lock",
    "sk_learn_estimator_with_name_2",
    "pk_customer_orders_2024_index",
    "test_token_is_read_from_file_2",
    "live_reload_of_pages_v2",
    "key_press_handler_of_widget_1",
    "npm_config_registry_mirror_url",
    "hf_hub_download_with_token",
    "ext_modules_of_this_package_v2",
    "re_compile_all_of_the_patterns",
    "git-lfs-authenticate",
    "http://a.org/pat.thumbnail.large.v2.png",
    "db-migration-of-users-2024-01-02",
    "SG.us-east-1.a",
    "al-khwarizmi-institute-of-computer-science-2024-conference",
    "--token-file /run/a1b2c3d4",
    "--password-stdin registry1.example.org",
    "docker run -u 1000:1000 image1",
    "--pass-through value1",
    "login page, then the password of your account",
    "https://files.example.org/a/0123456789abcdef",
    "eyJ is how they begin",
    "x" * 40,
    "=" * 60,
    "_" * 60,
    "a1" * 8,
    "data:image/png;base64," + _picture(1),
    "\n".join(_picture(2)[i : i + 76] for i in range(0, 38_000, 76)),
    json.dumps({"image/png": _picture(3), "id": str(uuid.UUID(int=3**70))}),
]


@pytest.mark.parametrize("text", INNOCENT, ids=range(len(INNOCENT)))
def test_other_text_comes_through(text: str) -> None:
    for around in (text, f"{text}\n", f"see `{text}` there", f"\x1b[1m{text}\x1b[0m"):
        assert Redactor().redact_text(around) == around


def test_the_table_is_of_one_shape() -> None:
    """A literal, and one run that gives nothing back: no character is tried over and over."""
    for rule, start, members, least, needed in TOKEN_FORMATS:
        assert rule
        assert len(start) >= 3
        assert 10 <= least <= 400
        assert not set("[]^\\ \"'") & set(members)
        assert set(needed) <= set(members)
        assert len(start) + least >= secret_patterns._MIN_CHARS
        assert re.fullmatch(secret_patterns._LONG_WORD_CHARACTERS + "+", start)
    assert len(TOKEN_FORMATS) > 250


@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "eyJ",
        "a-",
        "A",
        "/AKIA",
        "\\nghp_",
        "sk-proj-",
        "bkaj_" * 60 + " ",
        "$aact_",
        "pat" * 20 + ".",
        "ghp_" + "a" * 15 + " ",
        "SK-" + "a" * 31 + "-",
        "v1.0-" + "a" * 170 + "/",
        "-",
        "%",
        "_",
    ],
)
def test_tokens_are_looked_for_in_linear_time(unit: str) -> None:
    formats = TokenFormats(TOKEN_FORMATS)
    assert grows_linearly(lambda text: list(formats.spans(text)), ("", unit)) < MAX_RATIO


def test_every_format_is_looked_for_in_linear_time() -> None:
    """Each beginning again and again, alone and with almost enough behind it."""
    formats = TokenFormats(TOKEN_FORMATS)
    almost = [f"{start}{'a1' * (least // 2 - 1)} " for _, start, _, least, _ in TOKEN_FORMATS]
    for unit in ("".join(row[1] for row in TOKEN_FORMATS), "".join(almost), " ".join(almost)):
        assert grows_linearly(lambda text: list(formats.spans(text)), ("", unit)) < MAX_RATIO


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gen", ROOT / "scripts" / "token_formats.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.platform != "linux", reason="the rules are installed on Linux alone")
def test_the_table_is_that_of_the_rules() -> None:
    pytest.importorskip("kingfisher_sdk")
    generator = _generator()
    assert generator.written() == generator.TARGET.read_text(encoding="utf-8")
