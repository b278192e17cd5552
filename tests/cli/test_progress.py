"""Ctrl-C while edits are looked for: the first ends that search, the second everything.

And no bar tells a rate at which nothing is worked through.
"""

from __future__ import annotations

import io
import signal
import sys
from itertools import count

import pytest
import rich.console

from elsewhere.cli.render.progress import EnoughEdits, stages
from elsewhere.service import Step


def test_ctrl_c_ends_the_search_for_edits_and_then_everything() -> None:
    with stages() as progress, EnoughEdits(progress) as watched:
        watched(Step("planning", 0, 3, "a.jpg"))
        assert not watched.enough()
        signal.raise_signal(signal.SIGINT)
        assert watched.enough()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_elsewhere_ends_everything() -> None:
    with stages() as progress, EnoughEdits(progress) as watched:
        for step in (Step("scoring", 1, 3, "a.jpg"), Step("planning", 0, 0)):
            watched(step)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert not watched.enough()


class Terminal(io.StringIO):
    """What a bar is drawn on."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "told"), [(1.0, True), (0.00005, False)])
def test_what_is_only_looked_up_has_no_rate(
    monkeypatch: pytest.MonkeyPatch, seconds: float, told: bool
) -> None:
    terminal, clock = Terminal(), count(0.0, seconds)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(rich.console, "monotonic", lambda: next(clock))
    monkeypatch.setenv("TERM", "xterm")
    with stages() as progress:
        for done in range(21):
            progress(Step("scoring", done, 20, "a.jpg"))
    shown = terminal.getvalue()
    assert "20/20" in shown and ("photos/s" in shown) == told
