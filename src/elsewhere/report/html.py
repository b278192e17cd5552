"""The page: one file that needs nothing else, marked private because it names the place.

No script, no font, no picture from anywhere: the browser itself is told to fetch nothing, so that
even markup that got in by mistake could not call out.
"""

from __future__ import annotations

from elsewhere.audit import Exposure
from elsewhere.report.contents import AttackerView, Contents, Fate
from elsewhere.report.frontier import frontier_section
from elsewhere.report.marks import verdict_mark
from elsewhere.report.markup import Markup, element
from elsewhere.report.numbers import chance, ordinal
from elsewhere.report.photos import explained_section, photos_section
from elsewhere.report.style import style
from elsewhere.report.tables import (
    attackers_section,
    leaks_section,
    left_section,
    made_section,
    uncovered_section,
)
from elsewhere.report.views import scenes_section

POLICY = "; ".join(
    (
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""What the browser may do: show pictures that are in the page, and style it."""
_STATES = {True: "holds", False: "broken", None: "open"}
_PARTS = {
    "places": "What an attacker believes",
    "photos": "The photos",
    "why": "Why this one?",
    "frontier": "What withholding buys",
    "limits": "Not covered",
    "attacker": "The attacker",
    "metadata": "Metadata",
    "left": "Left out",
    "made": "How it was made",
}


def page(contents: Contents) -> str:
    """The whole report as one HTML file."""
    sections = {
        "places": scenes_section(contents),
        "photos": photos_section(contents),
        "why": explained_section(contents),
        "frontier": frontier_section(contents),
        "limits": uncovered_section(contents),
        "attacker": attackers_section(contents),
        "metadata": leaks_section(contents),
        "left": left_section(contents),
        "made": made_section(contents),
    }
    there = {name: section for name, section in sections.items() if section is not None}
    links = [element("a", _PARTS[name], href=f"#{name}") for name in there]
    body = element(
        "body",
        _private(),
        element(
            "header",
            element("p", element("bdi", contents.album), class_="album"),
            element("h1", "What this album gives away"),
            _verdict(contents),
            _figures(contents),
            element("nav", links, aria_label="Parts of this report"),
            class_="top",
        ),
        element("main", there.values()),
        element(
            "footer",
            element(
                "p",
                "Private: this page names what is hidden. Keep it away from the copy you share, "
                "and delete it when you do not need it any more.",
            ),
        ),
    )
    return f"<!doctype html>\n{element('html', _head(contents), body, lang='en')}\n"


def _head(contents: Contents) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="robots", content="noindex, nofollow"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"PRIVATE: what {contents.album} gives away"),
        element("style", Markup(style())),
    )


def _private() -> Markup:
    words = " This page names the place that is hidden. Do not share it."
    return element("div", element("b", "PRIVATE"), words, class_="private", role="note")


def _verdict(contents: Contents) -> Markup:
    notes = [element("li", note) for note in contents.notes]
    return element(
        "div",
        verdict_mark(contents.holds),
        element(
            "div",
            element("p", contents.state, class_="state"),
            element("p", contents.verdict, class_="sentence"),
        ),
        element("ul", notes) if notes else None,
        class_=f"verdict {_STATES[contents.holds]}",
    )


def _figures(contents: Contents) -> Markup:
    """The few numbers that people look for first; one scene stands for the others.

    With a plan it is the first of which something is shared: numbers from before it would pass for
    those of the copy.
    """
    figures: list[tuple[str, str, str]] = []
    total = len(contents.shots)
    if contents.holds is None:
        figures.append(("photos", str(total), ""))
    else:
        figures.append(("shared", str(len(contents.of(Fate.SHARED))), f" of {total}"))
        figures.append(("withheld", str(len(contents.of(Fate.WITHHELD))), f" of {total}"))
    scenes = [scene for scene in contents.scenes if scene.after] or contents.scenes
    for scene in scenes[:1]:
        before, after = scene.before.truth, scene.after.truth if scene.after else None
        if before is None:
            continue
        figures.append(
            (
                f"rank of {before.label}",
                _change(ordinal(before.rank), ordinal(after.rank) if after else ""),
                f" of {scene.before.cells}",
            )
        )
        figures.append(_right(scene, before, after))
        if contents.holds and after is None:
            figures[-2:] = [(before.label, "hidden", " none of its photos is shared")]
    cells = [
        element(
            "div",
            element("dt", name),
            element("dd", told, element("small", beside) if beside else None),
        )
        for name, told, beside in figures
    ]
    return element("dl", cells, class_="figures")


def _right(scene: AttackerView, before: Exposure, after: Exposure | None) -> tuple[str, str, str]:
    """How likely a guess is right about what is hidden, before and after."""
    measured = [one.km for one in before.within]
    if scene.radius_km in measured:
        n = measured.index(scene.radius_km)
        then = chance(after.within[n].chance) if after else ""
        return f"a guess falls {scene.right}", _change(chance(before.within[n].chance), then), ""
    # of other radii only the zone is known: every cell that they touch
    where = scene.right if scene.radius_km is None else f"in a cell {scene.right}"
    then = chance(after.probability) if after else ""
    return f"a guess falls {where}", _change(chance(before.probability), then), ""


def _change(before: str, after: str) -> str:
    return f"{before} → {after}" if after and after != before else before
