"""Names of places in a text: towns, regions and countries of the gazetteer, in any script.

Words are looked up alone and up to four together, with and without the spaces between them. A
reader confuses letters, so a long name may differ by one letter. Greek and Cyrillic letters are
often read as the Latin ones that look like them: the large towns that use them are looked up by
their looks as well. A text with odd letters is looked up in the spelling that was probably meant,
too (`lookalikes`).

Most words of a sign that equal some small town's or village's name do not mean it. Such a match is
kept, marked as not certain: next to the place that is hidden it is no coincidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from elsewhere.globe.gazetteer import gazetteer, name_key
from elsewhere.globe.places import Place, place_of_row
from elsewhere.globe.villages import Village, villages_named
from elsewhere.text.everyday import EVERYDAY
from elsewhere.text.lookalikes import other_spellings
from elsewhere.values.photo_text import Clue, Position

MAX_WORDS = 60
"""Words of a line that are looked up."""
_MAX_JOINED = 4
_MIN_LETTERS, _MIN_LETTERS_HAN = 3, 2
"""Letters of a name, without marks: with spaces between words, and in scripts without."""
_MIN_LETTERS_CERTAIN = 4
"""Letters of a name that can be certain, but for scripts whose letters are syllables; shorter ones
in Latin letters must be the place's own name."""
_MIN_LETTERS_SIMILAR, _MAX_LETTERS_SIMILAR = 6, 40
"""Letters of a name that may differ by one."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MIN_LETTERS_JOINED = 8
"""Letters of a name that may be read with other spaces, in scripts that have spaces."""
_MIN_LETTERS_VILLAGE = 5
"""Letters of a village's name."""
_SURE = 0.97
"""What is read with this confidence is not misread."""
_REMEMBERED = 1 << 14
"""Phrases whose meaning is remembered: lines are looked up together with those beside them."""
_ENDINGS = ("s", "er")
"""Of names in sentences: Stockholms, Kölner."""
_MIN_PEOPLE, _MIN_PEOPLE_SHORT, _MIN_PEOPLE_ALIAS = 15_000, 60_000, 300_000
"""The least population of a town for its name to be certain: of seven letters or several words, a
shorter one, and one in Latin letters that is only an alias of the town."""
_MIN_PEOPLE_SIMILAR = 50_000
_MIN_PEOPLE_LOOKS = 100_000
_MIN_PEOPLE_EVERYDAY = 100_000
"""Of a town whose name is an everyday word: Nice, Split, Reading."""
_RATIOS = ((5_000_000, 15.0), (500_000, 40.0), (50_000, 120.0), (0, 300.0))
"""From which population on a name is how much likelier near its town: the largest are on signs all
over the world, the smallest only around them."""
_COUNTRY_RATIO = 12.0
_WORD = re.compile(
    r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
    r"\u1000-\u109f\u1780-\u17d3]|(?<=[^\W\d_])0(?=[^\W\d_]))+"
)
"""Letters and, in scripts that write vowels as marks, those marks.
A zero between letters is an O."""
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")
"""Scripts without spaces between words."""
_SYLLABLES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts in which a letter is a syllable or a word: two are a certain name. In others, two or
three are what a reader makes of leaves and railings."""
_LOOKS = str.maketrans(
    {
        **dict(zip("абвгдезиклмнопрстухцшьэ", "a6brdezuknmhonpctyxuwbe", strict=True)),
        **dict(zip("αβγδεζηικλμνορστυχωθπφ", "abydeznikamvopctuxwonp", strict=True)),
        "0": "o", "1": "i", "l": "i", "ж": "x", "й": "u", "я": "r", "σ": "o", "ς": "c", "3": "z",
        "і": "i", "ї": "i", "є": "e",
    }
)  # fmt: skip


def find_names(text: str, confidence: float) -> list[Clue]:
    """What a line names; the parts of a longer name, and what odd letters stand for, are not
    certain."""
    clues = _written(text, confidence)
    known = {(clue.label, clue.positions) for clue in clues}
    for spelling in other_spellings(text):
        for clue in _written(spelling, confidence):
            if (clue.label, clue.positions) in known or len(clue.excerpt) < _MIN_LETTERS_CERTAIN:
                continue
            known.add((clue.label, clue.positions))
            clues.append(replace(clue, certain=False))
    return clues


def _written(text: str, confidence: float) -> list[Clue]:
    """What a line names as it is written."""
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
    if _NO_SPACES.search(text):
        known = {clue.excerpt for clue in clues}
        clues += [clue for clue in _inside(text, confidence) if clue.excerpt not in known]
    return clues + _villages(words, confidence)


def _villages(words: list[str], confidence: float) -> list[Clue]:
    """The villages that some words name, none of them certain."""
    clues = []
    spans = ((at, n) for at in range(len(words)) for n in range(1, _MAX_JOINED + 1))
    for phrase in dict.fromkeys(" ".join(words[at : at + n]) for at, n in spans):
        found = _villages_called(phrase)
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


@lru_cache(_REMEMBERED)
def _villages_called(phrase: str) -> tuple[Village, ...]:
    """The villages that a phrase may mean."""
    key = name_key(phrase)
    if len(key.replace(" ", "")) < _MIN_LETTERS_VILLAGE or EVERYDAY.issuperset(key.split()):
        return ()
    return tuple(villages_named(phrase))


def _clue(phrase: str, confidence: float) -> Clue | None:
    """What a phrase names as a whole, if anything."""
    meaning = _meaning(phrase, is_sure=confidence >= _SURE)
    if meaning is None:
        return None
    clue = _named(phrase, meaning.compact, meaning.rows, confidence, similar=meaning.similar)
    return replace(clue, certain=False) if meaning.everyday else clue


@dataclass(frozen=True)
class _Meaning:
    """The places that a phrase may name."""

    compact: str
    """As they are spelled, without spaces."""
    rows: tuple[int, ...]
    similar: bool = False
    """Whether they are spelled a little differently."""
    everyday: bool = False


@lru_cache(_REMEMBERED)
def _meaning(phrase: str, *, is_sure: bool) -> _Meaning | None:
    """What a phrase may name as a whole; one that is not read for sure may differ by a letter."""
    key = name_key(phrase)
    compact = key.replace(" ", "")
    is_han = bool(_NO_SPACES.search(key))
    joined_latin = " " in key and compact.isascii()
    least = _MIN_LETTERS_CERTAIN if joined_latin else _MIN_LETTERS  # "a mi" is not Ami
    if len(compact) < (_MIN_LETTERS_HAN if is_han else least):
        return None
    if EVERYDAY.issuperset(key.split()):
        rows = _rows(compact)
        if " " not in key:
            people = gazetteer().population
            rows = tuple(row for row in rows if people[row] >= _MIN_PEOPLE_EVERYDAY)
        elif len(compact) < _MIN_LETTERS_JOINED or not _is_spelled(key, rows):
            rows = ()
        return _Meaning(compact, rows, everyday=True) if rows else None
    rows = _rows(compact)
    if not rows and _rows(_in_latin(compact)):
        compact = _in_latin(compact)
        rows = _rows(compact)
    joined = _MIN_LETTERS_CERTAIN if is_han else _MIN_LETTERS_JOINED
    if rows and (" " not in key or len(compact) >= joined or _is_spelled(key, rows)):
        return _Meaning(compact, rows)
    if " " in key or is_han or not _MIN_LETTERS_SIMILAR <= len(compact) <= _MAX_LETTERS_SIMILAR:
        return None  # several short words differ by a letter from too much
    for ending in _ENDINGS:
        stem = compact.removesuffix(ending)
        rows = _rows(stem) if stem != compact and stem not in EVERYDAY else ()
        if rows:
            return _Meaning(stem, rows)
    if not is_sure:
        rows = _by_looks().get(compact.translate(_LOOKS), ())
        if not rows:
            spelled = ((word, row) for word in _similar(compact) for row in _rows(word))
            rows = tuple(sorted({row for word, row in spelled if _is_usual(word, row)}))
    return _Meaning(compact, rows, similar=True) if rows else None


def _in_latin(word: str) -> str:
    """A word of Latin letters and others that look like them, in Latin letters; "" for any other.

    >>> _in_latin("avign0n"), _in_latin("\u0430vignon"), _in_latin("москва")
    ('avignon', 'avignon', '')
    """
    if not any(letter.isascii() and letter.isalpha() for letter in word):
        return ""
    return "".join(
        letter if letter.isascii() and letter != "0" else letter.translate(_LOOKS)
        for letter in word
    )


def _rows(spelling: str) -> tuple[int, ...]:
    return _spellings().get(spelling, ())


def _is_usual(spelling: str, row: int) -> bool:
    """Whether a place is called so on signs: an alias in Latin letters of a small town is not."""
    table = gazetteer()
    is_own = name_key(table.names[row]).replace(" ", "") == spelling
    return is_own or not spelling.isascii() or table.population[row] >= _MIN_PEOPLE_ALIAS


def _is_spelled(key: str, rows: tuple[int, ...]) -> bool:
    """Whether a place in these rows is written with these spaces: "to if" is not Taif."""
    lines = _lines()
    return any(f"\t{key}\t".encode() in lines[row] for row in rows)


def _named(
    phrase: str, compact: str, rows: tuple[int, ...], confidence: float, *, similar: bool
) -> Clue:
    """The clue of the places in some rows, the most populous first."""
    places = [place_of_row(row) for row in rows]
    own = [place for place in places if name_key(place.name).replace(" ", "") == compact]
    best = own[0] if own and own[0].population * 10 >= places[0].population else places[0]
    places.sort(key=lambda place: (place is not best, -place.population))
    if best.kind == "country":
        certain = len(compact) > _MIN_LETTERS_CERTAIN or not compact.isascii()
        ratio = _COUNTRY_RATIO
    else:
        ratio = next(ratio for least, ratio in _RATIOS if best.population >= least)
        several = len(phrase.split()) > 1 or len(compact) >= 7
        least = _MIN_PEOPLE if several else _MIN_PEOPLE_SHORT
        if best not in own and compact.isascii():
            least = _MIN_PEOPLE_ALIAS
        if similar:
            least = max(least, _MIN_PEOPLE_SIMILAR)
        certain = best.population >= least and not (similar and len(compact) < 7)
    certain &= len(phrase) >= _MIN_LETTERS_CERTAIN or bool(_SYLLABLES.search(phrase))
    if similar:
        ratio = 1 + (ratio - 1) / 4
    return Clue(
        kind="name",
        excerpt=phrase,
        label=best.label,
        ratio=round(1 + (ratio - 1) * confidence, 2),
        positions=tuple(Position(place.lat, place.lon) for place in places if _is_local(place)),
        countries=tuple(dict.fromkeys(place.code for place in places)),
        named_countries=tuple(place.code for place in places if place.kind == "country"),
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
    """Names inside a text without spaces: the longest at each letter; others are not certain."""
    clues = []
    parts: dict[str, None] = {}
    for run in _NO_SPACES.findall(name_key(text).replace(" ", "")[: 4 * MAX_WORDS]):
        for at in range(len(run)):
            ends = range(at + 2, min(len(run), at + 12) + 1)
            parts.update(dict.fromkeys(run[at:end] for end in ends if _rows(run[at:end])))
        start = 0
        while start < len(run):
            for end in range(min(len(run), start + 12), start + 1, -1):
                part = run[start:end]
                rows = _rows(part)
                # two letters of a long text coincide with small towns
                if rows and gazetteer().population[rows[0]] >= _MIN_PEOPLE_ALIAS:
                    clues.append(_named(part, part, rows, confidence, similar=False))
                    parts.pop(part, None)
                    start = end
                    break
            else:
                start += 1
    named = (_named(part, part, _rows(part), confidence, similar=False) for part in parts)
    return clues + [replace(clue, certain=False) for clue in named]


def _similar(word: str) -> list[str]:
    """Known spellings that differ by one letter; not in the first, where a reader seldom errs."""
    known, found = _spellings(), []
    for at in range(1, len(word) + 1):
        start, rest = word[:at], word[at + 1 :]
        tried = [start + letter + end for letter in _LETTERS for end in (rest, word[at:])]
        found += [spelling for spelling in (start + rest, *tried) if spelling in known]
    return [spelling for spelling in dict.fromkeys(found) if spelling != word]


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
    names = gazetteer().names
    for row, line in enumerate(_lines()):
        for spelling in line.decode().split("\t")[1:-1]:
            is_short = len(spelling) < _MIN_LETTERS_CERTAIN and spelling.isascii()
            if is_short and spelling != name_key(names[row]):
                continue  # of three letters only a town's own name: aliases are codes of airports
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
