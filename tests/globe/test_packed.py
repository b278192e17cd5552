"""Data files give back what was put in, and damage gets one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.globe.gazetteer import DataFile, load_data_file, pack


@given(st.lists(st.integers(-(2**15), 2**15 - 1)), st.text())
def test_what_is_packed_comes_back(numbers: list[int], text: str) -> None:
    data = DataFile(pack({"n": np.array(numbers, dtype=np.int16), "t": text}), "it")
    assert data.numbers("n").tolist() == numbers
    assert data.raw("t").decode() == text


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.lists(st.integers(0, 255)))
def test_all_kinds_of_numbers_come_back(wide: list[int], small: list[int]) -> None:
    told: dict[str, str | NDArray[np.integer]] = {
        "w": np.array(wide, dtype=np.int32),
        "s": np.array(small, dtype=np.uint8),
    }
    data = DataFile(pack(told), "it")
    assert data.numbers("w").tolist() == wide
    assert data.numbers("s").tolist() == small


def test_damage_is_said() -> None:
    raw = pack({"t": "hello " * 100, "n": np.arange(999, dtype=np.int16)})
    nothing = (b"", b"PK\x03\x04", raw[:30], b"elsewhere data 1\n[]\n", raw[1:])
    for bad in nothing:
        with pytest.raises(FileError, match="the data file x is damaged: install elsewhere again"):
            DataFile(bad, "the data file x").raw("t")
    for bad in (raw[:-5], raw.replace(b"<i2", b"<x2"), raw.replace(b"<i2", b"<i7")):
        with pytest.raises(FileError, match="is damaged"):
            DataFile(bad, "the data file x").numbers("n")
    with pytest.raises(FileError, match="is damaged"):
        DataFile(raw, "the data file x").raw("not there")


def test_a_missing_file_is_said() -> None:
    with pytest.raises(FileError, match=r"none\.bin is missing"):
        load_data_file("none.bin")
