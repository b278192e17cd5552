"""Versions of photos that a dataset gives: planned with, never made, never confused with photos."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import elsewhere
from elsewhere.batch.columns import photos_in
from elsewhere.batch.input_rows import read_attackers
from elsewhere.batch.output_rows import solve
from elsewhere.batch.runner import BatchStep, Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.formats.plan_certificate import read_certificate
from elsewhere.values.margins import margin
from tests.album.makers import jpeg
from tests.batch.makers import Here, albums_in, dead_in, model, scored, with_versions, write

SETTINGS = Settings("in", "out", key="k", wishes={"exact_top": True, "top": 3})


def solved(table: Any, settings: Settings = SETTINGS) -> tuple[dict[str, Any], list[Any]]:
    return solve(table["album"][0].as_py(), table, read_attackers(table.schema), settings)


def changed(table: Any, row: int, **values: Any) -> Any:
    records = table.to_pylist()
    records[row] |= values
    return pa.Table.from_pylist(records, table.schema)


def test_versions_are_planned_as_protect_does_it() -> None:
    plain = scored(1, seed=1)
    table = with_versions(plain)
    photos = plain["photo"].to_pylist()
    row, dead = solved(table, replace(SETTINGS, certificates=True))
    records = table.to_pylist()
    values = np.array([one["scores"] for one in records], np.float32)
    pairs = [
        (photos.index(one["photo"]), Fraction(str(one["version_cost"] or 0))) for one in records
    ]
    theta = margin("careful").theta
    plan = elsewhere.protect(values, records[0]["truth"], top=3, margin=theta, versions=pairs)
    assert not dead and row["status"] == "optimal" and row["cost"] == str(plan.cost)
    assert row["photos"] == len(photos)
    withheld_only = solved(plain)[0]
    assert Fraction(row["cost"]) < Fraction(withheld_only["cost"]), "versions save something here"
    edited = {one["photo"] for one in row["share_versions"]}
    assert edited and not edited & set(row["share"]), "a photo goes out once"
    assert {*row["share"], *edited, *row["withheld"]} == set(photos)
    assert "in another version" in row["verdict"]
    certificate = read_certificate(row["certificate"])
    assert certificate.plan.promise.versions is not None
    assert certificate.plan.cost == plan.cost


def test_the_order_of_rows_does_not_matter() -> None:
    table = with_versions(scored(1, seed=5))
    records = table.to_pylist()
    turned = [one for one in records if one["version"]] + [
        one for one in records if not one["version"]
    ]
    row, again = (solved(pa.Table.from_pylist(some, table.schema))[0] for some in (records, turned))
    assert again["cost"] == row["cost"]


def test_a_photo_may_have_no_version_as_it_is() -> None:
    table = with_versions(scored(1, seed=5, photos=(4, 5)))
    only = [one for one in table.to_pylist() if one["version"] or one["photo"] != "0000.jpg"]
    row, dead = solved(pa.Table.from_pylist(only, table.schema))
    assert not dead and row["photos"] == 4
    assert "0000.jpg" not in row["share"]


@pytest.mark.parametrize(
    ("values", "kind", "why"),
    [
        ({"version_cost": None}, "version", "costs None: give the share"),
        ({"version_cost": 1.5}, "version", "costs 1.5: give the share"),
        ({"version": None}, "version", "it has a cost and no version"),
        ({"version": "tight"}, "twice", "more than once"),
    ],
)
def test_a_bad_version_costs_itself(values: dict[str, Any], kind: str, why: str) -> None:
    table = with_versions(scored(1, seed=5, photos=(4, 5)))
    records = table.to_pylist()
    number = next(n for n, one in enumerate(records) if one["version"] == "loose")
    row, dead = solved(changed(table, number, **values))
    assert row["photos"] == 4 and row["share"] is not None
    letters = [one for one in dead if one.kind == kind]
    assert letters and all(one.photo == records[number]["photo"] for one in letters)
    assert why in letters[0].reason
    lost = {(one.photo, one.version) for one in dead}
    shared = {(one["photo"], one["version"]) for one in row["share_versions"]}
    assert not lost & (shared | {(photo, None) for photo in row["share"]})


def test_both_engines_resume_and_update(tmp_path: Path) -> None:
    table = pa.concat_tables([with_versions(scored(6, seed=3)), scored(1, seed=4, first=6)])
    write(table, tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=24, key="k", update=True)
    run(given, Here())
    rows = albums_in(tmp_path / "out")
    assert any(row["share_versions"] for row in rows)
    assert rows[6]["share_versions"] == []
    run(replace(given, output=str(tmp_path / "two")), Engine("local", 1))
    assert albums_in(tmp_path / "two") == rows
    steps: list[BatchStep] = []
    records = table.to_pylist()
    number = next(n for n, one in enumerate(records) if one["version"])
    write(changed(table, number, version_cost=0.9), tmp_path / "in" / "a.parquet")
    run(given, Here(), steps.append)
    assert max(step.unchanged for step in steps) == 6, "another cost makes another plan"


def test_versions_of_photos_are_scored_as_they_are(tmp_path: Path) -> None:
    rows = [
        {"album": "trip", "photo": f"{n}.jpg", "version": version, "version_cost": cost,
         "content": jpeg(10 * n + len(version or ""), 32, 24), "lat": 38.72, "lon": -9.14,
         "wishes": json.dumps({"top": 3, "margin": "none"})}
        for n in range(4)
        for version, cost in ((None, None), ("cover", 0.1))
    ]  # fmt: skip
    write(pa.Table.from_pylist(rows, photos_in()), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), (model(tmp_path),), key="k")
    run(given, Here())
    (row,) = albums_in(tmp_path / "out")
    assert row["photos"] == 4 and not dead_in(tmp_path / "out")
    shared = [*row["share"], *(one["photo"] for one in row["share_versions"])]
    assert sorted([*shared, *row["withheld"]]) == [f"{n}.jpg" for n in range(4)]


def test_a_column_called_version_alone_means_nothing(tmp_path: Path) -> None:
    table = scored(2).drop_columns(["version", "version_cost"])
    table = table.append_column("version", pa.array(["v1"] * table.num_rows))
    write(table, tmp_path / "in" / "a.parquet")
    run(Settings(str(tmp_path / "in"), str(tmp_path / "out"), carry=("version",)), Here())
    assert [row["version"] for row in albums_in(tmp_path / "out")] == ["v1", "v1"]
    assert not [one for one in dead_in(tmp_path / "out") if one["kind"] == "version"]
