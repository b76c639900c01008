"""JupyterLab in a browser."""

from tests.e2e.conftest import lab, pytest_runtest_makereport, server, visitor, workspace

__all__ = ["lab", "pytest_runtest_makereport", "server", "visitor", "workspace"]
