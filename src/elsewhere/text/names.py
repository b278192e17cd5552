"""Names of places in a text: towns, regions and countries of the gazetteer, in any script.

Words are looked up alone and up to four together, with and without the spaces between them. A
reader confuses letters, so a long name may differ by one letter. Greek and Cyrillic letters are
often read as the Latin ones that look like them: the large towns that use them are looked up by
their looks as well.

Most words of a sign that equal some small town's or village's name do not mean it. Such a match is
kept, marked as not certain: next to the place that is hidden it is no coincidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from elsewhere.globe.gazetteer import gazetteer, name_key
from elsewhere.globe.places import Place, place_of_row
from elsewhere.globe.villages import Village, villages_named
from elsewhere.text.everyday import EVERYDAY
from elsewhere.values.photo_text import Clue, Position

MAX_WORDS = 60
"""Words of a line that are looked up."""
_MAX_JOINED = 4
_MIN_LETTERS, _MIN_LETTERS_FOREIGN, _MIN_LETTERS_HAN = 4, 3, 2
"""Letters of a name, without marks: in Latin letters, in other scripts, and in those without
spaces."""
_MIN_LETTERS_SIMILAR = 6
"""Letters of a name that may differ by one."""
_MIN_LETTERS_JOINED = 8
"""Letters of a name that may be read with other spaces."""
_MIN_LETTERS_VILLAGE = 5
"""Letters of a village's name."""
_SURE = 0.97
"""What is read with this confidence is not misread."""
_ENDINGS = ("s", "er")
"""Of names in sentences: Stockholms, Kölner."""
_MAX_PLACES = 12
"""Places of one name that count."""
_MIN_PEOPLE, _MIN_PEOPLE_SHORT, _MIN_PEOPLE_ALIAS = 15_000, 60_000, 300_000
"""The least population of a town for its name to be certain: of seven letters or several words, a
shorter one, and one in Latin letters that is only an alias of the town."""
_MIN_PEOPLE_SIMILAR = 50_000
_MIN_PEOPLE_LOOKS = 100_000
_RATIOS = ((5_000_000, 15.0), (500_000, 40.0), (50_000, 120.0), (0, 300.0))
"""From which population on a name is how much likelier near its town: the largest are on signs all
over the world, the smallest only around them."""
_COUNTRY_RATIO = 12.0
_WORD = re.compile(
    r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
    r"\u1000-\u109f\u1780-\u17d3])+"
)
"""Letters and, in scripts that write vowels as marks, those marks."""
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")
"""Scripts without spaces between words."""
_LOOKS = str.maketrans(
    {
        **dict(zip("абвгдезиклмнопрстухцшьэ", "a6brdezuknmhonpctyxuwbe", strict=True)),
        **dict(zip("αβγδεζηικλμνορστυχωθπφ", "abydeznikamvopctuxwonp", strict=True)),
        "0": "o", "1": "i", "l": "i", "ж": "x", "й": "u", "я": "r", "σ": "o", "ς": "c", "3": "z",
        "і": "i", "ї": "i", "є": "e",
    }
)  # fmt: skip


def find_names(text: str, confidence: float) -> list[Clue]:
    """What a line names; the parts of a longer name are not certain."""
    words = [match.group() for match in _WORD.finditer(text)][:MAX_WORDS]
    clues: list[Clue] = []
    start = 0
    while start < len(words):
        for length in range(min(_MAX_JOINED, len(words) - start), 0, -1):
            clue = _clue(" ".join(words[start : start + length]), confidence)
            if clue is not None:
                clues.append(clue)
                if length > 1:  # York in New York: unlikely, but a name
                    parts = [_clue(word, confidence) for word in words[start : start + length]]
                    clues += [replace(part, certain=False) for part in parts if part is not None]
                start += length
                break
        else:
            start += 1
    if not clues and _NO_SPACES.search(text):
        clues += _inside(text, confidence)
    return clues + _villages(words, confidence)


def _villages(words: list[str], confidence: float) -> list[Clue]:
    """The villages that some words name, none of them certain."""
    clues = []
    spans = ((at, n) for at in range(len(words)) for n in range(1, _MAX_JOINED + 1))
    for phrase in dict.fromkeys(" ".join(words[at : at + n]) for at, n in spans):
        key = name_key(phrase)
        if len(key.replace(" ", "")) < _MIN_LETTERS_VILLAGE or EVERYDAY.issuperset(key.split()):
            continue
        found = villages_named(phrase)
        if found:
            clues.append(
                Clue(
                    kind="name",
                    excerpt=phrase,
                    label=village_label(found[0]),
                    ratio=round(1 + (_RATIOS[-1][1] - 1) * confidence, 2),
                    positions=tuple(Position(village.lat, village.lon) for village in found),
                    countries=tuple(dict.fromkeys(village.code for village in found)),
                    certain=False,
                )
            )
    return clues


def _clue(phrase: str, confidence: float) -> Clue | None:
    """What a phrase names as a whole, if anything."""
    key = name_key(phrase)
    compact = key.replace(" ", "")
    is_han = bool(_NO_SPACES.search(key))
    least = _MIN_LETTERS if compact.isascii() else _MIN_LETTERS_FOREIGN
    if len(compact) < (_MIN_LETTERS_HAN if is_han else least):
        return None
    if EVERYDAY.issuperset(key.split()):
        return None
    rows = _spellings().get(compact, ())
    if rows and (" " not in key or len(compact) >= _MIN_LETTERS_JOINED or _is_spelled(key, rows)):
        return _named(phrase, compact, rows, confidence, similar=False)
    if " " in key or len(compact) < _MIN_LETTERS_SIMILAR or is_han:
        return None  # several short words differ by a letter from too much
    for ending in _ENDINGS:
        stem = compact.removesuffix(ending)
        rows = _spellings().get(stem, ()) if stem != compact and stem not in EVERYDAY else ()
        if rows:
            return _named(phrase, stem, rows, confidence, similar=False)
    if confidence < _SURE:
        rows = _by_looks().get(compact.translate(_LOOKS), ())
        if not rows:
            similar = {row for word in _variants(compact) for row in _spellings().get(word, ())}
            rows = tuple(sorted(similar))
    return _named(phrase, compact, rows, confidence, similar=True) if rows else None


def _is_spelled(key: str, rows: tuple[int, ...]) -> bool:
    """Whether a place in these rows is written with these spaces: "to if" is not Taif."""
    lines = _lines()
    return any(f"\t{key}\t".encode() in lines[row] for row in rows)


def _named(
    phrase: str, compact: str, rows: tuple[int, ...], confidence: float, *, similar: bool
) -> Clue:
    """The clue of the places in some rows, the most populous first."""
    places = [place_of_row(row) for row in rows[:_MAX_PLACES]]
    own = [place for place in places if name_key(place.name).replace(" ", "") == compact]
    best = own[0] if own and own[0].population * 10 >= places[0].population else places[0]
    places.sort(key=lambda place: (place is not best, -place.population))
    if best.kind == "country":
        certain, ratio = len(compact) > _MIN_LETTERS or not compact.isascii(), _COUNTRY_RATIO
    else:
        ratio = next(ratio for least, ratio in _RATIOS if best.population >= least)
        several = len(phrase.split()) > 1 or len(compact) >= 7
        least = _MIN_PEOPLE if several else _MIN_PEOPLE_SHORT
        if best not in own and compact.isascii():
            least = _MIN_PEOPLE_ALIAS
        if similar:
            least = max(least, _MIN_PEOPLE_SIMILAR)
        certain = best.population >= least and not (similar and len(compact) < 7)
    if similar:
        ratio = 1 + (ratio - 1) / 4
    return Clue(
        kind="name",
        excerpt=phrase,
        label=best.label,
        ratio=round(1 + (ratio - 1) * confidence, 2),
        positions=tuple(Position(place.lat, place.lon) for place in places if _is_local(place)),
        countries=tuple(dict.fromkeys(place.code for place in places)),
        certain=certain,
    )


def _is_local(place: Place) -> bool:
    """Whether a place is small enough that its largest town stands for it."""
    if place.kind != "country":
        return True
    table = gazetteer()
    # a city state, or an island with one town
    towns = table.towns[table.country[table.towns] == table.country[place.row]]
    return len(towns) <= 12


def _inside(text: str, confidence: float) -> list[Clue]:
    """Names inside a text without spaces: the longest at each letter."""
    clues = []
    for run in _NO_SPACES.findall(name_key(text).replace(" ", "")[: 4 * MAX_WORDS]):
        start = 0
        while start < len(run):
            for end in range(min(len(run), start + 12), start + 1, -1):
                part = run[start:end]
                rows = _spellings().get(part, ())
                # two letters of a long text coincide with small towns
                if rows and gazetteer().population[rows[0]] >= _MIN_PEOPLE_ALIAS:
                    clues.append(_named(part, part, rows, confidence, similar=False))
                    start = end
                    break
            else:
                start += 1
    return clues


def _variants(word: str) -> Iterator[str]:
    """Spellings that differ by one letter, but not in the first: a reader seldom errs there."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        for letter in letters:
            yield word[:at] + letter + word[at + 1 :]
            yield word[:at] + letter + word[at:]
    yield from (word + letter for letter in letters)


@cache
def place_label(code: str) -> str:
    """A country by its two letters."""
    table = gazetteer()
    return table.names[int(table.country_row[table.codes.index(code)])]


def village_label(village: Village) -> str:
    """A village with its country."""
    return f"{village.name}, {place_label(village.code)}"


@cache
def _lines() -> list[bytes]:
    """The spellings of each row, with a tab on both sides of each."""
    return gazetteer().keys.split(b"\n")


@cache
def _spellings() -> dict[str, tuple[int, ...]]:
    """The rows with each spelling, without spaces; the most populous first."""
    found: dict[str, list[int]] = {}
    for row, line in enumerate(_lines()):
        for spelling in line.decode().split("\t")[1:-1]:
            if len(spelling) < _MIN_LETTERS and spelling.isascii():
                continue
            rows = found.setdefault(spelling.replace(" ", ""), [])
            if not rows or rows[-1] != row:
                rows.append(row)
    return {spelling: tuple(rows) for spelling, rows in found.items()}


@cache
def _by_looks() -> dict[str, tuple[int, ...]]:
    """The large towns with a Greek or Cyrillic name, by the Latin letters that look like it."""
    found: dict[str, tuple[int, ...]] = {}
    table = gazetteer()
    for spelling, rows in _spellings().items():
        is_similar = bool(re.fullmatch(r"[\u0370-\u03ff\u0400-\u04ff]+", spelling))
        if is_similar and table.population[rows[0]] >= _MIN_PEOPLE_LOOKS:
            found.setdefault(spelling.translate(_LOOKS), rows)
    return found
