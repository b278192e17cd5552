"""One argument at a time: what is read, and the property that nothing else ever escapes."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.errors import InputError
from elsewhere.solver.requests import (
    is_collection,
    per_attacker,
    read_integer,
    read_nats,
    read_photos,
    read_request,
    read_value,
)
from elsewhere.values.scores import Scores
from tests.solver.examples import examples

NAMED = Scores(np.arange(12.0).reshape(3, 4), ["a", "b", "c"])

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, np.int8(2), np.float32(0.5), np.True_])
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=2)
    | st.complex_numbers()
    | st.fractions()
    | st.decimals(places=2)
    | st.sampled_from([np.array(1), np.zeros((2, 2)), np.array(["a"]), object(), range(3), NAMED])
    | st.dates(min_value=datetime.date(2020, 1, 1)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2) | st.integers(0, 3), inner, max_size=2)
    ),
    max_leaves=6,
)
WISHES = [
    *("top", "budget", "keep", "drop", "margin", "lead", "prior", "values", "groups", "rivals"),
    *("sees", "each_photo", "strict"),
]


@pytest.mark.parametrize("scores", [NAMED, [NAMED, NAMED]], ids=["one", "several"])
@examples(200)
@given(wish=st.sampled_from(WISHES), given=anything)
def test_a_wish_is_read_or_refused_in_one_sentence(scores: Any, wish: str, given: Any) -> None:
    wishes: dict[str, Any] = {wish: given}
    if wish not in ("top", "budget"):
        wishes["top"] = 1
    try:
        read_request(scores, 1, **wishes)
    except InputError as refused:
        assert str(refused)
        assert "\n" not in str(refused)
        assert len(str(refused)) < 200


@examples(200)
@given(anything, anything)
def test_so_are_scores_and_truth(scores: Any, truth: Any) -> None:
    for call in ((scores, 1), (NAMED, truth), ([NAMED, NAMED], truth), (scores, truth)):
        try:
            read_request(*call, top=1)
        except InputError as refused:
            assert str(refused)


@given(st.integers())
def test_whole_numbers(number: int) -> None:
    assert read_integer(number, "top") == number
    with pytest.raises(InputError, match="top must be a whole number"):
        read_integer(float(number % 100), "top")


@given(st.floats(min_value=0, allow_infinity=False))
def test_amounts(number: float) -> None:
    assert read_nats(number, "lead") == read_nats(np.float64(number), "lead") == number


@given(st.decimals(min_value=0, max_value=10**9, places=3))
def test_a_value_is_the_decimal_it_is_written_as(value: Decimal) -> None:
    assert (
        read_value(value)
        == read_value(str(value))
        == read_value(float(value))
        == Fraction(str(value))
    )


def test_a_sentence_repeats_what_was_given_but_not_at_length() -> None:
    for long in (10**5000, 10**400, "x" * 500, np.zeros((50, 50))):
        with pytest.raises(InputError) as caught:
            read_request(NAMED, 1, top=long)
        assert len(str(caught.value)) < 150
        assert "\n" not in str(caught.value)


def test_one_name_is_one_photo_and_not_its_letters() -> None:
    assert read_photos("b", NAMED, "keep") == read_photos(1, NAMED, "keep") == (1,)
    assert read_photos(["c", 0, np.int64(2)], NAMED, "keep") == (0, 2)
    assert read_photos(None, NAMED, "keep") == ()
    assert not is_collection("abc")
    assert not is_collection(np.array(3))
    assert is_collection(np.array([3]))
    assert is_collection({3})


def test_one_for_all_or_one_each() -> None:
    assert per_attacker(5, 2, True, "top") == [5, 5]
    assert per_attacker([5, 6], 2, True, "top") == [5, 6]
    assert per_attacker([5, 6], 1, False, "top") == [[5, 6]]  # the wish itself
    assert per_attacker([1, 2], 2, True, "rivals", collections=True) == [[1, 2], [1, 2]]
    assert per_attacker([[1], None], 2, True, "rivals", collections=True) == [[1], None]
    with pytest.raises(InputError, match="rivals: 2 attackers need one or 2, not 3"):
        per_attacker([[1], None, [2]], 2, True, "rivals", collections=True)
