"""Which attackers, places and scopes a report shows in full, and of which only the numbers.

A promise may be against many: two scorers, three places, each over its own photos and over the
whole album. The first scorer's view of each place's own photos is what a person understands; the
others are rows of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from elsewhere.audit import Guess
from elsewhere.audit.inference import TOP
from elsewhere.report.contents import AttackerView
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.posted.values import Posted
from elsewhere.service.reporting.album_audit import AlbumAudit, Opinions, audit_attack, audit_watch
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat

ON_THE_MAP = 64
"""So many of the likeliest cells are drawn; the list beside the map has fewer."""
MOST = 5
"""More places than this are not shown in full."""


@dataclass(frozen=True)
class ReportViews:
    """What is shown."""

    full: tuple[AttackerView, ...]
    further: tuple[AttackerView, ...]
    numbers: tuple[int, ...] = ()
    """Which watches are shown in full."""

    @property
    def shares(self) -> Mapping[str, tuple[float, str]]:
        """Each photo's share and of which place: as the first full scene that sees it has it."""
        found: dict[str, tuple[float, str]] = {}
        for scene in self.full:
            truth = scene.before.truth
            if truth is None:
                continue
            for name, gain in zip(scene.before.ids, truth.shares.gains, strict=True):
                found.setdefault(name, (gain, truth.label))
        return found


def planned_scenes(
    seen: ScoredAlbum, album_plan: AlbumPlan, *, posted: Posted, opinions: Opinions | None
) -> ReportViews:
    """Every watch of a plan, before and after it."""
    plan, made = album_plan.plan, album_plan.watches

    def scene(number: int) -> AttackerView:
        before = audit_watch(
            seen, made, number, posted=posted, opinions=opinions, plan=album_plan, top=ON_THE_MAP
        )
        assert before is not None, "a watch sees at least one photo"
        after = None
        if plan.found:
            after = audit_watch(
                seen, made, number, posted=posted, plan=album_plan, kept=plan.kept, top=ON_THE_MAP
            )
        decoys: tuple[Guess, ...] = ()
        if after is not None and after.truth is not None and after.truth.shares.from_plan:
            decoys = after.truth.shares.rivals[: album_plan.wishes.top or TOP]
        watch = made[number]
        return AttackerView(
            before, after, decoys, _ground(seen, watch), _scope(watch), *_right(watch)
        )

    return _sorted(made, scene)


def seen_scenes(
    seen: ScoredAlbum, audit: AlbumAudit, *, posted: Posted, opinions: Opinions | None
) -> ReportViews:
    """Every watch of an audit; where no place is known, what each attacker guesses."""
    if not audit.watches:
        found = [
            audit_attack(seen, number, posted=posted, opinions=opinions, top=ON_THE_MAP)
            for number in range(len(seen.attacks))
        ]
        return ReportViews(tuple(AttackerView(one, scope="the whole album") for one in found), ())

    def scene(number: int) -> AttackerView:
        watch = audit.watches[number]
        before = audit_watch(
            seen, audit.watches, number, posted=posted, opinions=opinions, top=ON_THE_MAP
        )
        assert before is not None, "a watch sees at least one photo"
        return AttackerView(before, None, (), _ground(seen, watch), _scope(watch), *_right(watch))

    return _sorted(audit.watches, scene)


def _sorted(made: Sequence[Threat], scene: Callable[[int], AttackerView]) -> ReportViews:
    """The first scorer's view of each place's own photos in full, the rest as numbers."""
    first: dict[str, int] = {}
    for number, watch in enumerate(made):
        if watch.attack == 0:
            first.setdefault(watch.hides, number)  # own photos come before the whole album
    full = tuple(first.values())[:MOST]
    rest = [number for number in range(len(made)) if number not in full]
    return ReportViews(tuple(map(scene, full)), tuple(map(scene, rest)), full)


def _scope(watch: Threat) -> str:
    return "the whole album" if watch.whole else "its own photos"


def _right(watch: Threat) -> tuple[str, float | None]:
    """Where a guess is right, in words, and within which radius where that is all there is to it.

    Whoever hides a country does not ask how near to a town a guess comes.
    """
    width = watch.width
    if watch.place.area is not None or width.level in {"city", "region", "country"}:
        return f"in {watch.hides}", None
    if width.km:
        return f"within {width.km:g} km", width.km
    return "in its cell", None


def _ground(seen: ScoredAlbum, watch: Threat) -> tuple[tuple[float, float, float, float], ...]:
    """The boxes of the zone."""
    cells = seen.attacks[watch.attack].about.globe
    if cells is None:
        return ()
    return tuple(
        (float(south), float(west), float(north), float(east))
        for cell in watch.zone.cells.tolist()
        for south, west, north, east in cells.boxes_of(cell)
    )
