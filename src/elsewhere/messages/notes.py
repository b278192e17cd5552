"""Notes and advice beside a plan, each one sentence without a capital and a full stop."""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.messages.phrases import Surface, first_guesses
from elsewhere.messages.verification import ATTACKS
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import Alternative, Change, Outcome
from elsewhere.values.wording import counted, listed

MAX_NAMES = 3
"""More names than this are counted."""


def notes(outcome: Outcome, surface: Surface = Surface.TERMINAL) -> list[str]:
    """All that is to be said beside a verdict: what cannot be told apart, then the advice."""
    first, rest = foremost_notes(outcome.notes)
    texts = [note(value, surface) for value in first]
    # the verdict says of the whole album that a rule was dropped
    rest = [value for value in rest if value.kind is not NoteKind.TOGETHER_ONLY]
    texts += [advice(outcome, surface), *(note(value, surface) for value in rest)]
    return [text for text in texts if text]


def foremost_notes(values: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """The notes that come before everything else, and the others."""
    kinds = (NoteKind.OTHER_PLACE, NoteKind.COARSE_PLACES)
    first = [value for value in values if value.kind in kinds]
    return first, [value for value in values if value.kind not in kinds]


def dropped_rules(values: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """The notes on a rule that is not kept, beside which no verdict looks good; and the others."""
    kinds = (NoteKind.TELLS_ALONE, NoteKind.TOGETHER_ONLY)
    dropped = [value for value in values if value.kind in kinds]
    return dropped, [value for value in values if value.kind not in kinds]


def note(value: Note, surface: Surface = Surface.TERMINAL) -> str:
    """What a note says; options are named only where people type them."""
    photos, places, count = value.photos, value.places, value.count
    named = f"{counted(len(photos), 'photo')} ({listed(photos, MAX_NAMES)})"
    single = len(photos) == 1
    match value.kind:
        case NoteKind.OTHER_PLACE:
            guess, given = places
            return (
                f"that these photos are of {given} is only what you said{surface.option('--at')}: "
                f"{value.model} guesses {guess} first ({100 * value.share:.0f} %), "
                f"{value.km:,.0f} km away, and has nothing near {given} among its first {count} "
                "guesses; check that it is right"
            )
        case NoteKind.POSITIONS_OVERRULED:
            say = "1 photo says it was" if count == 1 else f"{count} photos say they were"
            return (
                f"{say} taken more than {value.km:.0f} km from {' and '.join(places)}: what you "
                "said counts, not the position in the file"
            )
        case NoteKind.CALLED:
            return f"{places[0]} stands for {places[1]} in this album"
        case NoteKind.HOME:
            return f"home is taken to be {places[0]}, the place with photos on the most days"
        case NoteKind.PLACED_BY_TIME:
            verb = "is" if single else "are"
            return f"{named} {verb} placed by time only, beside photos with a position"
        case NoteKind.UNPLACED:
            return (
                f"{named} {'has' if single else 'have'} neither a position nor a time that shows "
                f"the place, and {'counts' if single else 'count'} in every hidden place"
            )
        case NoteKind.PUBLIC_INSIDE:
            hidden, place, *public = places
            around = f"around {hidden}" if hidden == place else f"with {hidden}"
            lies = "lies" if len(public) == 1 else "lie"
            return (
                f"{listed(public, MAX_NAMES)} {lies} in what is hidden {around}: photos taken "
                f"there count as photos of {place}"
            )
        case NoteKind.COARSE_PLACES:
            return (
                f"around {listed(places, MAX_NAMES)} {value.model} tells apart places no nearer "
                f"than {value.km:.0f} km: nothing said of {value.radius_km:g} km is finer than that"
            )
        case NoteKind.COARSE_CELLS:
            by = f" for {value.model}" if value.model else ""
            cells = coarse_cells(value.km, value.radius_km, several=len(places) > 1)
            return f"{listed(places, MAX_NAMES)}{by}: {cells}"
        case NoteKind.PRIOR:
            return f"the audience is assumed to know {places[0]} already: only guesses there count"
        case NoteKind.BURSTS:
            bursts = counted(count, "burst")
            return f"{value.photo_count} photos are {bursts}, each kept or withheld whole"
        case NoteKind.ALREADY_POSTED:
            return (
                f"{counted(len(photos), 'photo')} of the album ({listed(photos, MAX_NAMES)}) "
                f"{'is' if single else 'are'} public already: counted, and not exported again"
            )
        case NoteKind.POSTED_VERSIONS:
            return (
                f"{listed(photos, MAX_NAMES)} {'is' if single else 'are'} public edited or in "
                "another size: that version counts, and no second one is shared"
            )
        case NoteKind.POSTED_COUNTED:
            return f"{counted(count, 'posted photo')} from outside the album counted"
        case NoteKind.POSTED_UNREADABLE:
            return (
                f"{counted(len(photos), 'posted file')} ({listed(photos, MAX_NAMES)}) could not "
                f"be read and {'does' if single else 'do'} not count: the promise ignores "
                f"{'it' if single else 'them'}"
            )
        case NoteKind.LOOKS_ALIKE:
            posted, own = photos
            return (
                f"{posted} looks like {own}: if it is the same picture, drop {own}, or it is "
                "posted twice"
            )
        case NoteKind.MORE_LOOK_ALIKE:
            return f"{count} more posted photos look like photos of the album"
        case NoteKind.REMEMBERED:
            verb = "is" if count == 1 else "are"
            photos_there = f"{counted(count, 'photo')} of {places[0]}"
            return f"{photos_there} that you shared before {verb} counted, too"
        case NoteKind.LOW_DETAIL:
            return (
                f"{photos[0]} shows hardly anything, yet the promise depends on it: an attacker "
                f"may ignore it; consider dropping it{surface.option(f'--drop {photos[0]}')}"
            )
        case NoteKind.LIKE_WITHHELD:
            shared, withheld = photos
            return (
                f"{shared} is shared and looks like {withheld}, which is withheld: compare them, "
                f"and drop it if it shows the same{surface.option(f'--drop {shared}')}"
            )
        case NoteKind.TOGETHER_ONLY:
            none = "no plan could" if value.ruled_out else "no plan was found that would"
            return (
                f"the promise covers the shared photos together: {none} also keep each of them "
                "from giving the place away alone"
            )
        case NoteKind.EACH_PHOTO:
            return (
                "each shared photo by itself must also keep the place out of the first guesses: "
                f"without this condition{surface.option('--no-each-photo')} more may be shared"
            )
        case NoteKind.FOUND_BY_ATTACKS:
            ways = listed([ATTACKS[attack] for attack in value.attacks])
            return (
                f"not covered by the promise: {value.model} still has something hidden among its "
                f"first guesses when it {ways}"
            )
        case NoteKind.TIGHTENED:
            return (
                "more is withheld than the promise needs, because an attack outside of it found "
                "the place"
            )
        case NoteKind.TIME_DECIDED:
            return (
                "the clock ended the search: another machine may find another plan; give it more "
                f"time{surface.option('--time-limit SECONDS')}"
            )
        case NoteKind.TELLS_ALONE:
            tells = "tells the place alone" if len(photos) == 1 else "each tell the place alone"
            return (
                f"{listed(photos)} {tells}: what is kept or public already is not held to the "
                "promise for each photo, all others are"
            )
        case NoteKind.TELLING_TEXT:
            cover = surface.option("--edits cover")
            keep = surface.option(f"--keep {photos[0]}" if single else "--keep PHOTO")
            return (
                f"{named} {'is' if single else 'are'} withheld for readable text: it may name a "
                f"place within {value.km:g} km of what is hidden, or there is more of it than can "
                f"be read; to share {'it' if single else 'one'}, have the names covered{cover}, or "
                f"keep it by its own name as it is{keep}; no pattern does"
            )
        case NoteKind.TELLING_TEXT_KEPT:
            return (
                f"{named} {'is' if single else 'are'} shared as you asked, although readable text "
                f"may name a place within {value.km:g} km of what is hidden"
            )
        case NoteKind.TEXT_COUNTED:
            return (
                f"readable text on {named} speaks for what is hidden: the plan counts it beside "
                "what the model sees"
            )
        case NoteKind.EDITS_LIMITED:
            return (
                f"no edits were looked for of {counted(count, 'withheld photo')}: the search takes "
                f"at most {value.photo_count} photos, those of most value first, and "
                "three rounds"
            )


def coarse_cells(km: float, radius_km: float, *, several: bool = False) -> str:
    """That the attacker's cells are wider than what should be hidden; empty where they are not.

    >>> coarse_cells(3265.2, 25)
    'the cell here is 3265 km across, more than 25 km, so the whole cell is hidden'
    >>> coarse_cells(0, 25)
    ''
    """
    if not km:
        return ""
    wide = f"{km:.0f} km across, more than {radius_km:g} km"
    if several:
        return f"the cells here are up to {wide}, so whole cells are hidden"
    return f"the cell here is {wide}, so the whole cell is hidden"


def left_out(files: int, videos: int) -> str:
    """How many files are not in a copy: "3 files left out (2 videos)"; empty for none.

    >>> left_out(3, 2), left_out(1, 1), left_out(2, 0)
    ('3 files left out (2 videos)', '1 file left out (1 video)', '2 files left out')
    """
    if not files:
        return ""
    return f"{counted(files, 'file')} left out" + (
        f" ({counted(videos, 'video')})" if videos else ""
    )


def report_warning(error: BaseException | None) -> str:
    """That a copy has no report, and why; empty where nothing went wrong."""
    if error is None:
        return ""
    reason = "stopped" if isinstance(error, KeyboardInterrupt) else str(error)
    reason = reason or "there is not enough memory"
    return f"the copy is written and proved, but it has no report: {reason}"


def dropped_keys(names: Sequence[str]) -> str:
    """What to do about partition keys that cannot go to the output of a batch.

    >>> dropped_keys(["status"])
    'the output has a column status of its own, so that of the folders is not in it: rename them'
    """
    one = len(names) == 1
    own, theirs = ("a column", "that") if one else ("columns", "those")
    return (
        f"the output has {own} {listed(names)} of its own, so {theirs} of the folders "
        f"{'is' if one else 'are'} not in it: rename them"
    )


def advice(outcome: Outcome, surface: Surface = Surface.TERMINAL) -> str:
    """What to ask for instead; empty where there is nothing to say."""
    advised = outcome.advice
    if advised is None:
        return ""
    goal = "nearly all photos are withheld; to share more"
    if not outcome.plan.found:
        goal = "to share anything"
        refuted = outcome.infeasible or outcome.refuted > 0
        if refuted and (advised.helpful == () or not advised.alternatives):
            return (
                f"asking for less does not help: {listed(outcome.models)} finds "
                f"{listed(outcome.hidden_names)} from any of these photos"
            )
    texts: list[str] = []
    if advised.helpful:
        for alternative in advised.helpful:
            description, option = _describe(alternative)
            text = option or description
            if alternative.shared is not None:
                text += f" shares {alternative.shared}"
                text += "" if texts else f" of {counted(outcome.photos, 'photo')}"
            elif texts:
                break  # what is known to help is enough
            texts.append(text)
        if advised.helpful[0].shared is None and advised.helpful[0].tried:
            return f"whether asking for less helps was not found out: {listed(texts)}"
        return f"{goal}, ask for less: {listed(texts)}"
    for alternative in advised.alternatives:
        description, option = _describe(alternative)
        if alternative.mentioned:
            texts.append(description + (surface.option(option) if option else ""))
    if not texts or advised.helpful == ():
        return ""
    rest = f"{', '.join(texts[:-1])} or " if texts[1:] else ""
    return f"{goal}, ask for less: {rest}{texts[-1]}"


def prices(outcome: Outcome) -> list[str]:
    """What each part of the wishes costs, a line each: "no margin (--margin none): 9 shared"."""
    lines = []
    for price in outcome.prices:
        if _is_place(price):
            lines.append(_place_price(price, outcome))
            continue
        description, option = _describe(price)
        known = "not tried"
        if price.shared is not None:
            known = f"{counted(price.shared, 'photo')} shared"
            if outcome.plan.found and not outcome.empty:
                known += f", {price.shared - outcome.newly_shared:+d}"
        elif price.tried:
            known = "not found out"
        lines.append(f"{description}{f' ({option})' if option else ''}: {known}")
    return lines


def place_prices(outcome: Outcome, limit: int | None = None) -> list[str]:
    """What it costs to hide home only, each place alone and all of them, a line each.

    Empty where one place is hidden. Of more places than `limit` the last ones are counted. Places
    that were not tried are named or counted, too.
    """
    tried = [price for price in outcome.prices if _is_place(price)]
    untried = [price for price in tried if not price.tried]
    tried = [price for price in tried if price.tried]
    if not (tried or untried):
        return []
    lines = [_place_price(price, outcome) for price in tried[:limit]]
    if more := len(tried) - len(lines):
        lines.append(f"{counted(more, 'other place')} alone: see -v")
    if untried:
        names = listed([price.home or price.name for price in untried], MAX_NAMES)
        lines.append(f"{names} alone: not tried, for that would take too long")
    if outcome.plan.found and not outcome.empty:
        withheld = len(outcome.plan.withheld) - outcome.dropped
        how_many = f"all {len(tried) + len(untried)} places, as above"
        lines.append(f"{how_many}: {counted(withheld, 'photo')} withheld")
    return lines


def _is_place(price: Alternative) -> bool:
    """Whether it hides one place alone."""
    return price.change is Change.HIDE


def _place_price(price: Alternative, outcome: Outcome) -> str:
    what = f"home only, {price.home}" if price.home else f"{price.name} alone"
    known = "not tried"
    if price.withheld is not None:
        known = f"{price.withheld} of {counted(outcome.photos, 'photo')} withheld"
    elif price.shared is not None:
        known = "cannot be hidden"
    elif price.tried:
        known = "not found out"
    return f"{what} ({_describe(price)[1]}): {known}"


def _describe(alternative: Alternative) -> tuple[str, str]:
    """What an alternative asks for, and its option; empty where the user has to choose."""
    top, name, amount = alternative.top, alternative.name, alternative.amount
    match alternative.change:
        case Change.TOP:
            return f"counting only {first_guesses(top or 1)}", f"--top {top}"
        case Change.MARGIN if top:
            counting = f"no margin, counting only {first_guesses(top)}"
            return counting, f"--margin none --top {top}"
        case Change.MARGIN:
            return "no margin", "--margin none"
        case Change.HIDE:
            place = f'"{name}"' if " " in name else name or "home"
            return "fewer hidden places", f"--hide {place}"
        case Change.LEVEL:
            return "a narrower level", f"--hide-level {name}"
        case Change.RADIUS:
            return "a smaller radius", f"--radius {amount:g}"
        case Change.PRIOR:
            return "an audience that knows less", "no --prior"
        case Change.EACH_PHOTO:
            return "a promise for the photos together only", "--no-each-photo"
        case Change.BUDGET if amount:
            return "a larger budget", f"--budget {amount:g}"
        case Change.BUDGET:
            return "a smaller budget", ""
        case Change.UNPIN | Change.TAKE_BACK:
            return "", ""  # the reasons name it
