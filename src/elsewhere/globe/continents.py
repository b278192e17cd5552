"""The continent of a country: the parts of the world that a model's accuracy is told for.

As the photos that the embedded scorer was measured on were sorted (training/): all of Russia is in
Europe, Turkey and the Caucasus in Asia, Central America and the Caribbean in North America.
"""

from __future__ import annotations

from functools import cache

_CODES = {
    "Africa": (
        "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG "
        "ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW"
    ),
    "Antarctica": "AQ BV GS HM TF",
    "Asia": (
        "AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK "
        "MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE"
    ),
    "Europe": (
        "AD AL AT AX BA BE BG BY CH CS CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE "
        "LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK"
    ),
    "North America": (
        "AG AI AN AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX "
        "NI PA PM PR SV SX TC TT US VC VG VI"
    ),
    "Oceania": ("AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS"),
    "South America": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
}


CONTINENTS = frozenset(_CODES)
"""By name."""


@cache
def _by_code() -> dict[str, str]:
    return {code: continent for continent, codes in _CODES.items() for code in codes.split()}


def continent(code: str) -> str:
    """The continent of a country by its two letters; empty where there is no such country.

    >>> continent("PT"), continent("TR"), continent("??")
    ('Europe', 'Asia', '')
    """
    return _by_code().get(code, "")
