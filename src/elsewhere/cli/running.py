"""The whole job on an album, from its folder to the copy, as the commands run it: with bars.

The job's parts are joined in the job's room; here they are only called in their order, so that
`protect` and `demo` do the same.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from elsewhere.album import Recipe
    from elsewhere.album.export_names import Names, Order
    from elsewhere.cli.told import Done
    from elsewhere.globe import Place
    from elsewhere.job.ledger.entries import Ledger
    from elsewhere.job.planning.wishes import Wishes


class Sharing(TypedDict, total=False):
    """How the copy is written: the arguments of `share` that the options set."""

    private: Path | None
    order: Order
    names: Names


@dataclass(frozen=True)
class Public:
    """What counts as public already, and whether this copy will from now on."""

    paths: tuple[Path, ...]
    ledger: Ledger
    remember: bool


def run(
    paths: Sequence[Path],
    target: Path | None,
    wishes: Wishes,
    *,
    at: Sequence[Place] | None = None,
    scorers: Sequence[str] = ("embedded",),
    recipe: Recipe | None = None,
    cache: bool = True,
    sharing: Sharing | None = None,
    public: Public | None = None,
    command: str | None = None,
) -> Done:
    """The whole job; without a target, all but the copy. With a command, a report that names it."""
    from elsewhere.album.export import refuse_target
    from elsewhere.album.places import places_of
    from elsewhere.cli.stages import stages
    from elsewhere.cli.told import Done
    from elsewhere.job import see
    from elsewhere.job.planning.album_plan import plan_album
    from elsewhere.job.posted.files import posted_for
    from elsewhere.job.posted.values import NOTHING_POSTED
    from elsewhere.job.sharing.share_album import refuse_sharing, share
    from elsewhere.job.showing.reporting import write_report
    from elsewhere.scorers import RowCache

    how: Sharing = sharing or {}
    if target is not None:  # nobody waits for what cannot be written
        refuse_target(target, [path for path in paths if path.is_dir()])
    with stages() as told:
        rows = RowCache() if cache else None
        seen = see(paths, scorers=scorers, recipe=recipe, cache=rows, progress=told)
        try:
            if target is not None:
                refuse_sharing(seen, target, **how)
            places, out = places_of(seen.photos, at=at), NOTHING_POSTED
            if public is not None and places:
                out = posted_for(
                    seen, places, wishes, public.paths, ledger=public.ledger, cache=rows
                )
            with told.during("planning"):
                plan = plan_album(seen, places, wishes, posted=out)
            shared = None
            if target is not None and plan.plan.found:
                ledger = public.ledger if public is not None and public.remember else None
                shared = share(
                    seen, plan, target, posted=out, remember=ledger, progress=told, **how
                )
            report = None
            if shared is not None and command is not None:
                with told.during("telling"):
                    report = write_report(
                        seen, plan, shared.private, posted=out, shared=shared, command=command
                    )
            return Done(seen, plan, shared, frozenset(out.already), report)
        finally:
            seen.close()


def typed() -> str:
    """What was typed, as it can be typed again."""
    return shlex.join(["elsewhere", *sys.argv[1:]])


def called() -> str:
    """How the program is called from here: by its name where the shell knows it."""
    if shutil.which("elsewhere"):
        return "elsewhere"
    program = Path(sys.argv[0])
    return str(program) if program.name == "elsewhere" else "python -m elsewhere"
