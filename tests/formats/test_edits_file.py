"""Edits that a user drew, read from a file, or refused with what is wrong and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elsewhere.errors import InputError
from elsewhere.formats.edits_file import read_edits
from elsewhere.values.versions import Edit, Rectangle


def test_edits_are_read_by_name() -> None:
    edits = read_edits(
        json.dumps(
            {
                "beach.jpg": {"crop": [0, 120, 1000, 1000], "covers": [[400, 300, 550, 380]]},
                "street*.jpg": [[0, 0, 1000, 90], [0, 0, 1000, 90]],
                "c.jpg": {"crop": [0, 0, 500, 500]},
                "d.jpg": {"crop": None, "covers": [[0, 0, 1, 1]]},
            }
        )
    )
    assert edits == {
        "beach.jpg": Edit(Rectangle(0, 120, 1000, 1000), (Rectangle(400, 300, 550, 380),)),
        "street*.jpg": Edit(covers=(Rectangle(0, 0, 1000, 90),)),
        "c.jpg": Edit(Rectangle(0, 0, 500, 500)),
        "d.jpg": Edit(covers=(Rectangle(0, 0, 1, 1),)),
    }


@pytest.mark.parametrize(
    "value",
    [
        None, 5, [], {}, "x",
        {"a.jpg": []}, {"a.jpg": {}}, {"a.jpg": 5}, {"a.jpg": None}, {"a.jpg": "0 0 1 1"},
        {"a.jpg": {"crop": [0, 0, 1000, 1000]}}, {"a.jpg": {"cover": [[0, 0, 9, 9]]}},
        {"a.jpg": {"covers": {}}}, {"a.jpg": {"crop": [0, 0, 9]}}, {"a.jpg": [[0, 0, 9, 9.5]]},
        {"a.jpg": [[0, 0, 9, "9"]]}, {"a.jpg": [[9, 0, 0, 9]]}, {"a.jpg": [[0, 0, 9, 1001]]},
        {"a.jpg": [[0, n, 9, n + 1] for n in range(65)]},
    ],
)  # fmt: skip
def test_what_is_no_edit_is_refused_in_one_sentence(value: Any) -> None:
    with pytest.raises(InputError) as problem:
        read_edits(json.dumps(value))
    assert "\n" not in str(problem.value)
    if isinstance(value, dict) and value:
        assert "a.jpg" in str(problem.value)


@pytest.mark.parametrize("text", ["", "{", b"\xff", '{"a": [[0,0,1,1]], "a": [[0,0,1,1]]}'])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(InputError):
        read_edits(text)
