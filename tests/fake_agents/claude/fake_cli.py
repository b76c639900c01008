"""A stand-in for the Claude CLI: it does what the real one can't be made to do.

The first word of a prompt says what happens. Whatever it gets, arguments and lines, goes to the
file ``$FAKE_CLI_LOG`` as lines of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

SESSION = sys.argv[sys.argv.index("--session-id" if "--session-id" in sys.argv else "--resume") + 1]


def note(**fields: Any) -> None:
    with open(os.environ["FAKE_CLI_LOG"], "a") as log:
        log.write(json.dumps(fields) + "\n")


def raw(data: bytes) -> None:
    os.write(1, data)


def out(kind: str, subtype: str = "", **fields: Any) -> None:
    line = {"type": kind, "session_id": SESSION} | ({"subtype": subtype} if subtype else {})
    raw(json.dumps(line | fields).encode() + b"\n")


def next_line() -> Json:
    line = sys.stdin.readline()
    if not line:
        note(ended="stdin")
        sys.exit(0)
    message: Json = json.loads(line)
    note(line=message)
    return message


def wait_for(wanted: Callable[[Json], bool]) -> Json:
    while not wanted(message := next_line()):
        pass
    return message


def is_answer(message: Json) -> bool:
    return bool(message["type"] == "control_response")


def is_interrupt(message: Json) -> bool:
    request = message.get("request", {})
    return bool(request.get("subtype") == "interrupt")


def say(*blocks: Json) -> None:
    out("assistant", message={"id": "m", "role": "assistant", "content": list(blocks)})


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def tool(name: str, **raw_input: Any) -> Json:
    return {"type": "tool_use", "id": "t1", "name": name, "input": raw_input}


def done(subtype: str = "success", **fields: Any) -> None:
    out("result", subtype, duration_ms=5, **fields)


def state(name: str) -> None:
    out("system", "session_state_changed", state=name)


def ask(tool_name: str, **fields: Any) -> Json:
    request = {"subtype": "can_use_tool", "tool_name": tool_name, "tool_use_id": "t1", **fields}
    out("control_request", request_id="r1", request=request)
    return dict(wait_for(is_answer)["response"])


def hooks() -> None:
    fields = {"stdout": "", "stderr": "", "exit_code": 0, "hook_name": "Stop"}
    out("system", "hook_response", **fields | {"stdout": "fine\n"})
    out("system", "hook_response", **fields | {"stderr": "no\n", "exit_code": 2})
    done(result="Hooked.")


def permission() -> None:
    rule = {"toolName": "Bash", "ruleContent": "make"}
    suggestion = {"type": "addRules", "behavior": "allow", "rules": [rule]}
    say(tool("Bash", command="make"))
    answer = ask("Bash", input={"command": "make"}, permission_suggestions=[suggestion])
    if answer["response"].get("interrupt"):
        done("error_during_execution", is_error=True, terminal_reason="aborted_tools")
    else:
        done(result=json.dumps(answer["response"]))


def question() -> None:
    options = [{"label": name, "description": f"As {name}."} for name in ("red", "green")]
    asked = [
        {"question": "Which colour?", "header": "Colour", "options": options, "multiSelect": False},
        {"question": "Which shades?", "header": "Shades", "options": options, "multiSelect": True},
    ]
    say(tool("AskUserQuestion", questions=asked))
    answer = ask("AskUserQuestion", input={"questions": asked})
    done(result=json.dumps(answer["response"]))


def torn() -> None:
    line = json.dumps({"type": "assistant", "message": {"content": [text("whole é")]}})
    for piece in (b"\n\n", line.encode()[:20], line.encode()[20:] + b"\r\n", b'{"type":\n'):
        raw(piece)
    raw(b"no json\n\xff\xfe\n" + b"[" * 100_000 + b"\n")
    done()


def dies() -> None:
    say(text("Working. "), tool("Bash", command="make"))
    sys.stderr.write("chatter\n" * 100 + "panic: out of cheese\n")
    sys.stderr.flush()
    sys.exit(3)


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "300"])
    note(pid=os.getpid(), child=child.pid)
    say(text("Can't hear you."), tool("Bash", command="sleep 300"))
    while True:
        time.sleep(300)


def obeys() -> None:
    state("running")
    say(text("Working."), tool("Bash", command="sleep 300"))
    wait_for(is_interrupt)
    done("error_during_execution", is_error=True, terminal_reason="aborted_streaming")
    state("idle")


def background() -> None:
    state("running")
    say(text("Delegated."))
    done(result="Delegated.")
    out("assistant", parent_tool_use_id="t1", message={"content": [text("Found it.")]})
    say(text(" It is done."))
    done("success", result="It is done.", origin={"kind": "task-notification"})
    state("idle")


def by_itself() -> None:
    """Start a turn when nobody asked, while the next prompt is waiting."""
    state("running")
    done(result="First.")
    state("idle")
    wait_for(lambda message: message["type"] == "user")
    state("running")
    done("success", result="Of the task.", origin={"kind": "task-notification"})
    done(result="Of the prompt.")
    state("idle")


def stranger() -> None:
    out("control_request", request_id="r9", request={"subtype": "mcp_message"})
    done(result=json.dumps(wait_for(is_answer)["response"]))


def withdrawn() -> None:
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "x"}}
    out("control_request", request_id="r1", request=request)
    out("control_cancel_request", request_id="r1")
    done(result="Withdrawn.")


def auth() -> None:
    out("system", "auth_required")


def login() -> None:
    words = "Invalid API key · Please run /login"
    say_synthetic = {"model": "<synthetic>", "content": [text(words)]}
    out("assistant", message=say_synthetic)
    done(is_error=True, result=words)


def budget() -> None:
    done("error_max_budget_usd", is_error=True, errors=["Reached maximum budget ($0.01)"])


def broke() -> None:
    done("error_during_execution", is_error=True, errors=["It broke."])


def mode_of(request: Json) -> Json:
    if request.get("mode") == "dontAsk":
        return {"subtype": "error", "error": "Not today."}
    return {"subtype": "success", "response": {}}


def control(message: Json) -> None:
    request = message["request"]
    answer = mode_of(request)
    if request["subtype"] == "initialize":
        model = {"value": "best", "displayName": "Best", "description": "The best"}
        command = {"name": "review", "description": "Reviews", "argumentHint": "[path]"}
        answer = {"subtype": "success", "response": {"models": [model], "commands": [command]}}
    out("control_response", response={**answer, "request_id": message["request_id"]})


def main() -> None:
    note(argv=sys.argv[1:], env=sorted(os.environ), cwd=os.getcwd(), pid=os.getpid())
    if "--mcp-config" in sys.argv:
        with open(sys.argv[sys.argv.index("--mcp-config") + 1]) as config:
            note(mcp=json.load(config))
    if os.environ.get("FAKE_CLI_FAILS"):
        sys.stderr.write(os.environ["FAKE_CLI_FAILS"] + "\n")
        sys.exit(1)
    while True:
        message = next_line()
        if message["type"] == "control_request":
            control(message)
            continue
        out("system", "init", model="fake-model", tools=["Bash"], permissionMode="default")
        content = message["message"]["content"]
        word = str(content[0].get("text", "")).split()[0].replace("-", "_")
        if word in SCENES:
            SCENES[word]()
        else:
            say(text(f"You said {word}."))
            done(result=f"You said {word}.")


SCENES: dict[str, Callable[[], None]] = {
    scene.__name__: scene
    for scene in (
        hooks, permission, question, torn, dies, deaf, obeys, background, by_itself, stranger,
        withdrawn, auth, login, budget, broke,
    )
}  # fmt: skip

if __name__ == "__main__":
    main()
