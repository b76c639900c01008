"""What is repeated until a pattern chokes on it: a table that tests and the benchmark share.

Each piece begins, or almost completes, something that this code base or a library below it looks
for: secrets, paths, Markdown, HTML, terminal sequences, diffs, commands, JSON. Add a row where a
new pattern looks for something new.
"""

from __future__ import annotations

__all__ = ["REPEATED", "corpus"]

REPEATED: dict[str, str] = {
    "token, three parts": "eyJ",
    "token, almost": "eyJhbGciOiJIUzI1NiJ9.",
    "api key": "sk-",
    "access key": "AKIA",
    "bearer": "Bearer a.",
    "address with a password": "://a:",
    "address": "https://example.org/a?b=",
    "private key": "-----BEGIN A PRIVATE KEY-----\n",
    "dashes": "-",
    "assignment": "API_KEY=",
    "fence": "```\n",
    "backticks": "`",
    "tag": "<",
    "comment": "<!--",
    "bracket": "[",
    "link": "](",
    "picture": "![a](data:image/png;base64,AAAA",
    "stars": "*",
    "underscores": "_a",
    "table": "|-",
    "formula": "$$\\",
    "terminal colour": "\x1b[",
    "terminal title": "\x1b]8;;",
    "home": "/home/",
    "tilde": "~/",
    "dots": "../",
    "json": '{"',
    "diff": "diff --git a/a b/a\n@@ ",
    "command": "$(",
    "quotes": "\"'",
    "backslashes": "\\",
    "spaces": " \t",
    "newlines": "\n",
    "returns": "a\r",
    "odd characters": "e\u0301\u200b\u202e\ud83d",
}
"""By what they are about; the last one has half a pair of surrogates in it."""


def corpus(name: str, size: int) -> str:
    """Return ``size`` characters of one piece, again and again."""
    piece = REPEATED[name]
    return (piece * (size // len(piece) + 1))[:size]
