"""The code of a plot: a few lines of matplotlib, or of the standard library where there is none."""

from __future__ import annotations

import base64
import binascii

from acp_jupyter.agents.demo.cells import Variable
from acp_jupyter.agents.demo.toolbox import Picture

__all__ = ["can_plot", "picture_words", "plot_code"]

_FRAMES = ("DataFrame", "Series")
_LISTS = ("list", "tuple", "range", "ndarray", "array", "dict", "deque")
_PNG_HEADER = b"\x89PNG\r\n\x1a\n"

_FRAME = """\
import matplotlib.pyplot as plt

{name}.plot(title="{name}")
plt.show()"""
_LIST = """\
import matplotlib.pyplot as plt

plt.bar(range(len({values})), {values})
plt.title("{name}")
plt.show()"""
_BY_HAND = """\
# There is no matplotlib here, so the bars are drawn by hand.
import struct
import zlib

from IPython.display import Image


def draw_bars(values):
    bars = [round(200 * max(0, value) / (max(values) or 1)) for value in values]
    blue, white = bytes([48, 112, 176]), bytes([255, 255, 255])
    rows = [
        bytes(1) + b"".join((blue if y < bar else white) * 40 + white * 8 for bar in bars)
        for y in range(209, -1, -1)
    ]
    size = struct.pack(">IIBBBBB", 48 * len(bars), len(rows), 8, 2, 0, 0, 0)
    png = bytes([137, *b"PNG", 13, 10, 26, 10])
    for kind, data in (b"IHDR", size), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""):
        png += struct.pack(">I", len(data)) + kind + data
        png += struct.pack(">I", zlib.crc32(kind + data))
    return Image(png)


draw_bars([float(value) for value in {values}][:60])"""


def can_plot(variable: Variable) -> bool:
    """Tell whether there may be numbers in it, by its type."""
    return variable.type.rpartition(".")[2] in (*_FRAMES, *_LISTS)


def plot_code(variable: Variable, *, has_matplotlib: bool) -> str:
    """Return the code of a cell that plots a variable."""
    name, kind = variable.name, variable.type.rpartition(".")[2]
    values = {"dict": f"list({name}.values())", "DataFrame": f"{name}.iloc[:, -1]"}.get(kind, name)
    if not has_matplotlib:
        return _BY_HAND.format(values=values)
    return (_FRAME if kind in _FRAMES else _LIST).format(name=name, values=values)


def picture_words(picture: Picture) -> str:
    """Say what kind of picture it is, and how large: so that it is known that it was seen."""
    try:
        head = base64.b64decode(picture.data[:64], validate=True)
    except (binascii.Error, ValueError):
        head = b""
    if not head.startswith(_PNG_HEADER) or len(head) < 24:
        return f"a picture of the type {picture.mime_type}"
    width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
    return f"a PNG of {width} × {height} pixels"
