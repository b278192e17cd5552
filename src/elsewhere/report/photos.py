"""The photos: those withheld, those shared, and one of them told in words."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from elsewhere.audit import Shares
from elsewhere.report.contents import Contents, Explained, Fate, PhotoPicture
from elsewhere.report.marks import fate_mark
from elsewhere.report.markup import Child, Markup, element, together
from elsewhere.report.numbers import signed
from elsewhere.report.pictures.shares import MOST, shares_chart
from elsewhere.values.wording import counted, shortened

_CLASS = {
    Fate.SHARED: "shared",
    Fate.WITHHELD: "withheld",
    Fate.PUBLIC: "public",
    Fate.SEEN: "seen",
}
_HEADINGS = {
    Fate.WITHHELD: "Withheld",
    Fate.SHARED: "Shared",
    Fate.PUBLIC: "Already public",
    Fate.SEEN: "Photos",
}
_ROOMY = 24
"""Up to so many photos the cards are large."""
_RIVALS = 5
"""So many rivals are named."""
_MANY = 60
"""More photos that nothing happened to are folded away; they are printed all the same."""


def photos_section(contents: Contents) -> Markup | None:
    """All photos with what each gives away."""
    if not contents.shots:
        return None
    widest = max((abs(shot.gain) for shot in contents.shots if shot.gain is not None), default=0.0)
    width = "11rem" if len(contents.shots) <= _ROOMY else "8.2rem"
    called = contents.called
    return element(
        "section",
        element("h2", "The photos"),
        _about_shares(contents) if widest else None,
        [
            _group(fate, contents.of(fate), widest, width, called)
            for fate in (Fate.WITHHELD, Fate.PUBLIC, Fate.SHARED, Fate.SEEN)
        ],
        _chart(contents.shots, called),
        id="photos",
    )


def _about_shares(contents: Contents) -> Markup:
    totals = [
        element(
            "li",
            element("bdi", scene.before.truth.label),
            f", {scene.before.scorer}, {scene.scope}: "
            f"{signed(-scene.before.truth.shares.total)} in all, against ",
            _rivals(scene.before.truth.shares),
        )
        for scene in contents.scenes
        if scene.before.truth is not None
    ]
    planned = any(
        scene.before.truth is not None and scene.before.truth.shares.from_plan
        for scene in contents.scenes
    )
    return together(
        element(
            "p",
            "What a photo gives away is measured against some rival places, in nats: above zero it "
            "speaks for the place, below zero for the rivals, and so hides it. The bar shows which "
            "way it pulls, and how hard beside the others. The numbers of all photos add up to the "
            "album's.",
        ),
        element("ul", totals, class_="plain small faint") if totals else None,
        element(
            "p",
            "elsewhere audit knows no plan and measures against the likeliest places instead, so "
            "its numbers are others; their sign means the same.",
            class_="small faint",
        )
        if planned
        else None,
    )


def _rivals(shares: Shares) -> str:
    """Against whom was measured."""
    names = shortened([rival.name for rival in shares.rivals], most=_RIVALS, shown=_RIVALS)
    which = "the plan's decoys" if shares.from_plan else "the likeliest other places"
    return f"{which}: {names}" if names else which


def _group(
    fate: Fate, shots: Sequence[PhotoPicture], widest: float, width: str, called: Mapping[str, str]
) -> Markup | None:
    if not shots:
        return None
    ordered = sorted(shots, key=lambda shot: shot.gain or 0.0) if fate == Fate.WITHHELD else shots
    cards = element(
        "ul",
        [_card(shot, widest, called[shot.name]) for shot in ordered],
        class_="gallery",
        style=f"--card-width:{width}",
    )
    if len(shots) > _MANY and fate != Fate.WITHHELD:
        cards = element("details", element("summary", f"Show all {len(shots)}"), cards)
    return together(element("h3", f"{_HEADINGS[fate]}: {counted(len(shots), 'photo')}"), cards)


def _card(shot: PhotoPicture, widest: float, called: str) -> Markup:
    share: Child = None
    if shot.gain is not None and widest:
        way = "away" if shot.gain < 0 else "hides"
        long = f"width:{abs(shot.gain) / widest * 50:.1f}%"
        share = together(
            element("span", element("i", class_=way, style=long), class_="pull"),
            element("span", f"gives away {signed(-shot.gain)}", class_="share"),
        )
    return element(
        "li",
        image(shot),
        element(
            "div",
            element("bdi", called, class_="name", title=shot.name),
            element("span", fate_mark(shot.fate), str(shot.fate), class_="fate"),
            element("span", ", ", shot.note, class_="faint") if shot.note else None,
            share,
            class_="told",
        ),
        class_=f"shot {_CLASS[shot.fate]}",
    )


def image(shot: PhotoPicture) -> Markup:
    """The preview, inside the page itself."""
    if not shot.preview:
        return element("span", "no preview", class_="none")
    data = base64.b64encode(shot.preview).decode("ascii")
    return element("img", src=f"data:image/jpeg;base64,{data}", alt=f"{shot.name}, {shot.fate}")


def _chart(shots: Sequence[PhotoPicture], called: Mapping[str, str]) -> Markup | None:
    drawn = shares_chart(shots, called)
    if drawn is None or len(shots) < 2:
        return None
    known = sum(shot.gain is not None for shot in shots)
    which = "What each photo gives away" if known <= MOST else f"The {MOST} that pull hardest"
    caption = f"{which}. A cross at the edge is withheld, a disc is shared."
    return element("figure", element("figcaption", caption), drawn, class_="chart")


def explained_section(contents: Contents) -> Markup | None:
    """One withheld photo in words."""
    told = contents.explained
    if told is None:
        return None
    shot = next((shot for shot in contents.shots if shot.name == told.name), None)
    return element(
        "section",
        element("h2", "Why this one?"),
        element(
            "p", "One withheld photo, told in numbers that were computed for it.", class_="faint"
        ),
        _told(told, shot, contents.called.get(told.name, told.name)),
        id="why",
    )


def _told(told: Explained, shot: PhotoPicture | None, called: str) -> Markup:
    return element(
        "div",
        image(shot) if shot is not None else None,
        element(
            "div",
            element("h3", element("bdi", called, title=told.name)),
            [element("p", sentence) for sentence in told.sentences],
        ),
        class_="told-photo",
    )
