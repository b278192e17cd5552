"""`elsewhere ledger`: list, confirm or delete what you have shared."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.errors import InputError
from elsewhere.values.wording import counted, listed, printable

if TYPE_CHECKING:
    from elsewhere.service import Entry, Ledger, PrivateData


LedgerAction = StrEnum("LedgerAction", ["LIST", "FORGET", "CONFIRM"])
_ACTION = typer.Argument(metavar="list|forget|confirm", help="What to do.")
_WHICH = typer.Argument(
    metavar="PLACE|NUMBER",
    help="Which entries: a town, region, country or coordinate, or numbers from list.",
)
_EVERYTHING = typer.Option(
    "--all",
    help="With forget: delete all entries, the key, certificates, reports, cached scores and the "
    "albums that the app remembers.",
)


def command(
    action: Annotated[LedgerAction, _ACTION],
    which: Annotated[list[str] | None, _WHICH] = None,
    everything: Annotated[bool, _EVERYTHING] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """List, confirm or delete what `protect --remember` has recorded.

    For each export and place, the ledger holds the day, positions rounded to about a kilometre, the
    models' scores of the photos, and keyed digests, with which only you can tell whether a picture
    is among them. It holds no pictures and no names of photos. Only you can read the file. Later
    albums count the photos that are recorded for their places, because an attacker adds everything
    up. Forgetting deletes: no byte of an entry is left in the file.

    Examples:

    - `elsewhere ledger list`
      (what was shared, when and where)
    - `elsewhere ledger forget Lisbon`
      (everything within 25 km; for a country or region, everything in it)
    - `elsewhere ledger forget 2`
      (one entry by its number)
    - `elsewhere ledger confirm 3`
      (say that an interrupted export was shared)

    Exit codes: 0 done, 1 an error, 2 no such entry or invalid usage.
    """
    from elsewhere.service import Ledger, delete_private_data

    ledger, names = Ledger(), list(which or ())
    if everything and (action is not LedgerAction.FORGET or names):
        raise InputError("--all is only for forget")
    if action is LedgerAction.LIST:
        _list(ledger, names, as_json)
    elif everything:
        ledger.forget_all()
        deleted = _counts(delete_private_data())
        typer.echo(
            f"everything is forgotten. Deleted: {listed(['the ledger', *deleted])}.\n"
            "What stays: the copies themselves, entries in menus, which name nothing (elsewhere "
            "desktop remove), what you had written elsewhere (--private, score "
            "files, batch runs), and backups. Without its certificate a copy cannot be verified."
        )
    elif not names:
        raise InputError(f"name the entries: elsewhere ledger {action} PLACE or NUMBER")
    else:
        _act(ledger, action, names)


def _list(ledger: Ledger, names: list[str], as_json: bool) -> None:
    from rich.table import Table

    from elsewhere.cli.render.printing import print_json, printed

    entries = list(enumerate(ledger.entries(), 1))
    if names:
        numbers = _numbers(names, [entry for _, entry in entries])
        entries = [(number, entry) for number, entry in entries if number in numbers]
    if as_json:
        print_json([_plain_values(number, entry) for number, entry in entries])
        return

    with printed() as console:
        if not entries:
            console.print("nothing is remembered")
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in ("", "shared on", "place", "photos", "scorers", ""):
            table.add_column(column, style="dim" if column == "" else "")
        for number, entry in entries:
            row = _plain_values(number, entry)
            pending = "interrupted: confirm or forget it" if entry.pending else ""
            scorers = ", ".join(fingerprint[:12] for fingerprint in row["scorers"])
            table.add_row(
                str(number), entry.day, row["place"], str(row["photos"]), scorers, pending
            )
        console.print(table)
        console.print(f"in {printable(str(ledger.path))}, which only you can read", style="dim")


def _plain_values(number: int, entry: Entry) -> dict[str, Any]:
    from elsewhere.service import label_of

    return {
        "number": number,
        "day": entry.day,
        "place": label_of(entry),
        "positions": [list(position) for position in entry.places],
        "photos": len(entry.photos),
        "scorers": [rows.scorer for rows in entry.rows],
        "pending": entry.pending,
    }


def _act(ledger: Ledger, action: LedgerAction, names: list[str]) -> None:
    numbers = _numbers(names, ledger.entries())
    if action is LedgerAction.CONFIRM:
        for number in sorted(numbers):
            ledger.confirm(number)
        typer.echo(f"{counted(len(numbers), 'entry', 'entries')} confirmed")
        return
    from elsewhere.service import private_data

    deleted = ledger.forget(lambda number, entry: number in numbers)
    typer.echo(
        f"{counted(deleted, 'entry', 'entries')} forgotten: no byte of the rows is left in the file"
    )
    if remaining := _counts(private_data()):
        typer.echo(
            f"What stays, for other uses, and may name the place: {listed(remaining)}. "
            "`elsewhere ledger forget --all` deletes them too."
        )


def _counts(data: PrivateData) -> list[str]:
    """The kinds of private data of which there is any, with their numbers."""
    amounts = (
        (data.certificates, "certificate"),
        (data.reports, "report"),
        (data.rows, "cached row"),
    )
    counts = [counted(amount, thing) for amount, thing in amounts if amount]
    return [*counts, *(["the albums opened last"] if data.albums else [])]


def _numbers(names: list[str], entries: tuple[Entry, ...] | list[Entry]) -> set[int]:
    """The numbers of the entries that these names mean; InputError if one means none."""
    from elsewhere.service import entries_at

    numbers: set[int] = set()
    for name in names:
        if name.isascii() and name.isdigit():
            number = int(name[:9])
            if not 1 <= number <= len(entries):
                raise InputError(f"there is no entry {name}: see elsewhere ledger list")
            numbers.add(number)
        else:
            numbers.update(entries_at(name, entries))
    return numbers
