"""A protected album, for people and as JSON.

Long lists are shortened so that the result fits on a screen; `--json` has all of it. Nothing here
names the k that was drawn in secret.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from elsewhere import messages
from elsewhere.cli.render.printing import fact_table, print_json, printed
from elsewhere.values.plan import Status
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.wording import apart_only, counted, listed, printable

if TYPE_CHECKING:
    from elsewhere.service import ProtectedAlbum

_MAX_NAMES = 5
"""Names that are listed of skipped files."""
_MAX_WITHHELD = 40
"""Names that are listed of withheld photos."""
_COLOURS = {Status.OPTIMAL: "green", Status.FEASIBLE: "yellow"}


def show(done: ProtectedAlbum, as_json: bool = False) -> None:
    """Print the result for people or as JSON; a missing report is a warning on stderr."""
    if as_json:
        print_json(_plain_values(done))
    else:
        _show(done)
    if done.report_error is not None:
        warning = messages.report_warning(done.report_error)
        typer.echo(f"elsewhere: {printable(warning)}", err=True)


def _show(done: ProtectedAlbum) -> None:
    plan, export = done.plan.plan, done.export
    with printed() as console:
        colour = _COLOURS.get(plan.status, "red") if done.kept else "red"
        if colour == "green" and done.plan.advice is not None:
            colour = "yellow"  # hardly anything is shared
        console.print(Text(printable(messages.verdict(done.plan)), f"bold {colour}"))
        if not plan.found:
            console.print(Text(printable(plan.explanation)))
        if advice := messages.advice(done.plan):
            console.print(Text(printable(messages.as_sentence(advice)), "yellow"))
        console.print()
        console.print(fact_table(_facts(done)))
        if export is None:
            if done.kept:
                console.print(Text("\nNothing was written (--dry-run)."))
            return
        target = printable(str(export.target))
        size = sum(file.size for file in export.files) / 1e6
        copy = f"{target}  ({counted(len(export.files), 'photo')}, {size:.1f} MB)"
        facts = [("clean copy", Text(copy, "bold"))]
        for name, file in (("report", done.report), ("certificate", export.certificate)):
            if file is not None:
                facts.append((name, Text(f"{printable(str(file))}  (private: it names the place)")))
        facts.append(("not covered", Text(NOT_COVERED)))
        program = "elsewhere"
        if not shutil.which(program):
            called = Path(sys.argv[0])
            program = str(called) if called.name == program else "python -m elsewhere"
        facts.append(("prove again", Text(f"{program} verify {shlex.quote(target)}", "cyan")))
        console.print()
        console.print(fact_table(facts))


def _facts(done: ProtectedAlbum) -> Iterator[tuple[str, Text]]:
    """The places, photos and notes, each with its name."""
    from elsewhere.service import REASONS, SkippedFile, hidden_name, metadata_leaks

    for place in (*done.plan.hidden, *done.plan.public):
        hidden = place in done.plan.hidden
        name = hidden_name(place, done.plan.wishes.width) if hidden else place.label
        town = place.label.removesuffix(f", {name}")  # Slovenia around Ljubljana, Slovenia
        around = "" if name == place.label else f" around {town}"
        if place.area is not None and not around:
            around = f" (the {place.area.kind})"  # a town and its region may share a name
        yield (
            "hidden" if hidden else "public",
            Text.assemble(
                (printable(name), "bold" if hidden else ""),
                printable(around),
                (f"  {counted(len(place.photos), 'photo')}", "dim"),
            ),
        )
    photos = done.scored.photos
    ids = [photo.id for photo in photos]
    short_names = dict(zip(ids, apart_only(ids), strict=True))
    drop = {ids[n] for n in done.plan.plan.promise.drop}
    withheld = [short_names[name] for name in done.withheld if name not in drop]
    dropped = [short_names[name] for name in done.withheld if name in drop]
    if withheld:
        yield "withheld", Text(_first_names(withheld, _MAX_WITHHELD))
    if dropped:
        names = _first_names(dropped, _MAX_WITHHELD)
        yield "dropped", Text.assemble(names, ("  as you asked", "dim"))
    if done.kept:
        yield "kept", Text(counted(len(done.kept), "photo"))
    skipped: dict[str, list[SkippedFile]] = {}
    for file in done.scored.skipped:
        skipped.setdefault(file.kind, []).append(file)
    for files in sorted(skipped.values(), key=len, reverse=True):
        reasons = {file.reason for file in files}
        reason = printable(reasons.pop()) if len(reasons) == 1 else REASONS[files[0].kind]
        names = _first_names([file.name for file in files], _MAX_NAMES)
        yield "left out", Text.assemble(names, (f"  {reason}", "dim"))
    leaks: dict[int, list[str]] = {}
    for leak in metadata_leaks(photos):
        leaks.setdefault(len(leak.photos), []).append(leak.kind)
    if leaks:
        texts = [
            f"{listed(kinds)} in "
            + ("all photos" if count == len(photos) > 1 else counted(count, "photo"))
            for count, kinds in leaks.items()
        ]
        yield "cleaned", Text("; ".join(texts))
    for text in (*map(messages.note, done.plan.notes), *(done.export.notes if done.export else ())):
        yield "note", Text(printable(text))


def _first_names(names: Sequence[str], limit: int) -> str:
    """The first names, and how many more there are.

    >>> _first_names(["a", "b", "c"], 2), _first_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    text = ", ".join(printable(name) for name in names[:limit])
    more = len(names) - limit
    return f"{text} and {more} more" if more > 0 else text


def _plain_values(done: ProtectedAlbum) -> dict[str, Any]:
    """Everything, for JSON."""
    from elsewhere.service import hidden_name, metadata_leaks

    plan, wishes, export = done.plan.plan, done.plan.wishes, done.export
    drop = {done.scored.photos[n].id for n in plan.promise.drop}
    document: dict[str, Any] = {
        "status": str(plan.status),
        "protects": bool(done.kept),
        "verdict": messages.verdict(done.plan),
        "explanation": "" if plan.found else plan.explanation,
        "advice": messages.advice(done.plan),
        "asked": {
            "top": None if wishes.budget is not None else wishes.top,
            "budget": wishes.budget,
        },
        "scorers": [
            {"scorer": model.spec, "fingerprint": model.about.fingerprint}
            for model in done.scored.models
        ],
        "places": [
            {
                "place": place.label,
                "lat": place.lat,
                "lon": place.lon,
                "hidden": place in done.plan.hidden,
                "hides": hidden_name(place, wishes.width) if place in done.plan.hidden else None,
                "photos": [done.scored.photos[n].id for n in place.photos],
            }
            for place in (*done.plan.hidden, *done.plan.public)
        ],
        "withheld": done.withheld,
        "dropped": [name for name in done.withheld if name in drop],
        "kept": done.kept,
        "left": [
            {"file": file.name, "kind": file.kind, "reason": file.reason}
            for file in done.scored.skipped
        ],
        "leaks": [
            {"kind": leak.kind, "photos": list(leak.photos)}
            for leak in metadata_leaks(done.scored.photos)
        ],
        "notes": [*map(messages.note, done.plan.notes), *(export.notes if export else ())],
        "not_covered": NOT_COVERED,
    }
    if export is not None:
        document |= {
            "target": str(export.target),
            "certificate": str(export.certificate),
            "report": None if done.report is None else str(done.report),
            "warning": messages.report_warning(done.report_error),
            "files": [
                {"file": file.name, "photo": file.photo, "sha256": file.sha256, "bytes": file.size}
                for file in export.files
            ],
        }
    return document
