"""Small datasets that stand for much memory or lie about themselves: the rows are lost, no more.

Each dataset is read by a process of its own, whose peak memory is compared with that of a process
that reads a harmless one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from tests.batch.makers import scored, write
from tests.formats.score_files.test_bombs import understate

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")

MAX_MEMORY = 300 << 20
"""Bytes that a bomb may cost."""
LONG = "x" * 1_000_000
ROWS = 3000

_RUN = """
import json, resource, sys
from collections import Counter
from pathlib import Path
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.errors import FileError
from tests.batch.makers import Here, dead_in

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
folder = Path(sys.argv[1])
settings = Settings(str(folder / "in"), str(folder / "out"), key="k")
try:
    counts = run(settings, Here()).statuses
    reasons = Counter(letter["reason"] for letter in dead_in(folder / "out"))
    answer = [counts, list(reasons)[:3]]
except FileError as error:
    answer = [{}, [str(error)]]
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps([*answer, peak * 1024]))
"""


def run_alone(folder: Path) -> tuple[dict[str, int], list[str], int]:
    """The statuses of the albums, some reasons, and the peak memory of the run."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    statuses, reasons, peak = json.loads(done.stdout)
    return statuses, reasons, peak


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("harmless")
    write(scored(3), folder / "in" / "a.parquet")
    statuses, _, peak = run_alone(folder)
    assert sum(statuses.values()) == 3
    return peak


def costs_itself(folder: Path, harmless: int, words: str, *, memory: int = MAX_MEMORY) -> None:
    """A small file costs little memory, and one sentence says why its rows are lost."""
    file = next((folder / "in").iterdir())
    assert file.stat().st_size < 1 << 20
    statuses, reasons, peak = run_alone(folder)
    assert any(words in reason for reason in reasons), reasons
    assert all(len(reason) < 600 and "\n" not in reason for reason in reasons)
    assert peak - harmless < memory, f"{(peak - harmless) >> 20} MiB: {statuses} {reasons}"


def repeated(text: Any, rows: int = ROWS, kind: Any = None) -> Any:
    """One value for every row, which a dictionary packs into a few bytes."""
    values = pa.array([text], kind or pa.string())
    return pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), values)


def table(rows: int = ROWS, **columns: Any) -> Any:
    """A dataset of scores, all rows in one album, with some columns replaced."""
    scores = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(rows * 2, np.float32)), 2)
    names = [f"{n}.jpg" for n in range(rows)]
    return pa.table({"album": ["a"] * rows, "photo": names, "scores": scores} | columns)


def packed(folder: Path, data: Any, **options: Any) -> Path:
    (folder / "in").mkdir()
    file = folder / "in" / "a.parquet"
    parquet.write_table(data, file, compression="zstd", store_schema=False, **options)
    return file


@pytest.mark.parametrize("column", ["album", "photo", "wishes", "place"])
def test_one_long_text_in_a_dictionary(tmp_path: Path, harmless: int, column: str) -> None:
    packed(tmp_path, table(**{column: repeated(LONG)}))
    costs_itself(tmp_path, harmless, "unpack")


def test_one_large_photo_in_a_dictionary(tmp_path: Path, harmless: int) -> None:
    data = table(content=repeated(bytes(50_000_000), kind=pa.binary())).drop_columns(["scores"])
    packed(tmp_path, data, dictionary_pagesize_limit=1 << 30)
    costs_itself(tmp_path, harmless, "unpack", memory=700 << 20)  # the model takes 450


def test_scattered_rows_are_bounded_too(tmp_path: Path, harmless: int) -> None:
    packed(tmp_path, table(album=[f"{n % 7}" for n in range(ROWS)], wishes=repeated(LONG)))
    costs_itself(tmp_path, harmless, "unpack")


def test_texts_with_one_beginning(tmp_path: Path, harmless: int) -> None:
    data = table(1000, wishes=[LONG[:300_000] + str(n) for n in range(1000)])
    packed(tmp_path, data, use_dictionary=["album"], column_encoding={"wishes": "DELTA_BYTE_ARRAY"})
    costs_itself(tmp_path, harmless, "unpack")


@pytest.mark.parametrize("column", ["scores", "truth"])
def test_lists_of_millions(tmp_path: Path, harmless: int, column: str) -> None:
    kind = np.float32 if column == "scores" else np.int32
    flat = pa.array(np.zeros(100_000_000, kind))
    lists = pa.ListArray.from_arrays(np.array([0, 50_000_000, 100_000_000], np.int32), flat)
    packed(tmp_path, table(2, **{column: lists}))
    costs_itself(tmp_path, harmless, "unpack")


def test_null_lists_of_a_fixed_size(tmp_path: Path, harmless: int) -> None:
    cells = 1_000_000
    lists = pa.array([None] * 200, pa.list_(pa.float32(), cells))
    (tmp_path / "in").mkdir()
    parquet.write_table(table(200, scores=lists), tmp_path / "in" / "a.parquet")
    costs_itself(tmp_path, harmless, "cells")


def test_a_footer_that_understates(tmp_path: Path, harmless: int) -> None:
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(100_000_000)), 50_000_000)
    file = packed(tmp_path, table(2, scores=lists), use_dictionary=False, data_page_size=1 << 30)
    [chunk] = [
        column
        for column in map(parquet.ParquetFile(file).metadata.row_group(0).column, range(3))
        if column.path_in_schema.startswith("scores")
    ]
    understate(file, chunk.total_uncompressed_size)
    understate(file, chunk.num_values)
    costs_itself(tmp_path, harmless, "unpack")


def test_a_footer_that_overstates_its_rows(tmp_path: Path, harmless: int) -> None:
    file = packed(tmp_path, table(5000))
    content = file.read_bytes()
    right, lie = (5000 * 2), (1 << 31) - 2
    old = bytes([right & 0x7F | 0x80, right >> 7])
    new = bytes([*(lie >> shift & 0x7F | 0x80 for shift in (0, 7, 14, 21)), lie >> 28])
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    changed = content[footer:-8].replace(old, new)
    length = len(changed).to_bytes(4, "little")
    file.write_bytes(content[:footer] + changed + length + b"PAR1")
    costs_itself(tmp_path, harmless, "rows")


def arrow_file(folder: Path, data: Any, compression: str | None = "zstd") -> Path:
    (folder / "in").mkdir()
    file = folder / "in" / "a.arrow"
    with ipc.new_file(
        str(file), data.schema, options=ipc.IpcWriteOptions(compression=compression)
    ) as out:
        out.write_table(data)
    return file


def test_a_packed_arrow_file(tmp_path: Path, harmless: int) -> None:
    arrow_file(tmp_path, table(1000, wishes=[LONG] * 1000))
    costs_itself(tmp_path, harmless, "unpack")


def test_a_packed_column_of_the_datasets_own(tmp_path: Path, harmless: int) -> None:
    """Arrow unpacks the dictionary of a column that nobody reads."""
    other = pa.DictionaryArray.from_arrays(np.zeros(10, np.int32), [LONG * 1000])
    arrow_file(tmp_path, table(10, other=other))
    costs_itself(tmp_path, harmless, "unpack")


def lie_about_offsets(file: Path, rows: int, width: int) -> None:
    """Let the texts of one column lie far outside of the file."""
    content = bytearray(file.read_bytes())
    offsets = np.arange(rows + 1, dtype=np.int32) * width
    start = content.index(offsets.tobytes())
    content[start : start + 4 * (rows + 1)] = (offsets * 50_000).tobytes()
    file.write_bytes(content)


@pytest.mark.parametrize("column", ["album", "photo"])
def test_texts_outside_of_an_arrow_file(tmp_path: Path, harmless: int, column: str) -> None:
    width = {"album": 5, "photo": 7}[column]
    texts = [f"{n:0{width}}" for n in range(100)]
    data = table(100, **{column: texts})
    lie_about_offsets(arrow_file(tmp_path, data, compression=None), 100, width)
    costs_itself(tmp_path, harmless, "damaged")


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_honest_arrow_files_are_read_however_they_are_packed(
    tmp_path: Path, compression: str | None
) -> None:
    arrow_file(tmp_path, scored(5), compression)
    statuses, _, _ = run_alone(tmp_path)
    assert sum(statuses.values()) == 5 and "broken" not in statuses
