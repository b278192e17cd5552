"""What callers of the service need of the stages themselves: their types and small functions."""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.album import Photo, Rendition, SkippedFile
from elsewhere.album.export import check_target
from elsewhere.album.files import PHOTO_SUFFIXES, natural_key
from elsewhere.album.places import Places, places_of
from elsewhere.album.staging import Staging, sweep as sweep_staging
from elsewhere.audit import Guess as CellGuess
from elsewhere.errors import PlaceError
from elsewhere.example import ALBUM as EXAMPLE_ALBUM
from elsewhere.globe import Place, place
from elsewhere.scorers import RowCache, find
from elsewhere.scorers.registry import available

__all__ = [
    "EXAMPLE_ALBUM",
    "PHOTO_SUFFIXES",
    "CellGuess",
    "Photo",
    "Places",
    "Rendition",
    "RowCache",
    "SkippedFile",
    "Staging",
    "check_target",
    "find_places",
    "load_scorer",
    "natural_key",
    "scorer_names",
    "similar_places",
    "sweep_staging",
]


def find_places(photos: Sequence[Photo], at: Sequence[str] = ()) -> Places:
    """The places of an album: where the files say it was taken, or `at` these places by name."""
    return places_of(photos, at=[place(name) for name in at] or None)


def load_scorer(spec: str) -> None:
    """Load a scorer; ScorerError where it cannot be used."""
    find(spec).load()


def scorer_names() -> list[str]:
    """The scorers that can be used, each as it is typed."""
    return list(available().values())


def similar_places(problem: PlaceError, limit: int) -> list[str]:
    """Names of places that may have been meant, each of which would be understood."""
    names = dict.fromkeys(choice.label for choice in problem.choices if isinstance(choice, Place))
    return [name for name in names if _is_understood(name)][:limit]


def _is_understood(name: str) -> bool:
    try:
        place(name)
    except PlaceError:
        return False
    return True
