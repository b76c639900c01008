"""The notebook tools of a session, as its agent has them."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_jupyter.agents.demo.mcp_client import McpClient, McpError, StdioServer, texts
from acp_jupyter.agents.rpc import Json

__all__ = ["NO_TOOLS", "SERVER_NAME", "Picture", "ToolAnswer", "Toolbox"]

SERVER_NAME = "notebook"
NO_TOOLS = (
    "There are no notebook tools in this session, so this agent can't look into a kernel or a "
    "notebook. They come with a notebook that is open in JupyterLab or Notebook 7 with the "
    "acp-jupyter server extension; `--no-tools` turns them off.\n"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in an answer, base64."""

    data: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered."""

    text: str
    pictures: tuple[Picture, ...]
    failed: bool


@dataclass(slots=True)
class Toolbox:
    """Starts the server of the notebook tools when it is first needed."""

    servers: tuple[StdioServer, ...]
    _client: McpClient | None = field(default=None, repr=False)

    @property
    def available(self) -> bool:
        """Whether the session has notebook tools."""
        return any(server.name == SERVER_NAME for server in self.servers)

    async def call(self, tool: str, arguments: Json) -> ToolAnswer:
        """Call a tool.

        Raises
        ------
        McpError
            There is none, or it can't be reached.
        """
        server = next((each for each in self.servers if each.name == SERVER_NAME), None)
        if server is None:
            raise McpError("there are none in this session")
        if self._client is None or not self._client.alive:
            self._client = await McpClient.start(server)
        result = await self._client.request("tools/call", {"name": tool, "arguments": arguments})
        content = result.get("content")
        parts = content if isinstance(content, list) else []
        return ToolAnswer(
            text="\n".join(texts(parts)),
            pictures=tuple(found for found in map(_picture, parts) if found is not None),
            failed=result.get("isError") is True,
        )

    def end(self) -> None:
        """End the server, if it was started."""
        if self._client is not None:
            self._client.end()


def _picture(part: object) -> Picture | None:
    match part:
        case {"type": "image", "data": str(data), "mimeType": str(mime_type)}:
            return Picture(data, mime_type)
        case _:
            return None
