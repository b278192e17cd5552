"""The layout, held against the source: who may import whom, what is public and documented, and
how long `import elsewhere` may take."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import elsewhere

PACKAGE = Path(elsewhere.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Packages in order: a module imports only packages listed before its own.
ORDER = (
    *("errors", "values", "platform", "globe", "formats", "album", "scorers", "text", "audit"),
    *("solver", "checker", "messages", "report", "example", "service"),
)
STRANGERS = {"album", "scorers", "text", "solver"}
"""Packages that do not know each other."""
DOORS = {"cli", "app", "batch"}
"""Nobody imports these."""

POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "termios", "tty"}
HEAVY = {
    *("onnxruntime", "PIL", "pi_heif", "pyarrow", "fsspec", "ray", "torch", "geoclip"),
    *("highspy", "scipy", "pandas", "matplotlib"),
}


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imports(tree: ast.AST) -> Iterator[str]:
    """The full names of all modules that are imported anywhere below `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def at_import(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported when the module itself is: not inside functions, and not
    for the type checker only."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        waiting.extend(ast.iter_child_nodes(node))


def rooms_known(path: Path) -> set[str]:
    own = {part.name.removesuffix(".py") for part in PACKAGE.iterdir()}
    found = set()
    for name in imports(ast.parse(path.read_text("utf-8"))):
        parts = name.split(".")
        if parts[0] == "elsewhere":
            found.add(parts[1] if len(parts) > 1 and parts[1] in own else "")
    return found


def deep_imports(path: Path) -> set[str]:
    """What a door imports beside the service's face, messages, plain values and itself."""
    found = set()
    for name in imports(ast.parse(path.read_text("utf-8"))):
        first, _, rest = name.partition(".")
        package, _, inner = rest.partition(".")
        if name == "elsewhere":  # its public API
            continue
        if first != "elsewhere" or package in {
            room(path),
            "values",
            "errors",
            "messages",
            "platform",
        }:
            continue
        if package == "service" and "." not in inner:
            continue
        if name.startswith("elsewhere.__version__"):
            continue
        # a command may start the app or the batch program, by their own faces
        if room(path) == "cli" and package in {"app", "batch"} and "." not in inner:
            continue
        found.add(name)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_import_rule(path: Path) -> None:
    here, known = room(path), rooms_known(path)
    if path.name == "__main__.py":
        return
    if here in DOORS:
        assert not deep_imports(path), "call the service's face"
        return
    assert not known & DOORS, "nobody imports cli, app or batch"
    if here == "":
        return
    allowed = {*ORDER[: ORDER.index(here)]}
    if here in STRANGERS:
        allowed -= STRANGERS
    if here == "checker":
        allowed -= {"solver"}
    broken = known - allowed - {here}
    assert not broken, f"{here} must not import {sorted(broken)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_a_module_imports_at_import(path: Path) -> None:
    names = {name.split(".")[0] for name in at_import(ast.parse(path.read_text("utf-8")))}
    assert not names & POSIX_ONLY, "nothing POSIX-only at import"
    assert not names & HEAVY, "heavy imports happen where they are used"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_begins_with_its_subject(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


def test_files_are_brought_to_the_disk_and_locked_in_one_place() -> None:
    """Whoever writes a file whole, or writes over one, asks `platform`."""
    signs = ("os.fsync(", "mkstemp(", "fcntl.", "msvcrt.", "sched_getaffinity", "cpu_count(")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if any(sign in path.read_text("utf-8") for sign in signs)
    }
    assert [name for name in found if room(PACKAGE / name) != "platform"] == []


def test_threads_are_started_in_one_place() -> None:
    """Short memory hangs whoever starts them otherwise. A worker's start has a time limit."""
    signs = ("threading.Thread(", "Timer(", "ThreadPoolExecutor(")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if any(sign in path.read_text("utf-8") for sign in signs)
    }
    assert found == {"album/worker.py"}


def test_the_check_shares_nothing_with_the_solver() -> None:
    """Only values may be shared: what was asked, what was answered, the scores."""
    shared = ("plan", "problems", "promise", "proof", "scores")
    allowed = {f"elsewhere.values.{name}" for name in shared}
    checks = {path for path in MODULES if path.parent.name == "checker"}
    own = {f"elsewhere.checker.{path.stem}" for path in checks}
    assert len(checks) > 1
    for path in checks:
        for name in imports(ast.parse(path.read_text("utf-8"))):
            if name.startswith("elsewhere.") and not name.startswith("elsewhere.errors"):
                assert name.rpartition(".")[0] in allowed | own, f"{path.name} imports {name}"


def test_all_is_what_is_public() -> None:
    assert sorted(set(elsewhere.__all__)) == sorted(elsewhere.__all__)
    public = {
        name
        for name, value in vars(elsewhere).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public <= set(elsewhere.__all__)


@pytest.mark.parametrize(
    "first", ["elsewhere.values.plan", "elsewhere.audit.inference", "elsewhere"]
)
def test_public_names_are_what_they_are_whatever_was_imported_before(first: str) -> None:
    code = (
        f"import sys, {first}; import elsewhere; from elsewhere import *;"
        "print(all(callable(getattr(elsewhere, name)) for name in elsewhere.__all__),"
        "protect is elsewhere.protect, {*elsewhere.__all__} <= {*dir(elsewhere)})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"] * 3


def test_the_program_can_be_stopped_before_anything_slow_is_imported() -> None:
    """Until its own `try` is reached, Ctrl-C would print a traceback."""
    code = "import sys, elsewhere.cli; print(len(sys.modules.keys() & {'numpy', 'typer', 'rich'}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"


@pytest.mark.parametrize("name", sorted(elsewhere.__all__))
def test_every_public_name_has_an_example_that_is_run(name: str) -> None:
    value = getattr(elsewhere, name)
    if not (inspect.isclass(value) or callable(value)):
        return
    text = inspect.getdoc(value)
    assert text, f"{name} has no docstring"
    if inspect.isclass(value) and issubclass(value, Exception):
        return  # the tree of errors is drawn in its module
    examples = doctest.DocTestFinder(recurse=False).find(value, name, globs={})
    assert any(found.examples for found in examples), f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for found in examples:
        found.globs.update(vars(sys.modules[value.__module__]))
        assert runner.run(found).failed == 0


def test_import_is_quick() -> None:
    """In processor time, for other work may go on here; and no slow module at all."""
    code = (
        "import time; start = time.process_time(); import elsewhere;"
        "took = time.process_time() - start; import sys;"
        "print(took, *sorted({'typer', 'rich', 'click', 'pyarrow'} & set(sys.modules)))"
    )
    times = []
    for _ in range(5):
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        assert told[1:] == []
        times.append(float(told[0]))
    assert min(times) <= 0.25


def test_public_names_are_told_apart_from_rooms() -> None:
    """A test that patches one learns that it cannot, and a room never takes a name's place."""
    import elsewhere.audit.inference
    import elsewhere.values.plan

    assert callable(elsewhere.audit) and callable(elsewhere.protect)
    with pytest.raises(AttributeError, match="patch it where it is used"):
        elsewhere.check = None  # type: ignore[assignment]
