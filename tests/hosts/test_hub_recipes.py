"""The recipes of the page on JupyterHub, as far as they can be checked without a cluster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from traitlets.config import Config

from acp_jupyter.host.bounds import Bounds
from acp_jupyter.server.extension import AcpJupyter

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "jupyterhub.md"


def block(opening: str) -> str:
    """Return the block of the page that begins so."""
    found = re.search(rf"^```{re.escape(opening)}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert found is not None, opening
    return found[1]


def configured(code: str) -> dict[str, dict[str, Any]]:
    """Return what a configuration file sets."""
    config = Config()
    exec(compile(code, str(PAGE), "exec"), {"c": config})
    return {name: dict(section) for name, section in config.items()}


def test_the_bounds_in_the_values_are_settings_that_fit_together() -> None:
    values = yaml.safe_load(block("yaml"))
    (file,) = values["singleuser"]["extraFiles"].values()
    settings = configured(file["stringData"])
    # `jupyter_server_config.py` there is the image's own.
    assert file["mountPath"] == "/etc/jupyter/jupyter_config.py"
    assert list(settings) == ["AcpJupyter"]
    assert set(settings["AcpJupyter"]) <= set(AcpJupyter.class_traits(config=True))
    AcpJupyter(**settings["AcpJupyter"])  # which refuses values that are not of their kind
    assert Bounds.of(settings["AcpJupyter"]).policies == ("ask", "read-only")


def test_the_values_cull_later_than_the_hub_hears_of_activity() -> None:
    values = yaml.safe_load(block("yaml"))
    heard_seconds = 300
    assert values["cull"]["timeout"] > 2 * heard_seconds
    assert set(values["cull"]) == {"enabled", "timeout", "every"}


def test_image_and_volume_are_the_same_everywhere() -> None:
    values = yaml.safe_load(block("yaml"))["singleuser"]
    docker = configured(block("{code-block} python").partition("\n\n")[2])["DockerSpawner"]
    assert docker["image"] == f"{values['image']['name']}:{values['image']['tag']}"
    (mounted,) = docker["volumes"].values()
    assert mounted == docker["notebook_dir"]


def test_the_image_is_built_of_these() -> None:
    lines = re.sub(r"\\\n\s*", "", block("dockerfile")).splitlines()
    wanted = (
        "FROM quay.io/jupyter/",
        'RUN pip install --no-cache-dir "acp-jupyter[lab]"',
        "COPY jupyter_config.py /etc/jupyter/jupyter_config.py",
        "USER root",
        "RUN chmod -R g-w /etc/jupyter/",
        "USER ${NB_UID}",
    )
    built = [line for line in lines if not line.startswith("#")]
    assert len(built) == len(wanted)
    for line, begin in zip(built, wanted, strict=True):
        assert line.startswith(begin)
