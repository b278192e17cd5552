"""Why there is no plan, in terms of places and photos: what is in the way, and what to give up.

The engine knows attackers by number. Here they have names: a place, whose photos, which scorer.
Only photos that the user kept can be given up; what is posted already cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from elsewhere.service.threats import Threat
from elsewhere.solver.api import Explain
from elsewhere.solver.exact import Limits
from elsewhere.solver.infeasibility import PINS_UNKNOWN, Inquiry, until
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted, listed, shortened

_NAMED = 5
"""More photos than this are counted, not listed."""


@dataclass
class Reasons:
    """What was found out about a promise that cannot be kept, for whoever looks for a way out."""

    blocking: tuple[int, ...] = ()
    """The watches that cannot even alone be satisfied."""
    pins: tuple[int, ...] = ()
    """The kept photos that are in the way."""
    enough: tuple[int, ...] = ()
    """Those of them that it is enough to give up, each alone."""
    drops: bool = False
    """Whether it could be done if the dropped photos were free."""
    best: int | None = None
    """A top that can be had, 0 where none can; None where that is not known."""
    bare: int | None = None
    """The same without a margin."""
    forced: int = 0
    """Under a budget: so many photos must go whatever the plan."""


def explain_no_plan(
    watches: Sequence[Threat], words: Sequence[str], keep: Sequence[int], reasons: Reasons
) -> Explain:
    """What the engine asks when a promise cannot be kept; `keep` are the user's own pins.

    What is found out is said, and noted in `reasons`.
    """

    def explain(promise: Promise, scores: Sequence[Scores], limits: Limits) -> str:
        inquiry = Inquiry(promise, scores, until(limits), stopped=limits.stopped)
        ids = scores[0].ids
        forced = inquiry.forced_out()
        if forced == promise.photos:
            reasons.drops = bool(promise.drop) and bool(inquiry.about_drops())
            return "No plan can do this: every photo must go, and at least one must be kept."
        if promise.budget is not None:
            reasons.forced = forced
            return (
                f"No plan can do this: {counted(forced, 'photo')} must go, but the budget is "
                f"{promise.budget}."
            )
        best = inquiry.best_top()  # one question; those about photos are many
        reasons.best = _known(best)
        reasons.bare = _known(inquiry.best_top(_bare(promise))) if _spares(promise) else None
        parts = ["No plan can do this.", _about_watches(inquiry, watches, words, reasons)]
        parts.append(_about_pins(inquiry, ids, keep, reasons))
        if posted := len(promise.keep) - len(keep):
            parts.append(f"{counted(posted, 'photo')} posted already cannot be withheld any more.")
        if promise.drop:
            said = inquiry.about_drops()
            reasons.drops = bool(said)
            parts.append(said)
        parts.append(inquiry.about_top(best))
        return " ".join(part for part in parts if part)

    return explain


def _known(best: tuple[int | None, bool]) -> int | None:
    """A top that can be had; None where there may be one, and nobody knows."""
    reached, sure = best
    if reached is None:
        return 0 if sure else None
    return reached if reached or sure else None


def _spares(promise: Promise) -> bool:
    return any(one.margin for one in promise.against)


def _bare(promise: Promise) -> Promise:
    """The same promise without a margin."""
    return replace(promise, against=tuple(replace(one, margin=0.0) for one in promise.against))


def named(watch: Threat, words: Sequence[str]) -> str:
    """A watch for people.

    "Lisbon, Portugal from its own photos", and by whom where there are several scorers.
    """
    what = "its own photos" if watch.own else "the whole album"
    by = f" by {words[watch.attack]}" if len(words) > 1 else ""
    return f"{watch.hides} from {what}{by}"


def _about_watches(
    inquiry: Inquiry, watches: Sequence[Threat], words: Sequence[str], reasons: Reasons
) -> str:
    if len(watches) < 2:
        return ""
    blocking, others = inquiry.blocking()
    reasons.blocking = blocking
    if blocking:
        what = listed([named(watches[i], words) for i in blocking])
        return f"What cannot be hidden even alone: {what}."
    if others:
        return "Each place alone could be hidden, but not all together."
    return "Which of the places cannot be hidden was not found out in time."


def _about_pins(inquiry: Inquiry, ids: Sequence[str], keep: Sequence[int], reasons: Reasons) -> str:
    if not keep:
        return ""
    needed = inquiry.pins_in_the_way(keep)
    if needed is None:
        return PINS_UNKNOWN
    if not needed:
        return "The kept photos are not the reason: without them it cannot be done either."
    shown = shortened([ids[i] for i in needed])
    enough, sure = inquiry.enough_to_give_up(needed)
    reasons.pins, reasons.enough = needed, enough
    if enough:
        give_up = " or ".join(ids[i] for i in enough[:_NAMED])
        if len(needed) == 1:
            return f"Kept photo {shown} is in the way: it is enough to give it up."
        return f"Kept photos {shown} are together in the way: it is enough to give up {give_up}."
    if not sure:
        are, give_up = f"photos {shown} are", "give up one of them"
        if len(needed) == 1:
            are, give_up = f"photo {shown} is", "give it up"
        return (
            f"Kept {are} in the way; whether it is enough to {give_up} was not found out in time."
        )
    if len(needed) == 1:
        return f"Kept photo {shown} is in the way, but giving it up alone is not enough."
    return f"Kept photos {shown} are in the way: more than one of them must be given up."
