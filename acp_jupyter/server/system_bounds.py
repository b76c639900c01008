"""The bounds of a server, from its settings and from the configuration of the whole machine.

In Jupyter a user's configuration overrides the machine's. For bounds both count: this reads the
machine's files again, and what they forbid stays forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH
from traitlets.config.loader import (
    Config,
    ConfigFileNotFound,
    JSONFileConfigLoader,
    PyFileConfigLoader,
)

from acp_jupyter.host.bounds import Bounds

_FILES = ("jupyter_config", "jupyter_server_config")


def bounds_of(settings: Mapping[str, Any], folders: Sequence[str] | None = None) -> Bounds:
    """Return the bounds that the settings and the machine's configuration both allow.

    Parameters
    ----------
    folders
        Folders with the machine's configuration; by default Jupyter's.
    """
    bounds = Bounds.of(settings)
    for config in _machine_configs(
        (*SYSTEM_CONFIG_PATH, *ENV_CONFIG_PATH) if folders is None else folders
    ):
        bounds = bounds.within(Bounds.of(config.get("AcpJupyter", {})))
    return bounds


def _machine_configs(folders: Sequence[str]) -> Iterator[Config]:
    for folder in folders:
        for name in _FILES:
            for loader, suffix in ((PyFileConfigLoader, ".py"), (JSONFileConfigLoader, ".json")):
                file = Path(folder) / (name + suffix)
                if file.is_file():
                    try:
                        yield loader(file.name, folder).load_config()
                    except ConfigFileNotFound:
                        continue
