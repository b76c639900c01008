"""Alter the product, one place at a time: a test must fail.

Of ``packets`` each word, table entry and number is altered, and what its functions decide; of
the modules that permissions, rules and the transcript are made of, what their functions decide;
of all others a random sample of that. With ``--only-sample`` the sample is of everything, and
nothing is altered whole. Every alteration is compiled into a process of its own, never into the
working tree; there those tests run that run the altered lines: first without a new import, then,
of what lives, with one, then those whose code runs in other processes. A test counts only if it
passes without the alteration.

What changes nothing that anybody could see is listed in ``tests/equal_alterations.txt`` with its
reason, by the function's name; it counts as living, and is not tried. ``-v`` says which test found
which alteration out.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import importlib
import io
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests/fake_agents")]

from scripts.import_tries import ImportTries, each_tried, tried  # noqa: E402
from scripts.mutations import Mutation, logic_of, words_of  # noqa: E402
from scripts.quick_tries import found_out  # noqa: E402
from scripts.tests_by_line import TestsByLine, import_product, module_of, product_files  # noqa: E402
from scripts.tests_by_process import TestsByProcess  # noqa: E402

WORDS = ("packets", "protocol", "dialects.onyx")
LOGIC = (
    *WORDS,
    *(f"transcript.{name}" for name in ("permission_evidence", "raw_input", "rule_text")),
    *(f"transcript.reduce.{name}" for name in ("reducer", "permissions", "questions", "turns")),
    *(f"transcript.reduce.{name}" for name in ("messages", "tool_calls", "tool_fields")),
    *(f"transcript.reduce.{name}" for name in ("terminals",)),
    *(f"host.requests.{name}" for name in ("permissions", "policy", "answers", "rules", "trust")),
    *(f"host.requests.{name}" for name in ("protected_paths", "host_permissions", "waiting")),
    *(f"host.requests.{name}" for name in ("call_paths", "credential_files", "ordinary_files")),
    "host.requests.session_folder",
    *(f"host.requests.rule_{name}" for name in ("commands", "shell", "wrappers")),
    "host.store.permission_stores",
)
"""Packages and modules of which everything is altered."""
SAMPLE = 300
"""Of all others."""
_FOLDERS = (
    *("acceptance", "agents", "api", "cells", "conformance", "contract", "dialects", "host"),
    *("kernel", "protocol", "sessions", "system", "transcript"),
)
TESTS = (
    *(f"tests/{folder}" for folder in _FOLDERS),
    *(f"tests/test_{name}.py" for name in ("command_line", "publishing")),
    *(f"tests/server/test_{name}.py" for name in ("extension", "metrics")),
    *(f"tests/server/test_{name}.py" for name in ("registry_updates", "spans")),
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/notebook_tools/test_*.py")),
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/features/*/test_*.py")),
)
PURE_TESTS = (
    *(f"tests/{folder}/" for folder in ("acceptance", "contract", "dialects", "protocol")),
    *(f"tests/conformance/test_{name}.py" for name in ("received", "tolerated", "sdk_shapes")),
    "tests/transcript/",
    "tests/host/requests/",
    "tests/host/store/test_permission_stores.py",
)
"""Those that are tried first on what is altered whole: they start nothing, and are quick."""
AT_IMPORT = (
    *(f"tests/contract/test_{name}.py" for name in ("notes", "public_names", "wire")),
    "tests/protocol/test_patterns.py",
)
"""They look at what an import has left, and run none of its lines."""
PROCESS_TESTS = (
    *("agents", "hosts", "notebook_tools/outside", "notebooks", "server"),
    "tools",
    *sorted(
        str(path.relative_to(ROOT / "tests"))
        for kind in ("notebooks", "server")
        for path in ROOT.glob(f"tests/features/*/{kind}")
    ),
)
"""For what the others let live: the server or the kernel has a process of its own there."""
EQUAL = ROOT / "tests/equal_alterations.txt"
WORKERS = 2
PYTEST = ["-x", "-q", "-c", os.devnull, "--rootdir", str(ROOT), "--import-mode=importlib"]
PYTEST += ["-o", "asyncio_mode=strict", "-o", "asyncio_default_fixture_loop_scope=function"]
PYTEST += ["-p", "pytest_asyncio.plugin", "-p", "xdist.plugin", "-p", "_hypothesis_pytestplugin"]
PYTEST += ["-m", "not long and not e2e and not agents"]
PYTEST += ["--assert=plain", "-p", "no:cacheprovider", "-p", "no:warnings"]
PYTEST += ["-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler"]
WHOLE_PYTEST = [each for each in PYTEST if each != "-x"]
"""Goes on after a test that fails."""


def _first_tests(mutation: Mutation, tests: set[str]) -> set[str]:
    """Return all of them; of what is altered whole, the pure ones."""
    if not _is_of(mutation.module.removeprefix("acp_jupyter."), LOGIC):
        return tests
    return {test for test in tests if test.startswith(PURE_TESTS)}


def _failing_first_test(tries: ImportTries, mutation: Mutation) -> str:
    return tries.failing_test(mutation, _first_tests(mutation, tries.tests(mutation)))


def _failing_other_test(tries: ImportTries, mutation: Mutation) -> str:
    tests = tries.tests(mutation)
    return tries.failing_test(mutation, tests - _first_tests(mutation, tests))


def _failing_process_test(by_process: TestsByProcess, mutation: Mutation) -> str:
    file, (first, last) = mutation.file, mutation.place.lines
    files = by_process.of(file, range(first, last + 1))
    source = ast.unparse(mutation.altered())
    return by_process.failing_file(ROOT, file, source, files) if files else ""


def _living(
    try_each: Iterable[tuple[Mutation, str]], words: str, verbose: bool
) -> Iterator[Mutation]:
    """Yield the alterations that no test fails with, and say so."""
    for mutation, test in try_each:
        if verbose and test:
            print(f"{mutation}\n    {test}", flush=True)
        if not test:
            print(f"{words}: {mutation}", flush=True)
            yield mutation


def _preload(tests: Sequence[str]) -> None:
    """Import what every child would import: pytest's plugins, what the product and tests use."""
    ours, theirs = os.pipe()
    if not os.fork():
        try:
            import_product(ROOT)
            with contextlib.redirect_stdout(io.StringIO()):
                pytest.main([*PYTEST, "--collect-only", *tests])
            with os.fdopen(theirs, "w") as pipe:
                pipe.write(" ".join(name for name in [*sys.modules] if not _is_ours(name)))
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        names = pipe.read().split()
    os.wait()
    for name in names:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _is_ours(module: str) -> bool:
    file = getattr(sys.modules[module], "__file__", None) or ""
    return file.startswith(f"{ROOT}{os.sep}") and not file.startswith(sys.prefix)


def _mutations(arguments: argparse.Namespace) -> list[Mutation]:
    only: list[str] = arguments.modules
    whole: list[Mutation] = []
    rest: list[Mutation] = []
    for path in product_files(ROOT):
        name, source = module_of(ROOT, path).removeprefix("acp_jupyter."), path.read_text()
        if path.name == "__init__.py" or (only and not _is_of(name, only)):
            continue
        if _is_of(name, WORDS):
            whole += words_of(module_of(ROOT, path), source)
        logic = logic_of(module_of(ROOT, path), source)
        if only or _is_of(name, LOGIC):
            whole += logic
        else:
            rest += logic
    if arguments.only_sample:
        whole, rest = [], whole + rest
    return whole + sorted(rest, key=partial(_place_in_sample, arguments.seed))[: arguments.sample]


def _place_in_sample(seed: int, mutation: Mutation) -> bytes:
    """Return what orders alterations by chance, whatever else is edited."""
    return hashlib.sha256(f"{seed} {mutation.module} {mutation.key}".encode()).digest()


def _is_of(module: str, named: Iterable[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in named)


def _by_line() -> TestsByLine:
    files = _files(TESTS)
    return TestsByLine.run(ROOT, WHOLE_PYTEST, [files[part::WORKERS] for part in range(WORKERS)])


def _by_process(alive: Collection[Mutation]) -> TestsByProcess:
    """Return which lines the tests of `PROCESS_TESTS` run; if nothing lives, run none."""
    folders = [f"tests/{each}" for each in PROCESS_TESTS]
    return TestsByProcess.run(ROOT, _files(folders) if alive else [], WORKERS)


def _files(tests: Iterable[str]) -> list[str]:
    """Return the files of tests that a file or folder names."""
    found = [path for each in tests for path in ((ROOT / each), *(ROOT / each).rglob("test_*.py"))]
    return sorted(str(path.relative_to(ROOT)) for path in found if path.is_file())


def _equal() -> Counter[str]:
    """Return what is listed as equal; a key that is there twice is two."""
    lines = EQUAL.read_text().splitlines()
    return Counter(line.partition("  # ")[0] for line in lines if line and line[0] != "#")


def _unlisted(mutations: Collection[Mutation], equal: Counter[str]) -> list[Mutation]:
    """Return the alterations of which more live than are listed."""
    counts = Counter(each.key for each in mutations)
    return [each for each in mutations if counts[each.key] > equal[each.key]]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="packages or modules, e.g. host.rules")
    parser.add_argument("--sample", type=int, default=SAMPLE)
    parser.add_argument("--only-sample", action="store_true", help="alter nothing whole")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    for name in (*WORDS, *LOGIC, *arguments.modules):
        path = ROOT / "acp_jupyter" / name.replace(".", "/")
        if not (path.is_dir() or path.with_suffix(".py").is_file()):
            parser.error(f"there is no module acp_jupyter.{name}")
    return arguments


def main() -> int:
    """Run the command line."""
    arguments = _arguments()
    os.chdir(ROOT)
    started = time.monotonic()
    # Many waits are in vain here.
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "ACP_PATIENCE": "20"}
    _preload(TESTS)
    by_line = _by_line()
    if not by_line.seconds:
        print("No test passes.")
        return 1
    mutations = _mutations(arguments)
    count, show = len(mutations), arguments.verbose
    print(f"{count} alterations; seed of the sample: {arguments.seed}", flush=True)
    equal = _equal()
    mutations = _unlisted(mutations, equal)
    listed = count - len(mutations)
    arguments_of_all = [*WHOLE_PYTEST, *TESTS]
    for mutation, test in found_out(ROOT, arguments_of_all, (*mutations,), by_line, _first_tests):
        mutations.remove(mutation)
        if show:
            print(f"{mutation}\n    {test}", flush=True)
    print(
        f"{listed} are listed, {len(mutations)} others live without an import; "
        f"{time.monotonic() - started:.0f} s",
        flush=True,
    )
    with tempfile.NamedTemporaryFile() as latest:
        tries = ImportTries(ROOT, PYTEST, by_line, Path(latest.name), AT_IMPORT)
        alive = mutations
        for try_one, words in ((_failing_first_test, "so far"), (_failing_other_test, "still")):
            each = tried(partial(try_one, tries), alive, tries, by_line)
            living = [*_living(each, f"lives {words}", show)]
            alive = _unlisted(living, equal)  # a key may be listed for some of its alterations
            listed += len(living) - len(alive)
            print(f"{len(alive)} live {words}; {time.monotonic() - started:.0f} s", flush=True)
    by_process = partial(_failing_process_test, _by_process(alive))
    lived = len([*_living(each_tried(by_process, alive), "lives", show)])
    share = 100 * (lived + listed) / max(1, count)
    print(
        f"{count} tried, {listed} live and are listed as equal, {lived} live and are not "
        f"({share:.1f} %); {time.monotonic() - started:.0f} s"
    )
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
