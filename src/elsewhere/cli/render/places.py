"""How an album's places stand, in one table: what several pages of an audit come down to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from elsewhere.cli.program import printable
from elsewhere.report.numbers import chance, ordinal

if TYPE_CHECKING:
    from rich.console import Console

    from elsewhere.audit import Audit
    from elsewhere.service.reporting.album_audit import AlbumAudit


def summary(console: Console, found: AlbumAudit) -> None:
    """Each place once for each scorer; nothing where there is only one page to read anyway."""
    rows: dict[tuple[str, str], list[Audit | None]] = {}
    for watch, audit in zip(found.watches, found.audits, strict=bool(found.watches)):
        row = rows.setdefault((watch.hides, audit.scorer), [None, None])
        row[watch.whole] = audit
    if len(rows) < 2:
        return
    table = Table.grid(padding=(0, 2))
    several = len({scorer for _, scorer in rows}) > 1
    for _ in range(3):
        table.add_column(overflow="fold")
    head = ["place", "from its own photos", "from the whole album"]
    table.add_row(*(Text(word, "dim") for word in head))
    for (place, scorer), (own, whole) in rows.items():
        name = f"{place}, seen by {scorer}" if several else place
        table.add_row(Text(printable(name), "bold"), _stands(own or whole), _stands(whole))
    console.print(table)
    console.print()


def _stands(audit: Audit | None) -> str:
    if audit is None or audit.truth is None:
        return ""
    likely = chance(audit.truth.probability).replace("\u00a0", " ")
    return f"{ordinal(audit.truth.rank)} guess, {likely}"
