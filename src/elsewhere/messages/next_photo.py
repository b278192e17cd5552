"""Why one photo may or may not be posted now. No top but the one asked for is named."""

from __future__ import annotations

from elsewhere.values.next_photo import Next, NextReason
from elsewhere.values.wording import counted

MAX_NAMES = 5
"""More photos than this are counted, not listed."""


def next_reason(result: Next) -> str:
    """One or two sentences."""
    alone = len(result.ids) == len(result.photos)
    holds = "With it, the public photos keep the promise."
    if not result.public:
        holds = "It keeps the promise." if alone else "Posted as the first, it keeps the promise."
    breaks = "Posting it now would break the promise"
    cost = f"photos worth {float(result.more):g} more"
    if not result.weighted and isinstance(result.more, int):
        cost = counted(result.more, "more photo")
    others = result.before or result.together
    names = ", ".join(result.ids[number] for number in others)
    if len(others) > MAX_NAMES:
        first = ", ".join(result.ids[number] for number in others[:3])
        names = f"{first} and {len(others) - 3} others"
    match result.why:
        case NextReason.ALREADY_PUBLIC:
            return "It is public already."
        case NextReason.DROPPED:
            return "You asked to drop it."
        case NextReason.TELLING_TEXT:
            return (
                "Readable text on it may name a place near what is hidden, or there is more of it "
                "than can be read."
            )
        case NextReason.REVEALS_ALONE:
            return "It gives the place away on its own, which no posted photo may do."
        case NextReason.HOLDS:
            return holds
        case NextReason.HOLDS_AND_IS_BEST if alone:
            return holds
        case NextReason.HOLDS_AND_IS_BEST:
            return f"{holds} The best plan keeps it too."
        case NextReason.HOLDS_AT_A_COST | NextReason.HOLDS_PERHAPS_AT_A_COST:
            hedge = "perhaps " if result.why is NextReason.HOLDS_PERHAPS_AT_A_COST else ""
            return (
                f"{holds} But it is {hedge}not the best choice: once it is public, {cost} must be "
                "withheld in the end."
            )
        case NextReason.HOLDS_REST_UNKNOWN:
            return f"{holds} Time ran out before it was clear what this costs the other photos."
        case NextReason.PUBLIC_BREAKS:
            return (
                "What is public already breaks the promise, and posting this photo does not repair "
                "it, whichever others follow."
            )
        case NextReason.NEVER_HOLDS if alone:
            return "Posting it would break the promise, and the album has no other photo."
        case NextReason.NEVER_HOLDS:
            return f"{breaks}, and no choice of later photos repairs it."
        case NextReason.LATER_UNKNOWN:
            return f"{breaks}; time ran out before it was clear whether it can be posted later."
        case NextReason.EDITED:
            return (
                "As it is it may not be posted. Cropped or covered, beside what is public, it "
                "keeps the promise; another edit may lose less."
            )
        case NextReason.COSTS_MORE:
            return f"{breaks}, and the best plan does without it: keeping it would cost {cost}."
        case NextReason.AFTER_OTHERS:
            are = "is" if len(others) == 1 else "are"
            return f"{breaks}; it may follow once {names} {are} public, in this order."
        case NextReason.WITH_OTHERS:
            return (
                f"{breaks}, and no order was found in which the others could be posted before it "
                f"one by one: it may be posted with {names}, all at once."
            )
