"""Which places a text names."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from elsewhere.globe.coordinates import between_km
from elsewhere.globe.places import nearest_town
from elsewhere.text import names
from elsewhere.text.names import find_names
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import TextBox, TextLine


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
        ("ถนน เชียง ใหม่", "Chiang Mai, Thailand"),
        ("ชล บุรี", "Chon Buri, Thailand"),
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


def test_a_doubtful_reading_is_no_small_town_by_an_alias() -> None:
    """“Stralle”, a street, is within a letter of what Straelen is also called."""
    assert [clue.label for clue in find_names("Neusser Stralle", 0.9)] == ["Neuss, Germany"]
    assert "Florence, Italy" in [clue.label for clue in find_names("Firenzc", 0.9)]


def test_letters_that_look_alike_are_read_as_the_other_alphabet() -> None:
    assert [clue.label for clue in find_names("MOCKBA", 0.8)] == ["Moscow, Russia"]
    assert "Thessaloníki, Greece" in [clue.label for clue in find_names("ΘεσσαλovÍkη", 0.8)]


@pytest.mark.parametrize(
    "text", ["\u0410vignon", "AVIGN\u039fN", "AVIGN0N", "\uff21\uff36\uff29GNON", "Av\u0131gnon"]
)
def test_a_name_with_letters_of_another_alphabet_is_that_name(text: str) -> None:
    assert certain(text) == ["Avignon, France"]
    assert certain(text.lower()) == ["Avignon, France"]


@pytest.mark.parametrize("text", ["\u0e40\u0e27", "ком", "имо", "\u0e42\u0e23\u0e21"])
def test_two_or_three_letters_are_no_certain_name(text: str) -> None:
    """Tesseract reads them on photos in a mirror; near what is hidden they count all the same."""
    assert find_names(text, 0.9) and not certain(text)


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


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("BIENVENUE A NICE", "Nice, France"),
        ("SPLIT", "Split, Croatia"),
        ("TURKEY", "Turkey"),
        ("PAU", "Pau, France"),
        ("ようこそ鎌倉市", "Kamakura, Japan"),
    ],
)
def test_names_that_may_be_other_words_are_found_and_not_certain(text: str, label: str) -> None:
    assert label in [clue.label for clue in find_names(text, 0.99) if not clue.certain]
    assert certain(text) == []


def test_short_words_together_are_no_name_of_three_letters() -> None:
    assert find_names("A mi", 0.99) == []


def test_a_name_beside_a_text_without_spaces_hides_no_name_in_it() -> None:
    assert {"Bonn, Germany", "Shanghai, China"} <= {*certain("Bonn 欢迎来到上海市")}


def test_all_places_of_a_name_count() -> None:
    (clue, *_) = find_names("CITY OF SANTA CRUZ", 0.99)
    assert any(between_km(*at, 36.97, -122.03) < 10 for at in clue.positions)  # California


def test_a_country_is_named_whatever_towns_are_called_so() -> None:
    for name, code in (("GEORGIA", "GE"), ("LEBANON", "LB"), ("POLAND", "PL")):
        (clue,) = [clue for clue in find_names(name, 0.99) if clue.named_countries]
        assert clue.named_countries == (code,) and clue.positions


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("AVlGNON", "Avignon, France"),
        ("Gare d'AVlGNON", "Avignon, France"),
        ("N1MES", "Nîmes, France"),
        ("Mar5eille", "Marseille, France"),
        ("SeviIle", "Seville, Spain"),
        ("lnnsbruck", "Innsbruck, Austria"),
        ("Iisboa", "Lisbon, Portugal"),
        ("L0S ANGE1ES", "Los Angeles, United States"),
        ("POSlTANO", "Positano, Italy"),
        ("\u0391V\u0399G\u039d\u039f\u039d", "Avignon, France"),  # Greek capitals
        ("\u0421\u041e\u0421\u041d\u0415\u041c", "Cochem, Germany"),  # all Cyrillic
    ],
)
def test_letters_that_look_like_others_are_looked_up_as_those(text: str, label: str) -> None:
    """However certain the reader is of them."""
    assert label in [clue.label for clue in find_names(text, 1.0)]


@pytest.mark.parametrize("text", ["BALL", "MALL", "Hall", "PARKlNG", "lNFO", "A1 M25", "OPEN 24H"])
def test_no_other_letters_are_looked_up_where_none_are_odd(text: str) -> None:
    assert find_names(text, 1.0) == []


def test_a_word_is_compared_with_similar_names_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are looked up together with each of those beside them, which took seconds."""
    words = [f"zq{letter}vxqzz" for letter in "abcdefghijklmnopqrstuvwxyz"]
    lines = [TextLine(word, 0.9, TextBox(0, 2 * n, 90, 2 * n + 18)) for n, word in enumerate(words)]
    looked_up = Mock(side_effect=names._rows)
    monkeypatch.setattr(names, "_rows", looked_up)
    understand("a.jpg", lines)
    assert 0 < looked_up.call_count < 100 * len(words)
