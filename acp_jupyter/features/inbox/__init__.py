"""The inbox: a page for a phone with what waits for an answer, what runs and what has ended.

`pages` serves it. It uses the same WebSocket and commands as every page; JupyterLab shows the same
list as a view.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature

FEATURE = Feature(pages="pages:PAGES")
