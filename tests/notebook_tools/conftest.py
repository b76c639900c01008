from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.sessions.session import Session
from tests.notebook_tools.in_process import KERNEL, Dictionary, host_with_tools, write_notebook
from tests.support.host.driver import Driver


@pytest.fixture
def kernel() -> Dictionary:
    return Dictionary()


@pytest.fixture
def driver(tmp_path: Path, kernel: Dictionary) -> Iterator[Driver]:
    with host_with_tools(tmp_path, kernel) as driver:
        yield driver


@pytest.fixture
def path(driver: Driver) -> Path:
    path = driver.root / "n.ipynb"
    write_notebook(path, "%%acp demo\nDo it.", "a = 1", "print(a)\nplot()")
    return path


@pytest.fixture
def session(driver: Driver, path: Path) -> Session:
    session = driver.open("notebook_user", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    driver.run(session.attach)
    return session
