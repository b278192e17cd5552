"""A protected album, for people and as JSON.

Long lists are shortened so that the result fits on a screen; `--json` has all of it. Nothing here
names the k that was drawn in secret.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from elsewhere import messages
from elsewhere.cli.render.printing import fact_table, print_json, printed, program_name
from elsewhere.values.notes import NoteKind
from elsewhere.values.outcome import Change
from elsewhere.values.plan import Status
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.versions import Edit, picture_lost
from elsewhere.values.wording import apart_only, counted, listed, printable

if TYPE_CHECKING:
    from elsewhere.service import Photo, ProtectedAlbum, SkippedFile

_MAX_NAMES = 5
"""Names that are listed of skipped files."""
_MAX_WITHHELD = 40
"""Names that are listed of withheld photos."""
_MAX_PLACES = 5
"""Of more places than this their number is printed, and of so many the price of each alone."""
_EASIEST = 3
"""Places that are named as the most easily found."""
_COLOURS = {Status.OPTIMAL: "green", Status.FEASIBLE: "yellow"}


def show(
    done: ProtectedAlbum,
    as_json: bool = False,
    clean: str = "",
    private: Path | None = None,
    *,
    verbose: bool = True,
) -> None:
    """Print the result for people or as JSON; a missing report is a warning on stderr.

    `clean` is the command that shares the album without hiding anything, `private` where the user
    wants the certificate. What is not `verbose` fits on a screen.
    """
    if as_json:
        print_json(_plain_values(done))
    else:
        _show(done, clean, private, verbose=verbose)
    if done.report_error is not None:
        warning = messages.report_warning(done.report_error)
        typer.echo(f"elsewhere: {printable(warning)}", err=True)


def _show(done: ProtectedAlbum, clean: str, private: Path | None, *, verbose: bool) -> None:
    plan, export = done.plan.plan, done.export
    with printed() as console:
        colour = _COLOURS.get(plan.status, "red") if done.kept else "red"
        if colour == "green" and (
            done.plan.advice is not None or messages.dropped_rules(done.plan.notes)[0]
        ):
            colour = "yellow"  # hardly anything is shared, or a rule is not kept
        for note in messages.foremost_notes(done.plan.notes)[0]:
            text = messages.as_sentence(messages.note(note))
            console.print(Text(printable(text), "bold yellow"))
        console.print(Text(printable(messages.verdict(done.plan)), f"bold {colour}"))
        if plan.status == Status.INFEASIBLE:
            console.print(Text(printable(plan.explanation)))
        if advice := messages.advice(done.plan):
            console.print(Text(printable(messages.as_sentence(advice)), "yellow"))
        console.print()
        numbers = messages.key_numbers(done.numbers) if done.numbers is not None else []
        if not verbose:
            numbers = numbers[-1:]  # what the model believes now and then
            if done.numbers is not None and len(done.numbers.by_ease) > 1:
                easiest = [p for p in done.numbers.places if p.place == done.numbers.by_ease[0]]
                numbers = messages.key_numbers(replace(done.numbers, places=(easiest[0],)))[-1:]
        if numbers:
            console.print(fact_table((name, Text(printable(text))) for name, text in numbers))
            console.print()
        console.print(fact_table(_facts(done, verbose=verbose)))
        if export is None:
            if done.kept:
                console.print(Text("\nNothing was written (--dry-run)."))
            elif clean:
                console.print(Text(f"\n{printable(messages.clean_offer(clean))}"))
            return
        target = printable(str(export.target))
        size = sum(file.size for file in export.files) / 1e6
        copy = f"{target}  ({counted(len(export.files), 'photo')}, {size:.1f} MB)"
        facts = [("clean copy", Text(copy, "bold"))]
        private_files = {"report": done.report, "certificate": export.certificate}
        for name, file in private_files.items():
            if file is not None and (verbose or name == "report"):
                facts.append((name, Text(f"{printable(str(file))}  (private: it names the place)")))
        facts.append(("text", Text(messages.text_check(done.plan))))
        facts.append(("not covered", Text(NOT_COVERED)))
        again = f"{program_name()} verify {shlex.quote(target)}"
        if private is not None:
            again += f" --private {shlex.quote(printable(str(private)))}"
        facts.append(("prove again", Text(again, "cyan")))
        console.print()
        console.print(fact_table(facts))


def _facts(done: ProtectedAlbum, *, verbose: bool) -> Iterator[tuple[str, Text]]:
    """The places, photos and notes, each with its name."""
    yield from _places(done, verbose=verbose)
    photos = done.scored.photos
    ids = [photo.id for photo in photos]
    short_names = dict(zip(ids, apart_only(ids), strict=True))
    telling = set(done.plan.telling_photos)
    drop = {ids[n] for n in done.plan.plan.promise.drop} - telling
    named = [short_names[name] for name in done.withheld if name in telling]
    withheld = [short_names[name] for name in done.withheld if name not in drop | telling]
    dropped = [short_names[name] for name in done.withheld if name in drop]
    if withheld:
        yield "withheld", Text(_first_names(withheld, _MAX_WITHHELD))
    if named:
        names = _first_names(named, _MAX_WITHHELD)
        yield "withheld", Text.assemble(names, ("  for readable text", "dim"))
    if dropped:
        names = _first_names(dropped, _MAX_WITHHELD)
        yield "dropped", Text.assemble(names, ("  as you asked", "dim"))
    if done.plan.edits:
        yield "edited", Text(_first_names(_edited(done, short_names), _MAX_WITHHELD))
    if done.kept:
        yield "kept", Text(counted(len(done.kept), "photo"))
    yield from skipped_files(done.scored.skipped)
    if done.kept and verbose:  # where there is no copy, nothing was removed
        yield from removed_metadata(photos)
    for line in messages.place_prices(done.plan, None if verbose else _MAX_PLACES):
        yield "to hide", Text(printable(line))
    if _is_dear(done):
        for price, line in zip(done.plan.prices, messages.prices(done.plan), strict=True):
            if price.change is Change.HIDE:
                continue
            if verbose or (price.shared or 0) > done.plan.newly_shared:
                yield "instead", Text(printable(line))
    _, others = messages.foremost_notes(done.plan.notes)
    told = {NoteKind.TOGETHER_ONLY}  # what holds of the whole album is in the verdict
    if done.export is not None:  # attacks are tried on the copy itself, which has its own notes
        told.add(NoteKind.FOUND_BY_ATTACKS)
    rest = [messages.note(note) for note in others if note.kind not in told]
    for text in (*rest, *(done.export.notes if done.export else ())):
        yield "note", Text(printable(text))


def edit_json(edit: Edit) -> dict[str, Any]:
    """An edit for programs: its rectangles in thousandths, and the share that is lost."""
    return {
        "crop": None if edit.crop is None else astuple(edit.crop),
        "covers": [astuple(cover) for cover in edit.covers],
        "lost": float(picture_lost(edit)),
    }


def _places(done: ProtectedAlbum, *, verbose: bool) -> Iterator[tuple[str, Text]]:
    """What is hidden and what is not; many places are counted."""
    from elsewhere.service import hidden_name

    plan = done.plan
    if not verbose and len(plan.hidden) + len(plan.public) < 2:
        return
    shown = [*plan.hidden, *plan.public]
    if not verbose and len(shown) > _MAX_PLACES:
        shown = list(plan.hidden) if len(plan.hidden) <= _MAX_PLACES else []
        if not shown:
            easiest = listed(() if done.numbers is None else done.numbers.by_ease[:_EASIEST])
            names = f" (most easily found: {printable(easiest)})" if easiest else ""
            yield "hidden", Text.assemble((counted(len(plan.hidden), "place"), "bold"), names)
    for place in shown:
        hidden = place in plan.hidden
        name = hidden_name(place, plan.wishes.width) if hidden else place.label
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
    if plan.public and not {*plan.public} & {*shown}:
        yield "public", Text(counted(len(plan.public), "place"))


def _edited(done: ProtectedAlbum, names: Mapping[str, str]) -> list[str]:
    """The photos that are shared edited, each with what is done to it and how much is lost."""
    return [
        f"{names[name]} ({messages.edit_kind(edit)}, {100 * float(picture_lost(edit)):.0f} %)"
        for name, edit in done.plan.edits.items()
    ]


def skipped_files(files: Iterable[SkippedFile]) -> Iterator[tuple[str, Text]]:
    """The files that are left out, by reason."""
    from elsewhere.service import REASONS

    skipped: dict[str, list[SkippedFile]] = {}
    for file in files:
        skipped.setdefault(file.kind, []).append(file)
    for alike in sorted(skipped.values(), key=len, reverse=True):
        reasons = {file.reason for file in alike}
        reason = printable(reasons.pop()) if len(reasons) == 1 else REASONS[alike[0].kind]
        names = _first_names([file.name for file in alike], _MAX_NAMES)
        yield "left out", Text.assemble(names, (f"  {reason}", "dim"))


def removed_metadata(photos: Sequence[Photo]) -> Iterator[tuple[str, Text]]:
    """What the photos' files tell, which a copy does not."""
    from elsewhere.service import metadata_leaks

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


def _is_dear(done: ProtectedAlbum) -> bool:
    """Whether more than a third of the photos go, beside those that the user drops."""
    plan = done.plan.plan
    chosen = len(set(plan.withheld) - set(plan.promise.drop))
    return not plan.found or done.plan.empty or 3 * chosen > len(done.scored.photos)


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
        "numbers": None if done.numbers is None else asdict(done.numbers),
        "explanation": "" if plan.found else plan.explanation,
        "advice": messages.advice(done.plan),
        "prices": [
            {
                "words": words,
                "tried": price.tried,
                "shared": price.shared,
                "withheld": price.withheld,
            }
            for price, words in zip(done.plan.prices, messages.prices(done.plan), strict=True)
        ],
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
        "edited": {name: edit_json(edit) for name, edit in done.plan.edits.items()},
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
        "text": None if done.plan.text is None else asdict(done.plan.text),
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
