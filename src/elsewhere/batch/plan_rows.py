"""Plans for scores without a map: the truth is cells, and nothing is known of places.

What an attacker infers, as far as a row tells it: the numbers of the audit and none of its art.

An audit for people shows each photo and each step of the way, which takes longer than the plan and
grows with the square of the album. These are the same numbers for all photos together.

One album → one row: what it gives away, what to withhold, how far that is proved.

The same album gives the same row wherever it is done: the solver stops by work and not by the
clock, and the secret k comes from the run's key. Whatever goes wrong with an album is its own
dead letter and nobody else's.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere import messages
from elsewhere.album import Album, Photo, Recipe, Rendition, SkippedFile
from elsewhere.album.places import places_of
from elsewhere.album.renditions import Spool, Ticket
from elsewhere.album.skipped import known_kind
from elsewhere.audit.inference import rank, within
from elsewhere.batch.rows import Attacker, Dead, LostRowsError, Rows, rows_of, storable
from elsewhere.batch.schemas import albums_out, arrow
from elsewhere.batch.settings import Settings, wishes_of
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.globe import Cells, cell_names, place as place_called
from elsewhere.messages.numbers import number_text
from elsewhere.scorers.calibration import combine_rows
from elsewhere.service.album_audit import possible_cells
from elsewhere.service.photo_selection import budget_of, select_pinned
from elsewhere.service.places import NowhereError
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.service.scores import proved_record, solve_and_check
from elsewhere.service.secret_top import candidate_tops, solve_with_secret_top
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes, margin
from elsewhere.values.wording import counted

_MAPPED = ("hide", "radius_km", "hide_level", "prior", "stars", "bursts")
"""Wishes that need to know where or when photos were taken."""


def plan_cells(rows: Rows, scores: Scores, wishes: Wishes, settings: Settings) -> tuple[Plan, str]:
    """The plan, and one sentence on it; the k is drawn as for any album."""
    assert rows.truth is not None
    for name in _MAPPED:
        if getattr(wishes, name) != getattr(Wishes(), name):
            raise InputError(f"the wish {name} needs a place, but the truth is given as cells")
    keep, drop = select_pinned(wishes.keep, wishes.drop, rows.ids)
    budget = None if wishes.budget is None else budget_of(wishes.budget, len(rows.ids))
    asked = read_request(
        scores,
        list(rows.truth),
        top=wishes.top if budget is None else None,
        budget=budget,
        keep=keep,
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=wishes.values,
        each_photo=(wishes.top or 5) if wishes.each_photo else False,
        strict=wishes.strict,
    )
    limits = read_limits(None, settings.work_limit)
    if budget is not None:
        plan = solve_and_check(asked, limits, explain=None)
    else:
        least = asked.promise.against[0].top
        assert least is not None
        most = scores.cells - len(rows.truth)
        tries = candidate_tops(least, most, settings.draw(rows.album))
        tops = iter([least]) if wishes.exact_top else tries
        plan, _ = solve_with_secret_top(asked, least, tops, limits, explain=None)
    return plan, _verdict(plan, rows.truth, wishes, len(rows.ids))


def _verdict(plan: Plan, truth: Sequence[int], wishes: Wishes, photos: int) -> str:
    """One sentence; it names no k but the one that was asked for."""
    what = f"cell {truth[0]}" if len(truth) == 1 else f"the zone of {len(truth)} cells"
    wish = f"top {wishes.top}" if wishes.budget is None else f"a budget of {wishes.budget}"
    if plan.status == Status.INFEASIBLE:
        return f"Nothing can be shared: {what} cannot be hidden from these scores with {wish}."
    if plan.status == Status.UNKNOWN:
        return f"Nothing is shared: the work ran out before a plan that hides {what} was found."
    share = f"{len(plan.withheld)} of {counted(photos, 'photo')}"
    if wishes.budget is not None:
        k = plan.protected_k
        if not k:
            return f"Nothing is shared: with {wish} withheld, {what} may stay the first guess."
        return f"With {share} withheld, {counted(k, 'other cell')} or more come before {what}."
    least = "no smaller set would do for the top that was drawn"
    if plan.status != Status.OPTIMAL:
        least = f"stopped early, at least {number_text(plan.bound)} must go"
    return f"With {share} withheld, {what} is not among the first {wishes.top} guesses; {least}."


def infer(
    scores: Scores,
    zone: Sequence[int],
    *,
    scorer: str,
    place: str,
    exponents: Mapping[int, float],
    globe: Cells | None,
    sees: Sequence[int] | None = None,
    among: Sequence[int] | None = None,
    positions: Sequence[tuple[float, float]] = (),
) -> dict[str, Any]:
    """One struct of `schemas.audit`."""
    table = scores.values if sees is None else scores.values[list(sees)]
    values = table.astype(np.float64)
    if among is not None:
        impossible = np.ones(scores.cells, dtype=bool)
        impossible[list(among)] = False
        values[:, impossible] = -np.inf
    cells = np.array(zone, dtype=np.int64)
    likely = np.exp(combine_rows(values, exponents))
    best = int(np.argmax(likely))
    near = within(likely, globe, positions)[0].chance if globe is not None and positions else None
    return {
        "scorer": scorer,
        "place": place,
        "photos": len(values),
        "rank": rank(values, cells),
        "probability": min(1.0, float(likely[cells].sum())),
        "guess": f"cell {best}" if globe is None else cell_names(globe)[best],
        "guess_probability": float(likely[best]),
        "within_25_km": near,
    }


Row = dict[str, Any]
EXPOSED = "exposed"
"""The status of an album that its budget does not hide: `protect` would write nothing either."""
_log = logging.getLogger(__name__)


def solve(
    album: str, table: Any, attackers: Sequence[Attacker], settings: Settings
) -> tuple[Row, list[Dead]]:
    """The row of one album, and its dead letters."""
    rows: Rows | None = None
    try:
        rows = rows_of(album, table)
        if not rows.ids:
            raise InputError("none of its photos can be used")
        row = _fitting(_solved(rows, attackers, settings))
    except LostRowsError as problem:
        return broken(album, table.num_rows, rows, "damaged", str(problem))
    except ElsewhereError as problem:
        return broken(album, table.num_rows, rows, "album", str(problem))
    except Exception as problem:  # a bug must cost this album and no other
        _log.debug("album %r", album, exc_info=True)
        reason = f"a mistake of ours ({type(problem).__name__}) kept it from being planned"
        return broken(album, table.num_rows, rows, "error", f"{reason}: please report it")
    dead = list(rows.dead)
    if row["withheld"] is None:
        dead.append(Dead(album, None, row["status"], row["verdict"]))
    return row, dead


def _fitting(row: Row) -> Row:
    """A row that fits into the file: one that does not must be found out while it is alone."""
    row = {name: storable(told) if isinstance(told, str) else told for name, told in row.items()}
    arrow().Table.from_pylist([row], albums_out())
    return row


def _solved(rows: Rows, attackers: Sequence[Attacker], settings: Settings) -> Row:
    wishes = replace(wishes_of(settings.wishes, rows.wishes), work_limit=settings.work_limit)
    scores = [
        Scores(matrix, rows.ids, scorer=one.about.fingerprint, grid=one.about.grid)
        for one, matrix in zip(attackers, rows.scores, strict=True)
    ]
    if rows.truth is not None:
        plan, verdict = plan_cells(rows, scores[0], wishes, settings)
        tables = scores[:1]
        audits = [
            infer(
                scores[0],
                rows.truth,
                scorer=attackers[0].word,
                place=f"cells {', '.join(map(str, rows.truth[:8]))}",
                exponents=attackers[0].about.exponents,
                globe=attackers[0].about.globe,
            )
        ]
    else:
        plan, verdict, tables, audits = _placed(rows, scores, attackers, wishes, settings)
    return _row(rows, wishes, plan, verdict, tables, audits, settings)


def _placed(
    rows: Rows,
    scores: Sequence[Scores],
    attackers: Sequence[Attacker],
    wishes: Wishes,
    settings: Settings,
) -> tuple[Plan, str, list[Scores], list[Row]]:
    """An album that was taken somewhere: planned as `elsewhere protect` does it."""
    seen = _seen(rows, scores, attackers)
    at = None if rows.place is None else [place_called(rows.place)]
    places = places_of(seen.photos, at=at)
    try:
        done = plan_album(seen, places, wishes, draw=settings.draw(rows.album), reasons=False)
    except NowhereError:
        raise InputError(
            "nothing says where it was taken, so there is nothing to hide: give its photos lat "
            "and lon, or a place, or scores a truth"
        ) from None
    audits = [
        infer(
            seen.models[watch.model].scores,
            watch.zone.cells.tolist(),
            scorer=seen.models[watch.model].spec,
            place=watch.place.label,
            exponents=seen.models[watch.model].about.exponents,
            globe=seen.models[watch.model].about.globe,
            sees=watch.sees,
            among=possible_cells(done.threats, watch),
            positions=watch.place.positions,
        )
        for watch in done.threats
    ]
    tables = [seen.models[watch.model].scores for watch in done.threats]
    return done.plan, messages.verdict(done), tables, audits


def _seen(rows: Rows, scores: Sequence[Scores], attackers: Sequence[Attacker]) -> ScoredAlbum:
    """The album as the job knows it; the renditions themselves are gone by now."""
    gone = Ticket(_spool(), 0, 0)
    photos = tuple(
        Photo(name, Path(name), Rendition(digest, 0, 0, 0, gone), known)
        for name, digest, known in zip(rows.ids, rows.digests, rows.metadata, strict=True)
    )
    left = tuple(
        SkippedFile(Path(one.photo), one.photo, known_kind(one.kind, "damaged"), one.reason)
        for one in rows.dead
        if one.photo is not None
    )
    attacks = tuple(
        ModelScores(one.word, one.about, table)
        for one, table in zip(attackers, scores, strict=True)
    )
    return ScoredAlbum(Album(photos, left, Recipe(), _spool()), photos, attacks, left)


@lru_cache(maxsize=1)
def _spool() -> Spool:
    return Spool()


def _row(  # noqa: PLR0917 - all that a row tells
    rows: Rows,
    wishes: Wishes,
    plan: Plan,
    verdict: str,
    tables: list[Scores],
    audits: list[Row],
    settings: Settings,
) -> Row:
    # within a small budget a place may stay the first guess: then there is nothing to promise
    hides = plan.found and plan.protected_k > 0
    # nodes may have other versions of the libraries, and their rows are to be the same
    sealed = proved_record(plan, tables, libraries=False) if hides else None
    budget = None if wishes.budget is None else budget_of(wishes.budget, len(rows.ids))
    return {
        "album": rows.album,
        "status": str(plan.status) if hides or not plan.found else EXPOSED,
        "photos": len(rows.ids),
        "left": len(rows.dead),
        "withheld": [rows.ids[n] for n in plan.withheld] if hides else None,
        "share": _share(rows, plan.withheld) if hides else None,
        "cost": str(plan.cost) if hides else None,
        "bound": str(plan.bound),
        "top": wishes.top if budget is None else None,
        "budget": budget,
        "margin": margin(wishes.margin).theta,
        "audit": audits,
        "verdict": verdict,
        "work": plan.work,
        "certificate_digest": None if sealed is None else sealed["digest"],
        "certificate": json.dumps(sealed) if sealed and settings.certificates else None,
    }


def _share(rows: Rows, withheld: Sequence[int]) -> list[str]:
    """What the promise covers: photos that were planned with and stay, and no others.

    A copy of a photo is no more among them than one that nobody could read: it would say again
    what is counted once.
    """
    gone = set(withheld)
    return [name for number, name in enumerate(rows.ids) if number not in gone]


def broken(
    album: str, photos: int, rows: Rows | None, kind: str, reason: str
) -> tuple[Row, list[Dead]]:
    """The row of an album of which nothing can be said, and why."""
    dead = [*(rows.dead if rows else ()), Dead(album, None, kind, reason)]
    row: Row = dict.fromkeys(("withheld", "share", "cost", "bound", "top", "budget", "margin",
                              "audit", "work", "certificate_digest", "certificate"))  # fmt: skip
    return {
        **row,
        "album": album,
        "status": "broken",
        "photos": len(rows.ids) if rows else 0,
        "left": len(rows.dead) if rows else photos,
        "verdict": storable(reason),
    }, dead
