"""How long the solver may go on: its one way to stop early, whoever asks for it and why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event

import numpy as np


@dataclass
class Limits:
    """How long to go on: a deadline on the clock, a cap on the work counted, a word to stop."""

    deadline: float = np.inf
    work: float = np.inf
    done: int = 0
    stopped: Event | None = None
    """Set by whoever no longer wants the answer: it is then as if the deadline had passed."""

    def exhausted(self) -> bool:
        """Whether either limit is reached."""
        return self.done >= self.work or self.out_of_time()

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        told = self.stopped is not None and self.stopped.is_set()
        return told or time.monotonic() >= self.deadline
