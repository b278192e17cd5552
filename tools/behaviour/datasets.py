"""`elsewhere batch` on small seeded datasets, whole rows and broken ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from commands import ALBUM, Commands, Notes
from running import Product
from told import sealed, split

SEED = 77
ALBUMS, CELLS = 200, 24
WISHES: tuple[Any, ...] = (
    None, None, None, {"top": 2}, {"budget": 2}, {"budget": "25%"}, {"top": 1, "margin": 0.2},
    {"top": 3, "keep": ["1.jpg"]}, {"top": 2, "drop": ["0.jpg"]}, {"top": 2, "each_photo": True},
    {"top": 1, "values": {"1.jpg": 3}}, {"top": 2, "strict": True}, {"exact_top": True, "top": 4},
    {"margin": "paranoid"}, {"top": 23}, {"top": 0}, {"budget": -1}, {"nonsense": 1},
    {"top": "x"}, {"keep": ["*"], "top": 1}, {"drop": ["*"], "top": 1}, {"keep": ["none.jpg"]},
    "{broken", "[1]",
)  # fmt: skip
"""What albums ask for, in turn; text is taken as it stands."""


def scored_albums() -> list[dict[str, Any]]:
    """Rows of albums of 2 to 12 photos; every tenth album is broken in one way or another."""
    rng = np.random.default_rng(SEED)
    rows: list[dict[str, Any]] = []
    for number in range(ALBUMS):
        photos = int(rng.integers(2, 13))
        truth = sorted(rng.choice(CELLS, size=int(rng.integers(1, 4)), replace=False).tolist())
        table = np.round(rng.normal(scale=1.5, size=(photos, CELLS)), 3).astype(np.float32)
        table[:, truth] += float(rng.choice([0.2, 0.6, 1.2]))
        asked = WISHES[number % len(WISHES)]
        wishes = asked if asked is None or isinstance(asked, str) else json.dumps(asked)
        album = [
            {
                "album": f"album-{number:03}", "photo": f"{photo}.jpg", "truth": truth,
                "scores": table[photo].tolist(), "wishes": wishes, "place": None,
            }
            for photo in range(photos)
        ]  # fmt: skip
        if number % 10 == 9:
            _break(album, number // 10)
        rows += album
    rows += [{**rows[0], "album": "album-000", "photo": "late.jpg"}]  # far from its album
    rows += [{**rows[1], "album": None, "photo": "lost.jpg"}]
    return rows


def _break(album: list[dict[str, Any]], way: int) -> None:
    """One of the things that happen to rows."""
    first = album[0]
    changes: list[dict[str, Any]] = [
        {"scores": first["scores"][:5]}, {"scores": [math.nan] * CELLS}, {"scores": None},
        {"truth": None}, {"truth": []}, {"truth": [CELLS]}, {"truth": [-1]}, {"photo": None},
        {"photo": ""}, {"wishes": '{"top": 7}'}, {"scores": [math.inf] * CELLS},
        {"scores": [-math.inf] * CELLS}, {"album": ""}, {"place": "Lisbon"},
        {"truth": list(range(CELLS))}, {"photo": "line\nbreak.jpg"},
    ]  # fmt: skip
    if way < len(changes):
        first.update(changes[way])
    elif way == len(changes):
        album.append(dict(first))
    elif way == len(changes) + 1:
        album.append({**first, "photo": "copy.jpg"})
    else:
        album.append({**first, "photo": "other-truth.jpg", "truth": [0]})


def placed_albums(at: Commands) -> pa.Table:
    """Albums of the example's photos, scored by the embedded model, at places by name."""
    at.product.program("score", ALBUM, "-o", "scores.parquet", home="batch")
    at.product.program("score", ALBUM, "-o", "scores.csv", home="batch")
    scores = pq.read_table(at.work / "scores.parquet")
    fields: dict[bytes, bytes] = scores.schema.metadata or {}
    told = {key: value for key, value in fields.items() if key.startswith(b"elsewhere.")}
    lines = (at.work / "scores.csv").read_text("utf-8").splitlines()
    names = scores.column(0).to_pylist()
    cells = [line for line in lines if not line.startswith("#")]
    values = [
        [float(text) for text in line.rsplit(",", len(cells[0].split(",")) - 1)[1:]]
        for line in cells[1:]
    ]
    places = ("Lisbon", "Arles", "France", "Xyzzyville", "Springfield", "43.8, 4.6", None)
    rows = [
        {"album": f"at-{number}", "photo": name, "scores": row, "place": place,
         "lat": 48.85 if place is None else None, "lon": 2.35 if place is None else None,
         "wishes": json.dumps({"hide_level": "country"}) if number == 1 else None}
        for number, place in enumerate(places)
        for name, row in zip(names, values, strict=True)
    ]  # fmt: skip
    schema = pa.schema(
        [
            ("album", pa.string()),
            ("photo", pa.string()),
            ("scores", pa.list_(pa.float32(), len(values[0]))),
            ("place", pa.string()),
            ("lat", pa.float64()),
            ("lon", pa.float64()),
            ("wishes", pa.string()),
        ],
        metadata=told,
    )
    return pa.Table.from_pylist(rows, schema)


def photo_albums(work: Path) -> pa.Table:
    """The example's photos themselves, by path and by content, and some that are none."""
    files = sorted(file for file in (work / ALBUM).iterdir() if file.suffix != ".json")
    rows: list[dict[str, Any]] = [
        {"album": "paths", "photo": file.name, "path": str(file)} for file in files
    ]
    rows += [
        {"album": "contents", "photo": file.name, "content": file.read_bytes(), "place": "Arles"}
        for file in files[:5]
    ]
    rows += [
        {"album": "broken", "photo": "cut.jpg", "content": files[0].read_bytes()[:999]},
        {"album": "broken", "photo": "empty.jpg", "content": b""},
        {"album": "broken", "photo": "nowhere.jpg", "path": "nowhere.jpg"},
        {"album": "broken", "photo": "nothing.jpg"},
        {"album": "unplaced", "photo": files[2].name, "content": files[2].read_bytes(),
         "lat": 91.0, "lon": 0.0},
    ]  # fmt: skip
    schema = pa.schema(
        [
            ("album", pa.string()),
            ("photo", pa.string()),
            ("path", pa.string()),
            ("content", pa.binary()),
            ("lat", pa.float64()),
            ("lon", pa.float64()),
            ("place", pa.string()),
        ]
    )
    return pa.Table.from_pylist(rows, schema)


def record_batch(product: Product) -> Notes:
    """Rows, dead letters and summaries of a few runs with the local engine."""
    at = Commands(product)
    scored = pa.schema(
        [
            ("album", pa.string()),
            ("photo", pa.string()),
            ("scores", pa.list_(pa.float32())),
            ("truth", pa.list_(pa.int32())),
            ("place", pa.string()),
            ("wishes", pa.string()),
        ]
    )
    rows = scored_albums()
    pq.write_table(pa.Table.from_pylist(rows, scored), at.work / "scored.parquet")
    pq.write_table(placed_albums(at), at.work / "placed.parquet")
    pq.write_table(photo_albums(at.work), at.work / "photos.parquet")
    few = pa.Table.from_pylist(rows[:60], scored).drop_columns(["truth"])
    pq.write_table(few, at.work / "no-truth.parquet")
    pq.write_table(few.drop_columns(["scores"]), at.work / "no-scores.parquet")
    pq.write_table(few.drop_columns(["album"]), at.work / "no-album.parquet")
    (at.work / "key").write_bytes(bytes(range(32)))
    (at.work / "short-key").write_bytes(b"short")
    keyed = ("--key-file", "key", "--workers", "2")
    runs: dict[str, tuple[str, ...]] = {
        "scored": ("scored.parquet", *keyed, "--exact-top"),
        "secret": ("scored.parquet", *keyed, "--top", "2", "--block", "64", "--certificates"),
        "budget": ("scored.parquet", *keyed, "--budget", "20%", "--work-limit", "0"),
        "placed": ("placed.parquet", *keyed, "--exact-top"),
        "photos": ("photos.parquet", *keyed, "--exact-top", "--top", "3"),
        "no truth": ("no-truth.parquet", *keyed),
    }
    for name, arguments in runs.items():
        target = f"run-{name.replace(' ', '-')}"
        at.case(name, "batch", *arguments, "-o", target, home="batch")
        _output(at, name, at.work / target)
    at.case("again", "batch", *runs["scored"], "-o", "run-scored", home="batch")
    at.refused("another run there", "batch", *runs["budget"], "-o", "run-scored", home="batch")
    at.refused("no scores", "batch", "no-scores.parquet", "-o", "x", home="batch")
    at.refused("no album", "batch", "no-album.parquet", "-o", "x", home="batch")
    at.refused("short key", "batch", "scored.parquet", "-o", "x", "--key-file", "short-key",
               home="batch")  # fmt: skip
    return at.notes


def _output(at: Commands, name: str, folder: Path) -> None:
    """What a run wrote: every row by album, every dead letter, the summary."""
    at.notes.add(f"{name} files", sorted({_kind(file, folder) for file in folder.rglob("*")}))
    for part in ("albums", "dead"):
        if not (folder / part).is_dir():
            at.notes.add(f"{name} {part}", None)
            continue
        table = pq.read_table(folder / part)
        types = {one.name: str(one.type) for one in table.schema}
        at.notes.add(f"{name} {part} columns", types)
        rows = sorted(table.to_pylist(), key=lambda row: json.dumps(row, default=str))
        facts, said = {}, {}
        for number, row in enumerate(rows):
            key = row["album"] if part == "albums" else f"{number:03} {row['album']}"
            if row.get("certificate"):
                certificate = json.loads(row["certificate"])
                row["certificate"] = {**certificate, "sealed": sealed(certificate)}
            facts[ascii(key)], words = split(row, at.product)
            if words:
                said[ascii(key)] = words
        at.notes.add(f"{name} {part}", facts, said)
    for file in ("summary.json", "batch.json"):
        if (folder / file).is_file():
            fact, words = split(json.loads((folder / file).read_text("utf-8")), at.product)
            at.notes.add(f"{name} {file}", fact, words)
    at.page(f"{name} report.html", folder / "report.html")


def _kind(file: Path, folder: Path) -> str:
    """Where a file lies and how its name ends; blocks are called by digests."""
    below = file.relative_to(folder)
    return str(below) if len(below.parts) == 1 else f"{below.parts[0]}/*{file.suffix}"
