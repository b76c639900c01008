"""Names of files that hold passwords, tokens or keys, by the program that keeps them there.

Names are written as they are compared: without case, see `protected_paths`. There is no maintained
list of such files elsewhere; only the types of keys and of files with variables come from identify,
pre-commit's library.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from identify.extensions import EXTENSIONS

__all__ = [
    "CREDENTIAL_FILES",
    "CREDENTIAL_FOLDERS",
    "CREDENTIAL_PLACES",
    "names_credentials",
]

CREDENTIAL_FOLDERS = frozenset(
    {
        # Keys and keyrings
        *(".ssh", ".gnupg", ".pki", ".password-store", ".local-keyring", ".keychain", "keyrings"),
        *("kwalletd", "keychains", ".age"),
        # Clouds and clusters
        *(".aws", ".azure", ".boto", ".docker", ".kube", ".kaggle", ".oci", ".aliyun", ".bluemix"),
        *(".gcloud", ".gsutil", ".doctl", ".linode-cli", ".fly"),
        *(".terraform.d", ".pulumi", ".vault", ".vault-token", ".minikube", ".rancher", ".modal"),
        *(".netlify", ".vercel", ".heroku", ".wrangler", ".cloudflared", ".ngrok2"),
        # Data platforms
        *(".snowflake", ".snowsql", ".databricks", ".dbt", ".mc", ".s3cfg", ".wandb"),
        # Browsers and mail
        *(".mozilla", ".thunderbird", ".purple"),
    }
)
"""Folders, with everything below them."""

_SETTINGS_FOLDERS = frozenset(
    {".config", "share", "application support", "roaming", "local", "preferences"}
)
_BELOW_SETTINGS = frozenset(
    {"gcloud", "doctl", "hcloud", "ngrok", "sops", "op", "rclone", "glab-cli", "stripe", "gh"}
    | {"bravesoftware", "chromium", "google-chrome", "github-copilot", "containers", "earthengine"}
)
"""Folders that hold credentials only inside a folder for settings."""

CREDENTIAL_FILES = (
    # Variables
    *(".env", ".env.*", ".envrc", ".flaskenv", ".renviron", ".secrets", ".secrets.*", ".env-*"),
    *("secrets.toml", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.ini", "*.tfvars"),
    *("*.auto.tfvars.json", "*.tfstate", "*.tfstate.backup", "local.settings.json"),
    # Logins of command lines
    *(".netrc", "_netrc", ".authinfo", ".git-credentials", ".gitcookies", ".hgrc", ".curlrc"),
    *(".wgetrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", "pip.conf", "pip.ini", ".condarc"),
    *(".gem", ".htpasswd", ".pgpass", "pgpass.conf", ".pg_service.conf", ".my.cnf", ".mylogin.cnf"),
    *(".mongorc.js", ".dbshell", ".odbc.ini", "odbc.ini", ".msmtprc", ".fetchmailrc", ".muttrc"),
    *(".smbcredentials", ".vault-token", ".vault_pass", ".vault_pass.txt", ".dockercfg"),
    *(".dockerconfigjson", ".databrickscfg", ".snowsql", ".s3cfg", ".boto", ".passwd-s3fs"),
    *(".terraformrc", "terraform.rc", ".cfg_token", ".kaggle.json", "kaggle.json", "rclone.conf"),
    *("kubeconfig", "*.kubeconfig"),
    *(
        "wallet.dat",
        "nuget.config",
        "hosts.yml",
        "filezilla.xml",
        "sitemanager.xml",
        "recentservers.xml",
    ),
    *("access_tokens.db", "settings-security.xml", ".bw", "data.jenkins", "credentials.xml"),
    *("profiles.yml", "connections.toml", "application_default_credentials.json", "legacy_token"),
    *("service-account*.json", "service_account*.json", "serviceaccount*.json", "*-sa-key.json"),
    *("client_secret*.json", "gspread*.json", "firebase-adminsdk*.json", "*-firebase-adminsdk-*"),
    *("oauth_creds.json", "auth.json", "auth.toml", ".credentials.json", ".claude.json"),
    *("publishsettings", "*.publishsettings", "*.pubxml.user", "wp-config.php", "parameters.yml"),
    *("database.yml", "master.key", "shadow", "passwd", "gshadow", "sudoers", "krb5.keytab"),
    *("*.keytab", "krb5cc_*", "stored_tokens", "access.json", "tokens.json", "token.json"),
    *(
        "token",
        "token.txt",
        ".token",
        "*.token",
        "*.tokens",
        "api_key",
        "api_key.txt",
        "apikey.txt",
    ),
    *("api_keys.*", "apikeys.*", "cookies.sqlite", "cookies.txt", "login data", "logins.json"),
    *("key3.db", "key4.db", "cookies"),
    # Keys
    *("*.jks", "*.kdb", "*.kdbx", "*.keychain", "*.keychain-db", "*.keystore", "*.truststore"),
    *("*.pfx", "*.pkcs12", "*.ppk", "*.pk8", "*.p8", "*.pvk", "*.gpg", "*.agekey"),
    *("*.ovpn", "*.tblk", "*.rdp", "*.kwallet", "*.agilekeychain", "*.opvault", "*.snk"),
    *("id_dsa*", "id_ecdsa*", "id_ed25519*", "id_rsa*", "id_xmss*", "*_rsa", "*_dsa", "*_ecdsa"),
    *("*_ed25519", "identity", "secring.*", "wg*.conf", "wireguard.conf", "otr.private_key"),
    # What was typed
    *("*_history", ".*_history", ".history", ".lesshst", ".viminfo", "consolehost_history.txt"),
    # Jupyter and IPython
    *("jpserver-*", "nbserver-*", "kernel-*.json", "jupyter_cookie_secret", "notebook_secret"),
    *("jupyter_server_config.json", "jupyter_notebook_config.json", "jupyterhub_cookie_secret"),
    *("jupyterhub.sqlite", "jupyterhub-proxy.pid", "nbsignatures.db"),
)

CREDENTIAL_PLACES = tuple(
    tuple(place.split("/"))
    for place in (
        ".git/config",
        ".cargo/credentials",
        ".cargo/credentials.toml",
        ".composer/auth.json",
        ".config/git/credentials",
        ".config/configstore/firebase-tools.json",
        ".m2/settings.xml",
        ".gradle/gradle.properties",
        ".gem/credentials",
        ".bundle/config",
        ".nuget/nuget.config",
        ".jupyter/jupyter_server_config.py",
        ".jupyter/jupyter_notebook_config.py",
        ".cache/huggingface/token",
        ".huggingface/token",
        ".config/wandb/settings",
        ".cursor/mcp.json",
        ".config/openai/api_key",
        ".config/anthropic/config.json",
        ".config/hub",
        ".config/pip/pip.conf",
        ".pip/pip.conf",
        ".config/mc/config.json",
        "gh/hosts.yml",
    )
)
"""The last names of paths, for files whose own name says nothing."""

_WORDS = re.compile(
    r"(?:^|[_. -])(?:credentials?|creds|secrets?|passw(?:or)?ds?|passphrases?|private[_-]?keys?"
    r"|api[_-]?keys?|(?:auth|access|refresh|oauth|bearer|api)[_-]?tokens?)(?:$|[_. -])"
)
_SETTINGS = frozenset(
    {"cfg", "cnf", "conf", "config", "db", "ini", "json", "kdl", "properties", "sqlite", "toml"}
    | {"txt", "xml", "yaml", "yml", "env", "bak", "old", "enc"}
)
"""Types of files that may contain what their name says, unlike source files."""

_KEY_TAGS = frozenset({"dotenv", "p12", "pem"})
_EXAMPLES = ("dist", "example", "examples", "sample", "template", "tmpl")


def names_credentials(parts: Sequence[str]) -> bool:
    """Return whether a file of this path usually holds passwords, tokens or keys.

    Parameters
    ----------
    parts
        The names in its path, as they are compared; at least one.
    """
    if not CREDENTIAL_FOLDERS.isdisjoint(parts[:-1]) or parts[-1] in CREDENTIAL_FOLDERS:
        return True
    pairs = itertools.pairwise(parts)
    if any(one in _SETTINGS_FOLDERS and other in _BELOW_SETTINGS for one, other in pairs):
        return True
    if any(tuple(parts[-len(place) :]) == place for place in CREDENTIAL_PLACES):
        return True
    name = parts[-1]
    stem, _, extension = name.rpartition(".")
    if extension in _EXAMPLES and name.startswith(".env"):
        return False
    if stem and not _KEY_TAGS.isdisjoint(EXTENSIONS.get(extension, ())):
        return True
    if any(fnmatchcase(name, pattern) for pattern in CREDENTIAL_FILES):
        return True
    return _WORDS.search(name) is not None and (not stem or extension in _SETTINGS)
