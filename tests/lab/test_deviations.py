"""Reasons: by direction, from the numbers beside them, and none where none is known."""

from __future__ import annotations

from dataclasses import fields, replace

from elsewhere_lab.calibrated import Albums, Setting
from elsewhere_lab.paper import PAPER, UNKNOWN, reasons, with_papers
from elsewhere_lab.values import Number


def test_the_two_directions_never_share_a_reason() -> None:
    for experiment, name, column in PAPER:
        number = with_papers(experiment, name, column, (0.0, 0.0, 9))
        if number.within is None or number.paper is None:
            continue
        far = 2 * number.within + number.paper
        told = [
            reasons(experiment, [replace(number, ours=ours)], largest=True)
            for ours in (far, number.paper - 2 * number.within)
        ]
        assert [len(each) for each in told] == [1, 1]
        assert "too high" in told[0][0]
        assert "too low" in told[1][0]
        assert f"{name} {column} (" in told[0][0]


def test_a_reason_is_given_only_where_the_table_bears_it_out() -> None:
    one = with_papers("fewest", "R-128", "top-1 greedy", (0.55, 0.003, 5120))
    five = with_papers("fewest", "R-128", "top-5 greedy", (0.62, 0.003, 5120))
    (why,) = reasons("fewest", [one, five], largest=True)
    assert "withholds 0.07 of the photos here and 0.15 in the paper" in why
    # were both too low alike, the rivals would not be closer together
    (other,) = (
        each
        for each in reasons("fewest", [replace(one, ours=0.46), five], largest=True)
        if "top-5" in each
    )
    assert other.endswith(f"too low; {UNKNOWN}.")
    # and of the other direction nothing is known
    (high,) = reasons("fewest", [one, replace(five, ours=0.75)], largest=True)
    assert high.endswith(f"too high; {UNKNOWN}.")


def test_greedys_steps_are_compared_with_the_papers() -> None:
    table = [
        with_papers("budget", "R-16 greedy", column, (ours, 0.1, 46080))
        for column, ours in (("37.5 %", 6.89), ("50 %", 23.0))
    ]
    (why,) = reasons("budget", table, largest=True)
    assert "grows 3.3-fold from 37.5 to 50 % here and 2.8-fold in the paper" in why
    flat = [table[0], replace(table[1], ours=2.8)]
    (why,) = reasons("budget", flat, largest=True)
    assert why.endswith(f"too low; {UNKNOWN}.")


def test_chance_is_named_as_such_and_at_the_largest_scale_beside_the_reason() -> None:
    number = Number("R-16 optimal", "25 %", 2.3, 0.4, 90, 3.0, 0.6)
    (small,) = reasons("budget", [number])
    assert "which a larger scale decides" in small
    (paper,) = reasons("budget", [number], largest=True)
    assert "larger scale" not in paper
    assert paper.endswith("(beyond what was wanted by less than two standard errors).")
    assert reasons("budget", [replace(number, ours=2.5)]) == []


def test_no_reason_claims_what_the_paper_does_not_print() -> None:
    for experiment, name, column in PAPER:
        for ours in (-1e6, 1e6):
            told = reasons(
                experiment, [with_papers(experiment, name, column, (ours, 0.0, 9))], largest=True
            )
            assert not any("differ more among each other" in each for each in told)


def test_the_counts_that_are_written_out_are_right() -> None:
    fitted = [key for key in PAPER if key[0] in ("accuracy", "fewest", "budget")]
    albums = [key for key in fitted if key[1].startswith("Albums")]
    assert (len(fitted) - len(albums), len(fields(Setting))) == (63, 18)
    assert (len(albums), len(fields(Albums))) == (11, 4)
