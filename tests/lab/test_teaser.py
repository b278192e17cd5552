"""Figure 1: one collection, its plans, and a picture that shows where the truth stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere_lab import experiments, plots
from elsewhere_lab.experiments import teaser
from elsewhere_lab.experiments.teaser import _shortened
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import SCALES, Part, Row, number

CELLS = list(range(0, 512, 64))


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    part = Part("all", {"cells": CELLS})
    return list(teaser.measure_teaser(Simulator(), SCALES["small"], part))


def test_the_truth_is_first_before_and_out_of_the_first_five_after(rows: list[Row]) -> None:
    assert teaser.rank_of_truth(rows, "everything") == 1
    assert not teaser.withheld(rows, "everything")
    for plan in ("greedy", "optimal"):
        assert teaser.rank_of_truth(rows, plan) > teaser.TOP
        first = teaser.guesses(rows, plan)
        assert [number(row["rank"]) for row in first[: teaser.TOP]] == [1, 2, 3, 4, 5]
        assert sum(number(row["truth"]) for row in first) == 1
        assert 0 < sum(number(row["value"]) for row in first) <= 1
        assert str(first[0]["name"]).startswith("metropolis ")
    assert len(teaser.withheld(rows, "optimal")) < len(teaser.withheld(rows, "greedy"))


def test_what_is_said_names_our_numbers_and_how_many_were_looked_at(rows: list[Row]) -> None:
    (said,) = teaser.findings_teaser(rows, [])
    counts = {plan: len(teaser.withheld(rows, plan)) for plan in teaser.PAPER}
    assert f"of the {9 * len(CELLS)} that were looked at" in said
    assert f"here greedy {counts['greedy']}, optimal {counts['optimal']}" in said
    assert teaser.draw_teaser([], []) is None
    assert "run a larger scale" in teaser.findings_teaser([], [])[0]


@pytest.mark.parametrize("earth", [False, True])
def test_the_picture_writes_ranks_out_on_a_map_where_there_is_one(
    rows: list[Row], tmp_path: Path, earth: bool
) -> None:
    placed: list[Row] = [
        {**row, "lat": 40.0 + number(row["rank"]), "lon": 3.0} if row["what"] == "cell" else row
        for row in rows
    ]
    shown = placed if earth else rows
    with plots.drawing():
        drawn = teaser.draw_teaser(shown, [])
        titles = [axes.get_title(loc="left") for axes in drawn.axes]
        texts = [text.get_text() for axes in drawn.axes for text in axes.texts]
    plots.draw_figure(experiments.find("teaser"), shown, [], tmp_path)
    assert any(title.endswith("truth at rank 1") for title in titles)
    assert sum("(truth)" in text for text in texts) == 3
    assert any("km" in text for text in texts) is earth
    assert texts.count("5") == (3 if earth else 0)
    assert (tmp_path / "teaser.svg").exists()


def test_long_names_are_cut() -> None:
    assert _shortened("Oakland, California, United States") == "Oakland, California, USA"
    assert len(_shortened("x" * 60)) == 33
