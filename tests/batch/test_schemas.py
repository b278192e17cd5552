"""The page on batch says of every column that goes in or comes out what it is called and holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from elsewhere.batch.columns import albums_out, audit, dead_letters, photos_in, scores_in
from elsewhere.batch.settings import _EDIT_FIELDS, merge_wishes
from elsewhere.batch.summary import _KIND_MEANINGS

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
    for name in vars(merge_wishes()):
        if name not in {"time_limit", "work_limit", *_EDIT_FIELDS}:
            assert f"`{name}`" in PAGE, name


def written(part: str) -> dict[str, str]:
    """Columns and their types as tables of the page have them."""
    rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", part, re.MULTILINE)
    return {name: kind for names, kind in rows for name in re.findall(r"`(\w+)`", names) if kind}


def worded(kind: Any) -> str:
    """A type in the page's words."""
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        one = kind.value_type
        return "list of structs" if pa.types.is_struct(one) else f"list of {worded(one)}s"
    return {
        pa.string(): "string",
        pa.binary(): "binary",
        pa.int32(): "int",
        pa.int64(): "long",
        pa.float32(): "float",
        pa.float64(): "double",
    }[kind]


def test_every_type_is_written_down() -> None:
    into, out = PAGE.split("## What goes in")[1].split("## What comes out")
    photos, scores = into.split("Scores, made elsewhere")
    albums, dead = out.split("`OUTPUT/dead/*.parquet`")
    for schema, part in (
        (photos_in(), photos),
        (scores_in(3), photos + scores),
        (albums_out(), albums),
        (dead_letters(), dead),
    ):
        told = written(part)
        assert {name: told[name] for name in schema.names} == {
            field.name: worded(field.type) for field in schema
        }


def test_what_is_never_null_is_written_down() -> None:
    (told,) = re.findall(r"Never null are ([^.;]*)[.;]", PAGE)
    sure = {field.name for schema in (albums_out(), dead_letters()) for field in schema
            if not field.nullable}  # fmt: skip
    assert set(re.findall(r"`(\w+)`", told)) == sure


def test_every_kind_of_letter_is_written_down() -> None:
    told = PAGE.split("Kinds of photos: ")[1].split("\n\n")[0]
    of_folders = {"companion", "hidden", "original", "sidecar"}  # files that a dataset never names
    of_plans = {"optimal", "feasible", "broken"}  # these are no letters
    assert set(re.findall(r"`(\w+)`", told)) == set(_KIND_MEANINGS) - of_folders - of_plans
