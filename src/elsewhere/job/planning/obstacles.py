"""Why there is no plan, in terms of places and photos: what is in the way, and what to give up.

The engine knows attackers by number. Here they have names: a place, whose photos, which scorer.
Only photos that the user kept can be given up; what is posted already cannot.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from elsewhere.job.planning.watches import Watch
from elsewhere.protect.exact import Limits
from elsewhere.protect.infeasible import GRACE, Inquiry
from elsewhere.protect.promise import Promise
from elsewhere.protect.protecting import Explain
from elsewhere.scores import Scores
from elsewhere.words import counted, listed


def explaining(watches: Sequence[Watch], words: Sequence[str], keep: Sequence[int]) -> Explain:
    """What the engine asks when a promise cannot be kept; `keep` are the user's own pins."""

    def explain(promise: Promise, scores: Sequence[Scores], limits: Limits) -> str:
        deadline = max(limits.deadline, time.monotonic()) + GRACE
        inquiry = Inquiry(promise, scores, deadline)
        ids = scores[0].ids
        forced = inquiry.forced_out()
        if forced == promise.photos:
            return "No plan can do this: every photo must go, and at least one must be kept."
        if promise.budget is not None:
            return (
                f"No plan can do this: {counted(forced, 'photo')} must go, but the budget is "
                f"{promise.budget}."
            )
        parts = ["No plan can do this.", _about_watches(inquiry, watches, words)]
        parts.append(_about_pins(inquiry, ids, keep))
        if posted := len(promise.keep) - len(keep):
            parts.append(f"{counted(posted, 'photo')} posted already cannot be withheld any more.")
        if promise.drop:
            parts.append(inquiry.about_drops())
        parts.append(inquiry.about_top())
        return " ".join(part for part in parts if part)

    return explain


def named(watch: Watch, words: Sequence[str]) -> str:
    """A watch for people.

    "Lisbon, Portugal from its own photos", and by whom where there are several scorers.
    """
    what = "its own photos" if watch.own else "the whole album"
    by = f" by {words[watch.attack]}" if len(words) > 1 else ""
    return f"{watch.hides} from {what}{by}"


def _about_watches(inquiry: Inquiry, watches: Sequence[Watch], words: Sequence[str]) -> str:
    if len(watches) < 2:
        return ""
    blocking, others = inquiry.blocking()
    if blocking:
        what = listed([named(watches[i], words) for i in blocking])
        return f"What cannot be hidden even alone: {what}."
    if others:
        return "Each place alone could be hidden, but not all together."
    return ""


def _about_pins(inquiry: Inquiry, ids: Sequence[str], keep: Sequence[int]) -> str:
    if not keep:
        return ""
    needed = inquiry.pins_in_the_way(keep)
    if needed is None:
        return ""
    if not needed:
        return "The kept photos are not the reason: without them it cannot be done either."
    shown = listed([ids[i] for i in needed])
    enough = inquiry.enough_to_give_up(needed)
    if enough:
        give_up = " or ".join(ids[i] for i in enough)
        if len(needed) == 1:
            return f"Kept photo {shown} is in the way: it is enough to give it up."
        return f"Kept photos {shown} are together in the way: it is enough to give up {give_up}."
    if len(needed) == 1:
        return f"Kept photo {shown} is in the way, but giving it up alone is not enough."
    return f"Kept photos {shown} are in the way: more than one of them must be given up."
