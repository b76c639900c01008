"""The redactor replaces secrets in texts and JSON values; the scrubber also paths of this machine.

The redactor knows some secrets and finds what looks like one. What is saved in a notebook or sent
elsewhere goes through the scrubber.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar, get_origin
from urllib.parse import quote

from pydantic import BaseModel

from acp_jupyter.protocol.call_inputs import with_call_inputs
from acp_jupyter.transcript.drawn_text import DrawnText, may_hide
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.secret_patterns import PATTERNS, REDACTED, maybe_secret

_MIN_SECRET_CHARS = 8
_QUICK_CHARS = 8 * 1024
_MAX_SHOWN = 20
"""Most values of files that a request may show; each is searched for again after the answer."""
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|COOKIE|BEARER)S?(?:_|$)"
    r"|(?:^|_)(?:PASS|PW|PSW|PSK|CREDS?)(?:_|$)|(?:^|_)(?:PAT|AUTH)$|_PWD$|PGPASS"
    r"|(?:DB|SQL|USER|ADMIN|ROOT)(?:PASS|PW|PWD)$"
    r"|(?:^|_)DSN$|CONN(?:ECTION)?_?STR(?:ING)?(?:_|$)"
    r"|(?:^|_)JWT(?:_|$)|(?:^|_)PRIVATE(?:_|$)",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"://[^\s/:@]{0,200}+:([^\s/@]{1,200}+)@")
_IN_PARTS = re.compile(r"(?i:password|pwd|key|secret|token)=([^;&\s]{1,500}+)")
_NAMES = re.compile(r"(?i:pass|pwd|pw|psw|token|secret|key|auth|cred|bearer)")


def named_secrets(variables: Mapping[str, str]) -> set[str]:
    """Return the values of variables that are named like secrets, and passwords in addresses.

    Of a connection string its parts, too.
    """
    found: set[str] = set()
    for name, value in variables.items():
        found.update(_IN_ADDRESS.findall(value))
        if _SECRET_NAME.search(name):
            found.add(value)
            found.update(_IN_PARTS.findall(value))
    return found


class KnownSecrets:
    """Values that must never be written down, by their source, such as a file.

    One object serves all redactors of a host. It may be used from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, frozenset[str]] = {}
        self.values: frozenset[str] = frozenset()
        """All of them."""
        self.newest_at = 0.0
        """When a source last got a new value, in seconds since the epoch; 0 if that is unknown."""

    def put(self, source: str, values: Iterable[str], at: float = 0.0) -> None:
        """Set the values of a source; they replace its earlier ones.

        Short values are ignored: they would match everywhere.

        Parameters
        ----------
        at
            Since when, in seconds since the epoch: earlier texts may contain the values.
        """
        spelt = {way for value in values for way in (value, quote(value, safe=""))}
        usable = frozenset(way for way in spelt if len(way) >= _MIN_SECRET_CHARS)
        with self._lock:
            former = self._of.get(source, frozenset())
            if not usable <= former:
                self.newest_at = max(self.newest_at, at)
            if former != usable:
                self._of[source] = usable
                self.values = frozenset().union(*self._of.values())


class Redactor:
    """Replaces known secrets, and what looks like one, in text and in JSON values.

    A secret that an agent spells out over several messages is found where their text is joined,
    not in each of them. Every search is linear in the length of the text.

    Parameters
    ----------
    secrets
        Values that must never be written down. Short ones are left alone: they would match
        everywhere.
    """

    def __init__(self, secrets: Collection[str] = (), shared: KnownSecrets | None = None) -> None:
        self._own = KnownSecrets()
        self._own.put("", secrets)
        self._of_files = KnownSecrets()
        self._shared = shared or KnownSecrets()
        self._sorted: tuple[Sequence[frozenset[str]], Sequence[str]] = (), ()
        self._shown: tuple[str, ...] = ()
        """Values of files that `redact_message` left in, because a request shows them."""

    @classmethod
    def of_environments(
        cls, *environments: Mapping[str, str], shared: KnownSecrets | None = None
    ) -> Self:
        """Return a redactor that knows the values of variables that are named like secrets."""
        return cls(set().union(*map(named_secrets, environments)), shared)

    def learn(self, source: str, *secrets: str, at: float = 0.0) -> None:
        """Learn the secrets of ``source``; they replace earlier ones. See `KnownSecrets.put`."""
        self._own.put(source, secrets, at)

    def learn_from_files(self, source: str, *secrets: str, at: float = 0.0) -> None:
        """Learn the secrets of files that the agent could write.

        An agent must not hide a part of its request by writing it into such a file: see
        `redact_message`.
        """
        self._of_files.put(source, secrets, at)

    @property
    def newest_at(self) -> float:
        """When its own sources last got a new secret, in seconds since the epoch."""
        return max(self._own.newest_at, self._of_files.newest_at)

    @property
    def _secrets(self) -> Sequence[str]:
        """All known secrets, the longest first, as one may be a part of another."""
        known = self._own.values, self._shared.values, self._of_files.values
        if self._sorted[0] != known:
            ordered = sorted(frozenset().union(*known), key=lambda each: (-len(each), each))
            self._sorted = known, tuple(ordered)
        return self._sorted[1]

    def redact_text(self, text: str) -> str:
        """Return ``text`` without secrets, also those that are complete only when it is drawn."""
        if may_hide(text):
            # Before the rest: otherwise only a secret's part up to an escape would be removed.
            text = self._without_hidden(text)
        return _without_likely(self._without_known_text(text))

    def redact_message(self, value: Any, raw: str = "") -> Any:
        """Return a message without known secrets; the same object if it has none.

        A user must see all of what they are asked to allow. So nothing is removed by patterns, and
        secrets of files stay in a tool call's input: an agent could hide a part of it by adding
        that to a file. `after_question` removes them once the request is settled.

        Parameters
        ----------
        raw
            The value's JSON text, if known: without escapes it can be searched instead.
        """
        secrets = self._secrets
        if not secrets:
            return value
        text = raw if raw and "\\" not in raw else "\n".join(_strings(value, []))
        found = [secret for secret in secrets if secret in text]
        if not found:
            return value
        clean = _replaced(value, self._without_known_text)
        planted = self._of_files.values.intersection(found)
        planted -= self._own.values | self._shared.values
        shown = planted.union(self._shown)
        if not planted or len(shown) > _MAX_SHOWN:
            return clean
        others = [secret for secret in found if secret not in planted]
        whole = with_call_inputs(clean, _replaced(value, partial(_without, others)))
        if whole != clean:
            self._shown = tuple(each for each in secrets if each in shown)
        return whole

    @property
    def has_shown(self) -> bool:
        """Whether `redact_message` has left a secret of a file in a message."""
        return bool(self._shown)

    def shows_any(self, call: ToolCall) -> bool:
        """Return whether a tool call contains a secret of a file that `redact_message` has left."""
        return self.after_question(call) != call

    def after_question(self, call: ToolCall) -> ToolCall:
        """Return a tool call whose request is settled, without the secrets that were left in."""
        return _mapped(call, partial(_without, self._shown)) if self._shown else call

    def _without_known_text(self, text: str) -> str:
        return _without(self._secrets, text)

    def _without_hidden(self, text: str) -> str:
        drawn = DrawnText.of(text)
        if drawn.text == text:
            return text
        spans = [
            match.span()
            for secret in self._secrets
            if secret in drawn.text
            for match in re.finditer(re.escape(secret), drawn.text)
        ]
        if len(drawn.text) > _QUICK_CHARS or maybe_secret(drawn.text):
            spans += (span for pattern in PATTERNS for span in pattern.spans(drawn.text))
        return drawn.without(spans) if spans else text

    def redact(self, value: Any) -> Any:
        """Return a JSON value without secrets, keys included."""
        return _replaced(value, self.redact_text, _without_likely_at)


def _without(secrets: Iterable[str], text: str) -> str:
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, REDACTED)
    return text


def _without_likely(text: str) -> str:
    if len(text) <= _QUICK_CHARS and not maybe_secret(text):
        return text
    for pattern in PATTERNS:
        parts: list[str] = []
        done = 0
        for begin, end in pattern.spans(text):
            parts += text[done:begin], REDACTED
            done = end
        if parts:
            text = "".join((*parts, text[done:]))
    return text


def _without_likely_at(name: str, value: str) -> str:
    """Return the value without a secret that is recognised by the name before it."""
    if _NAMES.search(name) is None:
        return value
    head, tail = f'"{name}": "', '"'
    text = _without_likely(f"{head}{value}{tail}")
    return text[len(head) : -1] if text.startswith(head) and text.endswith(tail) else value


def _replaced(
    value: Any, change: Callable[[str], str], named: Callable[[str, str], str] | None = None
) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        changed = {change(str(key)): _replaced(item, change, named) for key, item in value.items()}
        if named is not None:
            about, given = changed.get("name"), changed.get("value")  # ACP: EnvVariable, HttpHeader
            if isinstance(about, str) and isinstance(given, str):
                changed["value"] = named(about, given)
            for key, item in changed.items():
                if isinstance(item, str):
                    changed[key] = named(key, item)
        return changed
    if isinstance(value, list | tuple):
        return [_replaced(item, change, named) for item in value]
    return value


def _strings(value: Any, found: list[str]) -> list[str]:
    """Collect all texts of a JSON value, keys included."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            found.append(str(key))
            _strings(item, found)
    elif isinstance(value, list | tuple):
        for item in value:
            _strings(item, found)
    return found


M = TypeVar("M", bound=BaseModel)

_OWN_IDS = frozenset({"id", "turn_id", "session_id", "request_id"})
"""Made by the host, so that they hold nothing foreign; views find things by them."""
_PERSON_FIELD = "answered_by"
"""A person's name, which only those who share the server may see."""


def _mapped(
    model: M, change: Callable[[str], str], fixed: Mapping[str, str] = MappingProxyType({})
) -> M:
    """Return a copy with every free text in it changed, nested models included."""
    changes: dict[str, Any] = {
        name: fixed[name] if name in fixed else _mapped_value(value, change, fixed)
        for name, field in type(model).model_fields.items()
        if name not in _OWN_IDS
        and get_origin(field.annotation) is not Literal
        and (value := getattr(model, name)) not in (None, "", ())
    }
    return model.model_copy(update=changes)


def _mapped_value(value: Any, change: Callable[[str], str], fixed: Mapping[str, str]) -> Any:
    match value:
        case str():
            return change(value)
        case tuple() | list():
            return type(value)(_mapped_value(part, change, fixed) for part in value)
        case dict():
            changed = ((change(str(key)), part) for key, part in value.items())
            return {key: _mapped_value(part, change, fixed) for key, part in changed}
        case BaseModel():
            return _mapped(value, change, fixed)
        case _:
            return value


class Scrubber:
    """Makes text fit to be saved and passed on.

    The session's folder becomes ``.`` and the home folder ``~``, in all text and in every spelling
    of a path; the redactor removes secrets.
    """

    def __init__(
        self,
        cwd: str,
        home: str,
        redactor: Redactor,
        *,
        stand_in: str = ".",
        paths: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._redactor = redactor
        self._paths: list[tuple[re.Pattern[str], str]] = []
        root = _trimmed(cwd)
        longest = sorted(paths.items(), key=lambda item: -len(item[0]))
        for path, name in ((root, stand_in), *longest, (home, "~")):
            for spelling in _spellings(_trimmed(path)):
                self._paths.append((_path_pattern(path, spelling, end=r"(?![\w-]|\.\w)"), name))
        # A path that only begins with the folder's is a sibling: /srv/work-old and /srv/work.
        name = PurePosixPath(root.replace("\\", "/")).name
        above = "" if stand_in == "." else f"{stand_in}/"
        for spelling in _spellings(root):
            self._paths.append((_path_pattern(root, spelling, end=""), f"{above}../{name}"))

    @classmethod
    def of_session(cls, session: SessionState, redactor: Redactor, home: str = "") -> Scrubber:
        """Return a scrubber for a session, whose shown folder gives the home folder as well."""
        folder = session.copied or session.cwd
        if not home and session.folder.startswith("~"):
            home = folder.removesuffix(session.folder.removeprefix("~"))
        return cls(session.cwd, home, redactor, paths={folder: "."} if session.copied else {})

    def text(self, value: str) -> str:
        """Return the text without secrets and places."""
        value = self._redactor.redact_text(value)
        for pattern, stand_in in self._paths:
            value = pattern.sub(stand_in, value)
        return value

    def model(self, model: M) -> M:
        """Return a copy with every free text in it scrubbed, nested models included."""
        return _mapped(model, self.text, {_PERSON_FIELD: ""})


def _trimmed(path: str) -> str:
    path = path.rstrip("/\\")
    return path if len(path) > 1 and not re.fullmatch(r"[A-Za-z]:", path) else ""


def _spellings(path: str) -> list[str]:
    """Return the ways to write a path: as it is, as a URL, with slashes, escaped."""
    if not path:
        return []
    slashes = path.replace("\\", "/")
    quoted = quote(slashes, safe="/:")
    ways = {path, slashes, quoted, path.replace("\\", "\\\\")}
    return sorted(ways, key=lambda way: (-len(way), way))


def _path_pattern(path: str, spelling: str, *, end: str) -> re.Pattern[str]:
    # "/app" may be a part of "src/app"; a longer path is unambiguous wherever it appears.
    flavour = PureWindowsPath if "\\" in path else PurePosixPath
    short = len(flavour(path).parts) <= 2
    begin = r"(?<![\w.~-])" if short else ""
    return re.compile(begin + re.escape(spelling) + end)
