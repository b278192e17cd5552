"""One photo at a time: what it costs not to know the rest, and what the ledger is for."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere.service.next_photo import OneByOne
from elsewhere.solver.requests import read_request
from elsewhere.values.next_photo import Answer
from elsewhere_lab.collections import ALBUMS, TOP, kinds_of, sample, sample_parts
from elsewhere_lab.plots import Figure, Series, draw_beside
from elsewhere_lab.solving import fewest, rank_ahead
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import by_column, lines_of, mean, mean_of, select, withheld_share
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale

LARGEST = 32  # albums are cut to so many photos: each of them asks for a plan
FORGETFUL, LEDGER, AGAIN, KNOWN, OPTIMUM = (
    "each alone, no ledger", "ledger, each asked once", "ledger, asked again",
    "ledger, the rest known", "all at once",
)  # fmt: skip
POLICIES = (FORGETFUL, LEDGER, AGAIN, KNOWN, OPTIMUM)
_SEED = 20261117
parts_online = partial(sample_parts, kinds=("R-16", ALBUMS), share=0.2)


def measure_online(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each way to post it."""
    for each in sample(source, part):
        scores, truth = each.scores[:LARGEST], each.truth
        if rank_ahead(scores, truth) >= TOP:
            continue
        order = np.random.default_rng([_SEED, each.number]).permutation(len(scores)).tolist()
        best = fewest(scores, truth, TOP)
        public = {
            FORGETFUL: [i for i in order if rank_ahead(scores[[i]], truth) >= TOP],
            LEDGER: _post(scores, truth, order),
            AGAIN: _post(scores, truth, order, again=True),
            KNOWN: _post_knowing_the_rest(scores, truth, order),
            OPTIMUM: list(best.kept),
        }
        for policy, posted in public.items():
            holds = not posted or rank_ahead(scores[posted], truth) >= TOP
            yield {
                    **each.key, "photos": len(scores), "policy": policy,
                    "withheld": len(scores) - len(posted), "holds": int(holds),
                    "status best": str(best.status),
                }  # fmt: skip


def _post(
    scores: FloatMatrix, truth: int, order: Sequence[int], *, again: bool = False
) -> list[int]:
    """Each photo is posted when the promise holds with it and what is out.

    Again: those that were refused are asked about again until nothing changes.
    """
    posted: list[int] = []
    while True:
        before = len(posted)
        for photo in [photo for photo in order if photo not in posted]:
            if rank_ahead(scores[[*posted, photo]], truth) >= TOP:
                posted.append(photo)
        if not again or len(posted) == before:
            return posted


def _post_knowing_the_rest(scores: FloatMatrix, truth: int, order: Sequence[int]) -> list[int]:
    """`elsewhere next` with the whole album before it: photos that would cost others stay back."""
    posting = OneByOne(read_request(scores, truth, top=TOP))
    waiting = list(order)
    while True:
        remaining = []
        for photo in waiting:
            reply = posting.ask(photo)
            if reply.answer == Answer.KEEP and reply.more == 0:
                posting.post(photo)
            elif reply.answer != Answer.WITHHOLD or reply.more > 0:
                remaining.append(photo)
        if len(remaining) == len(waiting):
            return list(posting.public)
        waiting = remaining


def summarise_online(rows: Rows) -> Iterator[Number]:
    """The share withheld, and how often the promise holds for what is out in the end."""
    for line, _, every, own in lines_of(rows, "policy"):
        # every policy is tried on every collection
        best, shares = (
            np.array([withheld_share(row) for row in some], dtype=np.float64)
            for some in (select(every, policy=OPTIMUM), own)
        )
        yield Number(line, "withheld", *mean(shares))
        yield Number(line, "more", *mean(shares - best))
        yield Number(line, "nothing shared", *mean((shares == 1).astype(float)))
        yield Number(line, "holds", *mean_of(own, "holds"))


def advice_online(kind: str, rows: Rows, numbers: Numbers) -> str:
    """Whether the ledger is needed."""
    held = by_column(numbers, f"{kind}, {FORGETFUL}")["holds"]
    return " Keep the ledger." if held.ours < 1 else ""


def draw_online(rows: Rows, numbers: Numbers) -> Figure:
    """What is withheld and how often the promise holds, by policy."""
    looks = zip(kinds_of(rows), (LIGHT.kept, LIGHT.decoy), "os", strict=False)
    figure, grid = draw_beside(
        numbers, {"withheld": "Share of photos withheld", "holds": "The promise holds in the end"},
        [Series(*look) for look in looks], POLICIES,
        lambda column, kind, policy: (f"{kind}, {policy}", column), size=(7.4, 3.9),
        shares=("holds",), slanted=True, sharey=False,
    )  # fmt: skip
    for axes in grid:
        axes.set_ylim(-0.03, 1.04)
    grid[1].legend(loc="lower right")
    return figure
