"""The studies beyond the paper: what must hold on every collection, on photos of fresh seeds."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.globe import Cells
from elsewhere.lab import experiments, runner
from elsewhere.lab.experiments import adaptive, online, radius, recompress, subset, transfer, values
from elsewhere.lab.holding import ALONE, PLAIN
from elsewhere.lab.sources import Scored, Simulated
from elsewhere.lab.values import SCALES, FloatMatrix, Row, Scale, number

FRESH = Simulated(seed=70707)
FEW = Scale("few", partitions=1, cells=6, albums=15, few=15)
SIMULATED = ("adaptive", "transfer", "correlated", "subset", "online", "values")


@cache
def rows_of(name: str) -> tuple[Row, ...]:
    experiment = experiments.find(name)
    parts = experiment.parts(FRESH, FEW)
    return tuple(row for part in parts for row in experiment.measure(FRESH, FEW, part))


def by(rows: Sequence[Row], column: str) -> dict[tuple[object, object], dict[object, Row]]:
    """Rows of the same collection together, by what differs among them."""
    found: dict[tuple[object, object], dict[object, Row]] = {}
    for row in rows:
        found.setdefault((row["kind"], row["number"]), {})[row[column]] = row
    return found


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    """Two models' score files of simulated photos in four of our cells, with positions."""
    folder = tmp_path_factory.mktemp("scored")
    cells = [3, 90, 200, 411]
    lat, lon = Cells.default().centres
    lines = [["photo", "cell", "album", "lat", "lon"]]
    tables: tuple[list[FloatMatrix], list[FloatMatrix]] = ([], [])
    for cell in cells:
        for table, rows in zip(tables, FRESH.photos(cell, paired=True), strict=True):
            table.append(rows[:36])
        names = [f"{cell}/{i}.jpg" for i in range(36)]
        lines += [
            [name, str(cell), f"a{cell}" if i < 18 else "", str(lat[cell]), str(lon[cell])]
            for i, name in enumerate(names)
        ]
    ids = np.array([line[0] for line in lines[1:]])
    for name, table in zip(("half-a", "half-b"), tables, strict=True):
        np.savez(folder / f"{name}.npz", scores=np.concatenate(table), ids=ids)
    with (folder / "truth.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    with (folder / recompress.TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["photo", "way", "rival 1", "rival 2"])
        rng = np.random.default_rng(5)
        for way, size in (("quality 60", 0.5), ("quality 90", 0.1), ("1080 px", 0.2)):
            writer.writerows([i, way, *rng.normal(scale=size, size=2)] for i in range(40))
    return Scored((folder / "half-a.npz", folder / "half-b.npz"), folder / "truth.csv")


@pytest.mark.parametrize("name", SIMULATED)
def test_every_study_is_the_same_again_and_ends_in_a_sentence(name: str) -> None:
    experiment = experiments.find(name)
    part = experiment.parts(FRESH, FEW)[0]
    first = experiment.measure(FRESH, FEW, part)
    assert first == experiment.measure(Simulated(seed=70707), FEW, part)
    assert first != experiment.measure(Simulated(seed=70708), FEW, part)
    rows = rows_of(name)
    assert experiment.says is not None
    told = experiment.says(rows, experiment.summarise(rows))
    assert told
    assert all(sentence.endswith((".", "!")) for sentence in told), told


def test_whoever_knows_k_finds_the_place_unless_k_is_secret() -> None:
    rows = [row for row in rows_of("adaptive") if row["withheld"] is not None]
    assert not any(row["first"] for row in rows)
    hits = {
        way: np.mean([number(row["next"]) for row in rows if row["way"] == way])
        for way in (adaptive.LABEL[1], adaptive.LABEL[3])
    }
    assert hits[adaptive.LABEL[1]] >= 0.3
    assert hits[adaptive.LABEL[3]] < hits[adaptive.LABEL[1]] / 2
    for ways in by(rows, "way").values():
        if adaptive.LABEL[5] in ways:
            plain, secret = ways[adaptive.LABEL[1]], ways[adaptive.LABEL[5]]
            assert number(plain["withheld"]) <= number(secret["withheld"])


def test_single_photos_give_a_plan_for_the_sum_away_and_each_photo_mends_it() -> None:
    broken = 0
    for ways in by(rows_of("subset"), "way").values():
        plain, alone = ways[PLAIN], ways[ALONE]
        broken += plain["any one photo"] == 0
        if alone["withheld"] is not None:
            assert number(alone["withheld"]) >= number(plain["withheld"])
            assert alone["any one photo"] in {1, None}
            assert alone["best photo"] in {1, None}
    assert broken >= 3
    assert subset.OTHERS[-1] == "one photo less"


def test_the_ledger_keeps_the_promise_at_a_price() -> None:
    forgotten = 0
    for ways in by(rows_of("online"), "policy").values():
        best = number(ways[online.OPTIMUM]["withheld"])
        assert ways[online.OPTIMUM]["holds"] == 1
        for policy in (online.LEDGER, online.AGAIN, online.KNOWN):
            assert ways[policy]["holds"] == 1
            assert number(ways[policy]["withheld"]) >= best
        assert number(ways[online.AGAIN]["withheld"]) <= number(ways[online.LEDGER]["withheld"])
        forgotten += not ways[online.FORGETFUL]["holds"]
    assert forgotten >= 2


def test_values_withhold_less_worth_and_never_fewer_photos() -> None:
    saved = 0.0
    for row in rows_of("values"):
        if row["aware photos"] is not None:
            assert number(row["aware worth"]) <= number(row["blind worth"])
            assert number(row["aware photos"]) >= number(row["blind photos"])
            saved += number(row["blind worth"]) - number(row["aware worth"])
    assert saved > 0
    assert values.STARS[0] > values.STARS[-1]


def test_a_margin_costs_photos_and_buys_success_at_other_models() -> None:
    rows = [row for row in rows_of("transfer") if row["guard"] == "θ" and row["proxy"] == "half-a"]
    assert {row["attacker"] for row in rows} == {"half-b", "other"}
    for ways in by([row for row in rows if row["attacker"] == "half-b"], "amount").values():
        cost = [
            number(ways[theta]["withheld"])
            for theta in transfer.MARGINS
            if ways[theta]["withheld"] is not None
        ]
        assert all(a <= b for a, b in pairwise(cost))
    held = [
        np.mean([number(row["holds"]) for row in rows if row["amount"] == theta and row["had"]])
        for theta in (0.0, 0.2)
    ]
    assert held[1] > held[0]


def test_a_zone_keeps_the_first_guesses_as_far_away_as_it_reaches(scored: Scored) -> None:
    experiment = experiments.find("radius")
    parts = experiment.parts(scored, FEW)
    rows = [row for part in parts for row in experiment.measure(scored, FEW, part)]
    assert {row["kind"] for row in rows} == {"R-16", "R-32", "Albums"}
    for row in rows:
        if row["way"] == radius.ALL:
            assert row["nearest"] == 0
        elif row["nearest"] is not None and row["way"] != radius.CELL:
            assert number(row["nearest"]) > float(str(row["way"]).split()[2])
    assert experiment.says is not None
    assert "zone of 25 km" in experiment.says(rows, experiment.summarise(rows))[0]
    with pytest.raises(InputError, match="columns lat and lon"):
        experiment.measure(FRESH, FEW, experiment.parts(FRESH, FEW)[0])


def test_more_photos_need_less_of_a_margin_against_recompression(scored: Scored) -> None:
    experiment = experiments.find("recompress")
    rows = experiment.measure(scored, FEW, experiment.parts(scored, FEW)[0])
    need = [recompress.needed(rows, "quality 60", size) for size in recompress.SIZES]
    assert all(a > b for a, b in pairwise(need))
    assert need[0] > recompress.needed(rows, "quality 90", 1)
    with pytest.raises(InputError, match="no pixels"):
        experiment.measure(FRESH, FEW, experiment.parts(FRESH, FEW)[0])
    with pytest.raises(FileError, match="cannot be read"):
        recompress.read(scored.truth.with_name("none.csv"))


def test_all_studies_run_resume_and_publish_on_score_files(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 4, 4, 8))
    names = ["radius", "transfer", "recompress", "adaptive"]
    runner.run(names, scored, "small", tmp_path, processes=1)
    for name in names:
        assert (tmp_path / name / "table.md").read_text("utf-8").count("|") > 20
        assert (tmp_path / name / "says.json").exists()
    part = sorted((tmp_path / "transfer" / "parts").iterdir())[0]
    before = (tmp_path / "transfer" / "rows.csv").read_bytes()
    part.unlink()
    runner.run(["transfer"], scored, "small", tmp_path, processes=1)
    assert (tmp_path / "transfer" / "rows.csv").read_bytes() == before
