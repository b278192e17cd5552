"""A made-up album's report: plain values, no photos, no scorer, no solver.

The scores come from a seeded generator over the real cells, so the maps look like maps; what an
audit says of them is computed here in a few plain lines.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from elsewhere.audit import Alone, Audit, Curve, Exposure, Guess, Leaking, Opinion, Shares, Within
from elsewhere.globe import Cells, cell_names, cell_towns, distance_km, zone
from elsewhere.messages import coarse_cells
from elsewhere.report.contents import (
    AttackerAccuracy,
    AttackerView,
    Contents,
    Explanation,
    FrontierStep,
    FrontierSteps,
    PhotoPicture,
    PhotoState,
    SkippedReason,
)

LISBON = 38.72, -9.14
Floats = NDArray[np.float64]


@cache
def made_up_scores(photos: int, seed: int = 5) -> Floats:
    """Rows that lean to Lisbon, some more than others, and to a wrong place each."""
    rng = np.random.default_rng(seed)
    cells = Cells.paper()
    truth = cells.locate(*LISBON)
    near = np.exp(-distance_km(cells, *LISBON) / 1500)
    rows = rng.normal(0, 1.2, (photos, cells.count)) + 1.5 * near
    rows[:, truth] += rng.gamma(1.2, 1.3, photos)
    rows[np.arange(photos), rng.integers(0, cells.count, photos)] += 3
    return np.asarray(rows - np.log(np.exp(rows).sum(axis=1, keepdims=True)))


def guesses(belief: Floats, count: int) -> tuple[Guess, ...]:
    cells = Cells.paper()
    names, (lat, lon) = cell_names(cells), cell_towns(cells)
    order = np.argsort(-belief, kind="stable")[:count].tolist()
    return tuple(Guess(c, names[c], float(lat[c]), float(lon[c]), float(belief[c])) for c in order)


def rank(total: Floats, inside: Sequence[int]) -> int:
    best = total[list(inside)].max()
    others = np.delete(total, list(inside))
    return 1 + int((others >= best).sum())


def curve(rows: Floats, order: Sequence[int], inside: Sequence[int]) -> Curve:
    sums = np.cumsum(rows[list(order)], axis=0)
    ranks = tuple(rank(total, inside) for total in sums)
    return Curve(tuple(order), ranks, tuple(1 / r for r in ranks))


def audit(rows: Floats, names: Sequence[str], *, place: bool = True, label: str = "") -> Audit:
    """What the made-up attacker makes of these rows."""
    cells = Cells.paper()
    hidden = zone(cells, *LISBON, 25)
    inside = tuple(hidden.cells.tolist())
    total = rows.sum(axis=0)
    exponent = 1 / np.sqrt(len(rows))
    belief = np.exp((total - total.max()) * exponent)
    belief /= belief.sum()
    against = inside[int(np.argmax(total[list(inside)]))]
    outside = [g for g in guesses(belief, 60) if g.cell not in inside]
    rivals = tuple(outside[:5])
    gains = (rows[:, [r.cell for r in rivals]] - rows[:, [against]]).sum(axis=1)
    sharpest = np.argsort(gains, kind="stable").tolist()
    chance = float(belief[list(inside)].sum())
    exposure = Exposure(
        label=label or "Lisbon, Portugal",
        cells=inside,
        lat=LISBON[0],
        lon=LISBON[1],
        rank=rank(total, inside),
        probability=chance,
        within=tuple(
            Within(km, chance * f, min(1.0, chance * (f + 0.2)))
            for km, f in ((25.0, 0.8), (200.0, 1.1), (750.0, 1.4))
        ),
        best_km=0.0,
        album_order=curve(rows, range(len(rows)), inside),
        worst_order=curve(rows, sharpest, inside),
        shares=Shares(rivals, True, against, 0.0, tuple(gains.tolist()), float(gains.sum())),
        note=coarse_cells(hidden.widest_cell_km, hidden.radius_km),
    )
    alone = tuple(
        Alone(
            name, guesses(np.exp(row), 1), rank(row, inside), float(np.exp(row[list(inside)].sum()))
        )
        for name, row in zip(names, rows, strict=True)
    )
    return Audit(
        scorer="embedded",
        ids=tuple(names),
        cells=cells.count,
        exponent=float(exponent),
        calibrated=True,
        guesses=guesses(belief, 60),
        alone=alone if place else (),
        opinions=(Opinion("half_a", guesses(belief, 1)[0], 2, 0.3),) if place else (),
        truth=exposure if place else None,
    )


def preview(seed: int, side: int = 160) -> bytes:
    """A small JPEG with something in it: a sky, a sea, some noise."""
    rng = np.random.default_rng(seed)
    high = side if seed % 3 else side * 4 // 3
    sky, sea = rng.integers(60, 255, (2, 3))
    fade = np.linspace(0, 1, high)[:, None, None]
    pixels = sky * (1 - fade) + sea * fade + rng.normal(0, 6, (high, side, 3))
    file = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=80)
    return file.getvalue()


def contents(photos: int = 24, withheld: int = 5, names: Sequence[str] = ()) -> Contents:
    """A whole report; `names` replace the first photos' names."""
    called = [*names, *(f"IMG_{2000 + n}.jpg" for n in range(len(names), photos))]
    rows = made_up_scores(photos)
    before = audit(rows, called)
    assert before.truth is not None
    gains = before.truth.shares.gains
    out = set(np.argsort(gains, kind="stable")[:withheld].tolist())
    kept = [n for n in range(photos) if n not in out]
    after = audit(rows[kept], [called[n] for n in kept])
    assert after.truth is not None
    decoys = tuple(g for g in after.guesses if g.cell not in after.truth.cells)[:5]
    boxes = tuple(
        (float(s), float(w), float(n), float(e))
        for cell in before.truth.cells
        for s, w, n, e in Cells.paper().boxes_of(cell)
    )
    steps = tuple(
        FrontierStep(
            n, min(500, int(0.35 * n**2.1)), min(511, int(0.35 * n**2.1) + (n > 9) * 3 * n)
        )
        for n in range(photos)
    )
    pictures = tuple(
        PhotoPicture(
            name,
            PhotoState.WITHHELD if n in out else PhotoState.SHARED,
            preview(n),
            gains[n],
            "asked to stay" if n == kept[0] else "",
        )
        for n, name in enumerate(called)
    )
    return Contents(
        album="Summer at the river",
        verdict=(
            f"Withhold {withheld} of {photos} photos: Lisbon, Portugal is then not among the "
            "attacker's first 5 guesses, and no smaller set is enough."
        ),
        holds=True,
        state="The promise holds",
        notes=(
            "2 photos have neither a position nor a time: they count in every hidden place.",
            "The cell here is 80 km across, more than 25 km, so the whole cell is hidden.",
        ),
        photos=pictures,
        views=(AttackerView(before, after, decoys, boxes, "the whole album"),),
        frontier=FrontierSteps(
            steps,
            tuple((n, max(0, int(0.2 * n**1.9) - 1)) for n in range(photos)),
            (withheld, steps[min(withheld, photos - 1)].protected),
            5,
            5,
        ),
        explanation=Explanation(
            called[min(out)],
            (
                "It alone lifts Lisbon, Portugal from 40th to 3rd.",
                "By itself it puts Lisbon, Portugal 2nd of 512.",
            ),
        ),
        limits=(
            "A better attacker than these may exist, and people who know the street need none.",
            "Words on signs, faces and what you write beside the photos.",
        ),
        attackers=(
            AttackerAccuracy(
                "embedded",
                512,
                {
                    "": {25: 0.1237, 200: 0.2382, 750: 0.456},
                    "Africa": {25: 0.0274, 200: 0.0548, 750: 0.1096},
                    "Europe": {25: 0.1736, 200: 0.4038, 750: 0.7335},
                },
                ("Europe",),
            ),
        ),
        leaks=(
            Leaking("position", tuple(called[:18]), ("38.7223, -9.1393", "38.6970, -9.2066")),
            Leaking("serial number", tuple(called[:20]), ("F2LX41J9PL",)),
            Leaking("comment", (called[0],), ("Nan's flat <3rd floor>",)),
        ),
        skipped=(
            SkippedReason("MOV_0001.mp4", "it is a video: only photos are read"),
            SkippedReason("MOV_0002.mp4", "it is a video: only photos are read"),
            SkippedReason("notes.txt", "it is no photo of a kind that is read (JPEG, PNG, …)"),
        ),
        command="elsewhere protect holiday --out shared",
        origin={"elsewhere": "0.1.0", "copy": "shared", "certificate": "certificate.json"},
    )
