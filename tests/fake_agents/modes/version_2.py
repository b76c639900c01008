"""An agent that speaks version 2 of the protocol."""

from __future__ import annotations

import base64
import os
from typing import Any

from _wire import ALLOW, REJECT, Json, Wire, initialize_result, text_of

MODE: Json = {
    "configId": "how",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [{"value": "ask", "name": "Ask"}, {"value": "plan", "name": "Plan"}],
}
PATCH = """diff --git a/{path} b/{path}
--- a/{path}
+++ b/{path}
@@ -1,2 +1,2 @@
 one
-two
+three
"""


def version_2(how: str = "") -> None:
    """Do what a prompt says.

    ``how`` it answers ``initialize``: ``echo`` with the version that it is offered in the words of
    version 1, ``old_words`` in version 2 and goes on in the words of version 1, ``new_words`` the
    other way round, ``refuses`` only version 1, by an error, ``refuses_all`` both, ``version_3``,
    and ``no_programs`` without MCP servers that are programs.
    """
    Agent(how).serve()


def hello(how: str) -> Json:
    session: Json = {
        "prompt": {"image": {}},
        "mcp": {} if how == "no_programs" else {"stdio": {}, "http": {}},
        "delete": {},
        "fork": {},
    }
    return {
        "protocolVersion": 2,
        "info": {"name": "version_2", "title": "Second", "version": "2.0"},
        "capabilities": {"session": session, "auth": {}},
        "authMethods": [{"type": "agent", "methodId": "browser", "name": "Browser"}],
    }


class Session:
    """A session as version 2 has it."""

    def __init__(self, wire: Wire, session_id: str) -> None:
        self._wire = wire
        self._id = session_id
        self._messages = 0
        self._wishes = 0
        self._background: list[Json] = []

    def tell(self, kind: str, /, **fields: Any) -> None:
        self._wire.update(self._id, kind, **fields)

    def state(self, state: str, **fields: Any) -> None:
        self.tell("state_update", state=state, background=self._background, **fields)

    def idle(self, reason: str = "end_turn", **fields: Any) -> None:
        self.state("idle", stopReason=reason, **fields)

    def say(self, words: str) -> None:
        self._messages += 1
        block = {"type": "text", "text": words}
        self.tell("agent_message_chunk", messageId=f"m{self._messages}", content=block)

    def call(self, name: str, /, **fields: Any) -> None:
        self.tell("tool_call_update", toolCallId=name, **fields)

    def ask(self, **params: Any) -> str:
        self.state("requires_action")
        params = {"sessionId": self._id, "options": [ALLOW, REJECT], **params}
        self._wishes += 1
        answer = self._wire.ask("session/request_permission", params, f"wish-{self._wishes}")
        self.state("running")
        outcome = answer["result"]["outcome"]
        return str(outcome.get("optionId", outcome["outcome"]))

    def accept(self, request: Json) -> None:
        """Take a prompt in, and begin to work."""
        self._messages += 1
        named = f"u{self._messages}"
        self.tell("user_message", messageId=named, content=request["params"]["prompt"])
        self._wire.result(request, {"messageId": named})
        self.state("running")

    # -- what a prompt may ask for ---------------------------------------------

    def turn(self) -> None:
        """Think, speak, edit after a yes, run a command."""
        path = os.path.join(os.getcwd(), "edited.txt")
        thought = [{"type": "text", "text": "Hm."}]
        self.tell("agent_thought", messageId="t", content=thought)
        self.say("I begin")
        whole = [{"type": "text", "text": "I begin anew."}]
        self.tell("agent_message", messageId=f"m{self._messages}", content=whole)
        diff = {
            "type": "diff",
            "changes": [{"operation": "modify", "path": path}],
            "patch": {"format": "git_patch", "text": PATCH.format(path=path.lstrip("/"))},
        }
        self.call("edit", title="Edit edited.txt", kind="edit", content=[diff], status="pending")
        subject = {"type": "tool_call", "toolCall": {"toolCallId": "edit"}}
        said = self.ask(title="May I edit?", description="It is needed.", subject=subject)
        self.call("edit", status="completed" if said == "yes" else "failed")
        self.tell("terminal_update", terminalId="term", command="make", cwd=os.getcwd())
        self.call("run", title="make", kind="execute", status="in_progress")
        shown = {"type": "terminal", "terminalId": "term"}
        self.tell("tool_call_content_chunk", toolCallId="run", content=shown)
        for piece in ("höre".encode()[:2], "höre\n".encode()[2:]):
            data = base64.b64encode(piece).decode()
            self.tell("terminal_output_chunk", terminalId="term", data=data)
        self.tell("terminal_update", terminalId="term", exitStatus={"exitCode": 0})
        self.call("run", status="completed")
        self.idle(usage={"totalTokens": 12, "inputTokens": 7, "outputTokens": 5})

    def command(self) -> None:
        """Ask for a command that no call has told of, then for something that has no subject."""
        subject = {"type": "command", "command": "rm x", "cwd": os.getcwd()}
        said = [self.ask(title="Delete x?", subject=subject), self.ask(title="Go on?")]
        self.say(" ".join(said))
        self.idle()

    def long(self) -> None:
        """Work until it is stopped."""
        self.say("working")
        self._wire.rest(60)
        self.idle("cancelled")

    def background(self) -> None:
        """End the turn, and go on with a call that can be stopped alone."""
        self._goes_on("server")

    def stubborn(self) -> None:
        """The same, with one that is not ended in spite of what it says."""
        self._goes_on("stubborn")

    def silent(self) -> None:
        """The same, with one of which no request to end it is answered."""
        self._goes_on("silent")

    def fragile(self) -> None:
        """The same, with one that takes the agent along."""
        self._goes_on("fragile")

    def late(self) -> None:
        """The same, with one that has ended before a request to end it is answered."""
        self._goes_on("late")

    def endless(self) -> None:
        """The same, with one that nobody can end."""
        self._goes_on("endless", capabilities=None)

    def _goes_on(self, name: str, **fields: Any) -> None:
        self.call(name, title=f"Serve {name}", kind="other", status="in_progress")
        self.call(name, **{"capabilities": {"cancel": {}}, **fields})
        self._background = [*self._background, {"type": "tool_call", "toolCallId": name}]
        self.say("It serves.")
        self.idle()

    def terminal(self) -> None:
        """End the turn and a call, whose command goes on and can be stopped."""
        can: Json = {"cancel": {}}
        self.tell("terminal_update", terminalId="t1", command="serve", capabilities=can)
        shown = [{"type": "terminal", "terminalId": "t1"}]
        self.call("start", title="Start", kind="execute", status="in_progress", content=shown)
        data = base64.b64encode(b"listening\n").decode()
        self.tell("terminal_output_chunk", terminalId="t1", data=data)
        self.call("start", status="completed")
        self._background = [{"type": "terminal", "terminalId": "t1"}]
        self.idle()

    def forgets(self) -> None:
        """List no more what went on, without a word."""
        self._background = []
        self.idle()

    def end_of(self, kind: str, name: str, **fields: Any) -> None:
        """Say how a piece of work has ended, then list it no more."""
        field = {"tool_call": "toolCallId", "terminal": "terminalId"}[kind]
        self.tell(f"{kind}_update", **{field: name, "capabilities": None, **fields})
        self._background = [each for each in self._background if each.get(field) != name]
        self.state("idle")

    def call_ends(self) -> None:
        """Let a call of an earlier turn end within this one."""
        self.end_of("tool_call", "server", status="completed")
        self.state("running")
        self.say("It has ended.")
        self.idle()

    def error(self) -> None:
        self.state("idle", stopReason="error", error={"code": -32603, "message": "No model"})

    def nothing(self) -> None:
        """Say no reason."""
        self.say("done")
        self.state("idle")


def answered_in_version_1(wire: Wire, request: Json) -> None:
    """Run a turn in the words of the other version."""
    session_id = request["params"]["sessionId"]
    wire.update(session_id, "tool_call", toolCallId="a", title="Look", status="completed")
    wire.text(session_id, "in old words")
    wire.result(request, {"stopReason": "end_turn"})


def initialized(how: str, wire: Wire, request: Json) -> bool:
    """Answer ``initialize``; return whether version 2 is spoken from now on."""
    offered = request["params"]["protocolVersion"]
    if how == "refuses_all" or (how == "refuses" and offered != 1):
        wire.error(request, -32022, "Unsupported protocol version")
        return False
    if how == "version_3":
        wire.result(request, {**hello(how), "protocolVersion": 3})
    elif how == "echo":
        wire.result(request, {**initialize_result("version_2"), "protocolVersion": offered})
    elif how in {"refuses", "new_words"} or offered == 1:
        wire.result(request, initialize_result("version_2"))
    else:
        assert request["params"]["info"]["name"]
        wire.result(request, hello(how))
    return how in {"", "no_programs", "new_words"} and (offered == 2 or how == "new_words")


class Agent:
    """Answers requests."""

    def __init__(self, how: str) -> None:
        self._how = how
        self._wire = Wire()
        self._sessions: dict[str, Session] = {}
        self._speaks_2 = False

    def serve(self) -> None:
        while (message := self._wire.next()) is not None:
            method, params = message.get("method", ""), message.get("params") or {}
            answer = getattr(self, method.replace("/", "_"), None)
            if answer is not None:
                answer(message, params)
            elif method and "id" in message:
                self._wire.error(message, -32601, "Method not found")

    def initialize(self, request: Json, _: Json) -> None:
        self._speaks_2 = initialized(self._how, self._wire, request)

    def session_new(self, request: Json, params: Json) -> None:
        named = f"two-{len(self._sessions) + 1}"
        self._sessions[named] = Session(self._wire, named)
        commands = [{"type": "command", "name": "help", "description": "Helps"}]
        servers = ",".join(f"{s.get('type', '')}:{s['name']}" for s in params["mcpServers"])
        mode = {**MODE, "description": servers}
        more = {"configOptions": [mode], "availableCommands": commands} if self._speaks_2 else {}
        self._wire.result(request, {"sessionId": named, **more})

    def session_resume(self, request: Json, params: Json) -> None:
        session = self._sessions[params["sessionId"]] = Session(self._wire, params["sessionId"])
        if params.get("replayFrom") == {"type": "start"}:
            told = [{"type": "text", "text": "what was asked"}]
            session.tell("user_message", messageId="old", content=told)
            session.say("what was answered")
        session.idle()
        self._wire.result(request, {"configOptions": [MODE]})

    def session_fork(self, request: Json, _: Json) -> None:
        named = f"two-{len(self._sessions) + 1}"
        self._sessions[named] = Session(self._wire, named)
        self._wire.result(request, {"sessionId": named, "configOptions": [MODE]})

    def session_list(self, request: Json, params: Json) -> None:
        listed = [{"sessionId": "kept", "cwd": params["cwd"], "title": "Kept"}]
        self._wire.result(request, {"sessions": listed})

    def session_set_config_option(self, request: Json, params: Json) -> None:
        assert params["type"] == "id", params
        self._wire.result(request, {"configOptions": [{**MODE, "currentValue": params["value"]}]})

    def session_prompt(self, request: Json, params: Json) -> None:
        if not self._speaks_2:
            answered_in_version_1(self._wire, request)
            return
        session = self._sessions[params["sessionId"]]
        self._wire.cancelled = False
        if text_of(params) == "stale":
            session.idle()  # told again, with the reason of an older end
        session.accept(request)
        getattr(session, text_of(params), session.nothing)()

    def tool_call_cancel(self, request: Json, params: Json) -> None:
        session, name = self._sessions[params["sessionId"]], params["toolCallId"]
        match name:
            case "silent":
                return
            case "fragile":
                os._exit(3)
            case "late":
                session.end_of("tool_call", name, status="completed")
                self._wire.error(request, -32602, "It is final")
            case "server":
                self._wire.result(request, {})
                session.end_of("tool_call", name, status="cancelled")
            case _:
                self._wire.error(request, -32602, "It must go on")

    def terminal_cancel(self, request: Json, params: Json) -> None:
        assert params["terminalId"] == "t1"
        self._wire.result(request, {})
        how = {"exitCode": None, "signal": "SIGTERM"}
        self._sessions[params["sessionId"]].end_of("terminal", "t1", exitStatus=how)

    def done(self, request: Json, _: Json) -> None:
        self._wire.result(request, {})

    auth_login = auth_logout = session_close = session_delete = done
