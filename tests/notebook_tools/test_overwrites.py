"""Which variables a code would overwrite, without running it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.notebook_tools.kernel_tools import bound_names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("a = b = 1", "a b"),
        ("a, (b, *c) = x", "a b c"),
        ("a += 1\nb: int = 2\ndel c", "a b c"),
        ("df['x'] = 1\no.p.q = 2\nl[0][1] = 3", "df o l"),
        ("for i, j in x:\n    k = 1\nelse:\n    m = 1", "i j k m"),
        ("with open(p) as f, g() as (h, i):\n    pass", "f h i"),
        ("import os.path, numpy as np\nfrom a.b import c as d, e", "os np d e"),
        ("from os import *", ""),
        ("def f(x):\n    y = 1\n    global z\n    z = 2\nclass C:\n    w = 1", "f z C"),
        ("[q := i for i in x if (r := i)]\n{k: v for k, v in x}", "q r"),
        ("try:\n    a = 1\nexcept E as e:\n    b = 2", "a e b"),
        ("match x:\n    case {'k': a, **b}:\n        c = 1\n    case [d, *e] as f:\n        pass",
         "a b c d e f"),
        ("async def f():\n    pass\nasync for i in x:\n    pass", "f i"),
        ("%matplotlib inline\nx = %time 1\n  \nfiles = !ls\n!rm y\nz = 1", "x files z"),
        ("a = 1 % 2\nb = a != 2", "a b"),
        ("%%bash\nx=1", ""),
        ("this is no code", ""),
        ("print(a)", ""),
        ("(" * 5000, ""),
    ],
)  # fmt: skip
def test_names_that_code_binds(code: str, names: str) -> None:
    assert bound_names(code) == frozenset(names.split())


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    bound_names(text)
