"""Albums scored on a GPU: rows of their own, and every plan proved again on the processor.

No GPU is needed: another tower stands in for it, behind the same protocol.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from elsewhere.batch import local_engine, ray_engine, runner
from elsewhere.batch.columns import photos_in
from elsewhere.batch.input_rows import VIEWS, read_attackers
from elsewhere.batch.output_rows import solve
from elsewhere.batch.ray_engine import gpu_actor
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.scoring import RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.cli.render.batch import show_summary
from elsewhere.errors import DeviceError, FileError, InputError, ScorerError
from elsewhere.scorers import gpu
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.tower import forget_features
from elsewhere.service import bulk, describe_scorer, processor_rows, read_plan_text
from tests.album.makers import jpeg
from tests.batch.makers import Here, albums_in, dead_in, model, write

ALBUM = Path(__file__).parents[2] / "src" / "elsewhere" / "example" / "album"
PHOTOS = ("pont-du-gard.jpg", "hills.jpg", "arles-arena.jpg", "bridge.jpg")
WISHES = json.dumps({"top": 1, "exact_top": True, "each_photo": False})


class StandIn:
    """A tower for a GPU: the processor's own, with features that are a little off, or a lot."""

    def __init__(self, off: float) -> None:
        self._scorer, self._off = EmbeddedScorer(), off
        self._scorer.load()
        self.sizes: list[int] = []

    def __call__(self, photos: NDArray[np.float32]) -> NDArray[np.float32]:
        self.sizes.append(len(photos))
        found = np.zeros((len(photos), 512), np.float32)
        for number in np.flatnonzero(photos.any(axis=(1, 2, 3))).tolist():
            session, ends = self._scorer._session, self._scorer._ends
            features = session(photos[number][None], *ends)[0]
            found[number] = features * (1 + self._off * np.cos(np.arange(512)) ** 2)
        return found


@pytest.fixture
def tower(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[StandIn]]:
    """A machine with a GPU; the list holds its tower, which a test may replace."""
    holder = [StandIn(1e-3)]
    monkeypatch.setattr(gpu, "gpu_problem", lambda: "")
    monkeypatch.setattr(runner, "require_gpu", lambda: None)
    monkeypatch.setattr(gpu, "open_tower", lambda content: holder[0])
    forget()
    yield holder
    forget()


def forget() -> None:
    """Forget the tower, and what it saw in photos."""
    gpu._opened.cache_clear()
    forget_features()


def dataset(folder: Path, albums: int = 1) -> Path:
    rows = [
        {
            "album": f"trip-{number}",
            "photo": name,
            "content": (ALBUM / name).read_bytes(),
            "place": "Nîmes",
            "wishes": WISHES,
        }
        for number in range(albums)
        for name in PHOTOS
    ]
    return write(pa.Table.from_pylist(rows, photos_in()), folder / "in" / "a.parquet")


def settings(
    place: Path, name: str = "out", scorers: tuple[str, ...] = ("embedded:512",), **given: Any
) -> Settings:
    """By default the head on the paper's cells: its promises are proved sooner."""
    folders = str(place / "in"), str(place / name)
    asked = {"device": "cuda", **given}
    return Settings(*folders, scorers, key="k", max_side=448, **asked)


def test_a_plan_that_holds_on_the_processor_stays(
    tmp_path: Path, tower: list[StandIn], capsys: pytest.CaptureFixture[str]
) -> None:
    dataset(tmp_path)
    found = run(settings(tmp_path, scorers=("embedded",), certificates=True), Here())
    (row,) = albums_in(tmp_path / "out")
    assert row["gpu_plan"] == "proved" and row["share"]
    assert found.gpu_plans == {"proved": 1}
    assert set(tower[0].sizes) == {gpu.BATCH}, "a batch has one size, filled up with blanks"
    made = {against.scorer for against in read_plan_text(row["certificate"]).promise.against}
    own = describe_scorer("embedded", gpu=True).fingerprint
    assert made == {own} != {describe_scorer("embedded").fingerprint}
    assert VIEWS not in row and "_work" not in {path.name for path in (tmp_path / "out").iterdir()}
    show_summary(found, "out")
    assert "1 plan from a GPU's scores proved again on the processor's: 0 failed (0.0 %)" in (
        capsys.readouterr().out
    )
    assert "the plan holds there too" in (tmp_path / "out" / "report.html").read_text("utf-8")


@pytest.mark.parametrize("scorer", ["embedded:512", "embedded"])
def test_a_plan_that_fails_there_is_made_anew_as_without_a_gpu(
    scorer: str, tmp_path: Path, tower: list[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a place is plainly found among the first, nobody tries to prove the opposite."""
    dataset(tmp_path, albums=2)
    tower[0] = StandIn(-2.0)
    if scorer == "embedded":
        monkeypatch.setattr(processor_rows, "prove_kept", lambda *a, **k: pytest.fail("tried"))
    found = run(settings(tmp_path, scorers=(scorer,)), Here())
    without = run(settings(tmp_path, "cpu", (scorer,), device="cpu"), Here())
    rows, plain = albums_in(tmp_path / "out"), albums_in(tmp_path / "cpu")
    assert [row["gpu_plan"] for row in rows] == ["failed"] * 2
    assert {row["gpu_plan"] for row in plain} == {None}
    apart = {"gpu_plan", "input_digest"}
    for row, other in zip(rows, plain, strict=True):
        assert {n: v for n, v in row.items() if n not in apart} == {
            n: v for n, v in other.items() if n not in apart
        }
        assert row["input_digest"] != other["input_digest"], "another model, another basis"
    assert (found.gpu_plans, found.gpu_failures, found.gpu_proofs) == ({"failed": 2}, 2, 2)
    assert without.gpu_plans == {} and dead_in(tmp_path / "out") == []


def test_without_a_plan_there_is_nothing_to_prove(
    tmp_path: Path, tower: list[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = json.dumps({"top": 12, "exact_top": True, "keep": ["*"], "margin": 50.0})
    table = pa.table({name: [value] for name, value in one_photo().items()})
    rows = table.set_column(table.column_names.index("wishes"), "wishes", [[wish]])
    write(rows.select(photos_in().names).cast(photos_in()), tmp_path / "in" / "a.parquet")
    found = run(settings(tmp_path), Here())
    (row,) = albums_in(tmp_path / "out")
    assert row["share"] is None and row["gpu_plan"] == "none"
    assert found.gpu_plans == {"none": 1} and found.gpu_proofs == 0


def one_photo(name: str = PHOTOS[0]) -> dict[str, Any]:
    record = dict.fromkeys(photos_in().names)
    content = (ALBUM / name).read_bytes()
    return record | {
        "album": "trip", "photo": name, "content": content, "place": "Nîmes", "wishes": WISHES
    }  # fmt: skip


def test_ray_and_large_albums_come_to_the_same_rows(tmp_path: Path, tower: list[StandIn]) -> None:
    """Slices keep what the tower saw, until the album is joined; so do rows between actors."""
    dataset(tmp_path)
    run(settings(tmp_path), Here())
    run(settings(tmp_path, "slices", block=2), Here())
    rows, sliced = albums_in(tmp_path / "out"), albums_in(tmp_path / "slices")
    assert rows == sliced and rows[0]["gpu_plan"] == "proved"
    given = settings(tmp_path, "ray", gpu=True)
    with RowScorer(given) as scorer:
        table = scorer([parquet.read_table(tmp_path / "in" / "a.parquet")])
    planned, letters = solve("trip-0", table, read_attackers(table.schema), given)
    assert planned | {"input_digest": None} == rows[0] | {"input_digest": None} and not letters


def test_versions_and_other_models_are_proved_by_the_rows_they_have(
    tmp_path: Path, tower: list[StandIn]
) -> None:
    """A covered version is shared; a model that no GPU runs keeps its rows."""
    plain = one_photo()
    edit = {"version": "blank", "version_cost": 0.5, "content": jpeg(3, 64, 48)}
    rows = [plain, plain | edit, one_photo(PHOTOS[1])]
    write(pa.Table.from_pylist(rows, photos_in()), tmp_path / "in" / "a.parquet")
    scorers = ("embedded:512", model(tmp_path))
    run(settings(tmp_path, scorers=scorers), Here())
    run(settings(tmp_path, "cpu", scorers=scorers, device="cpu"), Here())
    (row,), (plain,) = albums_in(tmp_path / "out"), albums_in(tmp_path / "cpu")
    assert row["gpu_plan"] == "proved"
    assert row["share_versions"] == [{"photo": PHOTOS[0], "version": "blank"}]
    assert (row["share"], row["share_versions"]) == (plain["share"], plain["share_versions"])


def test_a_gpu_that_fails_ends_the_run_and_blames_no_photo(
    tmp_path: Path, tower: list[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset(tmp_path)

    def failing(photos: Any) -> Any:
        raise RuntimeError("CUDA error: out of memory\nmore")

    monkeypatch.setattr(gpu, "open_tower", lambda content: failing)
    with pytest.raises(DeviceError, match=r"the GPU failed .*\(CUDA error: out of memory\): see"):
        run(settings(tmp_path), Here())
    monkeypatch.setattr(gpu, "open_tower", lambda content: tower[0])
    forget()
    assert run(settings(tmp_path), Here()).gpu_plans == {"proved": 1}, "and it resumes"


def test_a_run_keeps_the_device_that_it_began_with(
    tmp_path: Path, tower: list[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset(tmp_path)
    run(settings(tmp_path), Here())
    with pytest.raises(InputError, match=r"--device was cuda and is cpu"):
        run(settings(tmp_path, device="cpu"), Here())
    again = run(settings(tmp_path, update=True, device="cpu"), Here())
    assert again.gpu_plans == {} and albums_in(tmp_path / "out")[0]["gpu_plan"] is None


@pytest.mark.parametrize(
    ("device", "scorers", "problem", "expected"),
    [
        ("auto", ("embedded",), "", False),
        ("cpu", ("embedded",), "", False),
        ("auto", ("dino",), "", False),
        ("auto", ("onnx:m.onnx",), "", False),
        ("auto", ("embedded", "onnx:m.onnx"), "", False),
        ("cuda", ("embedded", "onnx:m.onnx"), "", True),
        ("cuda", ("embedded",), "", True),
        ("cuda", ("embedded:half_a",), "", True),
        ("cuda", ("embedded",), "no PyTorch", None),
    ],
)
def test_who_runs_on_a_gpu(
    device: Any,
    scorers: tuple[str, ...],
    problem: str,
    expected: bool | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "gpu_problem", lambda: problem)
    given = Settings("in", "out", scorers, device=device)
    if expected is None:
        with pytest.raises(ScorerError, match="embedded cannot run on a GPU, for no PyTorch"):
            Engine().has_gpu(given)
    else:
        assert Engine().has_gpu(given) == expected


@pytest.mark.parametrize("scorers", [("onnx:m.onnx",), ("dino", "onnx:m.onnx")])
def test_a_model_without_a_form_for_gpus_is_refused_there(scorers: tuple[str, ...]) -> None:
    """Its rows on a GPU would have the fingerprint of the processor's, and no proof there."""
    with pytest.raises(InputError, match=r"onnx:m\.onnx cannot run on a GPU, .* the device auto"):
        Settings("in", "out", scorers, device="cuda")


def test_who_runs_on_a_gpu_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: object())
    given = Settings("in", "out", device="cuda")
    assert Engine("ray").has_gpu(given)
    assert not Engine("ray", gpus=0.0).has_gpu(given)
    assert not Engine("ray").has_gpu(Settings("in", "out"))
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: None)
    with pytest.raises(FileError, match="without PyTorch"):
        Engine("ray").has_gpu(given)


@pytest.mark.parametrize(
    ("nodes", "share", "expected"),
    [
        ([{"CPU": 16.0, "GPU": 1.0}], 1.0, (8.0, 1.0, 16)),
        ([{"CPU": 16.0, "GPU": 1.0}, {"CPU": 64.0}], 1.0, (8.0, 1.0, 16)),
        ([{"CPU": 16.0, "GPU": 4.0}, {"CPU": 2.0, "GPU": 1.0}], 1.0, (1.0, 1.0, 2)),
        ([{"CPU": 8.0, "GPU": 1.0}], 0.5, (2.0, 1.0, 4)),
        ([{"CPU": 1.0, "GPU": 1.0}], 1.0, (0.9, 0.1, 2)),
        ([], 1.0, (0.9, 0.1, 2)),
    ],
)
def test_an_actor_fits_on_its_node_and_leaves_room_for_plans(
    nodes: list[dict[str, float]], share: float, expected: tuple[float, float, int]
) -> None:
    assert gpu_actor(nodes, share) == pytest.approx(expected)


def test_few_workers_share_a_gpu_and_many_decoders_feed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_engine, "worker_count", lambda limit: 16)
    assert local_engine.gpu_workers(None) == (4, 8)
    assert local_engine.gpu_workers(1) == (1, 32)
    monkeypatch.setattr(local_engine, "worker_count", lambda limit: 2)
    assert local_engine.gpu_workers(None) == (2, 2)
