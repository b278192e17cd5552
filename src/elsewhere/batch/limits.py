"""Limits on the results of a run, such as `broken>1%`: a run that exceeds one has failed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from elsewhere.batch.summary import Summary
from elsewhere.errors import InputError

_STATUSES = ("broken", "exposed", "feasible", "infeasible", "optimal", "unknown")
NAMES = (*_STATUSES, "dead", "files", "left", "withheld")
_PATTERN = re.compile(r"\s*([a-z]+)\s*>\s*(\d+(?:\.\d+)?)\s*(%?)\s*")


@dataclass(frozen=True)
class Limit:
    """The most of something that a run may have, as a number or as a share in percent."""

    name: str
    most: float
    is_share: bool = False

    @classmethod
    def parse(cls, text: str) -> Limit:
        """From text; InputError where it is none."""
        match = _PATTERN.fullmatch(text)
        if match is None or match[1] not in NAMES:
            raise InputError(
                f"{text!r} is no limit: write one such as 'broken>1%' or 'files>0', with one of "
                f"{', '.join(NAMES)}"
            )
        if match[3] and match[1] in {"dead", "files"}:
            raise InputError(f"{match[1]} is limited by a number, not by a share: {text!r}")
        return cls(match[1], float(match[2]), bool(match[3]))

    def exceeded_by(self, run: Summary) -> tuple[int, int] | None:
        """How many there are, of how many; None within the limit."""
        number, of = {
            "dead": (sum(run.dead.values()), 0),
            "files": (len(run.files), 0),
            "left": (run.left, run.photos + run.left),
            "withheld": (run.withheld, run.planned),
        }.get(self.name, (run.statuses.get(self.name, 0), run.albums))
        most = self.most * of / 100 if self.is_share else self.most
        return (number, of) if number > most else None

    def __str__(self) -> str:
        return f"{self.name}>{self.most:g}{'%' if self.is_share else ''}"


NO_LOST_FILES = Limit("files", 0)
"""The limit of a run that gives none for files: albums in them have no row."""
