"""What is said below the paper's tables: from the numbers, and only what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elsewhere_lab import experiments
from elsewhere_lab.experiments import tables, wishes
from elsewhere_lab.sources import ScoreFiles, Simulator, Source
from elsewhere_lab.values import Row, Scale

KEPT = Path(__file__).parents[2] / "benchmarks" / "lab"
FEW = Scale("few", partitions=1, cells=2, albums=3, sample=2)
PAPERS = ("teaser", "accuracy", "fewest", "budget", "pins", "margin", "worst")
NONSENSE = re.compile(r"\bnan\b|(?<!\w)[-+−]\d|\bNone\b|\binf\b")


@pytest.fixture(scope="module")
def real() -> ScoreFiles:
    return ScoreFiles(
        tuple(KEPT / f"{name}.npz" for name in ("half-a", "half-b")), KEPT / "truth.csv"
    )


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("which", ["simulator", "real"])
def test_no_sentence_has_a_number_that_is_none(name: str, which: str, real: ScoreFiles) -> None:
    source: Source = Simulator(seed=321) if which == "simulator" else real
    experiment = experiments.find(name)
    if experiment.obstacle(source):
        return
    part_of = experiment.parts(source, FEW)[:2]
    rows = [row for part in part_of for row in experiment.measure(source, FEW, part)]
    told = experiment.findings(rows, experiment.summarise(rows))
    if name == "budget":
        told += tables.findings_nesting(rows, list(tables.summarise_nesting(rows)))
    assert not [sentence for sentence in told if NONSENSE.search(sentence)], told
    assert all(sentence.endswith(".") for sentence in told), told


def asked(number: int, optimal: int | None, greedy: int | None, status: str | None) -> Row:
    """A collection of Table 2, top-1 only."""
    row: Row = {"kind": "R-16", "number": number, "photos": 16, "optimal 1": optimal}
    return {
        **row, "greedy 1": greedy, "status 1": status, "optimal 5": None, "greedy 5": None,
        "status 5": None,
    }  # fmt: skip


def test_what_is_impossible_is_neither_a_plan_nor_greedys_fault() -> None:
    rows = [
        asked(0, 4, 6, "optimal"),
        asked(1000, 4, None, "optimal"),
        asked(2000, None, None, "infeasible"),
        asked(3000, None, None, "infeasible"),
        asked(4000, None, None, None),
    ]
    told = list(tables.findings_fewest(rows, []))
    assert told[0] == "Plans found: 2, all proved optimal."
    assert told[1].startswith("Proved to have no plan")
    assert told[1].endswith(": 2.")
    assert told[2] == "Where there is a plan and greedy finds none: 1."
    assert len(told) == 4
    (best, _) = tables.summarise_fewest(rows)
    assert (best.ours, best.count) == (0.25, 1)
    assert list(tables.findings_fewest(rows[:1], [])) == ["Plans found: 1, all proved optimal."]
    stopped = list(tables.findings_fewest([asked(7, 5, 6, "feasible")], []))
    assert stopped == [
        "Plans found: 1, 0 of them proved optimal.",
        "Stopped at 400,000 units of work, good and perhaps not the best: "
        "R-16 number 7, 1: feasible.",
    ]


def pinned(number: int, rank: int, gone: int | None) -> Row:
    row: Row = {"kind": "R-16", "number": number, "photos": 16, "top": 5, "rank": rank}
    return {**row, "withheld": gone, "status pins": "optimal" if gone else "infeasible"}


def test_a_wish_is_priced_on_the_collections_where_it_can_be_had() -> None:
    """The cheap one can keep its photo, the dear one cannot: apart, a wish would seem to pay."""
    rows = [
        pinned(0, 0, 4), pinned(1000, 0, 12),
        *(pinned(0, rank, 5) for rank in wishes.pin_ranks(16)),
        *(pinned(1000, rank, None) for rank in wishes.pin_ranks(16)),
    ]  # fmt: skip
    assert wishes.pin_costs(rows, "R-16", 5, 1) == pytest.approx(
        (1 / 16, float("nan"), 1), nan_ok=True
    )
    (said,) = wishes.findings_pins(rows, [])
    assert said == (
        "R-16, top-5: the most telling photo can stay in 50% of the collections, where it costs "
        "0.06 of the photos; the one of rank 7 in 50%, where it costs 0.06 of the photos."
    )
    never = [pinned(0, 0, 4), *(pinned(0, rank, None) for rank in wishes.pin_ranks(16))]
    (said,) = wishes.findings_pins(never, [])
    assert "cost" not in said
    assert "can stay in 0% of the collections; the one of rank 7 in 0%." in said


def test_a_margin_that_was_not_needed_is_not_praised() -> None:
    row: Row = {"kind": "R-128", "number": 0, "photos": 128, "withheld": 30, "holds": 1}
    rows: list[Row] = [{**row, "top": top, "margin": m} for top in (1, 5) for m in wishes.MARGINS]
    for said in wishes.findings_margin(rows, []):
        assert said.endswith("without a margin 100% have a plan that holds at the other model.")


def test_table_four_pools_photos_and_says_what_chance_would_give() -> None:
    shares = (0.125, 0.25, 0.375, 0.5)

    def row(number: int, *plans: str) -> Row:
        fields = {
            f"{what} {s}": p
            for s, p in zip(shares, plans, strict=True)
            for what in ("plan", "full")
        }
        return {"kind": "R-16", "number": number, "photos": 16, **fields}

    # one photo of one comes back, and none of three: a quarter of the photos, not a half
    rows = [
        row(0, "x1", "x2", "x2", "x2"),
        row(1000, "x7", "x7", "x7", "x7"),
        row(2000, *["x0"] * 4),
    ]
    found = {(n.line, n.column): n for n in tables.summarise_nesting(rows)}
    first = found["R-16 (fewest photos)", "12.5 % → 25 %"]
    assert (first.ours, first.count, first.paper) == (0.25, 2, 0.27)
    assert found["R-16 (fewest photos)", "none withheld at 12.5 %"].ours == pytest.approx(1 / 3)
    findings = experiments.find("nesting").findings
    assert findings is not None
    told = findings(rows, list(found.values()))
    assert "would give 0.75 and 0.50" in told[0]
    assert told[-1].startswith("The paper's number lies between the two lines in 0 of 2 cases")
