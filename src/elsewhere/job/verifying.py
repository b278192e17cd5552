"""A copy held against its certificate, as a stranger would: without the solver, from its bytes.

The files are compared by name and digest, proved to be bare pictures, scored again, and the
promise's inequalities checked on the new scores. Another processor may differ in the last bits of
a score: that is a note, not a refusal, as long as the inequalities hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elsewhere.job.seen import Step


@dataclass(frozen=True)
class Verified:
    """What came of it: true when the copy keeps the certificate's promise."""

    problems: tuple[str, ...]
    """One sentence for each thing that is wrong; empty when all is right."""
    notes: tuple[str, ...]
    """What is not wrong but has to be said."""
    files: int = 0
    """How many files were compared."""
    reproved: int = 0
    """How many inequalities were proved again: the rivals that hold, over all attackers."""

    def __bool__(self) -> bool:
        return not self.problems


def verify(
    target: Path,
    certificate: Path | None = None,
    *,
    scorers: Sequence[str] = (),
    progress: Callable[[Step], None] = lambda step: None,
) -> Verified:
    """Prove again that the copy at `target` keeps the promise of its certificate.

    Without `certificate`, the one in the target's private folder. `scorers` are words that are
    tried before the certificate's own, for a model that has moved since. A certificate that
    cannot be read, or was changed, is an error; a copy that does not keep it is a verdict.
    """
    raise NotImplementedError
