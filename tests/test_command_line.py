"""``jupyter acp``."""

from __future__ import annotations

import pytest

from acp_jupyter.command_line import main
from acp_jupyter.features import programs


@pytest.mark.parametrize("command", ["doctor", *programs()])
def test_each_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "-h"])
    assert ended.value.code == 0
    assert f"usage: jupyter acp {command}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [(), ("unknown",), ("--", "doctor")])
def test_what_is_no_command_is_an_error(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "COMMAND" in capsys.readouterr().err
