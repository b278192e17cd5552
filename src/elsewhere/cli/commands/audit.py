"""`elsewhere audit`: what does an album give away?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere import messages
from elsewhere.cli import options
from elsewhere.cli.program import COMMAND_LINE, ERROR, KEPT
from elsewhere.values.photo_text import told_clues
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service import AlbumAudit, AuditedText, ScoredAlbum


_REPORT = typer.Option(
    metavar="FILE", help="Also write the result as an HTML page. It is private: it names the place."
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[list[Path], options.ALBUM],
    at: Annotated[list[str] | None, options.AT] = None,
    at_anyway: Annotated[bool, options.AT_ANYWAY] = False,
    hide: Annotated[list[str] | None, options.HIDE] = None,
    hide_level: Annotated[str | None, options.HIDE_LEVEL] = None,
    radius: Annotated[float, options.RADIUS] = 25.0,
    scorer: Annotated[list[str] | None, options.SCORERS] = None,
    posted: Annotated[list[Path] | None, options.POSTED] = None,
    world: Annotated[bool | None, options.MAP] = None,
    report: Annotated[Path | None, _REPORT] = None,
    verbose: Annotated[bool, options.VERBOSE] = False,
    as_json: Annotated[bool, options.JSON] = False,
    text: Annotated[bool, options.TEXT] = True,
    cache: Annotated[bool, options.CACHE] = True,
) -> int:
    """Show what an album gives away: where an attacker would place it, and which photos reveal it.

    Photos are scored as they would be shared. Nothing leaves this machine; nothing is changed. If
    the files have positions, or you give --at, you also see which of the attacker's first places is
    within --radius of the true one, the chance of a guess near it, how that changes as photos are
    added, and what each photo contributes.

    Examples:

    - `elsewhere audit holiday`
      (places from the files)
    - `elsewhere audit holiday --at Lisbon --radius 50`
      (name the place)
    - `elsewhere audit holiday --posted online --json`
      (with photos that are already public; as JSON)
    - `elsewhere audit holiday --report holiday.html`
      (with pictures and maps, as a private page)

    Exit codes: 0 every photo was scored, 1 some could not be, 2 invalid usage.
    """
    from elsewhere.cli.parse import parse_places
    from elsewhere.cli.render.audit import show
    from elsewhere.cli.render.printing import fact_table, print_json, printed
    from elsewhere.cli.render.progress import stages
    from elsewhere.cli.render.protect import skipped_files
    from elsewhere.service import (
        Ledger,
        audit_album,
        audit_contents,
        check_target,
        open_album,
        save_report,
    )
    from elsewhere.values.wishes import Wishes

    if report is not None:  # refuse before the long work
        check_target(report, [path for path in album if path.is_dir()], file=True)
    wishes = Wishes(top=None, hide=tuple(hide or ("all",)), hide_level=hide_level, radius_km=radius)
    places = parse_places(at) if at else None  # before the bars: they would overwrite the question
    with (
        stages() as progress,
        open_album(
            album,
            wishes,
            at=places,
            at_anyway=at_anyway,
            scorers=tuple(scorer or ("embedded",)),
            cache=cache,
            posted=tuple(posted or ()),
            ledger=Ledger(),
            keep=report is not None,  # the page shows the photos
            need_place=False,
            opinions=True,
            read_text=text,
            progress=progress,
        ) as opened,
    ):
        scored, public, opinions = opened.scored, opened.posted, opened.opinions
        audit = audit_album(scored, opened.places, wishes, posted=public, opinions=opinions)
        if report is not None:
            page = audit_contents(
                scored, audit, posted=public, opinions=opinions, command=COMMAND_LINE
            )
            save_report(page, report)
    if as_json:
        print_json(_plain_values(audit, scored))
    else:
        chosen = {
            "--at": [place.label for place in places] if at and "-" in at and places else at,
            "--hide": hide,
            "--hide-level": hide_level and [hide_level],
            "--radius": [f"{radius:g}"] if radius != Wishes().radius_km else None,
            "--scorer": scorer,
            "--posted": posted,
        }
        words: list[str | Path] = [*album, *(["--at-anyway"] if at_anyway else [])]
        for name, values in chosen.items():
            for value in values or ():
                words += [name, value]
        show(audit, world, shlex.join(map(str, words)), verbose=verbose)
        if others := [file for file in scored.skipped if not file.lost]:
            with printed() as console:
                console.print(fact_table(skipped_files(others)))
    if report is not None:
        typer.echo(f"report: {printable(str(report))} (private: it names the place)", err=True)
    lost = [file for file in scored.skipped if file.lost]
    for file in lost:
        typer.echo(f"elsewhere: {printable(file.name)}: {printable(file.reason)}", err=True)
    return ERROR if lost else KEPT


def _plain_values(album: AlbumAudit, scored: ScoredAlbum) -> dict[str, Any]:
    """Everything, for JSON."""
    from dataclasses import asdict

    wholes = [threat.whole for threat in album.threats] or [True] * len(album.audits)
    numbers = None if album.numbers is None else asdict(album.numbers)
    return {
        "numbers": numbers,
        "audits": [
            {"photos": "all" if whole else "of the place", **asdict(audit)}
            for whole, audit in zip(wholes, album.audits, strict=True)
        ],
        "leaks": [asdict(leak) for leak in album.leaks],
        "texts": [_plain_text(text) for text in album.texts],
        "notes": [messages.note(note) for note in album.notes],
        "left": [
            {"file": file.name, "kind": file.kind, "reason": file.reason} for file in scored.skipped
        ],
    }


def _plain_text(audited: AuditedText) -> dict[str, Any]:
    """The text of one photo, for JSON: rectangles are left, top, right, bottom in pixels."""
    lines = []
    for line in audited.text.lines:
        lines.append(
            {
                "text": line.text,
                "read": line.is_read,
                "confidence": line.confidence,
                "box": list(line.box),
                "may_mean": [
                    {
                        "kind": clue.kind,
                        "excerpt": clue.excerpt,
                        "label": clue.label,
                        "ratio": clue.ratio,
                        "positions": [list(position) for position in clue.positions],
                        "countries": list(clue.countries),
                        "near_hidden": near,
                    }
                    for clue, near in told_clues(line, audited.telling)
                ],
            }
        )
    return {
        "photo": audited.text.photo,
        "lines": lines,
        "unread": audited.text.unread,
        "more": audited.text.more,
        "failed": audited.text.failed,
    }
