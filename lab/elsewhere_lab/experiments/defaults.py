"""All that `protect` does unless told, together: how often a plan exists, and what it withholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from elsewhere.service.secret_top import candidate_tops
from elsewhere.values.wishes import Wishes, margin
from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD, costs, same
from elsewhere_lab.experiments.radius import places_of, zone_cells
from elsewhere_lab.experiments.transfer import TRAINED_TOGETHER
from elsewhere_lab.models import names_of
from elsewhere_lab.plots import beside, names_aslant, pick
from elsewhere_lab.sampling import KINDS, TOP, in_part, kinds_of, means, parts
from elsewhere_lab.solving import Found, ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, found, percent
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale, mean, number

UNLESS_TOLD = Wishes()
THETA = margin(UNLESS_TOLD.margin).theta
BARE = "the top alone"
ZONE = f"+ a zone of {UNLESS_TOLD.radius_km:g} km"
MARGIN = f"+ θ = {THETA:g}"
SECRET = "+ a secret k"
DEFAULTS = "+ each photo: the defaults"
_DRAWN = 20261120


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each wish more."""
    rows: list[Row] = []
    names = names_of(source)
    for each in in_part(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        for way, (plan, alone) in _plans(source, each).items():
            row: dict[str, Any] = {
                "kind": each.kind, "number": each.number, "photos": each.photos, "way": way,
                "withheld": plan.withheld, "alone": alone,
                "kept": None if plan.kept is None else int(plan.kept.sum()),
                "status plan": plan.status,
            }  # fmt: skip
            for name, scores in zip(names[1:], each.views[1:], strict=True):
                if name not in TRAINED_TOGETHER.get(names[0], ()):
                    had = plan.kept is not None and ahead(scores, each.truth) < TOP
                    row[f"holds: {name}"] = (
                        int(ahead(scores[plan.kept], each.truth) >= TOP) if had else None
                    )
            rows.append(row)
    return rows


def _plans(source: Source, each: Collection) -> dict[str, tuple[Found, int | None]]:
    """Each wish beside those before it; whether each photo was held to the top, too."""
    places = places_of(source, each)
    hidden: Any = each.truth if places is None else zone_cells(places, UNLESS_TOLD.radius_km)
    drawn = list(
        candidate_tops(TOP, each.scores.shape[1], Random(_DRAWN + each.number * 1000 + each.photos))
    )

    def first(**wishes: Any) -> Found:
        """The plan for the first k that can be had, as `protect` does it."""
        plans = (
            unexplained_plan(each.scores, hidden, top=k, margin=THETA, **wishes) for k in drawn
        )
        tried = Found("unknown", None)
        for tried in plans:
            if tried.kept is not None:
                break
        return tried

    bare = unexplained_plan(each.scores, each.truth, top=TOP)
    spared = unexplained_plan(each.scores, hidden, top=TOP, margin=THETA)
    secret = first()
    # nobody insisted on each photo: where that cannot be had, all of them together must do
    alone = first(each_photo=True)
    had = int(alone.kept is not None)
    return {
        BARE: (bare, None),
        **(
            {} if places is None else {ZONE: (unexplained_plan(each.scores, hidden, top=TOP), None)}
        ),
        MARGIN: (spared, None),
        SECRET: (secret, None),
        DEFAULTS: (alone if had else secret, had if secret.kept is not None else None),
    }


def summarise(rows: Sequence[Row]) -> list[Number]:
    """What each wish more costs, against the bare plan on the same collections."""
    result = []
    others = [key for key in rows[0] if key.startswith("holds: ")] if rows else []
    for kind in kinds_of(rows):
        every = [row for row in rows if row["kind"] == kind]
        for way in dict.fromkeys(str(row["way"]) for row in every):
            line = f"{kind}, {way}"
            mine = [row for row in every if row["way"] == way]
            result += costs(every, line, way, BARE)
            left = mean([number(row["kept"]) for row in mine if row["kept"] is not None])
            result.append(Number(line, "photos left", *left))
            for name in others:
                before, after = same(every, name, (BARE, way))
                result.append(Number(line, name, after.ours, after.error, after.count))
                column = f"{name}, bare"
                result.append(Number(line, column, before.ours, before.error, before.count))
        last = means([row for row in every if row["way"] == DEFAULTS], "alone")
        result.append(Number(f"{kind}, {DEFAULTS}", "each photo had", *last))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user meets."""
    told = []
    for kind in kinds_of(rows):
        bare, every = (found(numbers, f"{kind}, {way}") for way in (BARE, DEFAULTS))
        if MORE not in every:
            continue
        held = "".join(
            f" {name.removeprefix('holds: ').capitalize()} is kept out by {percent(every[name])} "
            f"of these plans, by {percent(every[f'{name}, bare'])} of the bare ones for the same."
            for name in every
            if name.startswith("holds: ") and f"{name}, bare" in every
        )
        told.append(
            f"{kind}: with all that protect does unless told, there is no plan for "
            f"{percent(every[NO_PLAN])} of the collections (for the top alone: "
            f"{percent(bare[NO_PLAN])}); plans withhold {amount(every[WITHHELD])} of the photos, "
            f"{amount(every[MORE], sign=True)} on the same collections, and leave "
            f"{every['photos left'].ours:.1f} photos; each photo alone is held to the top, too, in "
            f"{percent(every['each photo had'])} of them.{held}"
        )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """What each wish more withholds, and how often there is no plan."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT
    from elsewhere_lab.figures import KIND_MARKERS

    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.9), sharey=True)
    colours = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept)
    for axes, column, title in zip(
        grid, (WITHHELD, NO_PLAN), ("Share of photos withheld", "No plan"), strict=True
    ):
        for i, (kind, colour) in enumerate(zip(kinds_of(rows), colours, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", column) for way in ways]
            marker = KIND_MARKERS.get(kind, "D")
            share = column == NO_PLAN
            beside(axes, values, (i, 3), colour=colour, marker=marker, name=kind, share=share)
        names_aslant(axes, ways)
        axes.set(ylim=(-0.03, 1.04), title=title)
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return {"defaults": figure}


EXPERIMENT = Experiment(
    name="defaults",
    title="All of protect's defaults together",
    about=(
        "What somebody meets who says nothing: one wish after the other is added to the plan for "
        "the top 5 alone, as `protect` has them unless told. A secret k that cannot be had is "
        "drawn smaller; where not every photo can be held to the top alone, the sum must do. The "
        "simulator has no kilometres, nor do scores over cells that are not ours: the photos' cell "
        "stands for the zone there. Over the collections that were in the top 5; `more than bare` "
        "is against the top alone, on the same collections; other models' columns are of plans "
        "against the first, by collections that they had, and beside them the bare plans of "
        "those. One place: an album of the truth file."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
