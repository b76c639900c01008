"""Settings for a session from a cell, a line or a program: mode, model, options, by id or name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from acp_jupyter.errors import BadRequest
from acp_jupyter.transcript.model.session_state import ConfigOption, SessionState

_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that a cell or a line requests."""

    mode: str | None = None
    model: str | None = None
    config: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return self.mode is None and self.model is None and not self.config

    def changes(self, state: SessionState) -> SettingChanges:
        """Return the changes that the session needs."""
        found = SettingChanges()
        if self.mode is not None:
            _change_mode(found, state, self.mode)
        if self.model is not None:
            _change(found, _of_category(state, "model"), self.model)
        for name, value in self.config:
            _change(found, find_option(state, name), value)
        return found


@dataclass(slots=True)
class SettingChanges:
    """Settings of a session to change."""

    mode: str | None = None
    config: dict[str, str | bool] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.mode is not None or bool(self.config)


def split_setting(text: str) -> tuple[str, str]:
    """Return name and value of ``K=V``."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise BadRequest(f"{text!r} is not a setting. Type NAME=VALUE.")
    return name.strip(), value.strip()


def find_option(state: SessionState, name: str) -> ConfigOption:
    """Return the option of that id or name."""
    for option in state.config_options:
        if name == option.id or name.casefold() == option.name.casefold():
            return option
    known = ", ".join(option.id for option in state.config_options)
    what = f"It has: {known}." if known else "It has none."
    raise BadRequest(f"{state.agent_info.name} has no option {name!r}. {what}")


def values_of(option: ConfigOption) -> list[str]:
    """Return the possible values of an option."""
    if option.type == "boolean":
        return ["true", "false"]
    return [choice.value for choice in option.choices]


def _of_category(state: SessionState, category: str) -> ConfigOption:
    found = next((each for each in state.config_options if each.category == category), None)
    if found is None:
        raise BadRequest(f"{state.agent_info.name} offers no choice of its {category}.")
    return found


def _change_mode(found: SettingChanges, state: SessionState, named: str) -> None:
    if not state.modes:
        _change(found, _of_category(state, "mode"), named)
        return
    pairs = [(mode.id, mode.name) for mode in state.modes]
    mode = _value(pairs, named, f"{state.agent_info.name} has no mode {named!r}.")
    if mode != state.current_mode_id:
        found.mode = mode


def _change(found: SettingChanges, option: ConfigOption, named: str) -> None:
    value: str | bool
    if option.type == "boolean":
        value = _flag(option, named)
    else:
        pairs = [(choice.value, choice.name) for choice in option.choices]
        value = _value(pairs, named, f"{option.name or option.id} can't be {named!r}.")
    if value != option.current_value:
        found.config[option.id] = value


def _flag(option: ConfigOption, named: str) -> bool:
    if named.casefold() in _YES | _NO:
        return named.casefold() in _YES
    raise BadRequest(f"{option.name or option.id} can't be {named!r}. Type true or false.")


def _value(pairs: Sequence[tuple[str, str]], named: str, complaint: str) -> str:
    for value, _ in pairs:
        if named == value:
            return value
    for value, name in pairs:
        if named.casefold() in {value.casefold(), name.casefold()}:
            return value
    raise BadRequest(f"{complaint} There are: {', '.join(value for value, _ in pairs)}.")
