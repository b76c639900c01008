"""The file of a saved prompt: front matter in YAML, then the text with ``{{argument}}``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from acp_jupyter.errors import AcpError, BadRequest, FileMissing
from acp_jupyter.features.prompts.commands import PromptArgument, SavedPrompt, SavedPrompts
from acp_jupyter.host.bounds import POLICIES
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
from acp_jupyter.protocol.formatting import shorten

FOLDER = ".acp/prompts"
_SUFFIX = ".md"
_FILE_BYTES = 100_000
_FRONT_CHARS = 10_000
_DESCRIPTION_CHARS = 300
_MAX_ARGUMENTS = 20
_MAX_FILES = 200
_MAX_ENTRIES = 5_000
_KEYS = ("description", "arguments", "agent", "policy")

NAME = re.compile(r"[^\W_][\w-]{0,63}")
_ARGUMENT = re.compile(r"[^\W\d][\w-]{0,63}")
_PLACE = re.compile(r"\{\{ ?([^\W\d][\w-]{0,63}) ?\}\}")
_GIVEN = re.compile(r'([^\W\d][\w-]{0,63})=("(?:[^"\\]|\\.)*"|[^\s"]\S*)(?:\s+|$)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A saved prompt with its text."""

    prompt: SavedPrompt
    text: str

    def filled(self, rest: str) -> str:
        """Return the text with its arguments.

        Parameters
        ----------
        rest
            What follows the name: ``argument=value`` for each that is named. The words after
            these are the first argument that was not named, or else follow the prompt.
        """
        given, free = self._given(rest)
        known = self.prompt.arguments
        if free and (unnamed := [each.name for each in known if each.name not in given]):
            given[unnamed[0]], free = free, ""
        missing = [each.name for each in known if each.default is None and each.name not in given]
        if missing:
            raise BadRequest(
                f"/{self.prompt.name} needs {' and '.join(missing)}. Type, for example: "
                f"/{self.prompt.name} {' '.join(f'{name}=…' for name in missing)}"
            )
        values = {each.name: given.get(each.name, each.default or "") for each in known}
        # In one pass: a value is never searched for arguments.
        text = _PLACE.sub(lambda found: values.get(found[1], found[0]), self.text).strip()
        return "\n\n".join(filter(None, (text, free)))

    def _given(self, rest: str) -> tuple[dict[str, str], str]:
        names = {each.name for each in self.prompt.arguments}
        given: dict[str, str] = {}
        rest = rest.strip()
        while (found := _GIVEN.match(rest)) is not None and found[1] in names:
            given[found[1]] = self._value(found[1], found[2])
            rest = rest[found.end() :]
        return given, rest

    def _value(self, name: str, written: str) -> str:
        if not written.startswith('"'):
            return written
        try:
            return str(json.loads(written, strict=False))
        except ValueError:
            raise BadRequest(
                f"The value of {name} in /{self.prompt.name} can't be read. Between quotation "
                'marks, write \\" for a quotation mark and \\\\ for a backslash.'
            ) from None


class PromptFolder:
    """The saved prompts of a folder, read when asked for. All methods block."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._files = ConfinedFiles(folder, replace(limits, file_bytes=_FILE_BYTES))

    def read(self, name: str) -> PromptFile | None:
        """Return a saved prompt; None if there is no such file."""
        if not NAME.fullmatch(name):
            return None
        path = f"{FOLDER}/{name}{_SUFFIX}"
        try:
            return _parsed(name, path, self._files.read_text(path))
        except FileMissing:
            return None

    def all(self) -> SavedPrompts:
        """Return all of them, without their texts."""
        names = sorted(self._names())
        return SavedPrompts(
            folder=str(self._folder),
            prompts=tuple(filter(None, map(self._described, names[:_MAX_FILES]))),
            left_out=max(0, len(names) - _MAX_FILES),
        )

    def _names(self) -> list[str]:
        try:
            # The folder may be a link; it must not lead out.
            where = self._files.real_path(FOLDER).path
            with os.scandir(where) as entries:
                names = [entry.name for entry in islice(entries, _MAX_ENTRIES)]
        except (OSError, AcpError):
            return []
        return [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]

    def _described(self, name: str) -> SavedPrompt | None:
        path = f"{FOLDER}/{name}{_SUFFIX}"
        if not NAME.fullmatch(name):
            problem = "Its name can't follow a slash: use letters, digits, - and _."
            return SavedPrompt(name=shorten(name, 64), path=shorten(path, 100), problem=problem)
        try:
            found = self.read(name)
        except AcpError as error:
            return SavedPrompt(name=name, path=path, problem=error.message)
        return None if found is None else found.prompt


def _parsed(name: str, path: str, content: str) -> PromptFile:
    front, text = _split(path, content.removeprefix("\ufeff"))
    if not text.strip():
        raise BadRequest(f"{path} has no prompt. Write it below the second line ---.")
    facts = _facts(path, front)
    prompt = SavedPrompt(
        name=name,
        path=path,
        description=shorten(_words(path, facts, "description"), _DESCRIPTION_CHARS),
        arguments=_arguments(path, facts.get("arguments")),
        agent=_words(path, facts, "agent"),
        policy=next((each for each in POLICIES if each == facts.get("policy")), None),
    )
    if facts.get("policy") is not None and prompt.policy is None:
        raise _broken(path, f"policy must be one of: {', '.join(POLICIES)}")
    return PromptFile(prompt, text)


def _split(path: str, content: str) -> tuple[str, str]:
    """Return the front matter and the text; a file may have no front matter."""
    lines = content.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return "", content
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise _broken(path, "there is no second line ---")
    front = "".join(lines[1:end])
    if len(front) > _FRONT_CHARS:
        raise _broken(path, f"it has more than {_FRONT_CHARS} characters")
    return front, "".join(lines[end + 1 :])


def _facts(path: str, front: str) -> Mapping[str, Any]:
    try:
        # Aliases could make a small text into a huge value.
        events = yaml.parse(front, Loader=yaml.SafeLoader)
        if any(isinstance(event, yaml.AliasEvent) for event in events):
            raise _broken(path, "it has an alias (*), which is not supported")
        facts = yaml.safe_load(front)
    except yaml.MarkedYAMLError as error:
        # The lines are those of the file, whose first is the line ---.
        where = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise _broken(path, f"it is no YAML: {error.problem or 'an error'}{where}") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        raise _broken(path, "it is no YAML") from None
    if facts is None:
        return {}
    if not isinstance(facts, dict):
        raise _broken(path, "it must have lines such as description: What it is for")
    if unknown := [str(key) for key in facts if key not in _KEYS]:
        raise _broken(path, f"it has {shorten(unknown[0], 40)!r}. Known are: {', '.join(_KEYS)}")
    return facts


def _arguments(path: str, found: object) -> tuple[PromptArgument, ...]:
    if found is None:
        return ()
    if not isinstance(found, dict):
        raise _broken(path, "arguments must have a line for each, such as file: data.csv")
    if len(found) > _MAX_ARGUMENTS:
        raise _broken(path, f"there are more than {_MAX_ARGUMENTS} arguments")
    return tuple(_argument(path, name, value) for name, value in found.items())


def _argument(path: str, name: object, value: object) -> PromptArgument:
    if not isinstance(name, str) or not _ARGUMENT.fullmatch(name):
        shown = shorten(str(name), 40)
        raise _broken(path, f"{shown!r} can't be an argument: use letters, digits, - and _")
    facts = value if isinstance(value, dict) else {"default": value}
    if unknown := [str(key) for key in facts if key not in {"description", "default"}]:
        raise _broken(
            path,
            f"the argument {name} has {shorten(unknown[0], 40)!r}. Known are: description, default",
        )
    default = facts.get("default")
    if isinstance(default, dict | list | set):
        raise _broken(path, f"the default of {name} must be a text or a number")
    written = str(default).lower() if isinstance(default, bool) else str(default)
    return PromptArgument(
        name=name,
        description=shorten(_words(path, facts, "description"), _DESCRIPTION_CHARS),
        default=None if default is None else written,
    )


def _words(path: str, facts: Mapping[str, Any], key: str) -> str:
    words = facts.get(key)
    if words is not None and not isinstance(words, str):
        raise _broken(path, f"{key} must be a text")
    return " ".join((words or "").split())


def _broken(path: str, why: str) -> BadRequest:
    return BadRequest(f"The front matter of {path} can't be used: {why}.")
