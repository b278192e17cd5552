"""Photos → partial rows: what lies beside a photo is read; what the dataset says comes first."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from elsewhere.batch import scoring
from elsewhere.batch.columns import photos_in
from elsewhere.batch.input_rows import read_album, read_attackers
from elsewhere.batch.output_rows import solve
from elsewhere.batch.scoring import RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import Storage
from tests.album.makers import GPS, exif, jpeg, xmp
from tests.batch.makers import model

PORTO, ROME, OSLO = (41.1496, -8.6110), (41.9028, 12.4964), (59.9139, 10.7522)


def takeout(where: tuple[float, float]) -> bytes:
    return json.dumps({"geoData": {"latitude": where[0], "longitude": where[1]}}).encode()


def scorer(folder: Path, dataset: str) -> RowScorer:
    """A scorer with a tiny model."""
    return RowScorer(Settings(dataset, "out", (model(folder),), max_side=64))


def looked(folder: Path, rows: list[dict[str, Any]]) -> Any:
    """Some photos of one album, looked at with a tiny model."""
    table = pa.Table.from_pylist([{"album": "trip", **row} for row in rows], photos_in())
    with scorer(folder, str(folder / "in.parquet")) as look:
        return look([table])


def test_positions_and_who_is_believed(tmp_path: Path) -> None:
    """The table before the file, the file before an editor's note, that before Google's."""
    photos = tmp_path / "in.parquet"  # a folder may be called anything
    photos.mkdir()
    here = {"exif": exif()}
    for number, (name, options) in enumerate(
        [("plain.jpg", {}), ("google.jpg", {}), ("both.jpg", {}), ("own.jpg", here),
         ("told.jpg", here), ("nowhere.jpg", {})]
    ):  # fmt: skip
        (photos / name).write_bytes(jpeg(number, 32, 24, **options))
    (photos / "plain.xmp").write_bytes(xmp(PORTO))
    (photos / "google.jpg.json").write_bytes(takeout(ROME))
    (photos / "both.jpg.supplemental-metadata.json").write_bytes(takeout(ROME))
    for name in ("both", "own", "told"):
        (photos / f"{name}.xmp").write_bytes(xmp(PORTO))
    names = ["plain", "google", "both", "own", "told", "nowhere"]
    rows: list[dict[str, Any]] = [{"photo": name, "path": f"{name}.jpg"} for name in names]
    rows[4] |= {"lat": OSLO[0], "lon": OSLO[1]}
    table = looked(tmp_path, rows)
    assert set(table["kind"].to_pylist()) == {""}
    found = read_album("trip", table, read_attackers(table.schema))
    expected = [PORTO, ROME, PORTO, GPS, OSLO, None]
    for name, known, where in zip(names, found.metadata, expected, strict=True):
        assert known.position == (None if where is None else pytest.approx(where, abs=1e-4)), name


def test_a_place_in_words_overrules_positions(tmp_path: Path) -> None:
    row = {"lat": OSLO[0], "lon": OSLO[1], "place": "Porto"}
    rows = [{"photo": str(n), "content": jpeg(n, 32, 24), **row} for n in range(3)]
    table = looked(tmp_path, rows)
    given = Settings("in", "out", key="k", wishes={"margin": "none"})
    told, dead = solve("trip", table, read_attackers(table.schema), given)
    assert not dead and {one["place"] for one in told["audit"]} == {"Porto, Portugal"}


@pytest.mark.parametrize("where", ["a folder", "a file", "an address", "a file at an address"])
def test_paths_begin_at_the_dataset_wherever_it_lies(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = tmp_path / "trips" / "photos"
    photos.mkdir(parents=True)
    (photos / "a.jpg").write_bytes(jpeg(1, 32, 24))
    (tmp_path / "trips" / "all.parquet").write_bytes(b"")
    monkeypatch.chdir(tmp_path)  # and not where a worker happens to run
    dataset = {
        "a folder": "trips",
        "a file": "trips/all.parquet",
        "an address": (tmp_path / "trips").as_uri(),
        "a file at an address": (tmp_path / "trips" / "all.parquet").as_uri(),
    }[where]
    paths = ["photos/a.jpg", str(photos / "a.jpg"), (photos / "a.jpg").as_uri()]
    rows = [{"album": "a", "photo": str(n), "path": path} for n, path in enumerate(paths)]
    with scorer(tmp_path, dataset) as look:
        found = look([pa.Table.from_pylist(rows, photos_in())])
    assert found["reason"].to_pylist() == [""] * 3


def test_photos_on_another_filesystem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    store = Storage("memory://house")
    store.write("trips/all.parquet", b"")
    store.write("trips/photos/a.jpg", jpeg(1, 32, 24))
    store.write("trips/large.jpg", jpeg(1, 96, 64))
    monkeypatch.setattr(scoring, "MAX_BYTES", len(jpeg(1, 32, 24)))
    paths = ["photos/a.jpg", "memory://house/trips/photos/a.jpg", "large.jpg", "none.jpg"]
    rows = [{"album": "a", "photo": str(n), "path": path} for n, path in enumerate(paths)]
    with scorer(tmp_path, "memory://house/trips/all.parquet") as look:
        found = look([pa.Table.from_pylist(rows, photos_in())])
    assert found["kind"].to_pylist() == ["", "", "unreadable", "unreadable"]
    assert "more than" in found["reason"][2].as_py() and "none.jpg" in found["reason"][3].as_py()


def test_what_is_no_file_never_becomes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed could not take an original away again; here is no folder to write to."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    table = looked(tmp_path, [{"photo": "a.jpg", "content": jpeg(1, 32, 24)}])
    assert table["reason"].to_pylist() == [""]
    empty = looked(tmp_path, [{"photo": "a.jpg", "content": b""}])
    assert empty["kind"].to_pylist() == ["empty"]


def test_what_lies_below_an_address_keeps_its_options() -> None:
    assert Storage("/albums").address_below("x/y") == "/albums/x/y"
    assert Storage("file:///albums/").address_below("x") == "file:///albums/x"
    store = Storage("s3://bucket/out?endpoint_override=here&scheme=http")
    assert store.address_below("x") == "s3://bucket/out/x?endpoint_override=here&scheme=http"
