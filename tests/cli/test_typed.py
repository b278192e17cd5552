from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.cli.typed import refuse
from elsewhere.errors import InputError


@pytest.mark.parametrize("budget", ["ten", "200%", "-1", "3.5", ""])
def test_a_budget_that_is_none_is_refused_before_any_photo_is_read(budget: str) -> None:
    with pytest.raises(InputError, match="a number of photos or a share such as 10%"):
        refuse(Path("copy"), dry_run=False, top=None, budget=budget, sides=(None, False))


@pytest.mark.parametrize("budget", ["0", "4", "10%", "2.5 %", None])
def test_a_budget_is_a_number_or_a_share(budget: str | None) -> None:
    refuse(Path("copy"), dry_run=False, top=None, budget=budget, sides=(None, False))
