"""What to ask for instead, in one sentence without a capital and a full stop."""

from __future__ import annotations

from elsewhere.messages.surface import Surface
from elsewhere.values.outcome import Alternative, Change, Outcome
from elsewhere.values.wording import counted, listed


def advice(outcome: Outcome, surface: Surface = Surface.TERMINAL) -> str:
    """What to ask for instead; empty where there is nothing to say."""
    found = outcome.advice
    if found is None:
        return ""
    goal = "nearly all photos go: to share more"
    if outcome.infeasible:
        goal = "to share anything"
        if found.helpful == () or not found.alternatives:
            return (
                f"asking for less does not help: {listed(outcome.models)} finds "
                f"{listed(outcome.hidden_names)} from any of these photos"
            )
    if found.helpful:
        texts: list[str] = []
        for alternative in found.helpful:
            text = _option(alternative) or _description(alternative, surface)
            if alternative.shared is not None:
                text += f" shares {alternative.shared}"
                text += "" if texts else f" of {counted(outcome.photos, 'photo')}"
            texts.append(text)
        return f"{goal}, ask for less: {listed(texts)}"
    texts = [_description(one, surface) for one in found.alternatives if one.mentioned]
    if not texts or found.helpful == ():
        return ""
    rest = f"{', '.join(texts[:-1])} or " if texts[1:] else ""
    return f"{goal}, ask for less: {rest}{texts[-1]}"


def _description(alternative: Alternative, surface: Surface) -> str:
    """An alternative that nobody tried."""
    top, name, amount = alternative.top, alternative.name, alternative.amount
    match alternative.change:
        case Change.TOP:
            return f"a smaller top{surface.option(f'such as --top {top}')}"
        case Change.MARGIN if top:
            return f"no margin and a smaller top{surface.option(f'--margin none --top {top}')}"
        case Change.MARGIN:
            return f"no margin{surface.option('--margin none')}"
        case Change.HIDE:
            such_as = f'"{name}"' if name else "home"
            return f"fewer hidden places{surface.option(f'such as --hide {such_as}')}"
        case Change.LEVEL:
            return f"a narrower level{surface.option('--hide-level')}"
        case Change.RADIUS:
            return f"a smaller radius{surface.option('--radius')}"
        case Change.PRIOR:
            return f"that the audience knows less{surface.option('a wider --prior, or none')}"
        case Change.BUDGET if amount:
            return f"a larger budget{surface.option(f'--budget {amount:g}')}"
        case Change.BUDGET:
            return f"a smaller budget{surface.option('--budget')}"
        case Change.EACH_PHOTO:
            return f"a promise of the photos together only{surface.option('--no-each-photo')}"
        case Change.UNPIN | Change.TAKE_BACK:
            return ""  # the reasons name it


def _option(alternative: Alternative) -> str:
    """What to type for an alternative; empty where the user has to choose."""
    match alternative.change:
        case Change.TOP:
            return f"--top {alternative.top}"
        case Change.MARGIN:
            return f"--margin none{f' --top {alternative.top}' if alternative.top else ''}"
        case Change.HIDE:
            name = alternative.name or "home"
            return f'--hide "{name}"' if " " in name else f"--hide {name}"
        case Change.LEVEL:
            return f"--hide-level {alternative.name}"
        case Change.RADIUS:
            return f"--radius {alternative.amount:g}"
        case Change.PRIOR:
            return "no --prior"
        case Change.EACH_PHOTO:
            return "--no-each-photo"
        case Change.BUDGET if alternative.amount:
            return f"--budget {alternative.amount:g}"
    return ""
