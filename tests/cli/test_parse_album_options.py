from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.errors import InputError
from elsewhere.service import protect_album
from elsewhere.values.wishes import Wishes


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Wishes(margin="brave"), "none, careful, paranoid"),
        (Wishes(hide_level="town"), "not by 'town'"),
        (Wishes(radius_km=-3), "1 km or more"),
        (Wishes(prior="Xyzzyx"), "no place is called 'Xyzzyx'"),
        (Wishes(hide=("home", "Xyzzyx")), "no place is called 'Xyzzyx'"),
        (Wishes(top=None, budget="-1"), "a number of photos or a share such as 10%"),
        (Wishes(top=0), "from 1 on, not 0"),
        (Wishes(time_limit=-1.0), "a number of seconds, not -1"),
    ],
)
def test_a_slip_is_told_before_any_photo_is_read(wishes: Wishes, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        protect_album([tmp_path / "not there at all"], None, wishes)
