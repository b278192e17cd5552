"""The page on batch names every column that goes in or comes out."""

from __future__ import annotations

from pathlib import Path

from elsewhere.batch.schemas import albums_out, audit, dead_letters, photos_in, scores_in
from elsewhere.batch.settings import wishes_of

PAGE = (Path(__file__).parents[2] / "docs" / "batch.md").read_text("utf-8")


def test_every_column_is_written_down() -> None:
    into, out = PAGE.split("## What goes in")[1].split("## What comes out")
    for schema, part in ((photos_in(), into), (scores_in(3), into), (albums_out(), out),
                         (dead_letters(), out)):  # fmt: skip
        for name in schema.names:
            assert f"`{name}`" in part, name
    for number in range(audit().num_fields):
        assert f"`{audit().field(number).name}`" in out


def test_every_wish_is_written_down() -> None:
    for name in vars(wishes_of()):
        if name not in {"time_limit", "work_limit"}:
            assert f"`{name}`" in PAGE, name
