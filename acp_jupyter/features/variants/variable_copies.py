"""Copies a kernel's variables to another kernel, through a file that dill writes.

All variables are written at once, so that objects that they share are shared in the copy. Variables
that can't be written are left out, and named. Objects of this kernel alone are never written: open
files, which the copy would write to, and objects that contain the kernel's key.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

from acp_jupyter.features.variants.copied_variables import CopiedVariables
from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.values import FAILURES, TimeUp, time_limit, type_name
from acp_jupyter.kernel.variables import users_variables

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_AT_ONCE = 0.001
_NAMED = 20
_WORD_CHARS = 200
_SHARE = 3
"""Divisor of the time: finding what can't be written and writing the rest get one part each."""
_ONE_SHARE = 5
"""Divisor of that time for a single variable."""
_KERNELS_OWN = {"acp_jupyter", "ipykernel", "jupyter_client", "zmq"}
"""Libraries whose objects contain the kernel's key or its sockets."""
_TOO_MUCH = "they take more than {bytes:,} bytes"
_TOO_LONG = "writing them took longer than {seconds:g} seconds"


class _TooMuch(Exception):
    """The variables take more bytes than may be written."""


class _DiskError(Exception):
    """The file can't be written; the message says why. Values raise `OSError`, too."""


def write_variables_json(shell: InteractiveShell, path: str, max_bytes: int, seconds: float) -> str:
    """Return what `write_variables` returns, as JSON."""
    return write_variables(shell, Path(path), max_bytes, seconds).model_dump_json()


def read_variables_json(shell: InteractiveShell, path: str, folder: str, copy: str) -> str:
    """Return what `read_variables` returns, as JSON."""
    return read_variables(shell, Path(path), folder, copy).model_dump_json()


def write_variables(
    shell: InteractiveShell, path: Path, max_bytes: int, seconds: float
) -> CopiedVariables:
    """Write the user's variables to a file that only the user can read; remove it on errors.

    Parameters
    ----------
    max_bytes
        Size of the file; what takes more is left out, the largest first.
    """
    try:
        importlib.import_module("dill")
    except ImportError:
        return CopiedVariables(trouble="dill is not installed in the notebook's kernel")
    variables = users_variables(shell.user_ns, shell.user_ns_hidden)
    modules = {
        name: value.__name__ for name, value in variables.items() if isinstance(value, ModuleType)
    }
    values = {name: value for name, value in variables.items() if name not in modules}
    writer = _Writer(shell, path, modules, max_bytes, seconds / _SHARE)
    try:
        written = writer.write(values)
    except (OSError, _DiskError) as error:
        written = CopiedVariables(trouble=str(getattr(error, "strerror", None) or error))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if written.trouble:
        path.unlink(missing_ok=True)
    return written


class _Writer:
    """Writes variables to a file: all, or those that can be."""

    def __init__(
        self,
        shell: InteractiveShell,
        path: Path,
        modules: Mapping[str, str],
        max_bytes: int,
        seconds: float,
    ) -> None:
        self._main = shell.user_module
        self._path = path
        self._modules = dict(modules)
        self._most = max_bytes
        self._seconds = seconds

    def write(self, values: Mapping[str, object]) -> CopiedVariables:
        """Write all; if that fails, look which can be written, and write these."""
        if self._fails(values):
            sizes, left_out = self._sizes(values)
            while sum(sizes.values()) > self._most:
                largest = max(sizes, key=lambda name: sizes[name])
                del sizes[largest]
                left_out[largest] = "too large"
            values = {name: values[name] for name in sizes}
            if trouble := self._fails(values):
                return CopiedVariables(trouble=trouble)
        else:
            left_out = {}
        names = [f"{name} ({why})"[:_WORD_CHARS] for name, why in left_out.items()]
        return CopiedVariables(
            count=len(values) + len(self._modules),
            left_out=tuple(names[:_NAMED]),
            more=max(0, len(names) - _NAMED),
        )

    def _fails(self, values: Mapping[str, object]) -> str:
        """Write values; return why it failed."""
        head = {"modules": self._modules, "path": list(sys.path), "masked": masks.names}
        with open(self._path, "wb", opener=_private) as file:
            try:
                with time_limit(self._seconds):
                    pickle.dump(head, file)
                    self._dump(values, file, self._most)
            except TimeUp:
                return _TOO_LONG.format(seconds=self._seconds)
            except _TooMuch:
                return _TOO_MUCH.format(bytes=self._most)
            except _DiskError:
                raise
            except FAILURES as error:
                return type(error).__name__
        return ""

    def _sizes(self, values: Mapping[str, object]) -> tuple[dict[str, int], dict[str, str]]:
        """Return the sizes of variables that can be written, and why the others can't."""
        sizes: dict[str, int] = {}
        left_out: dict[str, str] = {}
        end = time.monotonic() + self._seconds
        for name, value in values.items():
            left = min(self._seconds / _ONE_SHARE, end - time.monotonic())
            try:
                with time_limit(max(left, _AT_ONCE)):
                    sizes[name] = self._dump({name: value}, None, self._most)
            except TimeUp:
                left_out[name] = "takes too long"
            except _TooMuch:
                left_out[name] = "too large"
            except FAILURES:
                left_out[name] = type_name(value)
        return sizes, left_out

    def _dump(self, values: Mapping[str, object], file: IO[bytes] | None, most: int) -> int:
        """Write values, to nowhere without a file; return how many bytes that took."""
        dill: Any = importlib.import_module("dill")
        bounded = _Bounded(file, most)
        pickler = dill.Pickler(bounded, protocol=5, byref=False, fmode=0, recurse=False)
        pickler._main = self._main
        pickler.persistent_id = _reference
        pickler.dump(dict(values))
        return most - bounded.left


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


class _Bounded:
    """Accepts a limited number of bytes, and writes them to a file, if there is one."""

    def __init__(self, file: IO[bytes] | None, most: int) -> None:
        self._file = file
        self.left = most

    def write(self, data: bytes | memoryview) -> int:
        """Write some."""
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        self.left -= size
        if self.left < 0:
            raise _TooMuch
        if self._file is not None:
            try:
                self._file.write(data)
            except OSError as error:
                raise _DiskError(error.strerror or str(error)) from None
        return size


def _reference(value: object) -> str | None:
    """Return the name of a module, which the other kernel imports itself; else None."""
    if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value:
        return value.__name__
    library = str(getattr(type(value), "__module__", "")).partition(".")[0]
    if isinstance(value, io.IOBase) or library in _KERNELS_OWN:
        raise pickle.PicklingError(f"A {type_name(value)} belongs to its kernel.")
    return None


def read_variables(shell: InteractiveShell, path: Path, folder: str, copy: str) -> CopiedVariables:
    """Put the variables of a file into a kernel; modules are imported."""
    dill: Any = importlib.import_module("dill")
    with path.open("rb") as file:
        head = pickle.load(file)  # noqa: S301 - as the user's own kernel wrote it
        masks.add(head["masked"])
        sys.path.extend(_new_places(head["path"], folder, copy))
        modules, left_out = _imported(head["modules"])
        unpickler = dill.Unpickler(file)
        unpickler._main = shell.user_module
        unpickler.persistent_load = importlib.import_module
        try:
            values: dict[str, object] = unpickler.load()
        except FAILURES as error:
            words = f"{type(error).__name__}: {error}"
            return CopiedVariables(trouble=words[:_WORD_CHARS])
    shell.user_ns.update(values)
    shell.user_ns.update(modules)
    return CopiedVariables(count=len(values) + len(modules), left_out=tuple(left_out[:_NAMED]))


def _new_places(path: list[str], folder: str, copy: str) -> Iterator[str]:
    for place in path:
        with contextlib.suppress(ValueError):
            place = str(Path(copy) / Path(place).relative_to(folder))
        if place not in sys.path:
            yield place


def _imported(names: Mapping[str, str]) -> tuple[dict[str, ModuleType], list[str]]:
    modules: dict[str, ModuleType] = {}
    left_out: list[str] = []
    for name, module in names.items():
        try:
            modules[name] = importlib.import_module(module)
        except FAILURES:
            left_out.append(f"{name} (can't be imported)")
    return modules, left_out
