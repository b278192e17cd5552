"""Fields: the right number of the right study, and a word that nobody knows is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.errors import InputError
from elsewhere_lab import runner
from elsewhere_lab.defaults_page import Fields
from elsewhere_lab.run_folder import read_runs
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import SCALES, Scale


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCALES, "small", Scale("small", 1, 2, 2, 5))
        runner.run(["transfer"], Simulator(2), "small", folder, processes=1)
    return folder


@pytest.fixture
def fields(run: Path, tmp_path: Path) -> Fields:
    page = tmp_path / "page.md"
    return Fields(read_runs([run], page), page)


def test_a_number_is_that_of_the_studys_own_table(fields: Fields, run: Path) -> None:
    study = "simulated transfer"
    table = (run / "transfer" / "table.md").read_text("utf-8")
    line = next(x for x in table.splitlines() if x.startswith("| half-a, θ 0.3 |"))
    mean = fields.fill(f'value {study} "half-a, θ 0.3" withheld .2f')
    assert f"| {mean} |" in line
    count = fields.fill(f'count {study} "half-a, θ 0.3" "no plan"')
    none = fields.fill(f'percent {study} "half-a, θ 0.3" "no plan" n')
    assert none.endswith(f", n = {count})")
    some = fields.fill(f'percent {study} "half-a, θ 0.3" "no plan" not n')
    assert int(none.split(" ")[0]) + int(some.split(" ")[0]) == 100
    assert fields.fill(f'amount {study} "half-a, θ 0.3" "more than bare" +').startswith("+.")
    assert fields.fill(f'percent {study} "half-a, θ 9" "no plan"') == "–"


def test_a_figure_is_drawn_beside_the_page(fields: Fields, run: Path, tmp_path: Path) -> None:
    assert fields.fill("figure simulated transfer") == "transfer.svg"
    drawn = (tmp_path / "defaults" / "transfer.svg").read_bytes()
    assert drawn == (run / "transfer" / "transfer.svg").read_bytes()


def test_what_is_not_there_is_said(fields: Fields) -> None:
    with pytest.raises(InputError, match="unknown kind 'guess'"):
        fields.fill("guess real transfer")
    with pytest.raises(InputError, match="no folder holds transfer of real photos"):
        fields.fill('count real transfer "half-a, θ 0" withheld')
    with pytest.raises(InputError, match="no folder holds radius of real photos"):
        fields.fill('near "R-16, the cell alone" 50')
    assert fields.fill("scale") == "small"
    assert fields.fill("minutes") == "1"
