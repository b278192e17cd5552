"""The value Note: one thing that a person should know beside a plan or an audit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from elsewhere.values.problems import Attack


class NoteKind(StrEnum):
    """What a note is about; the comment names the fields that it fills."""

    OTHER_PLACE = "other place"  # model, places (guess, given), share, km, count
    POSITIONS_OVERRULED = "positions overruled"  # count, places, km
    HOME = "home"  # places
    CALLED = "called"  # places (as the user said, as the album has it)
    PLACED_BY_TIME = "placed by time"  # photos
    UNPLACED = "unplaced"  # photos
    PUBLIC_INSIDE = "public inside"  # places (what is hidden, its place, public ones)
    COARSE_PLACES = "coarse places"  # places, model (where there are several), km, radius_km
    COARSE_CELLS = "coarse cells"  # places, model (where there are several), km, radius_km
    PRIOR = "prior"  # places
    BURSTS = "bursts"  # count (bursts), photo_count
    ALREADY_POSTED = "already posted"  # photos
    POSTED_VERSIONS = "posted versions"  # photos
    POSTED_COUNTED = "posted counted"  # count
    POSTED_UNREADABLE = "posted unreadable"  # photos
    LOOKS_ALIKE = "looks alike"  # photos (posted, own)
    MORE_LOOK_ALIKE = "more look alike"  # count
    REMEMBERED = "remembered"  # count, places
    LOW_DETAIL = "low detail"  # photos
    LIKE_WITHHELD = "like withheld"  # photos (shared, withheld)
    TOGETHER_ONLY = "together only"  # ruled_out
    EACH_PHOTO = "each photo"
    FOUND_BY_ATTACKS = "found by attacks"  # model, attacks
    TIME_DECIDED = "time decided"
    TIGHTENED = "tightened"
    TELLS_ALONE = "tells alone"  # photos (that must stay, and so are exempt)
    TELLING_TEXT = "telling text"  # photos, km
    TELLING_TEXT_KEPT = "telling text kept"  # photos, km
    TEXT_COUNTED = "text counted"  # photos
    EDITS_LIMITED = "edits limited"  # count (withheld photos not looked at), photo_count (the most)


@dataclass(frozen=True)
class Note:
    """A note in names and numbers; `messages.note` makes the sentence."""

    kind: NoteKind
    photos: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    model: str = ""
    count: int = 0
    photo_count: int = 0
    km: float = 0.0
    radius_km: float = 0.0
    share: float = 0.0
    attacks: tuple[Attack, ...] = ()
    ruled_out: bool = True
    """Whether what could not be had was proved to be impossible."""
