"""Places that the name of a file mentions: "Lisbon 2023-07-14.jpg" needs no model.

Words of a name are looked up in the gazetteer, alone and two or three together. A town must be
large, or its name long, for short words and small towns coincide too often; everyday words that
are also towns do not count. The result is a hint for the user: shared copies have other names.
"""

from __future__ import annotations

import re
from functools import cache

from elsewhere.globe.gazetteer import gazetteer, name_key
from elsewhere.globe.places import place_of_row

_WORDS = re.compile(r"[^\W\d_]+")
_JOINED = re.compile(r"(?<=[^\W\d_])(?<![A-Z])(?=[A-Z])")
"""The boundary between the words of "LisbonBeach"."""
_MIN_LETTERS = 4
"""Letters that a name must have; half as many in a script other than Latin."""
_MIN_PEOPLE_WORDS, _MIN_PEOPLE_NAME, _MIN_PEOPLE_ALIAS = 10_000, 50_000, 500_000
"""The least population of a town for a match of several words, of its own name in one word, and of
one word that is only an alias."""
_EVERYDAY = frozenset(
    """
    abstract anna april arch august beach beauty bike bird birthday boat book bride bridge buffalo
    burst camera canon castle cat central charlotte chat church city coast collage color colour
    copy corona cover david day december design dinner dji downtown east edit edited emma export
    facebook family february final fish flower food forest frame friday friends front full garden
    gold golden gopro green group hang happy hard heart hill holiday home honor hotel house huawei
    image images independence indian instagram island january july jump june kids kodak lake large
    last left leica light lion live lone long lucky lunch male march maria market martin mass
    messenger miss mobile monday moon morning most motion mountain museum my new nice night nikon
    north november object october office old olympus orange original outdoor page pano panorama
    paradise park part party photo photos pic pics picture pictures pixel plus polo portrait prime
    print raw reading received region resized rest right river road rose sale salt samsung
    saturday scan school screen screenshot sea selfie sent september shared shot show signal small
    snap snapchat snow sony south split spring star station still stone street summer sun sunday
    sunrise sunset surprise team telegram temple test the thursday tower town travel tree trip
    tuesday unknown untitled vacation video view vision wall wash water wedding wednesday west
    whatsapp white winter wood work world xiaomi
    """.split()  # noqa: SIM905 - a page of words is easier to read than a page of quotes
)


def places_in(name: str) -> tuple[str, ...]:
    """The places that a file's name may mean, in the order of its words.

    >>> places_in("Lisbon 2023-07-14.jpg"), places_in("IMG_2041.jpg")
    (('Lisbon, Portugal',), ())
    >>> places_in("trip_to_new_york.jpeg"), places_in("a nice day.png")
    (('New York, United States',), ())
    """
    stem = name.rpartition(".")[0] or name
    words = [name_key(word) for word in _WORDS.findall(_JOINED.sub(" ", stem))]
    places: list[str] = []
    start = 0
    while start < len(words):
        for length in range(min(3, len(words) - start), 0, -1):
            text = " ".join(words[start : start + length])
            if len(text) < _MIN_LETTERS / (1 if text.isascii() else 2):
                continue
            row = None if _EVERYDAY.issuperset(text.split()) else _rows().get(text)
            if row is None:
                continue
            place = place_of_row(row)
            minimum = _MIN_PEOPLE_WORDS  # a small town with this name is likely an accident
            if len(text.split()) == 1:
                own = name_key(place.name) == text
                minimum = _MIN_PEOPLE_NAME if own else _MIN_PEOPLE_ALIAS
            if place.population >= minimum:
                places.append(place.label)
                start += length
                break
        else:
            start += 1
    return tuple(dict.fromkeys(places))


@cache
def _rows() -> dict[str, int]:
    """The row of the most populous place for every spelling of a place of some size.

    A lookup in the gazetteer takes milliseconds, and an album may have thousands of words.
    """
    table = gazetteer()
    count = int((table.population >= _MIN_PEOPLE_WORDS).sum())  # the most populous come first
    rows: dict[str, int] = {}
    for row, line in enumerate(table.keys.split(b"\n", count)[:count]):
        for spelling in line.decode().split("\t")[1:-1]:
            rows.setdefault(spelling, row)
    return rows
