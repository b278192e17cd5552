"""Spellings that a text may stand for, where it has letters that look like others.

A reader is certain of `AVlGNON`, with a small L, although it is written so nowhere: letters that
look alike are one to it. Somebody may also write so on purpose, with a zero for an O or a letter of
another alphabet. Such a text is looked up once more, with the letters that were probably meant. It
must be odd to begin with: a small L among capitals, a digit between letters, another alphabet.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[^\W_](?:[^\W_]|[|!$@])+")
_MIN_LETTERS = 2
"""Letters of a word that has other signs in it."""
_FIRST = re.compile(r"l(?=[^aeiouyl])|I(?=[aeiouy])")
"""A first letter that is probably the other one: lnnsbruck, Iisboa."""
_SIGNS = dict(zip("0|!$@34568", "oiisaeasbb", strict=True))
_SIGNS |= {"1": "i", "2": "z", "7": "t", "9": "g"}
_BARS = "1|!"
"""Signs that may be an L as well as an I."""
_ALPHABETS = str.maketrans(
    {
        **dict(zip("авекмнорстухіѕјԛԝһѵӏ", "abekmhopctyxisjqwhvl", strict=True)),
        **dict(zip("αβεζηικμνορτυχϲϳ", "abezhikmnoptyxcj", strict=True)),
        "ɑ": "a", "ɡ": "g", "ǀ": "l", "ᴏ": "o",
    }
)  # fmt: skip
"""Letters of other alphabets that look like Latin ones, most of them as capitals."""


def other_spellings(text: str) -> list[str]:
    """What a text with odd letters may stand for; none where it has none.

    >>> other_spellings("Gare d'AVlGNON"), other_spellings("SeviIle"), other_spellings("Iisboa")
    (["Gare d'AVIGNON"], ['Seville'], ['lisboa'])
    >>> other_spellings("L0S ANGE1ES"), other_spellings("СОСНЕМ")
    (['LoS ANGEiES', 'LoS ANGElES'], ['cochem'])
    >>> other_spellings("Hall 12, ALL, le lac"), other_spellings("Пловдив")
    ([], [])
    """
    words = _TOKEN.split(text)
    tokens = _TOKEN.findall(text)
    found = []
    for bar in "il":
        spelled = [_spelled(token, bar) for token in tokens] + [""]
        found.append("".join(map(str.__add__, words, spelled)))
    return [spelling for spelling in dict.fromkeys(found) if spelling != text]


def _spelled(word: str, bar: str) -> str:
    """A word as it was probably meant; `bar` is what an upright bar stands for."""
    letters = [letter for letter in word if letter.isalpha()]
    if len(letters) < max(_MIN_LETTERS, len(word) / 2):
        return word
    if not word.isascii():
        latin = word.casefold().translate(_ALPHABETS)
        return latin if latin.isascii() and latin.isalpha() else word
    others = [letter for letter in letters if letter not in "lI"]
    if others and all(map(str.isupper, others)):
        word = word.replace("l", "I")
    elif others and all(map(str.islower, others[1:])):
        first = "lI"[word[0] == "l"] if _FIRST.match(word) else word[0]
        word = first + word[1:].replace("I", "l")
    return "".join(bar if sign in _BARS else _SIGNS.get(sign, sign) for sign in word)
