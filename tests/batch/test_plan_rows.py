"""One album → one row, as the other doors would have it, and whatever is wrong its own letter."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import elsewhere
from elsewhere import messages
from elsewhere.album.places import places_of
from elsewhere.audit import audit
from elsewhere.batch import output_rows
from elsewhere.batch.columns import albums_out, dead_letters
from elsewhere.batch.input_rows import attackers_metadata, pack, read_attackers, unpack
from elsewhere.batch.output_rows import solve
from elsewhere.batch.settings import Settings
from elsewhere.formats.plan_certificate import read_certificate
from elsewhere.globe import Cells
from elsewhere.scorers import ScorerInfo
from elsewhere.service import AttackerInfo, audit_cells
from elsewhere.service.album_audit import audit_threats
from elsewhere.service.planning import plan_album
from elsewhere.values.margins import margin
from elsewhere.values.wishes import Wishes
from tests.batch.makers import CELLS, scored
from tests.service.makers import Stay, attack as made_attack, trip

SETTINGS = Settings("in", "out", key="k", wishes={"exact_top": True, "top": 3})


def solved(table: Any, settings: Settings = SETTINGS) -> tuple[dict[str, Any], list[Any]]:
    album = table["album"][0].as_py()
    row, dead = solve(album, table, read_attackers(table.schema), settings)
    pa.Table.from_pylist([row], albums_out())
    pa.Table.from_pylist([one._asdict() for one in dead], dead_letters())
    return row, dead


def changed(table: Any, **columns: list[Any]) -> Any:
    for name, values in columns.items():
        number = table.column_names.index(name)
        kind = table.schema.field(name)
        table = table.set_column(number, kind, pa.array(values, kind.type))
    return table


def test_cells_are_planned_as_protect_does_it() -> None:
    table = scored(1, seed=5)
    values = np.array(table["scores"].to_pylist(), np.float32)
    truth = table["truth"][0].as_py()
    row, dead = solved(table)
    plan = elsewhere.protect(values, truth[0], top=3, margin=margin("careful").theta)
    assert dead == [] and row["status"] == "optimal" and row["cost"] == str(plan.cost)
    assert len(row["withheld"]) == len(plan.withheld)
    full = elsewhere.audit(values, truth)
    assert full.truth is not None
    (found,) = row["audit"]
    assert (found["rank"], found["probability"]) == (
        full.truth.rank,
        full.truth.probability,
    )
    assert found["guess"] == full.guesses[0].name
    assert found["guess_probability"] == full.guesses[0].probability


def test_a_place_is_planned_as_the_job_does_it() -> None:
    seen = trip([Stay("Lisbon", 9, 0), Stay("Porto", 5, 3)], seed=3)
    attack = seen.models[0]
    where = [photo.metadata.position or (0, 0) for photo in seen.photos]
    cells = Cells.paper()
    flat = pa.array(attack.scores.values.astype(np.float32).reshape(-1))
    table = pa.table(
        {
            "album": ["trip"] * len(where),
            "photo": [photo.id for photo in seen.photos],
            "scores": pa.FixedSizeListArray.from_arrays(flat, cells.count),
            "lat": [lat for lat, _ in where],
            "lon": [lon for _, lon in where],
        }
    ).replace_schema_metadata({"elsewhere.grid": cells.fingerprint})
    row, dead = solved(table, replace(SETTINGS, certificates=True))
    assert not dead
    narrow = attack.scores.values.astype(np.float32)
    again = replace(seen, models=(made_attack(narrow, attack.scores.ids, "the scores"),))
    done = plan_album(again, places_of(again.photos), Wishes(top=3, exact_top=True))
    assert row["withheld"] == [seen.photos[n].id for n in done.plan.withheld]
    assert row["verdict"] == messages.verdict(done)
    audits = audit_threats(again, done.threats, plan=done)
    assert [one["rank"] for one in row["audit"]] == [one.truth.rank for one in audits if one.truth]
    for one, full in zip(row["audit"], audits, strict=True):
        assert full.truth is not None
        assert one["place"] == full.truth.label and one["photos"] == len(full.ids)
        assert one["within_25_km"] == pytest.approx(full.truth.within[0].chance)
    sealed = read_certificate(row["certificate"])
    assert sealed.digest == row["certificate_digest"]
    assert sealed.plan.withheld == done.plan.withheld
    assert [name for name, _ in sealed.versions] == ["elsewhere"], "nodes have other libraries"


def test_the_same_key_draws_the_same_top() -> None:
    table = scored(1, seed=8, photos=(12, 13))
    drawn = [solved(table, replace(SETTINGS, wishes={}, key=key))[0] for key in "aab"]
    assert drawn[0] == drawn[1]
    assert drawn[0]["certificate_digest"] != drawn[2]["certificate_digest"]


def test_what_is_wrong_with_an_album_is_its_own_letter() -> None:
    table = scored(1, seed=2, photos=(4, 5))
    for columns, why in (
        ({"wishes": ["{"] * 4}, "not a JSON object"),
        ({"wishes": ['{"top": 1}', '{"top": 2}', None, None]}, "different wishes"),
        ({"wishes": [json.dumps({"colour": 1})] * 4}, "no wish called 'colour'"),
        ({"truth": [[99]] * 4}, "not a cell"),
        ({"truth": [[1], [2], [1], [1]]}, "different truth"),
        ({"truth": [None] * 4}, "no place|position|knows|where"),
        ({"truth": [[None]] * 4}, "a cell of its truth is null"),
        ({"wishes": ["[" * 100_000] * 4}, "not a JSON object"),
        ({"wishes": [json.dumps({"hide": ["Paris"]})] * 4}, "the wish hide needs a place"),
        ({"wishes": [json.dumps({"radius_km": 3})] * 4}, "the wish radius_km needs a place"),
        ({"wishes": [json.dumps({"top": 3, "budget": 2})] * 4}, "both top and budget"),
        ({"wishes": [json.dumps({"budget": 5_000_000_000})] * 4}, "budget cannot be 5000000000"),
        ({"wishes": [json.dumps({"budget": "9" * 5000})] * 4}, "budget cannot be"),
        ({"wishes": [json.dumps({"top": 2**40})] * 4}, "top cannot be"),
        ({"wishes": [json.dumps({"keep": ["no.jpg"]})] * 4}, "no photo is called"),
    ):
        row, dead = solved(changed(table, **columns))
        assert row["status"] == "broken" and row["withheld"] is None
        assert [(one.photo, one.kind) for one in dead] == [(None, "album")]
        assert re.search(why, dead[0].reason), dead[0].reason


def test_photos_that_cannot_be_used_cost_themselves_and_are_not_shared() -> None:
    table = scored(1, seed=2, photos=(4, 5))
    row, dead = solved(changed(table, photo=["a", "b", "a", "c"]))
    assert row["photos"] == 2 and row["left"] == 2
    assert [(one.photo, one.kind) for one in dead] == [("a", "twice"), ("a", "twice")]
    assert sorted(row["withheld"] + row["share"]) == ["b", "c"]


def test_a_copy_of_a_photo_is_not_shared() -> None:
    """Neither that of a withheld one nor that of one that stays."""
    for seed in range(20):
        table = scored(1, seed=seed, photos=(6, 7))
        alone, _ = solved(table)
        if alone["withheld"] and alone["share"]:
            break
    assert alone["withheld"] and alone["share"]
    again = pa.concat_tables([table, table])
    names = table["photo"].to_pylist()
    digests = [str(n) for n in range(6)] * 2
    again = changed(again, photo=[*names, *(f"copy of {name}" for name in names)])
    row, dead = solved(again.append_column("digest", [digests]))
    assert (row["withheld"], row["share"]) == (alone["withheld"], alone["share"])
    assert sorted(row["withheld"] + row["share"]) == names
    assert [one.kind for one in dead] == ["duplicate"] * 6 and row["left"] == 6


@pytest.mark.parametrize("looked_at", [False, True])
def test_a_row_that_comes_twice_is_dead_and_not_shared(looked_at: bool) -> None:
    """From scores and from photos alike, whatever the picture: never in both lists."""
    table = scored(1, seed=2, photos=(6, 7))
    table = pa.concat_tables([table, table.slice(1, 1), table.slice(1, 1)])
    names = table["photo"].to_pylist()
    if looked_at:
        table = table.append_column("digest", [names])
    row, dead = solved(table)
    assert [(one.photo, one.kind) for one in dead] == [(names[1], "twice")] * 3
    assert sorted(row["withheld"] + row["share"]) == [names[0], *names[2:6]]
    assert (row["photos"], row["left"]) == (5, 3)


def test_an_album_without_a_plan_says_so() -> None:
    table = scored(1, seed=2, photos=(4, 5), impossible=[0])
    row, dead = solved(table)
    assert row["status"] == "infeasible" and row["withheld"] is None and row["audit"]
    assert [(one.photo, one.kind, one.reason) for one in dead] == [
        (None, "infeasible", row["verdict"])
    ]


def test_a_budget_that_hides_nothing_shares_nothing() -> None:
    """The engine's plan is "optimal" all the same: no set of so few photos does any better."""
    table = scored(1, seed=2, photos=(4, 5))
    plain = [[-9.0] * CELLS for _ in range(4)]
    for photo, [truth] in zip(plain, table["truth"].to_pylist(), strict=True):
        photo[truth] = -0.1
    table = changed(table, scores=plain)
    few = replace(SETTINGS, wishes={"budget": 1})
    row, dead = solved(table, few)
    assert row["status"] == "exposed" and min(one["rank"] for one in row["audit"]) == 1
    empty = ("withheld", "share", "cost", "certificate_digest", "certificate")
    assert [row[name] for name in empty] == [None] * 5
    assert [(one.kind, one.reason) for one in dead] == [("exposed", row["verdict"])]
    assert row["verdict"].startswith("Nothing is shared")


def test_without_a_place_it_says_what_a_dataset_can_give() -> None:
    cells = Cells.paper()
    rng = np.random.default_rng(0)
    flat = pa.array(rng.normal(size=2 * cells.count).astype(np.float32))
    table = pa.table(
        {
            "album": ["trip"] * 2,
            "photo": ["a", "b"],
            "scores": pa.FixedSizeListArray.from_arrays(flat, cells.count),
        }
    ).replace_schema_metadata({"elsewhere.grid": cells.fingerprint})
    _, (letter,) = solved(table)
    assert "lat and lon" in letter.reason and "--at" not in letter.reason


def test_a_row_that_does_not_fit_costs_one_album(monkeypatch: pytest.MonkeyPatch) -> None:
    real = output_rows._album_row

    def odd(*given: Any) -> dict[str, Any]:
        return {**real(*given), "work": 2**70}

    monkeypatch.setattr(output_rows, "_album_row", odd)
    row, (letter,) = solved(scored(1))
    assert row["status"] == "broken" and letter.kind == "error"


def test_a_bug_costs_one_album(monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(*given: Any, **named: Any) -> None:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr("elsewhere.batch.output_rows.plan_cells", burst)
    row, dead = solved(scored(1))
    assert row["status"] == "broken" and dead[0].kind == "error"
    assert dead[0].reason.startswith("a mistake of ours (ZeroDivisionError) kept it from")
    assert "by accident" not in dead[0].reason, "what a bug says may name files and places"


def test_attackers_travel_with_their_calibration() -> None:
    cells = Cells.paper()
    about = ScorerInfo(
        "made-up", "print", cells.count, cells.fingerprint, cells, {1: 1.0, 8: 0.5}, {"": {25: 0.1}}
    )
    table = pa.table({"album": ["a"]}).replace_schema_metadata(
        attackers_metadata([AttackerInfo("word", about)])
    )
    assert read_attackers(unpack(pack(table)).schema) == (AttackerInfo("word", about),)


def test_the_lean_audit_knows_what_the_audience_knows() -> None:
    rng = np.random.default_rng(0)
    scores = elsewhere.Scores(rng.normal(size=(5, 9)))
    model = AttackerInfo("x", ScorerInfo("x", "", 9, "", None, exponents={5: 0.5}))
    found = audit_cells(model, scores, [2], "y", among=[1, 2, 3])
    full = audit(scores, 2, exponents={5: 0.5}, among=[1, 2, 3])
    assert full.truth is not None
    assert (found.rank, found.probability) == (
        full.truth.rank,
        full.truth.probability,
    )
