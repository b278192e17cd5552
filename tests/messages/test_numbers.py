from __future__ import annotations

from hypothesis import given, strategies as st

from elsewhere.messages.phrases import chance, signed


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
