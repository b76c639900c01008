"""What is wrong with a message, in words for people."""

from __future__ import annotations

from pydantic import ValidationError

__all__ = ["sentence"]

_MOST_PLACES = 3
_MOST_CHARS = 200


def sentence(error: ValidationError) -> str:
    """Return one sentence on what does not fit; it never repeats the input."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    places = [
        f"{'.'.join(map(str, place['loc'])) or 'the whole'}: {place['msg']}"[:_MOST_CHARS]
        for place in errors
    ]
    rest = len(places) - _MOST_PLACES
    more = f"; and {rest} more" if rest > 0 else ""
    return f"The request is not valid ({'; '.join(places[:_MOST_PLACES])}{more})."
