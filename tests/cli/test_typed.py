from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.cli.running import run
from elsewhere.cli.typed import refuse, refuse_wishes
from elsewhere.errors import InputError
from elsewhere.job.planning.wishes import Wishes


@pytest.mark.parametrize("budget", ["ten", "200%", "-1", "3.5", ""])
def test_a_budget_that_is_none_is_refused_before_any_photo_is_read(budget: str) -> None:
    with pytest.raises(InputError, match="a number of photos or a share such as 10%"):
        refuse(Path("copy"), dry_run=False, top=None, budget=budget, sides=(None, False))


@pytest.mark.parametrize("budget", ["0", "4", "10%", "2.5 %", None])
def test_a_budget_is_a_number_or_a_share(budget: str | None) -> None:
    refuse(Path("copy"), dry_run=False, top=None, budget=budget, sides=(None, False))


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Wishes(margin="brave"), "none, careful, paranoid"),
        (Wishes(hide_level="town"), "not by 'town'"),
        (Wishes(radius_km=-3), "0 km or more"),
        (Wishes(prior="Xyzzyx"), "no place is called 'Xyzzyx'"),
    ],
)
def test_a_slip_is_told_before_any_photo_is_read(wishes: Wishes, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        refuse_wishes(wishes)
    with pytest.raises(InputError, match=said):
        run([tmp_path / "not there at all"], None, wishes)
