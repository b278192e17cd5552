"""Parts of sentences: numbers as people read them, and what depends on where they read."""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction

from elsewhere.values.plan import Plan, Status
from elsewhere.values.versions import Edit

NO_BREAK = "\u00a0"
"""A space at which no line is broken."""
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(rank: int) -> str:
    """A rank.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 40, 101, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '40th', '101st', '112th']
    """
    teen = rank % 100 in {11, 12, 13}
    return f"{rank}{'th' if teen else _ENDINGS.get(rank % 10, 'th')}"


def none_better_claim(plan: Plan) -> str:
    """That no plan is better, exactly as a proof shows it.

    >>> import numpy as np, elsewhere
    >>> none_better_claim(elsewhere.protect(np.log([[0.7, 0.3], [0.4, 0.6]]), truth=0, top=1))
    'no plan that the promise allows loses less'
    """
    if plan.promise.budget is None:
        text, bound = "no plan that the promise allows loses less", str(plan.bound)
    else:
        text, bound = "no plan within the budget protects more", f"top {plan.bound}"
    if plan.status != Status.OPTIMAL:
        text += f" than its bound, {bound}"
    return text if plan.promise.versions is None else f"{text}, over the versions tried"


def chance(probability: float) -> str:
    """A probability; never 0 % or 100 %, for nothing here is certain.

    >>> [chance(p).replace(NO_BREAK, " ") for p in (0.614, 0.0312, 0.0004, 0.9999, 0.0)]
    ['61 %', '3.1 %', '< 0.1 %', '> 99.9 %', '< 0.1 %']
    """
    digits = 0 if 0.1 <= probability <= 0.99 else 1
    text = f"{probability * 100:.{digits}f} %"
    if probability < 0.001:
        text = "< 0.1 %"
    elif probability > 0.999:
        text = "> 99.9 %"
    return text.replace(" ", NO_BREAK)


def signed(value: float) -> str:
    """A share in nats with its sign, and a real minus.

    >>> signed(-12.345), signed(0.5), signed(0.0)
    ('−12.3', '+0.5', '0.0')
    """
    rounded = round(value, 1)
    if rounded == 0:
        return "0.0"
    return f"{rounded:+.1f}".replace("-", "−")


def loss_text(value: int | Fraction) -> str:
    """What is lost, in photos, rounded down.

    >>> loss_text(Fraction(15667, 13300)), loss_text(3), loss_text(Fraction(5, 2))
    ('1.17', '3', '2.5')
    """
    return f"{math.floor(Fraction(value) * 100) / 100:g}"


def number_text(value: int | Fraction) -> str:
    """A value as people write it.

    >>> number_text(Fraction(5, 2)), number_text(Fraction(4)), number_text(Fraction(1, 3))
    ('2.5', '4', '1/3')
    """
    exact = Fraction(value)
    if exact.denominator == 1:
        return str(exact.numerator)
    short = f"{float(exact):.12g}"
    return short if Fraction(short) == exact else str(exact)


def edit_kind(edit: Edit) -> str:
    """What an edit does.

    >>> from elsewhere.values.versions import Rectangle
    >>> edit_kind(Edit(Rectangle(0, 0, 800, 1000)))
    'cropped'
    """
    if edit.crop is None:
        return "covered"
    return "cropped and covered" if edit.covers else "cropped"


class Surface(StrEnum):
    """Where a sentence is read."""

    TERMINAL = "terminal"
    REPORT = "report"
    PAGE = "page"

    def option(self, text: str) -> str:
        """An option in brackets, with a blank before it; nothing on the page.

        >>> Surface.TERMINAL.option("--top 2"), Surface.PAGE.option("--top 2")
        (' (--top 2)', '')
        """
        return "" if self is Surface.PAGE else f" ({text})"


def near(place: str, radius_km: float, *, whole: bool) -> str:
    """Where a guess would be right; a `whole` place is a region or country.

    >>> near("Lisbon, Portugal", 25, whole=False), near("Portugal", 25, whole=True)
    ('within 25 km of Lisbon, Portugal', 'in Portugal')
    """
    return f"in {place}" if whole else f"within {radius_km:g} km of {place}"


def first_guesses(count: int) -> str:
    """So many first guesses.

    >>> first_guesses(1), first_guesses(5)
    ('the first guess', 'the first 5 guesses')
    """
    return "the first guess" if count == 1 else f"the first {count} guesses"


def first_places(count: int) -> str:
    """So many first places.

    >>> first_places(1), first_places(5)
    ('the first place', 'the first 5 places')
    """
    return "the first place" if count == 1 else f"the first {count} places"


def among(count: int) -> str:
    """What a place is that is guessed so early.

    >>> among(1), among(5)
    ('the first guess', 'among the first 5 guesses')
    """
    return first_guesses(count) if count == 1 else f"among {first_guesses(count)}"


def capitalized(text: str) -> str:
    """The text with a capital first letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def as_sentence(text: str) -> str:
    """A note as a sentence of its own.

    >>> as_sentence("the cell is large"), as_sentence("Is it?")
    ('The cell is large.', 'Is it?')
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
