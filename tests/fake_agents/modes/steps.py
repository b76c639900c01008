"""Agents that do step by step what a test has written down."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

from _wire import Json, Wire, in_turns, own_name, serve

# -- terminals, and requests after the turn ------------------------------------


@in_turns
def terminal_script(wire: Wire, session_id: str, text: str) -> str:
    """Do what the prompt says with terminals, and tell what was answered.

    The prompt is a JSON list of steps: ``{"ask": METHOD, "params": {…}, "as": NAME}`` sends a
    request, ``{"update": {…}}`` an update, ``{"rest": SECONDS}`` waits. ``$NAME`` stands for the id
    of the terminal that the step of that name made. The answers are said as a JSON list.
    """
    made: dict[str, str] = {}

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return made.get(value, value) if isinstance(value, str) else value

    answers: list[Json] = []
    for step in json.loads(text):
        if "update" in step:
            update = filled(step["update"])
            wire.update(session_id, update.pop("sessionUpdate"), **update)
        elif "rest" in step:
            wire.rest(step["rest"])
        else:
            answer = wire.ask(step["ask"], {"sessionId": session_id, **filled(step["params"])})
            answers.append(answer.get("error") or answer["result"])
            if "as" in step and "result" in answer:
                made[f"${step['as']}"] = answer["result"]["terminalId"]
    wire.text(session_id, json.dumps(answers))
    return "end_turn"


class _Late(Wire):
    """Does what is left to do once it has answered."""

    left: Json | None = None

    def result(self, request: Json, result: Any) -> None:
        super().result(request, result)
        left, self.left = self.left, None
        if left is None:
            return
        while not os.path.exists(left["go"]):
            time.sleep(0.01)
        session_id = request["params"]["sessionId"]
        answers = []
        for step in left["steps"]:
            answers.append(self.ask(step["ask"], {"sessionId": session_id, **step["params"]}))
        made = f"{left['answers']}.part"
        with open(made, "w") as file:
            json.dump(answers, file)
        os.rename(made, left["answers"])


def acts_late() -> None:
    """End the turn, and ask for more afterwards, as a process that an agent left behind does.

    The prompt is JSON: ``steps`` are requests, ``{"ask": METHOD, "params": {…}}``, that are made
    once the file ``go`` is there; their answers are written to the file ``answers``. Any other
    prompt is repeated.
    """

    def prompt(wire: _Late, session_id: str, text: str) -> str:
        if text.startswith("{"):
            wire.left = json.loads(text)
        else:
            wire.text(session_id, f"Heard: {text}")
        return "end_turn"

    serve(prompt, _Late())


# -- scenes --------------------------------------------------------------------

COMMANDS = [
    {"name": "review", "description": "Review the changes of this session"},
    {"name": "compact", "description": "Summarise the session to free context"},
    {"name": "init", "description": "Write notes about this project"},
]
CHOICES: dict[str, list[tuple[str, str, str]]] = {
    "mode": [
        ("ask", "Ask before edits", "Asks for each edit and command"),
        ("accept", "Accept edits", "Edits files without asking"),
        ("plan", "Plan", "Reads and plans, changes nothing"),
    ],
    "model": [("sonnet", "Sonnet 4.5", "Good at code"), ("haiku", "Haiku 4.5", "Fast")],
}


def plays(title: str, version: str) -> None:
    """Play a scene that a test has written: what an agent says and does in one turn.

    The file ``.scene.json`` of the session's folder has a list of steps:
    ``{"update": {…}}`` sends an update, ``{"write": PATH, "text": …}`` changes a file,
    ``{"ask": [PARAMS, …]}`` asks for these permissions at once and waits for the answers,
    ``{"fail": WORDS}`` ends the turn in an error, ``{"die": WORDS}`` the agent, with them on
    stderr, ``{"hold": NAME}`` waits for a file ``NAME`` in the folder's sister ``.go-FOLDER``, and
    ``{"rest": SECONDS}`` for time to pass.
    """
    can = {"promptCapabilities": {"image": True, "embeddedContext": True}}
    info = {"name": own_name(), "title": title, "version": version}
    serve(_play, _Stage(), agentCapabilities=can, agentInfo=info)


class _Stage(Wire):
    """Offers choices and commands with each session, and may end a turn in an error."""

    def __init__(self) -> None:
        super().__init__()
        self.failure = ""
        self.chosen = {name: choices[0][0] for name, choices in CHOICES.items()}

    def next(self) -> Json | None:
        message = super().next()
        if message is not None and message.get("method") == "session/set_config_option":
            self.chosen[message["params"]["configId"]] = message["params"]["value"]
            self.result(message, {"configOptions": self.options()})
            return self.next()
        return message

    def result(self, request: Json, result: Any) -> None:
        if self.failure:
            self.error(request, -32603, self.failure)
            self.failure = ""
            return
        opens = request.get("method") == "session/new"
        super().result(request, {**result, "configOptions": self.options()} if opens else result)
        if opens:
            session_id = result["sessionId"]
            self.update(session_id, "available_commands_update", availableCommands=COMMANDS)

    def options(self) -> list[Json]:
        return [
            {
                "id": name,
                "name": name.title(),
                "category": name,
                "type": "select",
                "currentValue": self.chosen[name],
                "options": [
                    {"value": value, "name": title, "description": words}
                    for value, title, words in choices
                ],
            }
            for name, choices in CHOICES.items()
        ]

    def hold(self, folder: str, name: str) -> None:
        above, own = os.path.split(folder)
        sign = os.path.join(above, f".go-{own}", name)
        while not os.path.exists(sign) and not self.rest(0.1):
            pass

    def ask_all(self, session_id: str, asked: list[Json]) -> None:
        for number, params in enumerate(asked):
            params = {"sessionId": session_id, **params}
            self.request(f"p{number}", "session/request_permission", params)
        for number in range(len(asked)):
            self.response(f"p{number}")


def _play(wire: _Stage, session_id: str, _text: str) -> str:
    folder: str = wire.opened[session_id]["cwd"]
    with open(os.path.join(folder, ".scene.json")) as scene:
        steps: list[Json] = json.load(scene)
    for step in steps:
        match step:
            case {"update": update}:
                wire.update(session_id, update.pop("sessionUpdate"), **update)
            case {"write": path, "text": content}:
                whole = os.path.join(folder, path)
                os.makedirs(os.path.dirname(whole), exist_ok=True)
                with open(whole, "w") as file:
                    file.write(content)
            case {"ask": asked}:
                wire.ask_all(session_id, asked)
            case {"hold": name}:
                wire.hold(folder, name)
            case {"rest": seconds}:
                wire.rest(seconds)
            case {"fail": words}:
                wire.failure = words
            case {"die": words}:
                print(words, file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            case _:
                raise ValueError(step)
        if wire.cancelled:
            break
    return "end_turn"
