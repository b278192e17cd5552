"""From a plan to a copy that may be handed out: written, read again, scored again, proved, named.

The album's export writes and gives the final name; what it must not know, the plan and the
scorers, is here: the copy as it lies on the disk is scored anew and the promise proved on those
scores, by code that shares nothing with the solver. The certificate is on disk before the copy
has its name, so that there is no copy without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from elsewhere.job.posted import NOTHING_POSTED, Posted
from elsewhere.job.seen import Seen, Step

if TYPE_CHECKING:
    from elsewhere.job.planning import AlbumPlan


@dataclass(frozen=True)
class SharedFile:
    """One file of a copy."""

    name: str
    """Its name in the copy."""
    photo: str
    """The id of the photo whose rendition it is."""
    sha256: str
    size: int
    """In bytes."""


@dataclass(frozen=True)
class Shared:
    """A copy that was proved and has its name."""

    target: Path
    files: tuple[SharedFile, ...]
    certificate: Path
    private: Path
    """The folder that holds the certificate."""
    reproved: int
    """How many inequalities were proved again: the rivals that hold, over all attackers."""
    notes: tuple[str, ...] = ()
    """What has to be said: dates in kept names, scores that differed in their last bits."""


def share(
    seen: Seen,
    album_plan: AlbumPlan,
    target: Path,
    *,
    private: Path | None = None,
    order: Literal["shuffled", "album"] = "shuffled",
    names: Literal["neutral", "keep"] = "neutral",
    posted: Posted = NOTHING_POSTED,
    progress: Callable[[Step], None] = lambda step: None,
) -> Shared:
    """Write the kept renditions to `target`, a new folder or `.zip`, and prove the promise anew.

    `posted` is what the plan was made with. Nothing is left behind where anything goes wrong.
    """
    raise NotImplementedError
