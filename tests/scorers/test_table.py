"""Scores computed elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.formats.score_files import write_scores
from elsewhere.globe import Cells
from elsewhere.scorers import protocol
from elsewhere.scorers.protocol import Photo, normalise_row
from elsewhere.values.scores import Scores


def table(
    tmp_path: Path, values: object, ids: list[str], *, scorer: str = "", grid: str = ""
) -> str:
    path = tmp_path / "given.npz"
    write_scores(path, Scores(np.asarray(values), ids, scorer=scorer, grid=grid))
    return f"table:{path}"


def test_normalised_rows_are_handed_on_bit_for_bit(tmp_path: Path) -> None:
    rows = np.stack([normalise_row(np.arange(512) / n) for n in (3, 7)])
    grid = Cells.paper().fingerprint
    scorer = protocol.find(table(tmp_path, rows, ["x/a.jpg", "b.jpg"], scorer="s", grid=grid))
    about = scorer.load()
    assert (about.fingerprint, about.grid, about.globe) == ("s", grid, Cells.paper())
    assert scorer.score(Photo("x/a.jpg", Path("nowhere"))).tobytes() == rows[0].tobytes()
    assert scorer.score(Photo("trip/b.jpg", Path("nowhere"))).tobytes() == rows[1].tobytes()


def test_other_rows_are_normalised(tmp_path: Path) -> None:
    scorer = protocol.find(table(tmp_path, [[1.0, 2.0, 3.0]], ["a"]))
    about = scorer.load()
    assert about.globe is None and about.grid == "" and about.fingerprint
    assert np.exp(scorer.score(Photo("a", Path("a"))).astype(float)).sum() == pytest.approx(1)


def test_bad_tables_and_missing_photos_are_one_sentence(tmp_path: Path) -> None:
    scorer = protocol.find(table(tmp_path, [[0.0, -np.inf]], ["a"]))
    scorer.load()
    with pytest.raises(ScorerError, match=r"given\.npz gives a probability zero"):
        scorer.score(Photo("a", Path("a")))
    with pytest.raises(ScorerError, match=r"given\.npz has no row for b"):
        scorer.score(Photo("b", Path("b")))
    with pytest.raises(FileError, match="does not exist"):
        protocol.find(f"table:{tmp_path / 'none.npz'}").load()
    with pytest.raises(InputError, match=r"write table:SCORES\.npz"):
        protocol.find("table")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("photo,0,1\na,nan,-1\n", "'nan' for the photo 'a'"),
        ("photo,0,1\na,-1,-1\nb,-1\n", "1 number for the photo 'b'"),
        ("photo,0,1\na,-1,-1\na,-1,-1\n", "twice"),
    ],
)
def test_nan_wrong_width_and_duplicate_ids_are_refused(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(FileError, match=sentence):
        protocol.find(f"table:{tmp_path / 't.csv'}").load()
