"""Which places a text names."""

from __future__ import annotations

import pytest

from elsewhere.globe.places import nearest_town
from elsewhere.text.names import find_names


def certain(text: str, confidence: float = 0.99) -> list[str]:
    return [clue.label for clue in find_names(text, confidence) if clue.certain]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Rue de la République AVIGNON", "Avignon, France"),
        ("Gare d'Avignon TGV", "Avignon, France"),
        ("L'Aquila", "L'Aquila, Italy"),
        ("VILA NOVA DE GAIA", "Vila Nova de Gaia, Portugal"),
        ("NEWYORK", "New York, United States"),
        ("Kölner Dom", "Köln, Germany"),
        ("Stockholms stad", "Stockholm, Sweden"),
        ("Москва", "Moscow, Russia"),
        ("京都駅前", "Kyoto, Japan"),
        ("さいたま", "Saitama, Japan"),
        ("서울", "Seoul, South Korea"),
        ("القاهرة", "Cairo, Egypt"),
        ("ירושלים", "Jerusalem, Israel"),
        ("Θεσσαλονίκη", "Thessaloníki, Greece"),
        ("दिल्ली", "Delhi, India"),
        ("मुंबई", "Mumbai, India"),
        ("เชียงใหม่", "Chiang Mai, Thailand"),
        ("თბილისი", "Tbilisi, Georgia"),
        ("Երևան", "Yerevan, Armenia"),
        ("Deutschland", "Germany"),
    ],
)
def test_a_name_is_found_in_its_own_script(text: str, label: str) -> None:
    assert label in certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "OPEN",
            "Exit to street",
            "Hunde verboten",
            "no turn on red",
            "Nice Orange Sale",
            "12 34",
        ),
        *("to if", "off a", "werden", "x", "", "  ", "\u0301\u0302", "%$§", "🙂🙂🙂🙂"),
    ],
)
def test_everyday_words_name_no_place(text: str) -> None:
    assert certain(text) == []


def test_a_doubtful_reading_may_differ_by_a_letter_and_a_sure_one_may_not() -> None:
    assert [clue.label for clue in find_names("Avigmon", 0.9)] == ["Avignon, France"]
    assert find_names("Avigmon", 0.99) == []


def test_letters_that_look_alike_are_read_as_the_other_alphabet() -> None:
    assert [clue.label for clue in find_names("MOCKBA", 0.8)] == ["Moscow, Russia"]
    assert "Thessaloníki, Greece" in [clue.label for clue in find_names("ΘεσσαλovÍkη", 0.8)]


def test_a_name_of_several_towns_has_all_of_them() -> None:
    clue, villages = find_names("Springfield", 1.0)
    assert len(clue.positions) > 5
    assert clue.countries[0] == "US"
    assert clue.certain and not villages.certain


def test_rare_names_weigh_more() -> None:
    ratios = [find_names(name, 1.0)[0].ratio for name in ("Paris", "Marseille", "Avignon", "Arles")]
    assert ratios == sorted(ratios)
    assert ratios[0] < ratios[-1]


def test_doubt_about_the_reading_lowers_the_weight() -> None:
    assert find_names("Avignon", 0.86)[0].ratio < find_names("Avignon", 1.0)[0].ratio


def test_the_parts_of_a_longer_name_are_kept_and_not_certain() -> None:
    clues = find_names("New York", 1.0)
    assert [(clue.excerpt, clue.certain) for clue in clues] == [("New York", True), ("York", False)]


def test_a_village_is_no_certain_name_but_has_its_position() -> None:
    (clue,) = [clue for clue in find_names("Nippes", 1.0) if clue.excerpt == "Nippes"]
    assert nearest_town(*clue.positions[0])[1] < 1


def test_a_long_text_is_looked_up_in_bounded_time() -> None:
    assert len(find_names("Avignon " * 10_000, 0.8)) <= 60
    assert len(find_names("北京" * 10_000, 0.9)) <= 240


def test_a_village_is_named_and_never_certain() -> None:
    (clue,) = find_names("Comune di POSITANO", 0.95)
    assert (clue.label, clue.excerpt, clue.certain) == ("Positano, Italy", "POSITANO", False)
    ((lat, lon),) = clue.positions
    assert (round(lat, 1), round(lon, 1)) == (40.6, 14.5)


def test_a_village_takes_no_certainty_from_a_town() -> None:
    assert "Avignon, France" in certain("Le Pontet Avignon Nord")
