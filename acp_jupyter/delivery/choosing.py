"""Mode and options of an agent, chosen by its user or by a kernel."""

from __future__ import annotations

from collections.abc import Mapping

from acp_jupyter.delivery.callers import Caller, KernelCaller
from acp_jupyter.host.session import Session
from acp_jupyter.packets.notes import HostNotice

__all__ = ["choose"]

_NOTICE_CHARACTERS = 500


async def choose(
    session: Session, caller: Caller, *, mode: str | None, config: Mapping[str, str | bool]
) -> None:
    """Set them at the agent. They are the agent's own, so they count for whoever prompts next.

    What a kernel chooses is therefore told in the session, once for each change.

    Raises
    ------
    AcpError
        The agent does not offer it, or does not start.
    """
    state = session.state
    if mode is not None:
        await session.set_mode(mode)
        if mode != state.current_mode_id:
            names = {each.id: each.name for each in state.modes}
            _tell(session, caller, "Mode", names.get(mode) or mode)
    for config_id, value in config.items():
        await session.set_config(config_id, value)
        option = next((each for each in state.config_options if each.id == config_id), None)
        if option is None:
            _tell(session, caller, config_id, str(value))
        elif value != option.current_value:
            names = {choice.value: choice.name for choice in option.choices}
            _tell(session, caller, option.name or config_id, names.get(str(value)) or str(value))


def _tell(session: Session, caller: Caller, what: str, value: str) -> None:
    if isinstance(caller, KernelCaller):
        text = f"A cell of the notebook chose {what}: {value}. It counts for your messages, too."
        session.journal.note(HostNotice(text=text[:_NOTICE_CHARACTERS]))
