"""The whole job on an album, from its folder to the copy, as the commands run it: with bars.

The job's parts are joined in the job's room; here they are only called in their order, so that
`protect` and `demo` do the same.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from elsewhere.errors import ElsewhereError

if TYPE_CHECKING:
    from elsewhere.album import Recipe
    from elsewhere.album.export import Names, Order
    from elsewhere.cli.render.progress import Stages
    from elsewhere.cli.render.protect import Done
    from elsewhere.globe import Place
    from elsewhere.service.export import Export
    from elsewhere.service.ledger import Ledger
    from elsewhere.values.wishes import Wishes


class Sharing(TypedDict, total=False):
    """How the copy is written: the arguments of `export_album` that the options set."""

    private: Path | None
    order: Order
    names: Names


@dataclass(frozen=True)
class Public:
    """What counts as public already, and whether this copy will from now on."""

    paths: tuple[Path, ...]
    ledger: Ledger
    remember: bool


def run_protect(
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
    from elsewhere.album.places import places_of
    from elsewhere.cli.render.progress import stages
    from elsewhere.cli.render.protect import Done
    from elsewhere.scorers import RowCache
    from elsewhere.service import score_album
    from elsewhere.service.early_checks import EarlyChecks, check_paths, check_wishes
    from elsewhere.service.export import check_copy_target, export_album
    from elsewhere.service.planning import evaluate_alternatives, plan_album
    from elsewhere.service.posted import NOTHING_POSTED
    from elsewhere.service.posted_photos import Sketches, find_posted

    how: Sharing = sharing or {}
    check_wishes(wishes)
    check_paths(public.paths if public is not None else ())
    if target is not None:  # nobody waits for what cannot be written
        check_copy_target([path for path in paths if path.is_dir()], target, **how)
    refusing = EarlyChecks(wishes, at)
    with stages() as told:
        rows, sketches = RowCache() if cache else None, Sketches()
        seen = score_album(
            paths,
            scorers=scorers,
            recipe=recipe,
            cache=rows,
            progress=told,
            loaded=refusing.loaded,
            checked=refusing.read,
            keep=target is not None,  # what is not exported need not wait on the disk
            glance=sketches if public is not None and public.paths else None,
        )
        try:
            places, out = places_of(seen.photos, at=at), NOTHING_POSTED
            if public is not None and places:
                out = find_posted(
                    seen,
                    places,
                    wishes,
                    public.paths,
                    ledger=public.ledger,
                    cache=rows,
                    sketches=sketches,
                )
            with told.during("planning"):
                plan = plan_album(seen, places, wishes, posted=out)
                plan = evaluate_alternatives(seen, places, plan, posted=out)
            done = Done(seen, plan, None, out)
            if target is not None and done.kept:
                ledger = public.ledger if public is not None and public.remember else None
                shared = export_album(
                    seen, plan, target, posted=out, remember=ledger, progress=told, **how
                )
                done = replace(done, shared=shared)
                if command is not None:
                    done = _reported(done, shared, command, told)
            return done
        finally:
            seen.close()


def _reported(done: Done, shared: Export, command: str, told: Stages) -> Done:
    """With the report, or with why there is none.

    The copy is proved and has its name by now: whatever comes in the way, Ctrl-C too, and while
    what makes the report is still being loaded, costs the report and not the copy.
    """
    try:
        with told.during("telling"):
            from elsewhere.service.report import write_report

            report = write_report(
                done.seen,
                done.plan,
                shared.private,
                posted=done.posted,
                shared=shared,
                command=command,
            )
    except (ElsewhereError, OSError, MemoryError, KeyboardInterrupt) as problem:
        why = "stopped" if isinstance(problem, KeyboardInterrupt) else str(problem)
        return replace(
            done,
            warning=f"the copy is written and proved, but its report is not there: "
            f"{why or 'there is not enough memory'}",
        )
    return replace(done, report=report)


def typed_command() -> str:
    """What was typed, as it can be typed again."""
    return shlex.join(["elsewhere", *sys.argv[1:]])


def program_name() -> str:
    """How the program is called from here: by its name where the shell knows it."""
    if shutil.which("elsewhere"):
        return "elsewhere"
    program = Path(sys.argv[0])
    return str(program) if program.name == "elsewhere" else "python -m elsewhere"
