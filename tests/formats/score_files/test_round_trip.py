"""What is written reads back bit for bit, in every format, whatever the names and numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.formats.score_files import read_scores, write_scores
from elsewhere.values.scores import Scores

FORMATS = [".npz", ".csv", ".parquet"]
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LINES = st.from_regex(r"[a-z0-9:/,\"# é−]{0,20}", fullmatch=True).map(str.strip)


@st.composite
def any_scores(draw: st.DrawFn) -> Scores:
    bits = draw(st.sampled_from([32, 64]))
    number = st.floats(width=32 if bits == 32 else 64, allow_nan=False).filter(lambda x: x < np.inf)
    cells = draw(st.integers(2, 5))
    rows = draw(st.lists(st.lists(number, min_size=cells, max_size=cells), min_size=1, max_size=5))
    names = draw(st.lists(NAMES, min_size=len(rows), max_size=len(rows), unique=True))
    names = [name.rstrip("\0") + ("x" if name.endswith("\0") else "") for name in names]
    if len(set(names)) < len(names):
        names = [f"{i}{name}" for i, name in enumerate(names)]
    matrix = np.array(rows, dtype=np.float32 if bits == 32 else np.float64)
    return Scores(matrix, names, scorer=draw(LINES), grid=draw(LINES))


def assert_same(one: Scores, other: Scores) -> None:
    assert one.ids == other.ids
    assert (one.scorer, one.grid) == (other.scorer, other.grid)
    assert one.values.dtype == other.values.dtype
    assert one.values.tobytes() == other.values.tobytes()  # −0.0 and 0.0 differ here


@pytest.mark.parametrize("suffix", FORMATS)
@given(scores=any_scores())
def test_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, suffix: str, scores: Scores) -> None:
    file = tmp_path_factory.mktemp("scores") / f"album{suffix}"
    write_scores(file, scores)
    assert_same(read_scores(file), scores)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_scores_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    scores = Scores(np.arange(12.0).reshape(3, 4), scorer="a", grid="b")
    for name in ("one", "two"):
        write_scores(tmp_path / (name + suffix), scores)
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_paper_sized_album(tmp_path: Path, suffix: str) -> None:
    values = np.random.default_rng(3).normal(size=(128, 512)).astype(np.float32)
    values[5, 7] = -np.inf
    scores = Scores(values, [f"photo {i}.jpg" for i in range(128)])
    write_scores(tmp_path / f"album{suffix}", scores)
    assert_same(read_scores(tmp_path / f"album{suffix}"), scores)


def test_what_numpy_saves_is_a_score_file(tmp_path: Path) -> None:
    values = np.asfortranarray(np.arange(6.0, dtype=">f8").reshape(2, 3))
    np.savez_compressed(tmp_path / "a.npz", scores=values, ids=np.array(["x", "y"]), grid="g")
    scores = read_scores(tmp_path / "a.npz")
    assert (scores.values == values).all()
    assert (scores.ids, scores.scorer, scores.grid) == (("x", "y"), "", "g")


def test_integers_are_numbers_too(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", scores=np.array([[1, -2], [3, 4]], dtype=np.int16))
    assert read_scores(tmp_path / "a.npz").values.tolist() == [[1.0, -2.0], [3.0, 4.0]]


def test_a_spreadsheet_export_is_read(tmp_path: Path) -> None:
    text = '\ufeffphoto,0,1\r\n"a, b.jpg", -1e-3,-inf\r\nc.jpg,+2,.5\r\n\r\n'
    (tmp_path / "a.csv").write_bytes(text.encode())
    scores = read_scores(tmp_path / "a.csv")
    assert scores.ids == ("a, b.jpg", "c.jpg")
    assert scores.values.tolist() == [[-0.001, -np.inf], [2.0, 0.5]]


def test_lists_of_any_kind_are_read_from_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for kind in (pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 2)):
        table = pa.table(
            {"scores": pa.array([[-1.0, -2.0], [-3.0, -4.0]], type=kind), "photo": ["a", "b"]}
        )
        pq.write_table(table, tmp_path / "a.parquet")
        scores = read_scores(tmp_path / "a.parquet")
        assert scores.values.tolist() == [[-1.0, -2.0], [-3.0, -4.0]]
        assert scores.values.dtype == np.float32
        assert scores.ids == ("a", "b")
