"""What withholding buys: the chart, and the same numbers as a table for those who want them."""

from __future__ import annotations

from elsewhere.report.contents import Contents, FrontierSteps
from elsewhere.report.marks import greedy_mark, open_mark, plan_mark, proved_mark
from elsewhere.report.markup import Markup, element
from elsewhere.report.pictures.frontier import frontier_chart
from elsewhere.values.wording import counted


def frontier_section(contents: Contents) -> Markup | None:
    """The staircase."""
    staircase = contents.staircase
    if staircase is None or not staircase.steps:
        return None
    return element(
        "section",
        element("h2", "What withholding buys"),
        element("p", _sentence(staircase)),
        element(
            "figure",
            _key(staircase),
            frontier_chart(staircase),
            class_="chart",
        ),
        _table(staircase),
        id="frontier",
    )


def _sentence(staircase: FrontierSteps) -> str:
    proved = sum(step.proved for step in staircase.steps)
    told = (
        f"For each number of withheld photos, how many cells can at best rank above the place: "
        f"{proved} of {counted(len(staircase.steps), 'point')} proved."
    )
    first = staircase.steps[0].withheld
    if first:
        told += f" It begins at {first}, for so many go in any case."
    if staircase.chosen is not None and staircase.used is not None and staircase.greedy:
        ours, _ = staircase.chosen
        enough = [n for n, protected in staircase.greedy if protected >= staircase.used]
        told += f" This plan withholds {counted(ours, 'photo')}; "
        told += f"greedy needs {min(enough)} for as much." if enough else "greedy never gets there."
    return told


def _key(staircase: FrontierSteps) -> Markup:
    entries = [element("li", proved_mark(), "proved: nothing better exists")]
    if not all(step.proved for step in staircase.steps):
        words = "open: the best plan known; a better one could reach into the band"
        entries.append(element("li", open_mark(), words))
    if staircase.greedy:
        entries.append(element("li", greedy_mark(), "greedy, the paper's baseline"))
    if staircase.chosen is not None:
        entries.append(element("li", plan_mark(), "this plan"))
    return element("ul", entries, class_="key")


def _table(staircase: FrontierSteps) -> Markup:
    greedy = dict(staircase.greedy)
    rows = []
    for step in staircase.steps:
        reach = str(step.protected) if step.proved else f"{step.protected} to {step.bound}"
        state = "proved" if step.proved else "open"
        beside = greedy.get(step.withheld)
        told = [str(step.withheld), reach, state, "–" if beside is None else str(beside)]
        chosen = staircase.chosen is not None and staircase.chosen[0] == step.withheld
        cells = [element("td", cell, class_="n") for cell in told]
        rows.append(element("tr", cells, class_="here" if chosen else None))
    heads = ["withheld", "cells above the place", "", "greedy"]
    return element(
        "details",
        element("summary", "The same as a table"),
        element(
            "div",
            element(
                "table",
                element(
                    "thead",
                    element("tr", [element("th", h, scope="col", class_="n") for h in heads]),
                ),
                element("tbody", rows),
            ),
            class_="scroll wide",
        ),
        class_="screen",
    )
