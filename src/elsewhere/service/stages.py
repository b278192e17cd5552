"""What callers of the service need of the stages: their types and small functions."""

# ruff: noqa: F401 (imported for the callers)

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from elsewhere.album import (
    Photo,
    Recipe,
    Rendition,
    SkippedFile,
    Step,
    album_workers,
    render_versions,
)
from elsewhere.album.archives import ARCHIVE_SUFFIX, is_archive
from elsewhere.album.discovery import sidecars_in_folder
from elsewhere.album.export import Names, Order, Staging, check_target, sweep as sweep_staging
from elsewhere.album.files import MAX_BYTES, PHOTO_SUFFIXES, REASONS, known_kind, natural_key
from elsewhere.album.metadata import Metadata, from_json, parse_position
from elsewhere.album.places import Places, places_of
from elsewhere.album.renditions import MAX_SIDE
from elsewhere.album.workers import Workers
from elsewhere.audit import Audit, Exposure, Guess, Leaking, Opinion
from elsewhere.errors import InputError, PlaceError
from elsewhere.example import ALBUM as EXAMPLE_ALBUM
from elsewhere.formats.ledger import Entry
from elsewhere.globe import Cells, Place, cell_names, cell_towns, place, zone_of_place
from elsewhere.globe.areas import countries
from elsewhere.report import bar_chart, render
from elsewhere.scorers import RowCache, ScorerInfo, find
from elsewhere.scorers.cached_scorer import clear as clear_cache, disk_usage
from elsewhere.scorers.protocol import available, combine_rows
from elsewhere.scorers.sessions import Device


def find_places(photos: Sequence[Photo], at: Sequence[str] = ()) -> Places:
    """The places of an album: where the files say it was taken, or `at` these places by name."""
    return places_of(photos, at=[place(name) for name in at] or None)


def describe_scorer(spec: str, *, gpu: bool = False) -> ScorerInfo:
    """What is known of a scorer; ScorerError where it cannot be used.

    `gpu`: of its form for GPUs, where it has one. That one can be opened is not tried.
    """
    from elsewhere.scorers.gpu import gpu_form

    scorer = find(spec)
    return ((gpu_form(scorer) if gpu else None) or scorer).load()


def cells_of_grid(fingerprint: str) -> Cells | None:
    """The leaves or the paper's cells, if this is their fingerprint."""
    return Cells.known(fingerprint)


def read_metadata(text: str, position: tuple[float, float] | None = None) -> Metadata:
    """Metadata from the JSON of a scored photo; a `position` that is given comes first."""
    known = from_json(json.loads(text)) if text else Metadata()
    if position is None:
        return known
    where = parse_position(*position)
    if where is None:
        raise InputError("that is not a position on earth: give a latitude and a longitude")
    return replace(known, position=where)


def scorer_names() -> list[str]:
    """The scorers that can be used, each as it is typed."""
    return list(available().values())


def similar_places(problem: PlaceError, limit: int) -> list[str]:
    """Names of places that may have been meant, each of which would be understood."""
    names = dict.fromkeys(choice.label for choice in problem.choices if isinstance(choice, Place))
    understood = []
    for name in names:
        with suppress(PlaceError):
            place(name)
            understood.append(name)
    return understood[:limit]
