"""Table 2: the fewest photos to withhold for a top-1 and a top-5 guarantee, optimal and greedy."""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.lab.collections import KINDS, collections, parts
from elsewhere.lab.paper import reported, tolerance
from elsewhere.lab.solving import fewest, greedy_fewest, greedy_steps, unproved
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Experiment, Number, Part, Row, Scale, Value, mean

TOPS = (1, 5)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """For each collection and k, what is withheld; nothing where it was not top-k accurate."""
    rows: list[Row] = []
    for each in collections(source, part):
        steps = greedy_steps(each.scores, each.truth)
        row: dict[str, Value] = {
            "kind": each.kind,
            "number": each.number,
            "photos": each.photos,
            "ahead": int(steps[0]),
        }
        for top in TOPS:
            row |= {f"optimal {top}": None, f"greedy {top}": None, f"status {top}": None}
            if steps[0] < top:
                plan = fewest(each.scores, each.truth, top)
                row[f"optimal {top}"] = len(plan.withheld) if plan.found else None
                row[f"greedy {top}"] = greedy_fewest(steps, top)
                row[f"status {top}"] = str(plan.status)
        rows.append(row)
    return rows


def shares(rows: Sequence[Row], kind: str, column: str) -> list[float]:
    """The share of photos withheld, of the collections where both have a plan."""
    top = column.rsplit(maxsplit=1)[-1]
    found = []
    for row in rows:
        gone, photos, other = row[column], row["photos"], row[f"greedy {top}"]
        if row["kind"] == kind and gone is not None and other is not None:
            assert isinstance(gone, int) and isinstance(photos, int)
            found.append(gone / photos)
    return found


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Mean shares, over the collections that were top-k accurate before."""
    result = []
    for kind in KINDS:
        for top in TOPS:
            for method in ("optimal", "greedy"):
                found, error, count = mean(shares(rows, kind, f"{method} {top}"))
                column = f"top-{top} {method}"
                if count:
                    result.append(
                        Number(
                            kind, column, found, error, count,
                            reported("fewest", kind, column), tolerance("fewest", kind, column),
                        )
                    )  # fmt: skip
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """How sure all this is."""
    plans = sum(1 for row in rows for top in TOPS if row[f"status {top}"] is not None)
    open_ones = unproved(rows)
    none = sum(
        1
        for row in rows
        for top in TOPS
        if row[f"status {top}"] is not None and row[f"greedy {top}"] is None
    )
    told = [f"{plans:,} plans, of which {len(open_ones):,} were not proved optimal."]
    if none:
        told.append(
            f"In {none:,} cases greedy found no plan at all (its last photo still gave the place "
            "away); they are left out of both averages."
        )
    return told + open_ones


EXPERIMENT = Experiment(
    name="fewest",
    title="Table 2: the fewest photos to withhold",
    about=(
        "The mean share of photos withheld so that the true cell is not among the first k, by the "
        "proved smallest plan and by greedy; over the collections that were top-k accurate before."
    ),
    parts=parts,
    measure=measure,
    summarise=summarise,
    says=says,
)
