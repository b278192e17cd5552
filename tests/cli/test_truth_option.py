"""A place to hide, by name: from `--truth Lisbon` to the zone that the engine hears of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import elsewhere
from elsewhere.formats.plan_file import plan_from_json
from elsewhere.formats.score_files import write_scores
from elsewhere.globe import Cells, cell_names, place, zone_of_place
from elsewhere.values.scores import Scores
from tests.cli.keyboard import typed

CELLS = Cells.paper()
LISBON = frozenset(zone_of_place(CELLS, place("Lisbon")).cells.tolist())


@pytest.fixture
def album(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scores:
    """Eight photos over the default cells, which point at Lisbon; the same without cells."""
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(3).normal(size=(8, CELLS.count))
    rows[:, sorted(LISBON)] += 1.5
    scores = Scores(rows, scorer="0123456789abcdef" * 4, grid=CELLS.fingerprint)
    write_scores("album.npz", scores)
    write_scores("bare.npz", Scores(rows))
    return scores


def truths(*arguments: str) -> list[frozenset[int]]:
    result = typed("plan", *arguments, "--top", "2", "--json")
    assert result.exit_code == 0, result.output
    return [frozenset(one.truth) for one in plan_from_json(result.stdout).promise.against]


def refused(*arguments: str) -> str:
    result = typed("plan", *arguments, "--top", "2")
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("elsewhere: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("text", ["Lisbon", "Lisboa, Portugal", "38.72,-9.14", "38.72, -9.14"])
def test_a_place_is_its_zone(text: str) -> None:
    assert truths("album.npz", "--truth", text) == [LISBON]


@pytest.mark.usefixtures("album")
def test_the_radius_and_the_kind_of_place_count() -> None:
    near, far = place("Lisbon"), place("Portugal")
    for radius in (0.0, 200.0):
        zone = frozenset(zone_of_place(CELLS, near, radius).cells.tolist())
        assert truths("album.npz", "--truth", "Lisbon", "--radius", f"{radius}") == [zone]
    country = frozenset(zone_of_place(CELLS, far).cells.tolist())
    assert truths("album.npz", "--truth", "Portugal") == [country]


@pytest.mark.usefixtures("album")
def test_numbers_stay_cells() -> None:
    assert truths("album.npz", "--truth", "38,9") == [frozenset({38, 9})]
    assert truths("album.npz", "--truth", "17, 20-22") == [frozenset({17, 20, 21, 22})]


@pytest.mark.usefixtures("album")
def test_one_place_for_several_attackers_or_one_each() -> None:
    both = ("album.npz", "album.npz")
    assert truths(*both, "--truth", "Lisbon") == [LISBON, LISBON]
    assert truths(*both, "--truth", "Lisbon", "--truth", "17") == [LISBON, frozenset({17})]
    assert "bare.npz does not say" in refused("album.npz", "bare.npz", "--truth", "Lisbon")


@pytest.mark.usefixtures("album")
def test_doubts_are_the_globes_own_sentences() -> None:
    told = refused("album.npz", "--truth", "Springfield")
    assert "could be Springfield, Missouri" in told
    assert "add its region or country" in told
    assert "did you mean Springfield" in refused("album.npz", "--truth", "Springfeld")
    assert "a radius is 0 km or more" in refused("album.npz", "--truth", "Lisbon", "--radius", "-1")


def test_rivals_and_truth_are_called_by_their_places(album: Scores) -> None:
    plan = elsewhere.protect(album, set(LISBON), top=2)
    names = cell_names(CELLS)
    shown = typed("plan", "album.npz", "--truth", "Lisbon", "--top", "2").stdout
    assert "truth      Lisbon, Portugal and 25 km around: cells 119,124,125" in shown
    for rival in plan.views[0].rivals[:2]:
        assert f"{names[rival]} (cell {rival})" in shown
    assert "scorer 0123456789ab\n" in shown
    bare = typed("plan", "bare.npz", "--truth", "119,124,125", "--top", "2").stdout
    assert "Portugal" not in bare
    first, second = plan.views[0].rivals[:2]
    assert f"cells {first}, {second}" in bare


@pytest.mark.usefixtures("album")
def test_the_plan_of_a_place_can_be_checked() -> None:
    typed("plan", "album.npz", "--truth", "Lisbon", "--top", "2", "-o", "plan.json")
    assert json.loads(Path("plan.json").read_text())["names"] == [str(i) for i in range(8)]
    result = typed("check", "plan.json", "album.npz")
    assert result.exit_code == 0
    assert "a zone of 3 cells (119,124,125) not in the top 2" in result.stdout
