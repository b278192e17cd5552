"""Long work, the answer to a wish, and the whole state, as the page is told."""

from __future__ import annotations

from typing import Literal

from elsewhere.app.api.models.album import Album, Choices, Left, Nothing, Photo, Place
from elsewhere.app.api.models.base import PhotoState, Told
from elsewhere.app.api.models.plan import Audit, Plan, Point, Undo, View
from elsewhere.app.api.models.requests import Wishes


class Job(Told):
    """Long work."""

    id: str
    kind: Literal["reading", "scoring", "proof", "frontier", "export", "verify"]
    state: Literal["running", "done", "failed", "cancelled"]


class JobStarted(Told):
    """Its events are at /api/jobs/{id}/events."""

    job: Job


class Answer(Told):
    """The answer to a wish: the best plan so far, at once."""

    wishes: Wishes
    plan: Plan | None
    """null where no place is known."""
    places: list[Place]
    states: list[PhotoState]
    """One for each photo."""
    shares: list[float | None]
    audit_after: list[View]
    """The same views as the audit's, of what would be shared; those that see nothing are out."""
    job: Job | None = None
    """Where the proof goes on, or another attacker is asked about the photos."""
    undo: Undo


class Exported(Told):
    """A copy that was proved and has its name."""

    target: str
    files: list[str]
    certificate: str
    report: str | None
    """Where the private report lies; GET /api/report gives a link to it."""
    reproved: int
    notes: list[str]


class Verified(Told):
    """A copy held against its certificate."""

    holds: bool
    problems: list[str]
    notes: list[str]
    files: int
    reproved: int


class Table(Told):
    """The whole state."""

    stage: Literal["empty", "reading", "ready", "failed"]
    error: str | None = None
    nothing: Nothing | None = None
    """Where it failed because there was no photo to be read."""
    album: Album | None = None
    places: list[Place] = []
    wishes: Wishes = Wishes()
    plan: Plan | None = None
    audit: Audit | None = None
    audit_after: list[View] = []
    jobs: list[Job] = []
    """Whatever goes on and can be listened to: reading, scoring, proof, export, verify."""
    exported: Exported | None = None
    undo: Undo = Undo(can_undo=False, can_redo=False)
    choices: Choices


class Event(Told):
    """One line of a stream. The last one has `done` or `error`."""

    stage: Literal["reading", "scoring", "planning", "writing", "proving", "telling"] | None = None
    count: int = 0
    total: int = 0
    name: str = ""
    per_second: float | None = None
    left_s: float | None = None
    photo: Photo | None = None
    """Reading: the photo that was just laid on the table."""
    left: list[Left] = []
    answer: Answer | None = None
    """A better plan, or the same one proved; after scoring, the first with the new attackers."""
    point: Point | None = None
    greedy: int | None = None
    """Frontier: so many photos greedy withholds for what was asked."""
    exactly: int | None = None
    """Frontier: so many photos would do for the top itself, where another was drawn in secret."""
    exported: Exported | None = None
    verified: Verified | None = None
    done: bool = False
    error: str | None = None
