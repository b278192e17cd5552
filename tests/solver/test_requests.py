"""Every argument that cannot be understood gets its own sentence; odd but legal ones are read."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere.solver.requests import read_request
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores

TABLE = np.arange(12.0).reshape(3, 4)
NAMED = Scores(TABLE, ["a", "b", "c"])
NAN, INF = float("nan"), float("inf")


def read(scores: Any = NAMED, truth: Any = 1, **wishes: Any) -> Promise:
    if "top" not in wishes and "budget" not in wishes:
        wishes["top"] = 1
    return read_request(scores, truth, **wishes).promise


def against(**wishes: Any) -> Against:
    return read(**wishes).against[0]


BAD: list[tuple[dict[str, Any], str]] = [
    # scores
    ({"scores": np.array([[0.0, NAN]])}, "photo 0, cell 1 is NaN"),
    ({"scores": np.array([[0.0, INF]])}, r"photo 0, cell 1 is \+inf"),
    ({"scores": np.zeros(4)}, "two dimensions"),
    ({"scores": np.zeros((2, 2, 2))}, "two dimensions"),
    ({"scores": []}, "no photo"),
    ({"scores": np.zeros((0, 4))}, "no photo"),
    ({"scores": np.zeros((3, 1)), "truth": 0}, "at least two cells"),
    ({"scores": [[0.0, 1.0], [2.0]]}, "rectangular"),
    ({"scores": "album"}, "scores must be"),
    ({"scores": None}, "scores must"),
    ({"scores": [[[0.0, 1.0], [2.0]], NAMED], "truth": 0}, "rectangular"),
    ({"scores": [NAMED, None]}, "two dimensions"),
    ({"scores": np.zeros((2, 3), complex)}, "scores must be numbers, not complex128"),
    ({"scores": [["a", "b"]]}, "scores must be numbers"),
    ({"scores": [NAMED, np.zeros((2, 4))]}, "the same photos, but one has 3 and another 2"),
    # truth
    ({"truth": 4}, "truth 4 is not a cell: there are 4, numbered from 0"),
    ({"truth": -1}, "truth -1 is not a cell"),
    ({"truth": {1, 9}}, "truth 9 is not a cell"),
    ({"truth": set()}, "truth is empty"),
    ({"truth": {0, 1, 2, 3}}, "covers every cell"),
    ({"truth": 1.0}, "truth must be a whole number, not 1.0"),
    ({"truth": True}, "truth must be a whole number, not True"),
    ({"truth": "Rome"}, "truth must be a whole number, not 'Rome'"),
    ({"truth": None}, "truth must be a whole number"),
    ({"truth": np.array(1)}, r"truth must be a whole number, not array\(1\)"),
    ({"truth": [[1, 2]]}, r"truth must be a whole number, not \[1, 2\]"),
    ({"truth": NAN}, "truth must be a whole number, not nan"),
    ({"scores": [NAMED, np.zeros((3, 5))]}, "4 and 5 cells: one truth cannot mean the same"),
    ({"scores": [NAMED, NAMED], "truth": [1]}, "2 attackers need one truth for all"),
    # top and budget
    ({"top": None, "budget": None}, "either top=k"),
    ({"top": 1, "budget": 1}, "either top=k"),
    ({"top": 0}, "top must be 1 or more, not 0"),
    ({"top": -3}, "top must be 1 or more"),
    ({"top": 4}, "top 4 is out of reach: there are only 3 rivals"),
    ({"top": 1.5}, "top must be a whole number"),
    ({"top": True}, "top must be a whole number"),
    ({"top": 2, "rivals": [0]}, "only 1 rival"),
    ({"top": 3, "truth": {1, 2}}, "only 2 rivals"),
    ({"scores": [NAMED, NAMED], "top": [1, 1, 1]}, "top: 2 attackers need one or 2, not 3"),
    ({"scores": [NAMED, NAMED], "top": [[1], [1, 2]]}, "top must be a whole number"),
    ({"top": [1]}, r"top must be a whole number, not \[1\]"),  # a list, but one attacker
    ({"top": "5"}, "top must be a whole number, not '5'"),
    ({"budget": True}, "budget must be a whole number, not True"),
    ({"budget": -1}, "budget must be 0 or more, not -1"),
    ({"budget": 2.0}, "budget must be a whole number"),
    # pins
    ({"keep": ["d"]}, "no photo is called 'd'"),
    ({"drop": [3]}, "drop: there is no photo 3; the 3 photos are numbered from 0"),
    ({"keep": [-1]}, "keep: there is no photo -1"),
    ({"keep": [0], "drop": ["a"]}, "photo a cannot be both kept and dropped"),
    ({"keep": [True]}, "keep must be a whole number, not True"),
    ({"keep": [0.0]}, "keep must be a whole number, not 0.0"),
    ({"keep": np.array([True, False, False])}, "keep must be a whole number"),  # not a mask
    # strict
    ({"strict": "no"}, "strict must be True or False, not 'no'"),
    ({"strict": None}, "strict must be True or False, not None"),
    # amounts
    ({"margin": True}, "margin must be a number, not True"),
    ({"margin": [0.5]}, "margin must be a number"),
    ({"margin": 10**400}, "margin must be finite and not negative"),
    ({"lead": None}, "lead must be a number, not None"),
    ({"margin": NAN}, "margin must be finite"),
    ({"margin": -0.1}, "margin must be finite and not negative"),
    ({"margin": "much"}, "margin must be a number"),
    ({"lead": INF}, "lead must be finite"),
    ({"scores": [NAMED, NAMED], "lead": [0.0, 1.0, 2.0]}, "lead: 2 attackers need one or 2"),
    # prior
    ({"prior": [0.0, 1.0]}, "one number for each of the 4 cells"),
    ({"prior": [0.0, NAN, 0.0, 0.0]}, "prior must be finite or −inf"),
    ({"prior": [0.0, INF, 0.0, 0.0]}, "prior must be finite or −inf"),
    ({"prior": ["a"] * 4}, "prior must be one number for each cell"),
    ({"prior": [10**400, 0, 0, 0]}, "prior must be one number for each cell"),
    ({"prior": np.zeros((2, 4))}, "one number for each of the 4 cells"),
    # values
    ({"values": 5}, "values must be one number for each photo, or a mapping, not 5"),
    ({"values": "123"}, "values must be one number for each photo, or a mapping, not '123'"),
    ({"values": [True, 1, 2]}, "a photo's value must be a positive number, not True"),
    ({"values": [None, 1, 2]}, "a photo's value must be a positive number, not None"),
    ({"values": ["1/0", 1, 2]}, "a photo's value must be a positive number, not '1/0'"),
    ({"values": ["1e999999999", 1, 2]}, "a photo's value must be a positive number"),
    ({"values": [Decimal("1e-999999999"), 1, 2]}, "a photo's value must be a positive number"),
    ({"values": [Decimal("nan"), 1, 2]}, "a photo's value must be a positive number"),
    ({"values": np.ones((3, 2))}, "a photo's value must be a positive number"),
    ({"values": [1, 2]}, "3 photos need 3 values, not 2"),
    ({"values": [1, 0, 1]}, "the value of photo b must be above zero"),
    ({"values": [1, 1, -2.5]}, "the value of photo c must be above zero"),
    ({"values": [1, NAN, 1]}, "a photo's value must be a positive number"),
    ({"values": [1, INF, 1]}, "a photo's value must be a positive number"),
    ({"values": {"z": 2}}, "no photo is called 'z'"),
    # groups, rivals, sees
    ({"groups": [[0, 1], [1, 2]]}, "photo b is in two groups"),
    ({"groups": 5}, "groups must be a list of lists of photos, but one is 5"),
    ({"groups": [0, 1]}, "groups must be a list of lists of photos, but one is 0"),
    ({"groups": "ab"}, "groups must be a list of lists of photos, but one is 'ab'"),
    ({"groups": ["ab"]}, "groups must be a list of lists of photos, but one is 'ab'"),
    ({"groups": [[0, 7]]}, "groups: there is no photo 7"),
    ({"rivals": []}, "rivals is empty"),
    ({"rivals": [1, 2]}, "rival 1 belongs to the truth"),
    ({"rivals": [4]}, "rival 4 is not a cell"),
    ({"rivals": 2}, "rivals must be a collection of cells"),
    ({"sees": [5]}, "sees: there is no photo 5"),
    # each photo
    ({"each_photo": 4}, "each_photo 4 is out of reach"),
    ({"each_photo": 0}, "each_photo must be 1 or more, not 0"),
    ({"each_photo": "yes"}, "each_photo must be a whole number, not 'yes'"),
    ({"each_photo": 0.5}, "each_photo must be a whole number"),
    ({"budget": 1, "each_photo": True}, "say which top each photo must avoid"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD, ids=[f"{c} {s}"[:70] for c, s in BAD])
def test_one_clear_sentence(call: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        read(**call)
    assert "\n" not in str(caught.value)


def test_a_promise_says_all_that_was_asked() -> None:
    promise = read(
        truth={2, 1},
        top=1,
        keep=["c"],
        drop=0,
        margin=0.5,
        lead=2,
        prior=[0, -1, -INF, 0.5],
        values={"a": 2, 1: "0.1"},
        groups=[["c", "b"], [0]],
        rivals={3, 0},
        sees=[2, 0],
        each_photo=True,
        strict=True,
    )
    assert promise == Promise(
        photos=3,
        against=(
            Against(
                scores=NAMED.digest,
                scorer="",
                cells=4,
                truth=(1, 2),
                top=1,
                margin=0.5,
                lead=2.0,
                prior=(0.0, -1.0, -INF, 0.5),
                rivals=(0, 3),
                sees=(0, 2),
                each_photo=1,
            ),
        ),
        keep=(2,),
        drop=(0,),
        values=(Fraction(2), Fraction(1, 10), Fraction(1)),
        groups=((1, 2),),
        strict=True,
    )


def test_nothing_asked_is_nothing_promised() -> None:
    promise = read(top=2)
    assert promise == Promise(3, (Against(NAMED.digest, "", 4, (1,), 2),))


def test_one_for_all_or_one_each() -> None:
    wide = Scores(np.zeros((3, 6)), ["a", "b", "c"])
    promise = read(
        [NAMED, wide],
        [1, {0, 5}],
        top=(2, 3),
        margin=0.5,
        lead=[0, 1],
        prior=[None, np.zeros(6)],
        rivals=[None, [1, 2, 3]],
        sees=[None, ["a"]],
    )
    first, second = promise.against
    assert (first.truth, second.truth) == ((1,), (0, 5))
    assert (first.top, second.top) == (2, 3)
    assert (first.margin, second.margin) == (0.5, 0.5)
    assert (first.lead, second.lead) == (0.0, 1.0)
    assert (first.prior, second.prior) == (None, (0.0,) * 6)
    assert (first.rivals, second.rivals) == (None, (1, 2, 3))
    assert (first.sees, second.sees) == (None, (0,))


def test_numpy_numbers_are_numbers() -> None:
    assert read(truth=np.int64(1), top=np.int32(2), keep=np.array([0, 2])).keep == (0, 2)
    assert against(truth=np.array([1, 3])).truth == (1, 3)
    assert read(values=np.array([0.1, 0.2, 0.3])).values == (
        Fraction(1, 10),
        Fraction(1, 5),
        Fraction(3, 10),
    )


@pytest.mark.parametrize("tenth", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), "1/10"])
def test_a_tenth_is_a_tenth(tenth: Any) -> None:
    assert read(values=[tenth, 1, 2]).values == (Fraction(1, 10), Fraction(1), Fraction(2))


def test_values_of_one_are_no_wish() -> None:
    assert read(values=[1, 1.0, "1"]).values is None
    assert read(values=[2, 2, 2]).values == (Fraction(2),) * 3


def test_odd_but_legal() -> None:
    assert read(np.array([[0.0, -INF]]), 0).photos == 1
    assert read(keep=[0, 1, 2]).keep == (0, 1, 2)
    assert read(drop=[0, 0, "a"]).drop == (0,)
    assert read(keep=None, drop=None, groups=None).keep == ()
    assert read(strict=np.True_).strict
    assert read(budget=99).budget == 99
    assert read(budget=0).budget == 0
    assert against(truth=[1]).truth == (1,)
    assert against(truth=frozenset({3})).truth == (3,)
    assert against(prior=np.full(4, -INF)).prior == (-INF,) * 4
    assert read([NAMED], 1).against == read(NAMED, 1).against
    assert math.isclose(against(margin=np.float32(0.5)).margin, 0.5)
