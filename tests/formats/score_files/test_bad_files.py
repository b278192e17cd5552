"""A score file that is wrong, hostile or cut off: one sentence that names it, and no harm done."""

from __future__ import annotations

import io
import pickle
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.errors import FileError
from elsewhere.formats.score_files import read_scores, write_scores
from elsewhere.values.scores import Scores


class Trap:
    """Unpickling this is the accident that must not happen."""

    def __reduce__(self) -> tuple[object, ...]:
        return (pytest.exit, ("a score file was unpickled",))


def refused(file: Path, *words: str) -> None:
    with pytest.raises(FileError) as caught:
        read_scores(file)
    sentence = str(caught.value)
    assert file.name in sentence
    assert "\n" not in sentence
    for word in words:
        assert word in sentence, sentence


def npy(header: str, data: bytes, version: int = 1) -> bytes:
    text = header.encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def archive(file: Path, members: dict[str, bytes], packed: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", packed) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return file


# --- whole files ---------------------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    refused(tmp_path / "none.npz", "does not exist")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    refused(tmp_path / "folder.csv", "not a plain file")


def test_an_unknown_ending(tmp_path: Path) -> None:
    (tmp_path / "scores.pkl").write_bytes(pickle.dumps(Trap()))
    refused(tmp_path / "scores.pkl", ".npz, .csv or .parquet")


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_pickle_under_any_name(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(pickle.dumps(Trap()))
    refused(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_an_empty_file(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(b"")
    refused(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
@given(data=st.data())
def test_any_damage_is_a_sentence_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("damaged") / f"a{suffix}"
    write_scores(file, Scores([[-1.0, -2.0, 0.5], [-3.0, -4.0, 1.5]], ["a", "b"], scorer="s"))
    whole = bytearray(file.read_bytes())
    if data.draw(st.booleans()):
        whole = whole[: data.draw(st.integers(0, len(whole) - 1))]
    for _ in range(data.draw(st.integers(0, 3))):
        if whole:
            whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(whole)
    try:
        assert isinstance(read_scores(file), Scores)
    except FileError as wrong:
        assert file.name in str(wrong)


# --- .npz ----------------------------------------------------------------------------------


def test_an_array_of_objects_is_never_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", scores=np.array([[Trap(), Trap()]], dtype=object))
    refused(tmp_path / "a.npz", "pickled")
    np.savez(tmp_path / "b.npz", scores=np.ones((1, 2)), ids=np.array([Trap()], dtype=object))
    refused(tmp_path / "b.npz", "pickled")


def test_a_header_cannot_claim_more_than_there_is(tmp_path: Path) -> None:
    for shape in ("(100000, 100000)", "(2, 3)", "(9999999999, 9999999999999)", "(1, 1)"):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
        file = archive(tmp_path / "a.npz", {"scores.npy": npy(header, bytes(32))})
        refused(file, "header claims")


def test_a_header_that_is_code(tmp_path: Path) -> None:
    for header in (
        "__import__('os').abort()",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').abort(),), }",
        "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -32), }",
        "(" * 4000,
    ):
        file = archive(tmp_path / "a.npz", {"scores.npy": npy(header, bytes(32))})
        refused(file, "damaged")


def test_a_long_header_is_not_read(tmp_path: Path) -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }" + " " * (8 << 20)
    file = archive(tmp_path / "a.npz", {"scores.npy": npy(header, bytes(32), version=2)})
    refused(file, "header is too long")


def test_a_bomb_is_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    shape = (20_000, 1_000)
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as out,
        out.open("scores.npy", "w") as stream,
    ):
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": shape}
        )
        for _ in range(160):
            stream.write(bytes(1_000_000))
    tracemalloc.start()
    refused(tmp_path / "a.npz", "bomb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_directory_that_lies_about_sizes(tmp_path: Path) -> None:
    """The zip's directory claims 900 MB where a few bytes are stored."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (112500, 1000), }"
    file = archive(tmp_path / "a.npz", {"scores.npy": npy(header, bytes(32))}, zipfile.ZIP_STORED)
    data = bytearray(file.read_bytes())
    entry = data.rfind(b"PK\x01\x02")
    claimed = 900_000_000 + len(npy(header, b""))
    data[entry + 20 : entry + 28] = struct.pack("<II", claimed, claimed)
    file.write_bytes(data)
    refused(file, "bomb")


def test_more_than_the_limit(tmp_path: Path) -> None:
    file = archive(tmp_path / "a.npz", {"scores.npy": b""}, zipfile.ZIP_STORED)
    data = bytearray(file.read_bytes())
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<I", 4_000_000_000)
    file.write_bytes(data)
    refused(file, "limit")


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    write_scores(file, Scores([[-1.0, -2.0]]))
    data = bytearray(file.read_bytes())
    data[data.find(struct.pack("<d", -2.0))] ^= 1
    file.write_bytes(data)
    refused(file, "CRC")


def test_strangers_in_the_zip(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", scores=np.ones((1, 2)), id=np.array(["a"]))
    refused(tmp_path / "a.npz", "'id.npy'", "ids")
    np.savez(tmp_path / "b.npz", ids=np.array(["a"]))
    refused(tmp_path / "b.npz", "'scores'")
    np.savez(tmp_path / "c.npz", scores=np.array([["x", "y"]]))
    refused(tmp_path / "c.npz", "not numbers")
    np.savez(tmp_path / "d.npz", scores=np.ones((1, 2)), ids=np.array([1]))
    refused(tmp_path / "d.npz", "not text")
    np.savez(tmp_path / "e.npz", scores=np.ones((1, 2)), scorer=np.array(["a", "b"]))
    refused(tmp_path / "e.npz", "'scorer'")
    np.savez(tmp_path / "f.npz", scores=np.ones((1, 2)), ids=np.array([["a"]]))
    refused(tmp_path / "f.npz", "'ids'")


def test_numbers_and_names_that_do_not_fit(tmp_path: Path) -> None:
    file, names = tmp_path / "a.npz", np.array(["a", "b"])
    np.savez(file, scores=np.array([[0.0, np.nan], [0.0, 1.0]]), ids=names)
    refused(file, "photo 0, cell 1 is NaN")
    np.savez(file, scores=np.array([[0.0, np.inf], [0.0, 1.0]]), ids=names)
    refused(file, "+inf")
    np.savez(file, scores=np.zeros((3, 2)), ids=names)
    refused(file, "3 photos need 3 ids, not 2")
    np.savez(file, scores=np.zeros((2, 2)), ids=np.array(["a", "a"]))
    refused(file, "'a' comes twice")
    np.savez(file, scores=np.zeros(2), ids=names)
    refused(file, "two dimensions")
    np.savez(file, scores=np.zeros((2, 1)), ids=names)
    refused(file, "two cells")
    np.savez(file, scores=np.zeros((0, 4)))
    refused(file, "no photo")
    np.savez(file, scores=np.array([[2**60 + 1, 0]]))
    refused(file, "kept exactly")


def test_the_same_array_twice(tmp_path: Path) -> None:
    plain = io.BytesIO()
    np.save(plain, np.ones((1, 2)))
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(tmp_path / "a.npz", "w") as out,
    ):
        out.writestr("scores.npy", plain.getvalue())
        out.writestr("scores.npy", plain.getvalue())
    refused(tmp_path / "a.npz", "twice")


def test_a_bare_array(tmp_path: Path) -> None:
    with (tmp_path / "a.npz").open("wb") as stream:
        np.save(stream, np.ones((2, 2)))
    refused(tmp_path / "a.npz", "numpy.savez")


# --- CSV -----------------------------------------------------------------------------------

BAD_CSV = {
    "photo,0,1\n": ["no photo"],
    "0,1\na,-1,-2\n": ["column 1", "'photo'"],
    "photo,1,0\na,-1,-2\n": ["column 2", "'0'"],
    "photo,0,1\na,-1\n": ["1 number for", "'a'", "2"],
    "photo,0,1\na,-1,-2,-3\n": ["3 numbers"],
    "photo,0,1\na,-1,nan\n": ["'nan'", "cell 1"],
    "photo,0,1\na,,-1\n": ["''", "cell 0"],
    "photo,0,1\na,1_000,-1\n": ["'1_000'"],
    "photo,0,1\na,-1,inf\n": ["+inf"],
    "photo,0,1\na,-1,-2\na,-1,-3\n": ["'a' comes twice"],
    "photo,0\na,-1\n": ["two cells"],
    'photo,0,1\n"a,-1,-2\n': ["CSV"],
    "# elsewhere-scores/9\nphoto,0,1\na,-1,-2\n": ["elsewhere-scores/9"],
    "# grid: a\n# grid: b\nphoto,0,1\na,-1,-2\n": ["grid", "twice"],
    "# dtype: float32\nphoto,0,1\na,-0.1,-2\n": ["-0.1", "32-bit"],
    "# dtype: float16\nphoto,0,1\na,-0.1,-2\n": ["float16"],
    "# only a comment\n": ["column names"],
}


@pytest.mark.parametrize("text", BAD_CSV, ids=repr)
def test_a_csv_that_is_wrong(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    refused(tmp_path / "a.csv", *BAD_CSV[text])


def test_a_csv_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("photo,0,1\ncafé,-1,-2\n".encode("latin-1"))
    refused(tmp_path / "a.csv", "UTF-8")


def test_a_csv_with_an_endless_field(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("photo,0,1\n" + "x" * 1_000_000 + ",-1,-2\n")
    refused(tmp_path / "a.csv", "CSV")


# --- Parquet -------------------------------------------------------------------------------


def parquet(file: Path, columns: dict[str, object], **options: object) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), file, **options)
    return file


def test_a_parquet_file_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    refused(parquet(file, {"photo": ["a"], "score": [[1.0, 2.0]]}), "'score'")
    refused(parquet(file, {"photo": [1], "scores": [[1.0, 2.0]]}), "not text")
    refused(parquet(file, {"photo": ["a"], "scores": ["b"]}), "list of floats")
    refused(parquet(file, {"photo": ["a"], "scores": [[1.0, None]]}), "missing")
    refused(parquet(file, {"photo": ["a", "b"], "scores": [[1.0, 2.0], None]}), "missing")
    refused(parquet(file, {"photo": [None, "b"], "scores": [[1.0, 2.0]] * 2}), "without a name")
    refused(parquet(file, {"photo": ["a", "b"], "scores": [[1.0], [1.0, 2.0]]}), "1 and with 2")
    refused(parquet(file, {"photo": ["a", "a"], "scores": [[1.0, 2.0]] * 2}), "twice")
    refused(parquet(file, {"photo": ["a"], "scores": [[1.0, float("nan")]]}), "NaN")


def test_a_parquet_bomb(tmp_path: Path) -> None:
    import pyarrow as pa

    rows = 20_000
    zeros = pa.array(np.zeros(rows * 1_000, dtype=np.float64))
    table = {
        "photo": pa.array([str(i) for i in range(rows)]),
        "scores": pa.FixedSizeListArray.from_arrays(zeros, 1_000),
    }
    refused(parquet(tmp_path / "a.parquet", table, compression="zstd"), "bomb")


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    refused(tmp_path / "a.parquet", "pip install '.[parquet]'")


# --- writing -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "scores"),
    [
        (".npz", Scores([[1.0, 2.0]], ["a\0"])),
        (".csv", Scores([[1.0, 2.0]], ["\udc80"])),
        (".csv", Scores([[1.0, 2.0]], scorer="two\nlines")),
        (".parquet", Scores([[1.0, 2.0]], ["\udc80"])),
    ],
)
def test_what_does_not_fit_is_not_half_written(tmp_path: Path, suffix: str, scores: Scores) -> None:
    file = tmp_path / f"a{suffix}"
    with pytest.raises(FileError, match="cannot be written"):
        write_scores(file, scores)
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none/a\.npz cannot be written"):
        write_scores(tmp_path / "none" / "a.npz", Scores([[1.0, 2.0]]))
