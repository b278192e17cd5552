"""From a finished job to its private report: what is known is laid out, nothing is decided anew.

The report names the place, so it goes where the certificate goes, readable by its owner only and
there all at once. Without a plan it shows what an audit found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from elsewhere.globe import ground
from elsewhere.globe.continents import continent
from elsewhere.report import Contents, page
from elsewhere.report.contents import Attacker, Fate, LeftOut, PhotoPicture
from elsewhere.service.export.export_album import Export
from elsewhere.service.export.private_files import REPORT, make_private, write_private
from elsewhere.service.frontier import album_frontier
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.posted.values import NOTHING_POSTED, Posted
from elsewhere.service.reporting.album_audit import AlbumAudit, Opinions
from elsewhere.service.reporting.explanations import explain_photo
from elsewhere.service.reporting.limitations import limitations
from elsewhere.service.reporting.metadata_leaks import metadata_leaks
from elsewhere.service.reporting.previews import previews
from elsewhere.service.reporting.views import ReportViews, planned_scenes, seen_scenes
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.plan import Status
from elsewhere.values.wording import counted, listed

PATIENCE = 5.0
"""Seconds for the staircase; its points stay open where that is not enough."""


def write_report(
    seen: ScoredAlbum,
    album_plan: AlbumPlan,
    folder: Path,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Path:
    """Write the report of a plan into a private folder, and say where it is.

    `shared` is the copy, where one was made; `command` is what the user typed.
    """
    made = plan_contents(
        seen,
        album_plan,
        posted=posted,
        opinions=opinions,
        shared=shared,
        command=command,
        patience=patience,
    )
    make_private(folder)
    return save_report(made, folder / REPORT)


def save_report(contents: Contents, file: Path) -> Path:
    """Write a report to a file that only its owner can read: all at once, or not at all."""
    write_private(file, page(contents))
    return file


def plan_contents(
    seen: ScoredAlbum,
    album_plan: AlbumPlan,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Contents:
    """What the report of a plan says."""
    plan = album_plan.plan
    scenes = planned_scenes(seen, album_plan, posted=posted, opinions=opinions)
    advice = [album_plan.advice] * bool(album_plan.advice)
    notes = [*advice, *album_plan.notes, *(shared.notes if shared else ())]
    if not plan.found:
        notes.insert(0, plan.explanation)
    return Contents(
        album=album_name(seen),
        verdict=album_plan.verdict,
        holds=plan.found,
        state=_state(album_plan),
        shots=_shots(seen, scenes, _fates(seen, album_plan, posted), _remarks(album_plan, shared)),
        notes=tuple(_sentence(note) for note in notes),
        scenes=scenes.full,
        further=scenes.further,
        staircase=album_frontier(seen, album_plan, posted, patience=patience),
        explained=explain_photo(seen, album_plan, posted, scenes.numbers) if plan.found else None,
        uncovered=tuple(limitations(seen, album_plan, posted)) if plan.found else (),
        attackers=_attackers(seen, [(place.lat, place.lon) for place in album_plan.hidden]),
        leaks=metadata_leaks(seen.photos),
        left=_left(seen, posted),
        command=command,
        made=_made(seen, shared),
    )


def audit_contents(
    seen: ScoredAlbum,
    audit: AlbumAudit,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    command: str = "",
) -> Contents:
    """What a report says where nothing was planned: the album as its attackers see it."""
    scenes = seen_scenes(seen, audit, posted=posted, opinions=opinions)
    where = dict.fromkeys((watch.place.lat, watch.place.lon) for watch in audit.watches)
    best = scenes.full[0].before
    photos = counted(len(best.ids), "photo")
    verdict = f"From {photos} {best.scorer} guesses {best.guesses[0].name}."
    if best.truth is not None:
        truths = [scene.before.truth for scene in scenes.full]
        told = [f"{one.label} is number {one.rank}" for one in truths if one is not None]
        verdict = f"Of the guesses of {best.scorer}, {listed(told)}."
    return Contents(
        album=album_name(seen),
        verdict=verdict,
        holds=None,
        state="Looked at; nothing is withheld",
        shots=_shots(seen, scenes, [Fate.SEEN] * len(seen.photos), {}),
        notes=tuple(_sentence(note) for note in audit.notes),
        scenes=scenes.full,
        further=scenes.further,
        attackers=_attackers(seen, list(where)),
        leaks=audit.leaks,
        left=_left(seen, posted),
        command=command,
        made=_made(seen, None),
    )


def album_name(seen: ScoredAlbum) -> str:
    """What to call an album: after its folders, else after its photos."""
    names = [folder.resolve().name for folder in seen.album.folders]
    return listed([name for name in names if name]) or counted(len(seen.photos), "photo")


def _state(album_plan: AlbumPlan) -> str:
    status, budget = album_plan.plan.status, album_plan.plan.promise.budget
    if status == Status.INFEASIBLE:
        return "No plan keeps the promise"
    if status == Status.UNKNOWN:
        return "No plan was found in time"
    if budget is not None:
        return f"The best found within a budget of {counted(budget, 'photo')}"
    if status == Status.FEASIBLE:
        return "The promise holds; fewer photos might do"
    return "The promise holds, with the fewest photos withheld"


def _fates(seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted) -> list[Fate]:
    plan = album_plan.plan
    if not plan.found:
        return [Fate.SEEN] * len(seen.photos)
    withheld, out = set(plan.withheld), set(posted.already)
    return [
        Fate.WITHHELD if n in withheld else Fate.PUBLIC if n in out else Fate.SHARED
        for n in range(len(seen.photos))
    ]


def _remarks(album_plan: AlbumPlan, shared: Export | None) -> Mapping[int, str]:
    """What is to be said of single photos: that somebody asked for it, and its new name."""
    promise = album_plan.plan.promise
    told = dict.fromkeys((*promise.keep, *promise.drop), "as you asked")
    for file in shared.files if shared else ():
        asked = f", {told[file.number]}" if file.number in told else ""
        told[file.number] = f"as {file.name}{asked}"
    return told


def _shots(
    seen: ScoredAlbum, scenes: ReportViews, fates: Sequence[Fate], remarks: Mapping[int, str]
) -> tuple[PhotoPicture, ...]:
    pictures = previews(seen.photos)
    shares = scenes.shares
    shots = []
    for number, (photo, fate, picture) in enumerate(zip(seen.photos, fates, pictures, strict=True)):
        gain, place = shares.get(photo.id, (None, ""))
        shots.append(PhotoPicture(photo.id, fate, picture, gain, place, remarks.get(number, "")))
    return tuple(shots)


def _attackers(seen: ScoredAlbum, where: Sequence[tuple[float, float]]) -> tuple[Attacker, ...]:
    codes = {ground(lat, lon, "country")[0].code for lat, lon in where}
    here = tuple(sorted({continent(code) for code in codes} - {""}))
    return tuple(
        Attacker(attack.word, attack.about.cells, attack.about.accuracy, here)
        for attack in seen.attacks
    )


def _left(seen: ScoredAlbum, posted: Posted) -> tuple[LeftOut, ...]:
    return tuple(LeftOut(one.name, one.reason) for one in (*seen.left, *posted.left))


def _made(seen: ScoredAlbum, shared: Export | None) -> Mapping[str, str]:
    from importlib.metadata import version  # only here: it is slow to import

    told = {
        "elsewhere": version("elsewhere"),
        "scorers": ", ".join(
            f"{attack.word} ({attack.about.fingerprint[:12]})" for attack in seen.attacks
        ),
        "renditions": str(seen.album.recipe),
    }
    if shared is not None:
        told |= {
            "copy": str(shared.target),
            "certificate": str(shared.certificate),
            "proved again": f"on the copy itself, against {counted(shared.reproved, 'view')}",
        }
    return told


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + ("" if note.endswith((".", "!", "?")) else ".")
