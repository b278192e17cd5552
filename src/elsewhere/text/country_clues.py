"""What a text tells of a country: phone numbers, domains, postcodes, plates, money, language.


Only forms that are certain are used. How much likelier a text is in its country than elsewhere is
judged, not measured: a national domain or a phone number with its country code is rarely seen
abroad, a currency or a language more often, English everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import places
from elsewhere.text.names import place_label
from elsewhere.values.photo_text import Clue, Position

_CALLING = {
    "1": "US CA PR DO JM TT BS BB", "7": "RU KZ", "20": "EG", "27": "ZA", "30": "GR", "31": "NL",
    "32": "BE", "33": "FR", "34": "ES", "36": "HU", "39": "IT VA", "40": "RO", "41": "CH",
    "43": "AT", "44": "GB GG JE IM", "45": "DK", "46": "SE", "47": "NO", "48": "PL", "49": "DE",
    "51": "PE", "52": "MX", "53": "CU", "54": "AR", "55": "BR", "56": "CL", "57": "CO", "58": "VE",
    "60": "MY", "61": "AU", "62": "ID", "63": "PH", "64": "NZ", "65": "SG", "66": "TH", "81": "JP",
    "82": "KR", "84": "VN", "86": "CN", "90": "TR", "91": "IN", "92": "PK", "93": "AF", "94": "LK",
    "95": "MM", "98": "IR", "212": "MA EH", "213": "DZ", "216": "TN", "218": "LY", "220": "GM",
    "221": "SN", "222": "MR", "223": "ML", "224": "GN", "225": "CI", "226": "BF", "227": "NE",
    "228": "TG", "229": "BJ", "230": "MU", "231": "LR", "232": "SL", "233": "GH", "234": "NG",
    "237": "CM", "238": "CV", "241": "GA", "243": "CD", "244": "AO", "248": "SC", "249": "SD",
    "250": "RW", "251": "ET", "252": "SO", "254": "KE", "255": "TZ", "256": "UG", "258": "MZ",
    "260": "ZM", "261": "MG", "262": "RE YT", "263": "ZW", "264": "NA", "265": "MW", "266": "LS",
    "267": "BW", "268": "SZ", "297": "AW", "298": "FO", "299": "GL", "350": "GI", "351": "PT",
    "352": "LU", "353": "IE", "354": "IS", "355": "AL", "356": "MT", "357": "CY", "358": "FI AX",
    "359": "BG", "370": "LT", "371": "LV", "372": "EE", "373": "MD", "374": "AM", "375": "BY",
    "376": "AD", "377": "MC", "378": "SM", "380": "UA", "381": "RS", "382": "ME", "383": "XK",
    "385": "HR", "386": "SI", "387": "BA", "389": "MK", "420": "CZ", "421": "SK", "423": "LI",
    "501": "BZ", "502": "GT", "503": "SV", "504": "HN", "505": "NI", "506": "CR", "507": "PA",
    "509": "HT", "590": "GP", "591": "BO", "592": "GY", "593": "EC", "594": "GF", "595": "PY",
    "596": "MQ", "597": "SR", "598": "UY", "599": "CW BQ", "670": "TL", "673": "BN", "675": "PG",
    "679": "FJ", "687": "NC", "689": "PF", "852": "HK", "853": "MO", "855": "KH", "856": "LA",
    "880": "BD", "886": "TW", "960": "MV", "961": "LB", "962": "JO", "963": "SY", "964": "IQ",
    "965": "KW", "966": "SA", "967": "YE", "968": "OM", "970": "PS", "971": "AE", "972": "IL",
    "973": "BH", "974": "QA", "975": "BT", "976": "MN", "977": "NP", "992": "TJ", "993": "TM",
    "994": "AZ", "995": "GE", "996": "KG", "998": "UZ",
}  # fmt: skip
"""Countries by calling code."""
_AREAS = {
    "1": "202 Washington, 206 Seattle, 212 New York, 213 Los Angeles, 305 Miami, 312 Chicago, "
    "415 San Francisco, 416 Toronto, 514 Montréal, 604 Vancouver, 617 Boston, 713 Houston, "
    "718 Brooklyn, 808 Honolulu",
    "20": "2 Cairo", "27": "11 Johannesburg, 21 Cape Town", "30": "21 Athens, 231 Thessaloniki",
    "31": "10 Rotterdam, 20 Amsterdam, 30 Utrecht, 70 The Hague",
    "32": "2 Brussels, 3 Antwerp", "33": "1 Paris", "34": "91 Madrid, 93 Barcelona, 95 Sevilla",
    "36": "1 Budapest", "39": "02 Milan, 06 Rome, 041 Venice, 055 Florence, 081 Naples, 011 Turin",
    "40": "21 Bucharest", "41": "22 Geneva, 31 Bern, 44 Zürich, 61 Basel",
    "43": "1 Vienna, 316 Graz, 512 Innsbruck, 662 Salzburg",
    "44": "20 London, 121 Birmingham, 131 Edinburgh, 141 Glasgow, 151 Liverpool, 161 Manchester, "
    "29 Cardiff, 117 Bristol, 113 Leeds",
    "46": "8 Stockholm, 31 Gothenburg, 40 Malmö", "48": "22 Warsaw, 12 Kraków, 58 Gdańsk",
    "49": "30 Berlin, 40 Hamburg, 69 Frankfurt am Main, 89 Munich, 221 Köln, 711 Stuttgart, "
    "351 Dresden, 341 Leipzig, 211 Düsseldorf",
    "52": "55 Mexico City", "54": "11 Buenos Aires", "55": "11 São Paulo, 21 Rio de Janeiro",
    "61": "2 Sydney, 3 Melbourne", "62": "21 Jakarta, 361 Denpasar", "66": "2 Bangkok",
    "7": "495 Moscow, 812 Saint Petersburg", "81": "3 Tokyo, 6 Osaka, 75 Kyoto",
    "82": "2 Seoul, 51 Busan", "84": "24 Hanoi, 28 Ho Chi Minh City", "86": "10 Beijing, "
    "21 Shanghai", "90": "212 Istanbul, 216 Istanbul, 312 Ankara", "91": "11 Delhi, 22 Mumbai, "
    "80 Bengaluru", "351": "21 Lisbon, 22 Porto", "353": "1 Dublin", "358": "9 Helsinki",
    "420": "2 Prague",
}  # fmt: skip
"""Large towns by calling code and area code, without the leading zero but in Italy."""
_PHONE = re.compile(r"(?:\+|(?<!\d)00)\s?([1-9]\d{0,2}[\d\s().\-/]{6,16})")
_DOMAIN = re.compile(r"[a-z0-9-]{2,}\.(?:co\.|com\.|gov\.|ac\.|org\.|go\.|or\.)?([a-z]{2})\b")
_GENERIC = {"ai", "am", "cc", "co", "fm", "io", "ly", "me", "sh", "to", "tv", "ws", "nu", "st"}
"""National domains that are mostly used for their sound."""
_POSTCODES = (
    (re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}\b"), "GB"),
    (re.compile(r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b"), "CA"),
    (re.compile(r"\b\d{4}-\d{3}\b(?! ?\d)"), "PT"),
    (re.compile(r"\b\d{5}-\d{3}\b"), "BR"),
    (re.compile(r"〒 ?\d{3}-?\d{4}"), "JP"),
    (re.compile(r"\b[1-9]\d{3} ?[A-Z]{2}\b(?= [A-Z][a-z])"), "NL"),
    (re.compile(r"\b(?:A[KLRZ]|C[AOT]|DE|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|"
                r"O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) \d{5}\b"), "US"),
)  # fmt: skip
_PLATES = (
    (re.compile(r"^[A-Z]{2}[0-7]\d ?[A-HJ-PR-Z]{3}$"), "GB"),
    (re.compile(r"^[A-HJ-NP-TV-Z]{2}-\d{3}-[A-HJ-NP-TV-Z]{2}$"), "FR"),
    (re.compile(r"^\d{4} ?[BCDFGHJKLMNPRSTVWXYZ]{3}$"), "ES"),
)
_EURO = "AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK"
_MONEY = (
    ("€", _EURO, 4), ("£", "GB IM JE GG GI", 8), ("₺", "TR", 30), ("₽", "RU", 30),
    ("₹", "IN", 30), ("₩", "KR", 30), ("₪", "IL PS", 30), ("฿", "TH", 30), ("₫", "VN", 30),
    ("₴", "UA", 30), ("₸", "KZ", 30), ("₾", "GE", 30), ("₦", "NG", 30), ("₱", "PH", 20),
    ("zł", "PL", 30), ("kč", "CZ", 30), ("chf", "CH LI", 20), ("r$", "BR", 30), ("hk$", "HK", 30),
    ("nt$", "TW", 30), ("円", "JP", 20), ("元", "CN TW", 15), ("¥", "JP CN", 15),
    (" kr", "SE NO DK IS", 12), (" ft", "HU", 6), (" lei", "RO MD", 12), ("rp ", "ID", 8),
)  # fmt: skip
_SCRIPTS = {
    "GREEK": ("GR CY", 30), "CYRILLIC": ("RU UA BY BG RS MK KZ KG MN ME BA TJ", 12),
    "HANGUL": ("KR KP", 40), "HIRAGANA": ("JP", 40), "KATAKANA": ("JP", 30),
    "CJK": ("CN TW HK MO JP SG MY", 12), "THAI": ("TH", 40), "LAO": ("LA", 40),
    "DEVANAGARI": ("IN NP", 40), "BENGALI": ("BD IN", 40), "TAMIL": ("IN LK SG MY", 40),
    "TELUGU": ("IN", 40), "GEORGIAN": ("GE", 40), "ARMENIAN": ("AM", 40), "HEBREW": ("IL", 30),
    "ARABIC": ("EG SA AE QA KW BH OM YE IQ SY JO LB PS MA DZ TN LY SD IR PK AF", 12),
    "KHMER": ("KH", 40), "MYANMAR": ("MM", 40), "ETHIOPIC": ("ET ER", 40), "SINHALA": ("LK", 40),
}  # fmt: skip
_MIN_SCRIPT_LETTERS = 2
_LANGUAGES = {
    "German": ("DE AT CH LI", 8, "und der die das nicht ist für mit bitte verboten straße strasse "
               "platz eingang ausgang gasse kein keine hunde zum zur bei geöffnet gegen"),
    "French": ("FR BE CH LU MC CA SN CI", 6, "et le les des du une pour est dans rue avenue place "
               "interdit sortie entrée défense fermé ouvert chez avec sur toutes"),
    "Spanish": ("ES MX AR CO CL PE VE EC GT CU BO DO HN PY SV NI CR PA UY PR", 6, "el los las del "
                "y en prohibido salida entrada calle avenida abierto cerrado para con está"),
    "Portuguese": ("PT BR AO MZ", 8, "não são rua avenida saída entrada proibido aberto fechado "
                   "em uma dos das ao pelo"),
    "Italian": ("IT CH SM VA", 8, "il gli della dei delle di vietato uscita ingresso piazza "
                "corso aperto chiuso nell per è sono"),
    "Dutch": ("NL BE SR", 8, "het een van niet verboden voor straat plein uitgang ingang geen zijn "
              "wij open gesloten"),
    "Swedish": ("SE FI AX", 8, "och att inte för förbjudet utgång ingång gatan på av är öppet får"),
    "Danish": ("DK", 8, "og ikke forbudt udgang indgang må af til på gade vej ej åben lukket året"),
    "Norwegian": ("NO", 8, "og ikke forbudt utgang inngang av til på gate vei åpen stengt"),
    "Finnish": ("FI", 10, "ja ei on kielletty katu tie avoinna suljettu uloskäynti"),
    "Polish": ("PL", 12, "i nie na do jest ulica ul wejście wyjście zakaz się zamknięte otwarte"),
    "Czech": ("CZ", 12, "je na se ulice vchod východ zákaz vstup není pro otevřeno"),
    "Hungarian": ("HU", 12, "és nem a az utca tilos kijárat bejárat nyitva zárva tér"),
    "Romanian": ("RO MD", 12, "și nu strada interzis ieșire intrare pentru deschis închis este"),
    "Turkish": ("TR", 12, "ve bir için sokak cadde caddesi sokağı giriş çıkış yasak değil"),
    "Vietnamese": ("VN", 15, "và của không đường phố cấm vào ra là"),
    "Indonesian": ("ID MY", 10, "dan yang di dilarang jalan jl masuk keluar untuk tidak"),
    "Catalan": ("ES AD", 15, "i els les amb carrer plaça prohibit sortida gossos platja lligats"),
    "English": ("GB US CA AU NZ IE ZA IN SG", 1.5, "the and of to for please street road no open "
                "closed is are this that you your"),
}  # fmt: skip
_MIN_WORDS = 3
"""Different words of a language on a photo that are enough to name it."""
_WORD = re.compile(r"[^\W\d_]+")


def find_country_clues(text: str, confidence: float) -> list[Clue]:
    """What a line tells of countries, beside names."""
    clues = _phones(text)
    for match in _DOMAIN.finditer(text.lower()):
        code = {"uk": "GB"}.get(match[1], match[1].upper())
        if match[1] not in _GENERIC and code in gazetteer().codes:
            clues.append(_clue("domain", match.group(), (code,), 20))
    for pattern, code in _POSTCODES:
        clues += [_clue("postcode", found.group(), (code,), 8) for found in pattern.finditer(text)]
    for pattern, code in _PLATES:
        if pattern.match(text.strip()):
            clues.append(_clue("plate", text.strip(), (code,), 6))
    lowered = f" {text.lower()} "
    for sign, codes, ratio in _MONEY:
        amount = rf"\d\s?{re.escape(sign.strip())}(?!\w)|(?<!\w){re.escape(sign.strip())}\s?\d"
        if sign in lowered and re.search(amount, lowered):
            clues.append(_clue("currency", sign.strip(), tuple(codes.split()), ratio))
    scripts = Counter(_script(letter) for letter in text if letter.isalpha())
    for script, count in scripts.items():
        if script in _SCRIPTS and count >= _MIN_SCRIPT_LETTERS:
            codes, ratio = _SCRIPTS[script]
            clues.append(_clue("script", script.title(), tuple(codes.split()), ratio))
    return [_weighed(clue, confidence) for clue in clues]


def find_languages(lines: list[str]) -> list[Clue]:
    """The languages that the lines of a photo are written in.

    Each stands for itself: words of one language take nothing away from another.
    """
    words = {word for line in lines for word in _WORD.findall(line.lower())}
    clues = []
    for name, known in _language_words().items():
        if len(words & known) >= _MIN_WORDS:
            codes, ratio, _ = _LANGUAGES[name]
            clues.append(_clue("language", name, tuple(codes.split()), ratio))
    return clues


def _phones(text: str) -> list[Clue]:
    """International phone numbers: the country, and the town where the area code is known."""
    clues = []
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match[1].replace("(0)", ""))
        code = next((digits[:n] for n in (3, 2, 1) if digits[:n] in _CALLING), "")
        if not code or len(digits) < 8:
            continue
        number, excerpt = digits[len(code) :], match.group().strip()
        town = next((name for area, name in _areas(code) if number.startswith(area)), "")
        if town:
            where = _town(town, tuple(_CALLING[code].split()))
            if where is not None:
                label, position, country = where
                clues.append(Clue("phone", excerpt, label, 30.0, (position,), (country,)))
                continue
        clues.append(_clue("phone", excerpt, tuple(_CALLING[code].split()), 20))
    return clues


@cache
def _areas(code: str) -> list[tuple[str, str]]:
    """Area codes with their towns, the longest first."""
    pairs = [entry.split(" ", 1) for entry in filter(None, _AREAS.get(code, "").split(", "))]
    return sorted(((area, town) for area, town in pairs), key=lambda pair: -len(pair[0]))


@cache
def _town(name: str, codes: tuple[str, ...]) -> tuple[str, Position, str] | None:
    """The largest town of this name in one of these countries."""
    for found in places(name, limit=20):
        if found.code in codes and found.kind == "city":
            return found.label, Position(found.lat, found.lon), found.code
    return None


def _clue(kind: str, excerpt: str, codes: tuple[str, ...], ratio: float) -> Clue:
    names = [place_label(code) for code in codes[:3]]
    label = ", ".join(names) + (" …" if len(codes) > 3 else "")
    return Clue(kind, excerpt, label, ratio, (), codes)


def _weighed(clue: Clue, confidence: float) -> Clue:
    ratio = round(1 + (clue.ratio - 1) * confidence, 2)
    return Clue(clue.kind, clue.excerpt, clue.label, ratio, clue.positions, clue.countries)


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").split()[0]


@cache
def _language_words() -> dict[str, frozenset[str]]:
    """The words of each language that no other language of the list has."""
    counts = Counter(word for _, _, words in _LANGUAGES.values() for word in set(words.split()))
    return {
        name: frozenset(word for word in words.split() if counts[word] == 1 and len(word) > 1)
        for name, (_, _, words) in _LANGUAGES.items()
    }
