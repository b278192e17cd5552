from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st

from elsewhere.messages.key_numbers import believed
from elsewhere.messages.phrases import NO_BREAK, chance, signed
from elsewhere.values.outcome import PlaceNumbers


@given(st.floats(0, 1))
def test_a_chance_is_told_to_half_a_unit_and_never_as_certain(probability: float) -> None:
    told = chance(probability).replace("\u00a0", " ")
    assert told.endswith(" %")
    number = told.removesuffix(" %")
    if number.startswith("<"):
        assert probability < 0.001
    elif number.startswith(">"):
        assert probability > 0.999
    else:
        assert abs(float(number) - 100 * probability) <= (0.05001 if "." in number else 0.50001)
        assert 0 < float(number) < 100


@given(st.floats(-1e6, 1e6))
def test_a_share_keeps_its_sign(value: float) -> None:
    told = signed(value)
    number = float(told.replace("−", "-"))
    assert abs(number - value) <= 0.0501 + 1e-9 * abs(value)
    assert told[0] in "+−" or number == 0


def test_a_chance_that_stays_is_not_said_twice() -> None:
    place = PlaceNumbers("Lisbon, Portugal", "the built-in model", 25.0, 0.0112, 0.0109, 2, 12)
    said = believed(place).replace(NO_BREAK, " ")
    assert said.endswith(
        "and as much from what is shared by the plan: other places come first then."
    )
    fell = believed(replace(place, probability_after=0.004)).replace(NO_BREAK, " ")
    assert fell.endswith(
        "1.1 % with everything shared (its 2nd guess), and 0.4 % from what is shared by the plan."
    )
