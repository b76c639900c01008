"""Agents that read and change files, by their client or by themselves."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from _wire import Json, Wire, in_turns, serve


@in_turns
def edits_files(wire: Wire, session_id: str, text: str) -> str:
    """Do to files what the prompt says, a line each, and tell what came of it.

    ``fs read PATH``, ``fs replace PATH JSON JSON`` and ``fs write PATH JSON`` go through the
    client, ``own write PATH JSON`` and ``own replace PATH JSON JSON`` do not.
    """
    known: dict[str, str] = {}

    def client(method: str, path: str, **more: str) -> Json:
        whole = os.path.join(os.getcwd(), path)
        return wire.ask(f"fs/{method}_text_file", {"sessionId": session_id, "path": whole, **more})

    for line in text.strip().splitlines():
        who, what, path, *rest = line.split(" ", 3)
        values = _decoded(rest[0]) if rest else []
        if who == "own":
            content = values[0] if what == "write" else _read(path).replace(values[0], values[1])
            _write(path, content.encode())
            told: Json = {"result": "done"}
        elif what == "read":
            told = client("read", path)
            known[path] = told.get("result", {}).get("content", "")
        else:
            if what == "replace" and path not in known:
                known[path] = client("read", path)["result"]["content"]
            content = values[0] if what == "write" else known[path].replace(values[0], values[1])
            told = client("write", path, content=content)
        wire.text(session_id, json.dumps(told.get("error", told.get("result"))) + "\n")
    return "end_turn"


def _decoded(text: str) -> list[str]:
    found: list[str] = []
    while text := text.strip():
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def own_tools(name: str = "") -> None:
    """Change files by its own tools, as most agents do: it says that one runs, not what it does.

    Each line of the prompt is a deed: ``write PATH TEXT`` (``\\n`` is a new line, ``{cwd}`` the
    folder), ``append PATH TEXT``, ``private PATH TEXT`` (for its user alone), ``bytes PATH HEX``,
    ``many N SUFFIX``, ``delete PATH``, ``rename PATH PATH``, ``link PATH TARGET``,
    ``mode PATH BITS``, ``folder PATH``, ``clear PATH`` (a folder with all in it, if it is there),
    ``run COMMAND`` (by a shell), ``leave COMMAND`` (by one that nobody waits for),
    ``show PATH TEXT`` (with a diff),
    ``say TEXT`` (one letter at a time), ``tell TEXT`` (at once), ``fail``, ``wait`` (for a cancel),
    ``hold PATH`` (until a file is there), ``work PATH`` (the same, as a command), ``ask`` (for
    permission), ``put PATH TEXT`` (through the client), ``read PATH`` (as a call that only reads,
    until a file is there), ``learn PATH`` (through the client), ``send PATH NAME VALUE`` (the text
    that it has learnt, through the client, with ``NAME=VALUE`` in the place of another value),
    ``set PATH NAME VALUE`` (the same, of what is on disk).

    Started with a name, it is called so, and does what ``NAME.deeds`` in its folder says, whatever
    the prompt is.
    """

    def prompt(wire: Wire, session_id: str, text: str) -> str:
        if name:
            text = _read(f"{name}.deeds")
        for line in text.splitlines():
            verb, _, rest = line.partition(" ")
            with _announced(wire, session_id, verb):
                _do(wire, session_id, verb, rest)
        return "end_turn"

    if name:
        sys.argv = [name]
    serve(prompt)


@in_turns
def runs_commands(wire: Wire, session_id: str, text: str) -> str:
    """Run each line of the prompt by a shell of its own, and tell what came of it.

    A line ``# prompt`` says all that it was sent.
    """
    for line in text.rpartition("</run-by-the-user>\n")[2].splitlines():
        if line == "# prompt":
            wire.text(session_id, text)
            continue
        call = {"toolCallId": f"run-{next(_NUMBERS)}"}
        about = {"title": "Run", "kind": "execute", "rawInput": {"command": line}}
        wire.update(session_id, "tool_call", status="in_progress", **about, **call)
        done = subprocess.run(
            line,
            shell=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output = {"type": "content", "content": {"type": "text", "text": done.stdout}}
        status = "failed" if done.returncode else "completed"
        wire.update(session_id, "tool_call_update", status=status, content=[output], **call)
    return "end_turn"


def says_nothing() -> None:
    """Do the same, and not even say that a tool runs."""

    def prompt(wire: Wire, session_id: str, text: str) -> str:
        for line in text.splitlines():
            verb, _, rest = line.partition(" ")
            _do(wire, session_id, verb, rest)
        return "end_turn"

    serve(prompt)


_TOLD = {"show", "say", "tell", "fail", "wait", "hold", "ask", "put", "read", "learn", "send"}
"""Verbs that say what they do, or do nothing."""
_NUMBERS = itertools.count()
_LEARNT: dict[tuple[str, str], str] = {}
"""Texts that it has read through the client, by session and name."""


@contextlib.contextmanager
def _announced(wire: Wire, session_id: str, verb: str) -> Iterator[None]:
    if verb in _TOLD:
        yield
        return
    call = {"toolCallId": f"deed-{next(_NUMBERS)}", "status": "in_progress"}
    wire.update(session_id, "tool_call", title="Work", kind="other", **call)
    yield
    wire.update(session_id, "tool_call_update", **{**call, "status": "completed"})


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _show(wire: Wire, session_id: str, path: str, text: str) -> None:
    diff = {"type": "diff", "path": os.path.abspath(path), "oldText": None, "newText": text}
    wire.update(
        session_id,
        "tool_call",
        toolCallId=f"show-{path}",
        title=f"Write {path}",
        kind="edit",
        status="completed",
        content=[diff],
    )
    _write(path, text.encode())


def _by_client(wire: Wire, session_id: str, verb: str, rest: str) -> None:
    name, _, said = rest.partition(" ")
    where = {"sessionId": session_id, "path": os.path.abspath(name)}
    known = session_id, name
    if verb == "learn" or known not in _LEARNT:
        _LEARNT[known] = wire.ask("fs/read_text_file", where)["result"]["content"]
    if verb == "send":
        content = _assigned(_LEARNT[known], said)
        if "result" in wire.ask("fs/write_text_file", {**where, "content": content}):
            _LEARNT[known] = content


def _assigned(text: str, said: str) -> str:
    name, _, value = said.partition(" ")
    return re.sub(rf"{name}=\w+", f"{name}={value}", text)


def _hold(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.01)


def _look(wire: Wire, session_id: str, path: str) -> None:
    call = {"toolCallId": f"deed-{next(_NUMBERS)}", "status": "in_progress"}
    wire.update(session_id, "tool_call", title="Read", kind="read", **call)
    _hold(path)
    wire.update(session_id, "tool_call_update", **{**call, "status": "completed"})


def _ask(wire: Wire, session_id: str) -> None:
    call = {"toolCallId": f"deed-{next(_NUMBERS)}", "title": "make docs", "kind": "execute"}
    wire.update(session_id, "tool_call", status="in_progress", **call)
    options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
    wire.ask(
        "session/request_permission",
        {"sessionId": session_id, "toolCall": call, "options": options},
    )
    wire.update(session_id, "tool_call_update", toolCallId=call["toolCallId"], status="completed")


def _do(  # noqa: C901, PLR0915 - one flat match
    wire: Wire, session_id: str, verb: str, rest: str
) -> None:
    rest = rest.replace("\\n", "\n").replace("{cwd}", os.getcwd())
    name, _, said = rest.partition(" ")
    match verb:
        case "write":
            _write(name, said.encode())
        case "append":
            with open(name, "ab") as file:
                file.write(said.encode())
        case "private":
            _write(name, said.encode())
            os.chmod(name, 0o600)
        case "bytes":
            _write(name, bytes.fromhex(said))
        case "many":
            for number in range(int(name)):
                _write(f"made-{number:03}{said}", b"x")
        case "delete":
            os.unlink(name)
        case "rename":
            os.rename(name, said)
        case "link":
            if os.path.lexists(name):
                os.unlink(name)
            os.symlink(said, name)
        case "mode":
            os.chmod(name, int(said, 8))
        case "folder":
            os.mkdir(name)
        case "run":
            subprocess.run(["sh", "-c", rest], check=True)
        case "leave":
            subprocess.Popen(["sh", "-c", f"({rest}) &"], start_new_session=True).wait()
        case "clear":
            shutil.rmtree(name, ignore_errors=True)
        case "show":
            _show(wire, session_id, name, said)
        case "say":
            for letter in rest:
                wire.text(session_id, letter)
        case "tell":
            wire.text(session_id, rest)
        case "hold" | "work":
            _hold(name)
        case "ask":
            _ask(wire, session_id)
        case "put":
            put = {"sessionId": session_id, "path": os.path.abspath(name), "content": said}
            wire.ask("fs/write_text_file", put)
        case "learn" | "send":
            _by_client(wire, session_id, verb, rest)
        case "set":
            _write(name, _assigned(_read(name), said).encode())
        case "read":
            _look(wire, session_id, name)
        case "fail":
            sys.exit(3)
        case "wait":
            wire.rest(60)
        case _:
            wire.text(session_id, f"no such verb: {verb}")
