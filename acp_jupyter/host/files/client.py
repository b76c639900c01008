"""The SDK's handlers for the ``fs/`` methods."""

from __future__ import annotations

from typing import Any

import acp
from acp.schema import ReadTextFileResponse, WriteTextFileResponse

from acp_jupyter.errors import FileMissing, FileOutside, FileRefused
from acp_jupyter.host.files.agent import AgentFiles

__all__ = ["FileHandlers"]

_RESOURCE_NOT_FOUND = -32002
_INVALID_PARAMS = -32602


class FileHandlers:
    """Answers an agent's requests for files; a part of the SDK's ``Client``."""

    files: AgentFiles

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **kwargs: Any,
    ) -> ReadTextFileResponse:
        """ACP: fs/read_text_file; unsaved text of open documents counts before the disk."""
        try:
            content = await self.files.read(path, line, limit)
        except (FileMissing, FileOutside) as error:
            # Some agents look for a file in every folder above.
            raise acp.RequestError(_RESOURCE_NOT_FOUND, error.message, {"path": path}) from None
        except FileRefused as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        return ReadTextFileResponse(content=content)

    async def write_text_file(
        self,
        session_id: str,
        path: str,
        content: str,
        **kwargs: Any,
    ) -> WriteTextFileResponse:
        """ACP: fs/write_text_file."""
        try:
            await self.files.write(path, content)
        except (FileRefused, FileMissing) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        return WriteTextFileResponse()
