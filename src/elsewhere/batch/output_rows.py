"""One album → one row: what it gives away, what to withhold, how far that is proved.

The same album gives the same row everywhere: the solver is limited by work and not by a clock, and
the secret k comes from the run's key. Whatever goes wrong with an album becomes its dead letter.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from elsewhere import messages
from elsewhere.batch.columns import albums_out, arrow
from elsewhere.batch.input_rows import (
    CARRIED,
    VIEWS,
    AlbumRows,
    DeadLetter,
    LostRowsError,
    read_album,
    storable,
)
from elsewhere.batch.processor_proof import FAILED, ProcessorProof
from elsewhere.batch.settings import Settings, merge_wishes
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.service import (
    AlbumPlan,
    AttackerInfo,
    NowhereError,
    SkippedFile,
    UnreadPhoto,
    audit_cells,
    budget_of,
    known_kind,
    plan_cells,
    plan_unread_album,
    proved_record,
    shared_versions,
    with_versions,
)
from elsewhere.values.margins import margin
from elsewhere.values.plan import Plan
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes

Row = dict[str, Any]
EXPOSED = "exposed"  # the status of an album whose budget does not hide its place
_log = logging.getLogger(__name__)


def solve(
    album: str, table: Any, attackers: Sequence[AttackerInfo], settings: Settings
) -> tuple[Row, list[DeadLetter]]:
    """The row of one album, and its dead letters."""
    rows: AlbumRows | None = None
    try:
        rows = read_album(album, table, attackers)
        if not rows.ids:
            raise InputError("none of its photos can be used")
        row, planned = _plan_album(rows, attackers, settings)
        if VIEWS in table.column_names and planned is not None:
            proof = ProcessorProof(table, attackers, threads=settings.decoders // 2 + 1)
            row["gpu_plan"] = proof.judge(rows, planned, shares=row["share"] is not None)
            if row["gpu_plan"] == FAILED:
                table, attackers = proof.processor_table(), proof.attackers
                rows = read_album(album, table, attackers)
                row = _plan_album(rows, attackers, settings)[0] | {"gpu_plan": FAILED}
        row = _storable_row(row)
    except LostRowsError as problem:
        return broken_row(album, table.num_rows, rows, "damaged", str(problem))
    except ElsewhereError as problem:
        return broken_row(album, table.num_rows, rows, "album", str(problem))
    except Exception as problem:  # a bug must cost this album and no other
        _log.debug("album %r", album, exc_info=True)
        reason = f"a mistake of ours ({type(problem).__name__}) kept it from being planned"
        return broken_row(album, table.num_rows, rows, "error", f"{reason}: please report it")
    letters = list(rows.letters)
    if row["withheld"] is None:
        letters.append(DeadLetter(album, None, row["status"], row["verdict"]))
    return row, letters


def _storable_row(row: Row) -> Row:
    """A row that can be written; one that cannot must fail alone."""
    row = {name: storable(v) if isinstance(v, str) else v for name, v in row.items()}
    arrow().Table.from_pylist([row], albums_out())
    return row


def _plan_album(
    rows: AlbumRows, attackers: Sequence[AttackerInfo], settings: Settings
) -> tuple[Row, AlbumPlan | None]:
    """The row of an album, and its plan where its truth is not given as cells."""
    planned: AlbumPlan | None = None
    wishes = replace(merge_wishes(settings.wishes, rows.wishes), work_limit=settings.work_limit)
    for attacker, matrix in zip(attackers, rows.scores, strict=True):
        if attacker.about.cells and matrix.shape[1] != attacker.about.cells:
            raise InputError(
                f"its photos have scores over {matrix.shape[1]} cells, and the dataset's first "
                f"photo over {attacker.about.cells}: put them into a dataset of their own"
            )
    scores = [
        Scores(
            matrix,
            rows.ids,
            scorer=attacker.about.fingerprint,
            grid=attacker.about.grid,
            points=attacker.about.points,
        )
        for attacker, matrix in zip(attackers, rows.scores, strict=True)
    ]
    draw = settings.draw(rows.album, rows.digests)
    if rows.truth is not None:
        plan = plan_cells(scores[0], rows.truth, wishes, lambda: draw, rows.versions)
        verdict = messages.cells_verdict(plan, rows.truth, wishes, len(rows.ids))
        planned_scores = [with_versions(scores[0], rows.versions)]
        label = f"cells {', '.join(map(str, rows.truth[:8]))}"
        audits = [audit_cells(attackers[0], scores[0], rows.truth, label)]
    else:
        photos = list(map(UnreadPhoto, rows.ids, rows.digests, rows.metadata))
        skipped = [
            SkippedFile(
                Path(letter.photo), letter.photo, known_kind(letter.kind, "damaged"), letter.reason
            )
            for letter in rows.letters
            if letter.photo is not None
        ]
        try:
            planned, planned_scores, audits = plan_unread_album(
                photos,
                skipped,
                scores,
                attackers,
                wishes,
                place=rows.place,
                draw=draw,
                candidates=rows.versions,
            )
        except NowhereError:
            raise InputError(
                "nothing says where it was taken, so there is nothing to hide: give its photos lat "
                "and lon, or a place, or scores a truth"
            ) from None
        plan, verdict = planned.plan, messages.verdict(planned)
    row = _album_row(
        rows, wishes, plan, verdict, planned_scores, [asdict(audit) for audit in audits], settings
    )
    return row, planned


def _album_row(  # noqa: PLR0917 - all that a row holds
    rows: AlbumRows,
    wishes: Wishes,
    plan: Plan,
    verdict: str,
    planned_scores: list[Scores],
    audits: list[Row],
    settings: Settings,
) -> Row:
    # with a small budget a place may stay the first guess: then nothing is promised
    hides = plan.found and plan.protected_k > 0
    # without the versions of libraries: nodes may differ, and their rows must not
    record = proved_record(plan, planned_scores, libraries=False) if hides else None
    withheld = set(plan.withheld)
    versions = shared_versions(plan, rows.versions, len(rows.ids)) if hides else {}
    budget = None if wishes.budget is None else budget_of(wishes.budget, len(rows.ids))
    return {
        "album": rows.album,
        "status": str(plan.status) if hides or not plan.found else EXPOSED,
        "photos": len(rows.ids),
        "left": len(rows.letters),
        "withheld": [rows.ids[n] for n in plan.withheld] if hides else None,
        # without copies of a photo: they would say again what is counted once
        "share": [
            name for n, name in enumerate(rows.ids) if n not in withheld and n not in versions
        ]
        if hides
        else None,
        "share_versions": [{"photo": rows.ids[n], "version": name} for n, name in versions.items()]
        if hides
        else None,
        "cost": str(plan.cost) if hides else None,
        "bound": str(plan.bound),
        "top": wishes.top if budget is None else None,
        "budget": budget,
        "margin": margin(wishes.margin).theta,
        "audit": audits,
        "verdict": verdict,
        "work": plan.work,
        "certificate_digest": None if record is None else record["digest"],
        "certificate": json.dumps(record) if record and settings.certificates else None,
        "input_digest": None,
        "gpu_plan": None,
    }


_PASSING = {"crash", "error", "memory", "time"}
"""Kinds of dead letters that another attempt may not meet."""


def set_digest(row: Row, letters: Sequence[DeadLetter], digest: str | None) -> None:
    """Write down what a row depends on, if another attempt would come to the same."""
    if digest is not None and not any(letter.kind in _PASSING for letter in letters):
        row["input_digest"] = digest


def rows_table(rows: Sequence[Row], carried: Sequence[Any]) -> Any:
    """Rows as a table; `carried` are the fields of columns that come from the input.

    Their values are Arrow arrays of one value each (`carried_values`).
    """
    pa = arrow()
    table = pa.Table.from_pylist(rows, albums_out())
    for field in carried:
        name = field.name.removeprefix(CARRIED)
        values = [row[name] for row in rows] or [pa.nulls(0, field.type)]
        table = table.append_column(pa.field(name, field.type), pa.concat_arrays(values))
    return table


def broken_row(
    album: str, photos: int, rows: AlbumRows | None, kind: str, reason: str
) -> tuple[Row, list[DeadLetter]]:
    """The row of an album without a result, and the reason."""
    letters = [*(rows.letters if rows else ()), DeadLetter(album, None, kind, reason)]
    return {
        **dict.fromkeys(albums_out().names),
        "album": album,
        "status": "broken",
        "photos": len(rows.ids) if rows else 0,
        "left": len(rows.letters) if rows else photos,
        "verdict": storable(reason),
    }, letters
