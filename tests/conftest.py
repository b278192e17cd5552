"""How the tests are run: three tiers, hypothesis' profiles, and what this machine lacks.

A plain run leaves out the tests marked `slow` (a browser, Ray, an object store: `--slow`) and
those marked `long` (many minutes: `--long`). A file with `pytestmark = pytest.mark.slow`, alone or
first in a list, is not even imported in a plain run, which may lack what it needs.

A test that needs a program which may be missing says so: `@pytest.mark.needs("chromium")`. Where
the program is missing the test is not run, and the closing line of the run names it; it never
passes in silence.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_CALM = settings(
    deadline=None,  # other work on the machine must not fail a test
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("dev", _CALM)
settings.register_profile("ci", _CALM, derandomize=True)
settings.register_profile("long", _CALM, max_examples=2_000)

_HERE = Path(__file__).parent
_SLOW = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow\b", re.MULTILINE)
_PROGRAMS = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
"""Where programs are looked for: those that pip installed lie beside Python."""
_NOT_RUN = pytest.StashKey[list[str]]()
_NOT_RUN_KEY = "not_run"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also the tests marked slow")
    parser.addoption("--long", action="store_true", help="also the tests marked long (minutes)")


def pytest_configure(config: pytest.Config) -> None:
    long = config.getoption("--long")
    profile = "long" if long else "ci" if os.environ.get("CI") else "dev"
    settings.load_profile(profile)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # begun in the background: the programs that tests stop by Ctrl-C would not hear it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[_NOT_RUN] = []
    # what the tests remember, certify and leave behind is nobody's private data
    home = tempfile.TemporaryDirectory(prefix="elsewhere-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    os.environ["ELSEWHERE_DATA_DIR"] = home.name


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out helpers of the tests, and slow files in a plain run (None: no opinion)."""
    if collection_path.suffix != ".py" or _HERE not in collection_path.parents:
        return None
    if not collection_path.name.startswith("test_"):
        return True  # doctests are for src/
    slow = not config.getoption("--slow") and _SLOW.search(collection_path.read_text("utf-8"))
    return True if slow else None


@pytest.hookimpl(trylast=True)  # after -k, -m and --deselect
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers = [tier for tier in ("slow", "long") if not config.getoption(f"--{tier}")]
    left_out = [item for item in items if any(map(item.get_closest_marker, tiers))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        missing = [
            program
            for mark in item.iter_markers("needs")
            for program in mark.args
            if shutil.which(program, path=_PROGRAMS) is None
        ]
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"no {' or '.join(missing)} here"))
            config.stash[_NOT_RUN].append(item.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where several processes run the tests, each hands its list to the one that prints."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_NOT_RUN_KEY] = session.config.stash[_NOT_RUN]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the list of a process that has ended; every process has the same one."""
    node.config.stash[_NOT_RUN] = node.workeroutput[_NOT_RUN_KEY]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Name, in the closing line, the tests that this machine could not run."""
    not_run = config.stash.get(_NOT_RUN, [])
    if not_run and not hasattr(config, "workeroutput"):
        print(f"not run, for want of a program: {', '.join(not_run)}")
