from __future__ import annotations

import hashlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from elsewhere.errors import InputError
from elsewhere.values.scores import Scores


@given(hnp.arrays(np.float32, (2, 3), elements=st.floats(-100, 100, width=32)))
def test_values_and_their_type_are_kept(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> None:
    scores = Scores(values)
    assert scores.values.dtype == np.float32
    assert scores.values.tobytes() == values.tobytes()
    assert scores.digest == Scores(values.astype(np.float64)).digest


def test_a_copy_is_taken_and_closed() -> None:
    values = np.zeros((2, 2))
    scores = Scores(values)
    values[0, 0] = 5.0
    assert scores.values[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 1.0


def test_names() -> None:
    scores = Scores([[0, 1], [1, 0]], ids=["a", "b"])
    assert scores.index("a") == 0
    with pytest.raises(InputError, match=r"no photo is called 'c'"):
        scores.index("c")
    assert Scores([[0, 1], [1, 0]]).ids == ("0", "1")


def test_equality_is_of_all_that_is_kept() -> None:
    one = Scores([[0.0, 1.0]], ["a"], scorer="s", grid="g")
    assert one == Scores([[-0.0, 1.0]], ["a"], scorer="s", grid="g")
    assert hash(one) == hash(Scores([[0.0, 1.0]], ["a"], scorer="s", grid="g"))
    for other in (
        Scores([[0.0, 2.0]], ["a"], scorer="s", grid="g"),
        Scores([[0.0, 1.0]], ["b"], scorer="s", grid="g"),
        Scores([[0.0, 1.0]], ["a"], scorer="t", grid="g"),
        Scores([[0.0, 1.0]], ["a"], scorer="s", grid="h"),
        "scores",
    ):
        assert one != other


def test_the_digest_knows_the_shape() -> None:
    digests = {Scores(np.zeros(shape)).digest for shape in [(2, 6), (6, 2), (3, 4), (4, 3)]}
    assert len(digests) == 4


BAD: list[tuple[object, str]] = [
    ([[0.0, float("nan")]], "photo 0, cell 1 is NaN"),
    ([[0.0, 1.0], [float("inf"), 0.0]], "photo 1, cell 0 is \\+inf"),
    ([0.0, 1.0], "two dimensions .* not 1"),
    (np.zeros((2, 2, 2)), "two dimensions .* not 3"),
    (np.zeros((0, 5)), "no photo"),
    (np.zeros((5, 1)), "two cells"),
    ([[0.0, 1.0], [0.0]], "rectangular"),
    ([["a", "b"]], "numbers"),
    ([[0.0, None]], "NaN|rectangular"),
    ([[0j, 1j]], "numbers, not complex"),
    ([[2**53 + 1, 0]], "kept exactly"),
]


@pytest.mark.parametrize(("values", "sentence"), BAD, ids=[sentence for _, sentence in BAD])
def test_bad_scores(values: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Scores(values)  # type: ignore[arg-type]


def test_odd_but_legal() -> None:
    assert Scores([[0.0, -np.inf]]).values[0, 1] == -np.inf
    assert Scores([[True, False]]).values.tolist() == [[1.0, 0.0]]
    halves = np.array([[Fraction(1, 2), 0]], dtype=object)
    assert Scores(halves).values.tolist() == [[0.5, 0.0]]
    assert Scores([[2**53, 0]]).values[0, 0] == 2.0**53


def test_ids_must_fit() -> None:
    with pytest.raises(InputError, match="2 photos need 2 ids, not 1"):
        Scores([[0, 1], [1, 0]], ids=["a"])
    with pytest.raises(InputError, match="'a' comes twice"):
        Scores([[0, 1], [1, 0]], ids=["a", "a"])


def test_a_table_that_nobody_can_change_is_not_copied() -> None:
    table = np.log(np.full((3, 4), 0.25, dtype=np.float32))
    assert Scores(table).values is not table
    table.flags.writeable = False
    assert Scores(table).values is table
    part = table[1:]  # what is behind it may change
    assert not np.shares_memory(Scores(part).values, table)


def test_the_digest_is_of_the_widened_values_row_by_row() -> None:
    values = np.array([[0.0, -1.5, -np.inf], [-0.0, 3.25, 1e-3]], dtype=np.float32)
    wide = np.where(values == 0, 0.0, values.astype("<f8"))
    expected = hashlib.sha256(b"scores 2 3\n" + wide.tobytes()).hexdigest()
    assert Scores(values).digest == Scores(values.astype(np.float64)).digest == expected
