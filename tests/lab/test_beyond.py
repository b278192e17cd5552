"""The studies beyond the paper: what must hold on every collection, on photos of fresh seeds."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.globe import Cells
from elsewhere_lab import experiments, runner
from elsewhere_lab.attackers import ALONE, PLAIN
from elsewhere_lab.collections import TOP
from elsewhere_lab.experiments import attacks, online, scoring, wishes
from elsewhere_lab.sources import RECOMPRESSED, ScoreFiles, Simulator
from elsewhere_lab.statistics import compare_success
from elsewhere_lab.values import SCALES, FloatMatrix, Row, Scale, number

FRESH = Simulator(seed=70707)
FEW = Scale("few", partitions=1, cells=6, albums=15, sample=15)
SIMULATED = ("defaults", "adaptive", "transfer", "correlated", "subset", "online", "values")


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
def scored(tmp_path_factory: pytest.TempPathFactory) -> ScoreFiles:
    """Two models' score files of simulated photos in four of our cells, with positions."""
    folder = tmp_path_factory.mktemp("scored")
    cells = [3, 90, 200, 411]
    lat, lon = Cells.paper().centres
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
    with (folder / RECOMPRESSED).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["album", "photo", "way", "rival 1", "rival 2"])
        rng = np.random.default_rng(5)
        for way, size in (("quality 60", 0.5), ("quality 90", 0.1), ("1080 px", 0.2)):
            writer.writerows([i // 10, i, way, *rng.normal(scale=size, size=2)] for i in range(40))
    return ScoreFiles((folder / "half-a.npz", folder / "half-b.npz"), folder / "truth.csv")


def check_sentences(told: Sequence[str]) -> None:
    """No number of nothing, no percentage without its count."""
    for sentence in told:
        assert "nan" not in sentence.split(), sentence
        assert "+nan" not in sentence, sentence
        assert "%" not in sentence or "n = " in sentence or "99 %" in sentence, sentence


@pytest.mark.parametrize("name", SIMULATED)
def test_every_study_is_the_same_again_and_ends_in_a_sentence(name: str) -> None:
    experiment = experiments.find(name)
    part = experiment.parts(FRESH, FEW)[0]
    first = experiment.measure(FRESH, FEW, part)
    assert first == experiment.measure(Simulator(seed=70707), FEW, part)
    assert first != experiment.measure(Simulator(seed=70708), FEW, part)
    rows = rows_of(name)
    assert experiment.findings is not None
    told = experiment.findings(rows, experiment.summarise(rows))
    assert told
    assert all(sentence.endswith(".") for sentence in told), told
    check_sentences(told)


def test_whoever_knows_k_finds_the_place_unless_k_is_secret() -> None:
    rows = [row for row in rows_of("adaptive") if row["withheld"] is not None]
    assert not any(row["first"] for row in rows)
    hits = {
        way: np.mean([number(row["next"]) for row in rows if row["way"] == way])
        for way in (attacks.SECRET_LABELS[1], attacks.SECRET_LABELS[3])
    }
    assert hits[attacks.SECRET_LABELS[1]] >= 0.3
    assert hits[attacks.SECRET_LABELS[3]] < hits[attacks.SECRET_LABELS[1]] / 2
    for ways in by(rows, "way").values():
        if attacks.SECRET_LABELS[5] in ways:
            plain, secret = ways[attacks.SECRET_LABELS[1]], ways[attacks.SECRET_LABELS[5]]
            assert number(plain["withheld"]) <= number(secret["withheld"])
    for ways in by(rows_of("adaptive"), "way").values():
        # a k that cannot be had is drawn smaller, so that a secret k never costs the plan
        assert len({row["withheld"] is None for row in ways.values()}) == 1
        assert all(number(row["k"]) >= TOP for row in ways.values())


def test_a_rank_is_learned_from_other_collections_than_it_is_tried_on() -> None:
    ranks = np.random.default_rng(3).integers(5, 16, size=4000).tolist()
    assert np.mean(attacks.learned_guesses(ranks)) == pytest.approx(1 / 11, abs=0.02)
    # picked from the very ones that it is tried on, the best of few is far above chance
    assert np.mean(attacks.learned_guesses([5] * 20)) == 1
    assert attacks.learned_guesses([7]) == [0.0]


def test_all_defaults_together_cost_more_than_each_before_and_promise_as_much() -> None:
    for ways in by(rows_of("defaults"), "way").values():
        assert list(ways) == [
            wishes.BARE,
            wishes.WITH_MARGIN,
            wishes.WITH_SECRET_K,
            wishes.ALL_DEFAULTS,
        ]
        cost = [row["withheld"] for row in ways.values()]
        assert cost == sorted(cost, key=lambda gone: (gone is None, gone))
        # nobody insisted on a larger k nor on each photo: they cost no plan
        assert (cost[1] is None) == (cost[3] is None)
        if cost[3] is not None:
            assert ways[wishes.ALL_DEFAULTS]["alone"] in {0, 1}


def test_the_simulated_attacker_is_told_the_scenes_and_the_plans_can_keep_them_whole() -> None:
    for at in range(12):
        album = FRESH.album(at)
        scene = attacks.scenes_of(FRESH, album)
        assert len(scene) == album.photos
        assert len(np.unique(scene)) <= 8
    rows = rows_of("correlated")
    assert {row["kind"] for row in rows} == {"Albums"}
    for ways in by(rows, "way").values():
        plain, whole = ways[PLAIN], ways[attacks.TOGETHER]
        if whole["withheld"] is not None:
            assert number(whole["withheld"]) >= number(plain["withheld"])


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
    assert attacks.SUBSET_OTHERS[-1] == "one photo less"


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
    assert wishes.STARS[0] > wishes.STARS[-1]


def test_a_margin_costs_photos_and_buys_success_at_other_models() -> None:
    rows = [row for row in rows_of("transfer") if row["guard"] == "θ" and row["proxy"] == "half-a"]
    assert {row["attacker"] for row in rows} == {"half-b", "other"}
    for ways in by([row for row in rows if row["attacker"] == "half-b"], "amount").values():
        cost = [
            number(ways[theta]["withheld"])
            for theta in attacks.MARGINS
            if ways[theta]["withheld"] is not None
        ]
        assert all(a <= b for a, b in pairwise(cost))
    held = [
        np.mean(
            [number(r["holds"]) for r in rows if r["amount"] == theta and r["holds"] is not None]
        )
        for theta in (0.0, 0.3)
    ]
    assert held[1] > held[0]
    better, more, before = compare_success(
        rows, "half-b", ("half-a", "θ", 0.0), ("half-a", "θ", 0.3)
    )
    assert better.count == more.count == before.count
    assert more.ours > 0
    # no plan is no field: it counts neither as a plan that holds nor as one that fails
    assert all(row["holds"] is None for row in rows if row["withheld"] is None)


def test_a_zone_keeps_the_first_guesses_as_far_away_as_it_reaches(scored: ScoreFiles) -> None:
    experiment = experiments.find("radius")
    parts = experiment.parts(scored, FEW)
    rows = [row for part in parts for row in experiment.measure(scored, FEW, part)]
    assert {row["kind"] for row in rows} == {"R-16", "R-32", "One place"}
    for row in rows:
        if row["way"] == wishes.ALL_SHARED:
            assert row["nearest"] == 0
        elif row["nearest"] is not None and row["way"] != wishes.CELL_ALONE:
            assert number(row["nearest"]) > float(str(row["way"]).split()[2])
    assert experiment.findings is not None
    numbers = experiment.summarise(rows)
    assert "zone of 25 km" in experiment.findings(rows, numbers)[0]
    # what a zone rules out by itself is no measurement
    told = {n.line for n in numbers if n.column == wishes.within_column(50)}
    assert "R-16, zone of 25 km" in told
    assert "R-16, zone of 50 km" not in told
    with pytest.raises(InputError, match="columns lat and lon"):
        experiment.measure(FRESH, FEW, experiment.parts(FRESH, FEW)[0])


def test_more_photos_need_less_of_a_margin_against_recompression(scored: ScoreFiles) -> None:
    experiment = experiments.find("recompress")
    rows = experiment.measure(scored, FEW, experiment.parts(scored, FEW)[0])
    hard, mild = (scoring.recompressed_albums(rows, f"quality {quality}") for quality in (60, 90))
    assert [album.shape for album in hard] == [(10, 2)] * 4

    def need(moved: scoring.Moves, size: int) -> float:
        return scoring.needed_margin(moved, size, np.random.default_rng(1))

    assert all(need(hard, a) > need(hard, b) for a, b in pairwise(scoring.RECOMPRESS_SIZES))
    assert need(hard, 1) > need(mild, 1)
    low, high = scoring.needed_interval(hard, 8)
    assert low < need(hard, 8) < high
    # a rival that falls in every photo falls in their mean as well, however many there are
    steady = [np.tile([-1.0, 1.0], (10, 1))]
    assert need(steady, 32) == 1.0
    with pytest.raises(InputError, match="no pixels"):
        experiment.measure(FRESH, FEW, experiment.parts(FRESH, FEW)[0])
    with pytest.raises(FileError, match="cannot be read"):
        scoring.read_recompressed(scored.truth.with_name("none.csv"))


def test_all_studies_run_resume_and_publish_on_score_files(
    scored: ScoreFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 4, 4, 8))
    names = ["radius", "transfer", "recompress", "adaptive", "defaults", "correlated"]
    runner.run(names, scored, "small", tmp_path, processes=1)
    for name in names:
        assert (tmp_path / name / "table.md").read_text("utf-8").count("|") > 20
        check_sentences(json.loads((tmp_path / name / "findings.json").read_text("utf-8")))
    part = sorted((tmp_path / "transfer" / "parts").iterdir())[0]
    before = (tmp_path / "transfer" / "rows.csv").read_bytes()
    part.unlink()
    runner.run(["transfer"], scored, "small", tmp_path, processes=1)
    assert (tmp_path / "transfer" / "rows.csv").read_bytes() == before
