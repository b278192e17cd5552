"""Why there is no plan, in terms of places and photos: what is in the way, and what to give up.

The engine knows attackers by number. Here they have names: a place, whose photos, which scorer.
Only photos that the user kept can be given up; what is posted already cannot.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.job.planning.watches import Watch
from elsewhere.protect.exact import Limits
from elsewhere.protect.infeasible import PINS_UNKNOWN, Inquiry, until
from elsewhere.protect.promise import Promise
from elsewhere.protect.protecting import Explain
from elsewhere.scores import Scores
from elsewhere.words import counted, listed, shortened

_NAMED = 5
"""More photos than this are counted, not listed."""


def explaining(watches: Sequence[Watch], words: Sequence[str], keep: Sequence[int]) -> Explain:
    """What the engine asks when a promise cannot be kept; `keep` are the user's own pins."""

    def explain(promise: Promise, scores: Sequence[Scores], limits: Limits) -> str:
        inquiry = Inquiry(promise, scores, until(limits), stopped=limits.stopped)
        ids = scores[0].ids
        forced = inquiry.forced_out()
        if forced == promise.photos:
            return "No plan can do this: every photo must go, and at least one must be kept."
        if promise.budget is not None:
            return (
                f"No plan can do this: {counted(forced, 'photo')} must go, but the budget is "
                f"{promise.budget}."
            )
        top = inquiry.about_top()  # one question; those about photos are many
        parts = ["No plan can do this.", _about_watches(inquiry, watches, words)]
        parts.append(_about_pins(inquiry, ids, keep))
        if posted := len(promise.keep) - len(keep):
            parts.append(f"{counted(posted, 'photo')} posted already cannot be withheld any more.")
        if promise.drop:
            parts.append(inquiry.about_drops())
        parts.append(top)
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
    return "Which of the places cannot be hidden was not found out in time."


def _about_pins(inquiry: Inquiry, ids: Sequence[str], keep: Sequence[int]) -> str:
    if not keep:
        return ""
    needed = inquiry.pins_in_the_way(keep)
    if needed is None:
        return PINS_UNKNOWN
    if not needed:
        return "The kept photos are not the reason: without them it cannot be done either."
    shown = shortened([ids[i] for i in needed])
    enough, sure = inquiry.enough_to_give_up(needed)
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
