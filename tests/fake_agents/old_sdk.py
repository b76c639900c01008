#!/usr/bin/env python3
"""An agent built on the protocol's Python SDK: a plan, a thought, text, and an edit if allowed.

It is a script of its own because nothing of it is ours: its test runs it on the SDK of a year ago.
"""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp import schema


class Agent:
    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> acp.InitializeResponse:
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=schema.AgentCapabilities(),
            agent_info=schema.Implementation(name="old_sdk", version="0.7.1"),
        )

    async def new_session(self, cwd: str, **_: Any) -> acp.NewSessionResponse:
        self.file = f"{cwd}/a.txt"
        return acp.NewSessionResponse(session_id="s1")

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> acp.PromptResponse:
        async def say(update: Any) -> None:
            await self.client.session_update(session_id, update)

        steps = [acp.plan_entry("Look", status="in_progress"), acp.plan_entry("Write")]
        await say(acp.update_plan(steps))
        await say(acp.update_agent_thought_text("First the file."))
        for words in ("One ", "two ", "three."):
            await say(acp.update_agent_message_text(words))
        await say(acp.start_edit_tool_call("c1", "Edit a.txt", path=self.file, content="new"))
        answer = await self.client.request_permission(
            options=[
                schema.PermissionOption(option_id="y", name="Yes", kind="allow_once"),
                schema.PermissionOption(option_id="n", name="No", kind="reject_once"),
            ],
            session_id=session_id,
            tool_call=schema.ToolCallUpdate(
                tool_call_id="c1", title="Edit a.txt", kind="edit", status="pending"
            ),
        )
        allowed = getattr(answer.outcome, "option_id", None) == "y"
        if allowed:
            await self.client.write_text_file("new", self.file, session_id)
        await say(
            acp.update_tool_call(
                "c1",
                status="completed" if allowed else "failed",
                content=[acp.tool_diff_content(self.file, "new", "old")],
                raw_output={"sdk": acp.__file__},
            )
        )
        return acp.PromptResponse(stop_reason="end_turn")


agent: Any = Agent()  # today's SDK asks for more methods
asyncio.run(acp.run_agent(agent))
