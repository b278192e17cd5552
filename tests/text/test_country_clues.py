"""What a text tells of a country."""

from __future__ import annotations

import pytest

from elsewhere.text.country_clues import find_country_clues, find_languages


def found(text: str) -> list[tuple[str, str]]:
    return [(clue.kind, clue.label) for clue in find_country_clues(text, 1.0)]


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("Tel. +351 21 345 6789", "phone", "Lisbon, Portugal"),
        ("+49 (0)89 123456", "phone", "Munich, Germany"),
        ("0033 1 42 86 82 00", "phone", "Paris, France"),
        ("+1 416 555 0123", "phone", "Toronto, Canada"),
        ("+354 555 1234", "phone", "Iceland"),
        ("www.swedbank.se", "domain", "Sweden"),
        ("southwark.gov.uk", "domain", "United Kingdom"),
        ("London SW1A 1AA", "postcode", "United Kingdom"),
        ("1100-148 Lisboa", "postcode", "Portugal"),
        ("Portland, OR 97201", "postcode", "United States"),
        ("AB-123-CD", "plate", "France"),
        ("Menu 12,50 zł", "currency", "Poland"),
        ("ラーメン", "script", "Japan"),
        ("Έξοδος", "script", "Greece, Cyprus"),
    ],
)
def test_certain_forms_tell_the_country(text: str, kind: str, label: str) -> None:
    assert (kind, label) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        *("facebook.com", "call 555 0123", "+999 123 456 789", "twitch.tv", "v1.2", "12345", "Ft"),
        *("AB 12", "3.14", "", "a.b", "10 krona", "€", "http://[::1]/<script>"),
    ],
)
def test_other_forms_tell_nothing(text: str) -> None:
    assert found(text) == []


def test_a_language_takes_three_of_its_words() -> None:
    german = "Hunde sind an der Leine zu führen und nicht auf die Wiese zu lassen"
    assert [clue.excerpt for clue in find_languages([german])] == ["German"]
    assert find_languages(["nicht"]) == find_languages([]) == []


def test_words_of_one_language_take_nothing_from_another() -> None:
    german, french = "und nicht für das Tier", "interdit dans les jardins pour une nuit"
    both = {clue.excerpt for clue in find_languages([german, french])}
    assert both == {"German", "French"}
