"""An album's audit: what every attacker infers of every place, and what the files tell besides.

One audit for each attacker, place and set of photos, in the order of the plan's watches, so that
a report can lay one beside the other; where no place is known, one for each attacker.
"""

from __future__ import annotations

from dataclasses import dataclass

from elsewhere.audit import Audit, Leaking


@dataclass(frozen=True)
class AlbumAudit:
    """What an album gives away."""

    audits: tuple[Audit, ...]
    """One for each watch of the plan, in its order; without a known place one for each attacker,
    and then no audit has a truth."""
    leaks: tuple[Leaking, ...]
    """What the original files tell beside their pictures; nothing of it is in a shared copy."""
    notes: tuple[str, ...] = ()
    """What has to be said aloud, a sentence each."""
