"""The SDK's handlers for the ``fs/`` methods."""

from __future__ import annotations

from typing import Any

import acp
from acp.schema import ReadTextFileResponse, WriteTextFileResponse

from acp_jupyter.errors import FileMissing, FileOutside, FileRefused, NotAllowed
from acp_jupyter.host.asking import PermissionWithdrawn
from acp_jupyter.host.consent import Consent
from acp_jupyter.host.files.agent import AgentFiles

__all__ = ["FileHandlers"]

_RESOURCE_NOT_FOUND = -32002
_INVALID_PARAMS = -32602
_CANCELLED = -32800


class FileHandlers:
    """Answers an agent's requests for files; a part of the SDK's ``Client``."""

    files: AgentFiles

    def host_permissions_of(self, kwargs: dict[str, Any]) -> Consent:
        """Return what asks before the agent does something."""
        raise NotImplementedError

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **kwargs: Any,
    ) -> ReadTextFileResponse:
        """ACP: fs/read_text_file; unsaved text of open documents counts before the disk."""
        consent = self.host_permissions_of(kwargs)
        try:
            await consent.to_read(kwargs["request_seq"], path)
            content = await self.files.read(path, line, limit)
        except (FileMissing, FileOutside) as error:
            # Some agents look for a file in every folder above.
            raise acp.RequestError(_RESOURCE_NOT_FOUND, error.message, {"path": path}) from None
        except (FileRefused, NotAllowed) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        return ReadTextFileResponse(content=content)

    async def write_text_file(
        self,
        session_id: str,
        path: str,
        content: str,
        **kwargs: Any,
    ) -> WriteTextFileResponse:
        """ACP: fs/write_text_file."""
        consent = self.host_permissions_of(kwargs)

        async def allowed(old: str | None) -> None:
            await consent.to_write(kwargs["request_seq"], path, old, content)

        try:
            await self.files.write(path, content, allowed)
        except (FileRefused, FileMissing, NotAllowed) as error:
            raise acp.RequestError(_INVALID_PARAMS, error.message, {"path": path}) from None
        except PermissionWithdrawn:
            raise acp.RequestError(_CANCELLED, "Request cancelled") from None
        return WriteTextFileResponse()
