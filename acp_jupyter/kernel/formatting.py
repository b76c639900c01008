"""``%%acp --format``: variables of the notebook in a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from acp_jupyter.errors import BadRequest

__all__ = ["expand"]

_MOST_CHARS = 1_000_000


def expand(prompt: str, names: Mapping[str, object]) -> str:
    """Replace each ``{name}`` by the variable, ``{name.attribute}`` and ``{name[key]}`` too.

    Raises
    ------
    BadRequest
        There is no such variable, or it can't be written.
    """
    try:
        expanded = Formatter().vformat(prompt, (), names)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of the user's own objects
        raise BadRequest(
            f"--format can't expand the prompt: {_words(error)} Write {{{{ and }}}} for braces."
        ) from None
    if len(expanded) > _MOST_CHARS:
        raise BadRequest(f"With its variables the prompt has {len(expanded):,} characters.")
    return expanded


def _words(error: BaseException) -> str:
    name = type(error).__name__
    try:
        match error:
            case KeyError(args=(missing, *_)) | NameError(args=(missing, *_)):
                return f"there is no variable {missing!r}."
            case IndexError():
                return "braces must name a variable."
            case _:
                return f"{name}: {error}."
    except Exception:  # noqa: BLE001 - the error can't be written either
        return f"{name}."
