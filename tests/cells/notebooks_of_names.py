"""Notebooks, and which of their cells depend on which: a table that marimo agrees with."""

from __future__ import annotations

from typing import NamedTuple


class NamedNotebook(NamedTuple):
    what: str
    sources: tuple[str, ...]
    dependents: tuple[tuple[int, ...], ...]
    """For each cell, the cells that depend on it, also by way of others."""


def _each(what: str, cells: dict[str, tuple[int, ...]]) -> NamedNotebook:
    return NamedNotebook(what, tuple(cells), tuple(cells.values()))


LIKE_MARIMO = (
    _each("a chain", {"a = 1": (1, 2), "b = a + 1": (2,), "print(b)": ()}),
    _each("two that don't meet", {"a = 1": (2,), "b = 2": (3,), "print(a)": (), "print(b)": ()}),
    _each("imports", {"import numpy as np": (1, 2), "x = np.zeros(3)": (2,), "x.sum()": ()}),
    _each("import of a submodule", {"import os.path": (1,), "os.getcwd()": ()}),
    _each("from import", {"from math import pi as p, tau": (1, 2), "p * 2": (), "tau": ()}),
    _each(
        "a function's body",
        {"k = 2": (1, 2), "def f(x):\n    return x * k": (2,), "f(3)": ()},
    ),
    _each(
        "arguments and locals are a function's own",
        {"x = 1": (), "def f(x):\n    y = x\n    return y": (2,), "f(3)": ()},
    ),
    _each(
        "a closure",
        {
            "n = 1": (1, 2),
            "def outer():\n    m = 2\n    def inner():\n        return m + n\n    return inner": (
                2,
            ),
            "outer()()": (),
        },
    ),
    _each("a default is read at once", {"d = 1": (1,), "def f(x=d):\n    return x": ()}),
    _each("a lambda", {"k = 1": (1, 2), "f = lambda x, y=k: x + y": (2,), "f(1)": ()}),
    _each(
        "a decorator",
        {"def deco(f):\n    return f": (1, 2), "@deco\ndef g():\n    pass": (2,), "g()": ()},
    ),
    _each("an annotation", {"class T:\n    pass": (1,), "def f(x: T) -> T:\n    return x": ()}),
    _each("a list comprehension", {"xs = [1]": (1,), "[i for i in xs]": (), "i = 5": ()}),
    _each(
        "comprehensions within each other",
        {"rows = [[1]]": (2,), "c = 2": (2,), "[v * c for row in rows for v in row if v]": ()},
    ),
    _each(
        "a dict comprehension",
        {"d = {}": (1, 2), "e = {k: v for k, v in d.items()}": (2,), "e": ()},
    ),
    _each("a generator", {"xs = [1]": (1, 2), "g = (x for x in xs)": (2,), "sum(g)": ()}),
    _each("augmented assignment", {"t = 0": (1, 2), "u = 1\nu += t": (2,), "u": ()}),
    _each("a tuple", {"a, (b, *c) = 1, (2, 3)": (1, 2, 3), "a": (), "b": (), "c": ()}),
    _each("a for loop", {"xs = [1]": (1, 2), "for x in xs:\n    last = x": (2,), "last": ()}),
    _each("with", {"p = 'f'": (1, 2), "with open(p) as f:\n    text = f.read()": (2,), "text": ()}),
    _each(
        "try and except",
        {
            "v = '1'": (1, 2),
            "try:\n    n = int(v)\nexcept ValueError as e:\n    n = str(e)": (2,),
            "n": (),
        },
    ),
    _each(
        "a class body",
        {
            "base = 1": (1, 2),
            "class A:\n    x = base\n    def m(self):\n        return self.x": (2,),
            "A().x": (),
        },
    ),
    _each("a base class", {"class A:\n    pass": (1, 2), "class B(A):\n    pass": (2,), "B()": ()}),
    _each("attributes are not names", {"x = 1": (), "class C:\n    x = 2": (2,), "C.x": ()}),
    _each("keywords are not names", {"sep = 1": (), "print('a', sep='')": ()}),
    _each("own names first", {"a = 1": (2,), "b = 1\nb + 1": (), "a": ()}),
    _each(
        "if, while",
        {"c = True": (1, 2), "if c:\n    r = 1\nelse:\n    r = 2": (2,), "while r:\n    break": ()},
    ),
    _each("an f-string", {"w = 1": (2,), "v = 2": (2,), "f'{v:>{w}}'": ()}),
    _each("walrus", {"s = 'a'": (1, 2), "if (m := s.upper()):\n    pass": (2,), "m": ()}),
    _each(
        "match",
        {
            "p = [1]": (1, 2),
            "match p:\n    case [q, *_]:\n        pass\n    case _:\n        q = 0": (2,),
            "q": (),
        },
    ),
    _each("global in a function", {"def f():\n    global g\n    g = 1": (1,), "g": ()}),
    _each("await", {"async def f():\n    return 1": (1, 2), "r = await f()": (2,), "r": ()}),
    _each("a name of a builtin", {"sum = max": (1,), "sum([1])": ()}),
    _each("starred and subscripts read", {"a = [1]": (2,), "i = 0": (2,), "print(*a[i:])": ()}),
    _each("recursion", {"def fact(n):\n    return n and n * fact(n - 1)": (1,), "fact(3)": ()}),
    _each("a nested class", {"k = 1": (1,), "class A:\n    class B:\n        v = k": ()}),
    _each("conditional expression", {"a = 1": (2,), "b = 2": (2,), "1 if a else b": ()}),
)

IN_JUPYTER_ONLY = (
    _each("an item is set", {"d = {}": (1, 2), "d['a'] = 1": (2,), "d": ()}),
    _each("an attribute is set", {"o = f": (1, 2), "o.a.b = 1": (2,), "o": ()}),
    _each("an item is deleted", {"d = {}": (1, 2), "del d['a']": (2,), "d": ()}),
    _each("a name is set again", {"a = 1": (1, 2), "a = a + 1": (2,), "a": ()}),
    _each("a name is changed", {"a = 1": (1, 2), "a += 1": (2,), "a": ()}),
    _each("a name is deleted", {"a = 1": (1,), "del a": ()}),
    _each(
        "an own item is not the cell's", {"d = 1": (), "def f():\n    d = {}\n    d['a'] = 1": ()}
    ),
    _each("%time", {"a = 1": (1, 2), "%time b = a": (2,), "b": ()}),
    _each("%%time", {"a = 1": (1, 2), "%%time\nb = a": (2,), "b": ()}),
    _each("%%capture", {"a = 1": (1, 2), "%%capture out\nprint(a)": (2,), "out": ()}),
    _each("%timeit sets nothing", {"a = 1": (1,), "%timeit b = a": (), "b": ()}),
    _each("!", {"name = 'x'": (1, 2), "files = !ls {name}": (2,), "files": ()}),
    _each("$", {"name = 'x'": (1,), "!echo $name": ()}),
    _each("a question", {"a = 1": (), "a?": ()}),
    _each("a syntax error", {"a = 1": (2,), "b = (a": (), "a": ()}),
    _each("another language", {"a = 1": (), "%%bash\necho a": ()}),
    _each("a prompt", {"df = 1": (), "%%acp --var df --out turn\nHello": (2,), "turn.text": ()}),
    _each(
        "a name in an except clause",
        {"e = 1": (2,), "try:\n    f()\nexcept E as e:\n    e": (), "e": ()},
    ),
    _each(
        "a function that uses what stands below it, when it is called",
        {"def f():\n    return z": (2,), "z = 1": (2,), "f()": ()},
    ),
    _each("import *", {"from math import *": (), "pi": ()}),
)
