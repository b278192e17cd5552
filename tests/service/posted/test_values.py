"""What is public already, as a value."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.album import Metadata
from elsewhere.errors import InputError
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.values.scores import Scores

ALBUM = Scores(
    np.array([[-1, -2, -3], [-2, -1, -3]], dtype=np.float32), ids=["a.jpg", "b.jpg"], scorer="s"
)
OUT = Scores(np.array([[-3, -2, -1]], dtype=np.float32), ids=["posted/c.jpg"], scorer="s")


def test_rows_stand_behind_the_albums_and_are_pinned() -> None:
    posted = Posted(OUT.ids, (OUT,), (Metadata(),), already=(1,))
    joint = posted.append_to(ALBUM, 0)
    assert joint.ids == ("a.jpg", "b.jpg", "posted/c.jpg")
    assert joint.values.dtype == np.float32
    assert joint.values.tolist() == [*ALBUM.values.tolist(), *OUT.values.tolist()]
    assert posted.pinned(2) == (1, 2)
    assert posted


def test_nothing_posted_changes_nothing() -> None:
    assert not NOTHING_POSTED
    assert NOTHING_POSTED.append_to(ALBUM, 0) is ALBUM
    assert NOTHING_POSTED.pinned(2) == ()


def test_rows_of_another_model_are_refused() -> None:
    other = Scores(OUT.values, ids=OUT.ids, scorer="t")
    with pytest.raises(InputError, match="another model"):
        Posted(OUT.ids, (other,), (Metadata(),)).append_to(ALBUM, 0)
