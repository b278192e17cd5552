"""How the tests are run: the long run, hypothesis' profiles, and what this machine lacks.

A test that needs a program which may be missing says so: `@pytest.mark.needs("chromium")`. Where
the program is missing the test is not run, and the closing line of the run names it; it never
passes in silence.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

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
_PROGRAMS = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
"""Where programs are looked for: those that pip installed lie beside Python."""
_NOT_RUN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
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


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests are for src/: what merely helps the tests is not collected (None: no opinion)."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper and _HERE in collection_path.parents else None


@pytest.hookimpl(trylast=True)  # after -k, -m and --deselect
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long")]
        if long:
            config.hook.pytest_deselected(items=long)
            items[:] = [item for item in items if item not in long]
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


def pytest_unconfigure(config: pytest.Config) -> None:
    """Name, in the closing line, the tests that this machine could not run."""
    not_run = config.stash.get(_NOT_RUN, [])
    if not_run:
        print(f"not run, for want of a program: {', '.join(not_run)}")
