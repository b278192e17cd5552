"""Why one photo may or may not be posted now. No top but the one asked for is named."""

from __future__ import annotations

from elsewhere.values.next_photo import Next, NextReason
from elsewhere.values.wording import counted

MAX_NAMES = 5
"""More photos than this are counted, not listed."""


def next_reason(found: Next) -> str:
    """One or two sentences."""
    holds = "With it, what is public keeps the promise."
    breaks = "Posting it now would break the promise"
    cost = f"photos worth {float(found.more):g} more"
    if not found.weighted and isinstance(found.more, int):
        cost = counted(found.more, "more photo")
    others = found.before or found.together
    names = ", ".join(found.ids[number] for number in others)
    if len(others) > MAX_NAMES:
        first = ", ".join(found.ids[number] for number in others[:3])
        names = f"{first} and {len(others) - 3} others"
    match found.why:
        case NextReason.ALREADY_PUBLIC:
            return "It is out already."
        case NextReason.DROPPED:
            return "You asked to drop it."
        case NextReason.REVEALS_ALONE:
            return "It gives the place away on its own, and no photo that is posted may."
        case NextReason.HOLDS:
            return holds
        case NextReason.HOLDS_AND_IS_BEST:
            return f"{holds} The best plan keeps it too."
        case NextReason.HOLDS_AT_A_COST | NextReason.HOLDS_PERHAPS_AT_A_COST:
            hedge = "perhaps " if found.why is NextReason.HOLDS_PERHAPS_AT_A_COST else ""
            return (
                f"{holds} But it is {hedge}not the best choice: with it out, {cost} will have to "
                "stay back in the end."
            )
        case NextReason.HOLDS_REST_UNKNOWN:
            return f"{holds} What it means for the other photos was not found out in time."
        case NextReason.PUBLIC_BREAKS:
            return (
                "What is public breaks the promise already, and no choice of the other photos "
                "with this one mends that."
            )
        case NextReason.NEVER_HOLDS:
            return f"{breaks}, and no choice of later photos mends that."
        case NextReason.LATER_UNKNOWN:
            return f"{breaks}; whether it can go later was not found out in time."
        case NextReason.COSTS_MORE:
            return f"{breaks}, and the best plan does without it: keeping it would cost {cost}."
        case NextReason.AFTER_OTHERS:
            are = "is" if len(others) == 1 else "are"
            return f"{breaks}; it may follow once {names} {are} out, in this order."
        case NextReason.WITH_OTHERS:
            return (
                f"{breaks}, and no order was found in which the others could go out before it one "
                f"by one: it may go out with {names}, all at once."
            )
