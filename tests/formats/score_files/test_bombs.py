"""Small score files that stand for much memory: one sentence, before the memory is taken.

Each file is read by a process of its own, whose peak memory is compared with that of a process
that reads a harmless file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elsewhere.formats.score_files import read_scores
from tests.formats.score_files.test_bad_files import archive, npy, parquet

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")

MAX_MEMORY = 100 << 20
"""Bytes that a refused file may cost."""
MAX_SENTENCE = 600

_READ = """
import json, resource, sys
import pyarrow.parquet
from elsewhere.errors import FileError
from elsewhere.formats.score_files import read_scores

resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
try:
    sentence = str(read_scores(sys.argv[1]).photos)
except FileError as error:
    sentence = str(error)
with open("/proc/self/status") as status:  # getrusage counts the process that started this one
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps([sentence, peak * 1024]))
"""


def read_alone(file: Path) -> tuple[str, int]:
    """What `read_scores` says of a file, and the peak memory of the process that asked."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    sentence, peak = json.loads(done.stdout)
    return sentence, peak


@cache
def harmless_peak(folder: Path) -> int:
    file = parquet(folder / "harmless.parquet", {"photo": ["a"], "scores": [[1.0, 2.0]]})
    sentence, peak = read_alone(file)
    assert sentence == "1"
    return peak


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> int:
    return harmless_peak(tmp_path_factory.mktemp("harmless"))


def refused_cheaply(file: Path, harmless: int, *, size: int = 1 << 20) -> None:
    assert file.stat().st_size < size
    sentence, peak = read_alone(file)
    assert file.name in sentence and "\n" not in sentence, sentence[:MAX_SENTENCE]
    assert len(sentence) < MAX_SENTENCE
    assert peak - harmless < MAX_MEMORY, f"{(peak - harmless) >> 20} MiB: {sentence}"


def lists(rows: int, cells: int = 2) -> Any:
    """The same scores for every photo, which a dictionary packs into a few bytes."""
    return pa.FixedSizeListArray.from_arrays(pa.array(np.full(rows * cells, -1.0)), cells)


def test_one_long_name_in_a_dictionary(tmp_path: Path, harmless: int) -> None:
    names = pa.DictionaryArray.from_arrays(np.zeros(3000, np.int32), ["x" * 1_000_000])
    table = {"photo": names, "scores": lists(3000)}
    file = parquet(tmp_path / "a.parquet", table, compression="zstd", store_schema=False)
    refused_cheaply(file, harmless)


def test_long_names_with_one_beginning(tmp_path: Path, harmless: int) -> None:
    table = {"photo": ["x" * 300_000 + str(n) for n in range(1000)], "scores": lists(1000)}
    options: dict[str, Any] = {
        "use_dictionary": ["scores"],
        "column_encoding": {"photo": "DELTA_BYTE_ARRAY"},
        "compression": "zstd",
    }
    file = parquet(tmp_path / "a.parquet", table, **options)
    assert "DELTA_BYTE_ARRAY" in pq.ParquetFile(file).metadata.row_group(0).column(0).encodings
    refused_cheaply(file, harmless)


def test_a_long_name_is_shortened(tmp_path: Path) -> None:
    """Two photos with one name of a megabyte: the sentence does not repeat it."""
    for suffix, write in (
        (".parquet", lambda file: parquet(file, {"photo": ["x" * 10**6] * 2, "scores": lists(2)})),
        (".npz", lambda file: np.savez(file, scores=np.ones((2, 2)), ids=["x" * 10**6] * 2)),
    ):
        write(tmp_path / f"a{suffix}")
        sentence, _ = read_alone(tmp_path / f"a{suffix}")
        assert f"a{suffix}" in sentence and len(sentence) < MAX_SENTENCE


def test_many_photos_with_one_name(tmp_path: Path, harmless: int) -> None:
    rows = 4_000_000
    names = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["a"]).cast(pa.string())
    empty = pa.ListArray.from_arrays(np.zeros(rows + 1, np.int32), pa.array([], pa.float64()))
    table = {"photo": names, "scores": empty}
    refused_cheaply(parquet(tmp_path / "a.parquet", table, compression="zstd"), harmless)


def varint(number: int, length: int = 0) -> bytes:
    """A number as Parquet's headers hold it, zigzag, in at least so many bytes."""
    number *= 2
    parts = [number & 0x7F]
    while (number := number >> 7) or len(parts) < length:
        parts.append(number & 0x7F)
    return bytes([*(part | 0x80 for part in parts[:-1]), parts[-1]])


def understate(file: Path, truth: int, lie: int = 64) -> None:
    """Replace a number in the footer by a smaller one."""
    content = file.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    right = varint(truth)
    assert right in content[footer:]
    changed = content[footer:].replace(right, varint(lie, len(right)))
    file.write_bytes(content[:footer] + changed)


def test_a_footer_that_understates_the_bytes(tmp_path: Path, harmless: int) -> None:
    rows, cells = 100, 400_000
    zeros = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(rows * cells)), cells)
    table = {"photo": [str(n) for n in range(rows)], "scores": zeros}
    file = parquet(
        tmp_path / "a.parquet",
        table,
        compression="zstd",
        use_dictionary=False,
        data_page_size=1 << 30,
    )
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(1)
    understate(file, chunk.total_uncompressed_size)
    understate(file, chunk.num_values)
    refused_cheaply(file, harmless)


def test_a_footer_that_understates_the_values(tmp_path: Path, harmless: int) -> None:
    rows, cells = 2, 20_000_000
    file = parquet(tmp_path / "a.parquet", {"photo": ["a", "b"], "scores": lists(rows, cells)})
    understate(file, pq.ParquetFile(file).metadata.row_group(0).column(1).num_values)
    refused_cheaply(file, harmless)


def test_narrow_numbers_in_a_zip(tmp_path: Path, harmless: int) -> None:
    """A byte for each score becomes eight."""
    rows, cells = 60_000, 1_000
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({rows}, {cells}), }}"
    file = archive(tmp_path / "a.npz", {"scores.npy": npy(header, bytes(rows * cells))})
    refused_cheaply(file, harmless)


def test_more_names_than_photos_in_a_zip(tmp_path: Path, harmless: int) -> None:
    count = 15_000_000
    header = f"{{'descr': '<U1', 'fortran_order': False, 'shape': ({count},), }}"
    scores = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", bytes(16))
    members = {"scores.npy": scores, "ids.npy": npy(header, b"a\0\0\0" * count)}
    refused_cheaply(archive(tmp_path / "a.npz", members), harmless)


@pytest.mark.parametrize("begin", ["photo,0,1\na", "photo"], ids=["row", "column names"])
def test_a_csv_with_an_endless_line(tmp_path: Path, harmless: int, begin: str) -> None:
    file = tmp_path / "a.csv"
    with file.open("w", encoding="utf-8") as stream:
        stream.write(begin)
        for _ in range(100):
            stream.write(",10" * 400_000)
    refused_cheaply(file, harmless, size=1 << 30)


@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("member", ["ids", "grid"])
def test_a_code_point_that_is_none(tmp_path: Path, code: int, order: str, member: str) -> None:
    text = code.to_bytes(4, "little" if order == "<" else "big")
    shape = "(1,)" if member == "ids" else "()"
    header = f"{{'descr': '{order}U1', 'fortran_order': False, 'shape': {shape}, }}"
    scores = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", bytes(16))
    file = tmp_path / "a.npz"
    archive(file, {"scores.npy": scores, f"{member}.npy": npy(header, text)}, zipfile.ZIP_STORED)
    sentence, _ = read_alone(file)
    assert "a.npz" in sentence and "character" in sentence and "\n" not in sentence


@pytest.mark.parametrize("encoding", ["dictionary", "plain", "DELTA_BYTE_ARRAY", "large"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_honest_files_are_read_however_they_are_packed(
    tmp_path: Path, encoding: str, version: str
) -> None:
    rows = 25_000
    kind = pa.large_string() if encoding == "large" else pa.string()
    names = pa.array([f"folder/photo-{n % 1000}-{n}.jpg" for n in range(rows)], kind)
    values = np.random.default_rng(1).normal(size=(rows, 3))
    scores = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), 3)
    options: dict[str, Any] = {"use_dictionary": encoding in ("dictionary", "large")}
    if encoding == "DELTA_BYTE_ARRAY":
        names, scores, rows = names[:500], scores[:500], 500
        options["column_encoding"] = {"photo": encoding}
    table = {"photo": names, "scores": scores}
    options |= {"row_group_size": 10_000, "data_page_version": version, "data_page_size": 1 << 12}
    read = read_scores(parquet(tmp_path / "a.parquet", table, **options))
    assert read.ids == tuple(names.to_pylist())
    assert (read.values == values[:rows]).all()


def test_what_a_library_quotes_is_shortened(tmp_path: Path) -> None:
    """zipfile repeats the name in a member's header, which may be as long as the file."""
    file = tmp_path / "a.npz"
    np.savez(file, scores=np.ones((6, 900)))
    content = bytearray(file.read_bytes())
    content[26:28] = (40_000).to_bytes(2, "little")  # the length of the first member's name
    file.write_bytes(content)
    sentence, _ = read_alone(file)
    assert "a.npz is damaged" in sentence and len(sentence) < MAX_SENTENCE


_READ_ALL = """
import sys
from contextlib import suppress
from pathlib import Path
import numpy as np
from elsewhere.batch.source import Source
from elsewhere.errors import ElsewhereError
from elsewhere.formats.score_files import read_scores, write_scores
from elsewhere.values.scores import Scores

folder = Path(sys.argv[1])
write_scores(folder / "a.parquet", Scores(np.ones((6, 9)), [f"{n}.jpg" for n in range(6)]))
content = (folder / "a.parquet").read_bytes()
footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
for position in range(footer, len(content) - 8):
    file = folder / f"{position}.parquet"
    file.write_bytes(content[:position] + bytes(1) + content[position + 1 :])
    with suppress(ElsewhereError):
        read_scores(file)
    with suppress(ElsewhereError):
        Source(str(file))
    file.unlink()
"""


def test_no_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    """pyarrow lets an exception of C++ through where a column contradicts the schema."""
    done = subprocess.run(
        [sys.executable, "-c", _READ_ALL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
