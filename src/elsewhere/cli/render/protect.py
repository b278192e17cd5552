"""A protected album for people and for programs: the verdict first, then what it rests on.

A run over 400 photos must fit on a screen: what was left out and what leaked is counted, with a
few names; `--json` has all of it. Nothing here names the k that was drawn in secret.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from elsewhere import messages
from elsewhere.cli.program import CODES, INFEASIBLE, UNKNOWN, program_name
from elsewhere.cli.render.printing import printed
from elsewhere.values.plan import Status
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.wording import apart_only, counted, listed, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from elsewhere.service import Export, Photo, ProtectedAlbum, SkippedFile

FEW = 5
"""So many names are enough to see what is meant."""
MANY = 40
"""More withheld photos than this are counted too."""
_COLOURS = {Status.OPTIMAL: "green", Status.FEASIBLE: "yellow"}


def exit_code(done: ProtectedAlbum) -> int:
    """0 only where there is something to share, or would be on no dry run."""
    status = done.plan.plan.status
    if done.plan.plan.found and not done.kept:
        return INFEASIBLE if status == Status.OPTIMAL else UNKNOWN
    return CODES[status]


def show(done: ProtectedAlbum) -> None:
    """Print it for people."""
    plan = done.plan.plan
    with printed() as console:
        colour = _COLOURS.get(plan.status, "red") if done.kept else "red"
        if colour == "green" and done.plan.advice is not None:
            colour = "yellow"  # hardly anything is shared
        console.print(Text(printable(messages.verdict(done.plan)), f"bold {colour}"))
        if not plan.found:
            console.print(Text(printable(plan.explanation)))
        if advice := messages.advice(done.plan):
            console.print(Text(printable(f"{messages.capitalized(advice)}."), "yellow"))
        console.print()
        rows = [*_facts(done)]
        console.print(_grid(rows))
        if done.export is not None:
            _after(console, done.export, done.report)
        elif done.kept:
            console.print(Text("\nNothing was written (--dry-run)."))


def _facts(done: ProtectedAlbum) -> Iterator[tuple[str, Text]]:
    """What there is to know, as pairs of a name and a few words."""
    from elsewhere.service import hidden_name

    for place in (*done.plan.hidden, *done.plan.public):
        state = "hidden" if place in done.plan.hidden else "public"
        name = hidden_name(place, done.plan.wishes.width) if state == "hidden" else place.label
        town = place.label.removesuffix(f", {name}")  # Slovenia around Ljubljana, Slovenia
        around = "" if name == place.label else f" around {town}"
        if place.area is not None and not around:
            around = f" (the {place.area.kind})"  # a town may be called like its region
        yield (
            state,
            Text.assemble(
                (printable(name), "bold" if state == "hidden" else ""),
                printable(around),
                (f"  {counted(len(place.photos), 'photo')}", "dim"),
            ),
        )
    ids = [photo.id for photo in done.seen.photos]
    called = dict(zip(ids, apart_only(ids), strict=True))
    chosen = [called[name] for name in done.withheld if name not in done.dropped]
    dropped = [called[name] for name in done.dropped]
    if chosen:
        yield "withheld", Text(_named(chosen, MANY))
    if dropped:
        yield "dropped", Text.assemble(_named(dropped, MANY), ("  as you asked", "dim"))
    if done.kept:
        yield "kept", Text(counted(len(done.kept), "photo"))
    yield from _left(done.seen.left)
    leaks = list(_leaks(done.seen.photos))
    if leaks:
        yield "cleaned", Text("; ".join(leaks))
    for text in (*map(messages.note, done.plan.notes), *(done.export.notes if done.export else ())):
        yield "note", Text(printable(text))


def _left(left: Sequence[SkippedFile]) -> Iterator[tuple[str, Text]]:
    """What was not read, kind by kind, the most frequent first."""
    from elsewhere.service import REASONS

    kinds: dict[str, list[SkippedFile]] = {}
    for one in left:
        kinds.setdefault(one.kind, []).append(one)
    for ones in sorted(kinds.values(), key=lambda ones: -len(ones)):
        names = _named([one.name for one in ones])
        reasons = {one.reason for one in ones}
        reason = printable(reasons.pop()) if len(reasons) == 1 else REASONS[ones[0].kind]
        yield "left out", Text.assemble(names, (f"  {reason}", "dim"))


def _leaks(photos: Sequence[Photo]) -> Iterator[str]:
    """What plain copies of the files would have told, the most telling first."""
    from elsewhere.service import metadata_leaks

    kinds: dict[int, list[str]] = {}
    for leak in metadata_leaks(photos):
        kinds.setdefault(len(leak.photos), []).append(leak.kind)
    for many, found in kinds.items():
        where = "all photos" if many == len(photos) > 1 else counted(many, "photo")
        yield f"{listed(found)} in {where}"


def _after(console: Console, shared: Export, report: Path | None) -> None:
    """Where everything is, what is not promised, and what to do next."""
    size = sum(file.size for file in shared.files) / 1e6
    target = printable(str(shared.target))
    copy = f"{target}  ({counted(len(shared.files), 'photo')}, {size:.1f} MB)"
    rows = [("clean copy", Text(copy, "bold"))]
    kept = {"report": report, "certificate": shared.certificate}
    rows += [
        (name, Text(f"{printable(str(file))}  (private: it names the place)"))
        for name, file in kept.items()
        if file is not None
    ]
    rows += [
        ("not covered", Text(NOT_COVERED)),
        ("prove again", Text(f"{program_name()} verify {shlex.quote(target)}", "cyan")),
    ]
    console.print()
    console.print(_grid(rows))


def _grid(rows: Sequence[tuple[str, Text]]) -> Table:
    """Names and what is said of them; a name stands once for the lines that follow it."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    before = ""
    for name, text in rows:
        table.add_row("" if name == before else name, text)
        before = name
    return table


def _named(names: Sequence[str], most: int = FEW) -> str:
    """The first few names, and how many more there are.

    >>> _named(["a", "b", "c"], 2), _named(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(printable(name) for name in names[:most])
    more = len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown


def as_json(done: ProtectedAlbum) -> dict[str, Any]:
    """Everything, as plain values."""
    from elsewhere.service import hidden_name, metadata_leaks

    plan, wishes, shared = done.plan.plan, done.plan.wishes, done.export
    told: dict[str, Any] = {
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
            {"scorer": attack.spec, "fingerprint": attack.about.fingerprint}
            for attack in done.seen.models
        ],
        "places": [
            {
                "place": place.label,
                "lat": place.lat,
                "lon": place.lon,
                "hidden": place in done.plan.hidden,
                "hides": hidden_name(place, wishes.width) if place in done.plan.hidden else None,
                "photos": [done.seen.photos[n].id for n in place.photos],
            }
            for place in (*done.plan.hidden, *done.plan.public)
        ],
        "withheld": done.withheld,
        "dropped": done.dropped,
        "kept": done.kept,
        "left": [
            {"file": one.name, "kind": one.kind, "reason": one.reason} for one in done.seen.left
        ],
        "leaks": [
            {"kind": leak.kind, "photos": list(leak.photos)}
            for leak in metadata_leaks(done.seen.photos)
        ],
        "notes": [*map(messages.note, done.plan.notes), *(shared.notes if shared else ())],
        "not_covered": NOT_COVERED,
    }
    if shared is not None:
        told |= {
            "target": str(shared.target),
            "certificate": str(shared.certificate),
            "report": None if done.report is None else str(done.report),
            "warning": messages.report_warning(done.report_error),
            "files": [
                {"file": file.name, "photo": file.photo, "sha256": file.sha256, "bytes": file.size}
                for file in shared.files
            ],
        }
    return told
