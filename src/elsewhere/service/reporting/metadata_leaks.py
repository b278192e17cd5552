"""What the originals tell beside their pictures, kind by kind, and in their very names.

Nothing of it is in a shared copy, which has bare renditions under names of their own. It is shown
because whoever posts the originals somewhere else gives it away, and because it says what a
careless copy would have told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elsewhere.album import Photo
from elsewhere.audit import Leaking
from elsewhere.audit.name_hints import places_in

FILE_NAME = "file name"
_FIRST = (
    *("position", "location", "city", "region", "country", FILE_NAME, "time zone"),
    *("serial number", "owner", "people", "image id", "caption", "description", "title", "comment"),
    *("keywords", "text", "thumbnail", "further pictures", "motion photo", "time", "camera"),
)
"""What tells the place or the person most comes first; the rest follows by its name."""
_EXAMPLES = 3


def metadata_leaks(photos: Sequence[Photo]) -> tuple[Leaking, ...]:
    """Every kind of thing that these photos' files tell, the most telling first."""
    found: dict[str, dict[str, list[str]]] = {}
    for photo in photos:
        for kind, text in (*_in_name(photo.id), *photo.metadata.leaks):
            found.setdefault(kind, {}).setdefault(photo.id, []).append(text)
    order = {kind: number for number, kind in enumerate(_FIRST)}
    kinds = sorted(found, key=lambda kind: (order.get(kind, len(order)), kind))
    return tuple(
        Leaking(kind, tuple(found[kind]), _examples(found[kind].values())) for kind in kinds
    )


def _in_name(name: str) -> list[tuple[str, str]]:
    """The places that a photo's name may mean; the day in it is told by the album already."""
    return [(FILE_NAME, f"{place} in {name}") for place in places_in(name)]


def _examples(told: Iterable[list[str]]) -> tuple[str, ...]:
    """The first few things that differ, from different photos as far as there are any."""
    each = [texts[0] for texts in told]
    return tuple(dict.fromkeys(each))[:_EXAMPLES]
