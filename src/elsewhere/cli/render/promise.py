"""A promise for people: every condition of it, so that nobody is told of less than was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere.cli.truth_option import named, ranges
from elsewhere.solver.explain import number_text
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted


def promised(promise: Promise, tables: Sequence[Scores]) -> Iterator[str]:
    """What a plan was to do, line by line; the scores lend photos and cells their names.

    >>> against = Against("", "", 9, (3,), 2, margin=0.5)
    >>> for line in promised(Promise(2, (against,), keep=(1,)), [Scores([[0.0] * 9] * 2)]):
    ...     print(line)
    Promised against the attacker (9 cells): cell 3 not in the top 2
      each kept photo counts 0.5 nats more for the truth
    Kept as asked: 1
    """
    scores = tables[0]
    for place, (against, table) in enumerate(zip(promise.against, tables, strict=True)):
        whom = f"attacker {place}" if len(promise.against) > 1 else "the attacker"
        zone = len(against.truth)
        hidden = _cells(against.truth, against, table)
        if zone > 1:
            hidden = f"a zone of {zone} cells ({ranges(against.truth)})"
        goal = (
            f"not in the top {against.top}"
            if against.top is not None
            else f"as far down as {counted(promise.budget or 0, 'photo')} withheld can push it"
        )
        yield f"Promised against {whom} ({against.cells} cells): {hidden} {goal}"
        for condition in _conditions(against, table):
            yield f"  {condition}"
    if promise.strict:
        yield "Ties count against us."
    if promise.keep:
        yield f"Kept as asked: {_photos(promise.keep, scores)}"
    if promise.drop:
        yield f"Withheld as asked: {_photos(promise.drop, scores)}"
    for group in promise.groups:
        yield f"Together: {_photos(group, scores)}"
    if promise.values is not None:
        unequal = [
            f"{_photos([photo], scores)} {number_text(value)}"
            for photo, value in enumerate(promise.values)
            if value != 1
        ]
        yield f"What withholding costs (others 1): {', '.join(unequal)}"


def _conditions(against: Against, table: Scores) -> Iterator[str]:
    """What is promised against one attacker besides its top."""
    if against.rivals is not None:
        cells = _cells(against.rivals, against, table)
        yield f"only {counted(len(against.rivals), 'cell')} counted as rivals: {cells}"
    if against.margin:
        yield f"each kept photo counts {against.margin:g} nats more for the truth"
    if against.lead:
        yield f"a rival must be ahead by {against.lead:g} nats in total"
    if against.prior is not None:
        yield "the attacker knows something beforehand: a prior over its cells"
    if against.sees is not None:
        yield f"it sees {counted(len(against.sees), 'photo')} only"
    if against.each_photo is not None:
        yield f"each kept photo alone keeps the truth out of the top {against.each_photo}, too"


def _cells(which: Sequence[int], against: Against, table: Scores) -> str:
    """Cells by name, where these scores can be those of the promise."""
    same = table.cells == against.cells
    return named(which, table if same else Scores([[0.0, 0.0]]))


def _photos(which: Sequence[int], scores: Scores) -> str:
    """Photos by name, where these scores have so many."""
    return ", ".join(
        scores.ids[photo] if photo < scores.photos else f"photo {photo}" for photo in which
    )
