"""Why a variant gets no kernel of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from acp_jupyter.features.variants.kernel_request import NoKernel, VariantKernelRequest
from acp_jupyter.features.variants.own_kernels import VariantKernels
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.workspace.copied_folders import FolderCopy
from acp_jupyter.protocol.host_events.session import Variant
from tests.notebook_tools.in_process import Dictionary

if TYPE_CHECKING:
    from acp_jupyter.host.workspace.copied_folders import CopiedFolders


class FakeStarter:
    """Knows one kernel, and starts none."""

    def spec_of(self, kernel_id: str) -> str:
        return "python3" if kernel_id == "known" else ""

    async def start(self, kernel_id: str, spec: str, notebook: Path) -> None:
        raise NotImplementedError

    async def stop(self, kernel_id: str) -> None:
        raise NotImplementedError


async def removed(_copy: FolderCopy) -> None:
    raise NotImplementedError


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kernel_id", "notebook", "words"),
    [
        ("another", "n.ipynb", "this server has not started the notebook's kernel"),
        ("known", "../n.ipynb", "n.ipynb is not in the folder that is copied"),
        ("known", "n.ipynb", "n.ipynb is not in the copy, or can't be read"),
    ],
)
async def test_it_is_said_why_there_is_none(
    kernel_id: str, notebook: str, words: str, tmp_path: Path
) -> None:
    folder, copied = tmp_path / "ws", tmp_path / "copy"
    folder.mkdir()
    copied.mkdir()
    copy = FolderCopy(cast("CopiedFolders", None), tmp_path, copied, removed)
    variant = Variant(try_id="t", number=1, folder=str(folder))
    request = VariantKernelRequest(variant, copy, folder / notebook, kernel_id, "c1", "none")
    kernel = Dictionary()
    planned = await VariantKernels(FakeStarter(), kernel, kernel, Limits()).plan(request)
    assert isinstance(planned, NoKernel)
    assert words in str(planned)
