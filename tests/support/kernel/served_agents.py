"""An agent that a cell serves: its source, as a person would write it with the protocol's SDK."""

from __future__ import annotations

__all__ = ["LIBRARIAN", "SERVE"]

LIBRARIAN = """
import asyncio, threading
import acp, acp_jupyter

greeting = "Hello"
told = {}            # what was said, by session: it outlives the class
began, released = threading.Event(), threading.Event()

class Librarian(acp.Agent):
    word = "first"

    def on_connect(self, conn):
        self.conn = conn

    async def initialize(self, protocol_version, **kwargs):
        can = acp.schema.AgentCapabilities(load_session=True)
        return acp.InitializeResponse(protocol_version=1, agent_capabilities=can)

    async def load_session(self, session_id, **kwargs):
        return acp.LoadSessionResponse()

    async def prompt(self, prompt, session_id, **kwargs):
        text = prompt[0].text
        told.setdefault(session_id, []).append(text)
        self.stopped = asyncio.Event()
        await getattr(self, text.split()[0])(session_id, text)
        reason = "cancelled" if self.stopped.is_set() else "end_turn"
        return acp.PromptResponse(stop_reason=reason)

    async def cancel(self, session_id, **kwargs):
        self.stopped.set()

    async def say(self, session_id, text):
        for word in (greeting, ", ", text.removeprefix("say ")):
            await self._update(session_id, acp.update_agent_message(acp.text_block(word)))

    async def which(self, session_id, text):
        words = f"the {self.word} class, {len(told[session_id])} messages"
        await self._update(session_id, acp.update_agent_message(acp.text_block(words)))

    async def edit(self, session_id, text):
        await self._update(session_id, acp.update_plan([acp.plan_entry("Edit the list")]))
        path = folder + "/list.txt"
        diff = acp.tool_diff_content(path, "new\\n", "old\\n")
        await self._update(
            session_id,
            acp.start_tool_call("c1", "Edit list.txt", kind="edit", content=[diff]),
        )
        options = [
            acp.schema.PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
            acp.schema.PermissionOption(option_id="no", name="Reject", kind="reject_once"),
        ]
        call = acp.schema.ToolCallUpdate(tool_call_id="c1")
        answer = await self.conn.request_permission(
            options=options, session_id=session_id, tool_call=call
        )
        if getattr(answer.outcome, "option_id", "") == "yes":
            await self.conn.write_text_file(session_id=session_id, path=path, content="new\\n")
        await self._update(session_id, acp.update_tool_call("c1", status="completed"))

    async def wait(self, session_id, text):
        await self.say(session_id, "say waiting")
        await self.stopped.wait()

    async def stay(self, session_id, text):
        await self.say(session_id, "say staying ")
        began.set()
        await asyncio.to_thread(released.wait)
        await self.which(session_id, text)

    async def fail(self, session_id, text):
        raise ValueError("the shelf is empty")

    async def write(self, session_id, text):
        print("words of the agent")
        await self.say(session_id, "say written")

    async def block(self, session_id, text):
        began.set()
        released.wait()

    async def _update(self, session_id, update):
        await self.conn.session_update(session_id, update)
"""

SERVE = 'import os; folder = os.getcwd()\nacp_jupyter.serve(Librarian(), name="librarian")'
