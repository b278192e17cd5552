"""A folder belongs to one source, one scale and one state of the program."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files import write_scores
from elsewhere.values.scores import Scores
from elsewhere_lab import run_folder, sources
from elsewhere_lab.files import read_rows
from elsewhere_lab.run_folder import ALBUM_CELLS, claim, read_run, with_album_cells
from elsewhere_lab.sources import RECOMPRESSED, ScoreFiles, Simulator
from elsewhere_lab.values import SCALES, Row

SMALL = SCALES["small"]


def silent(sentence: str) -> None:
    raise AssertionError(f"nothing was to be said, not {sentence}")


def made(folder: Path, seed: int) -> ScoreFiles:
    """A score file of forty photos in two cells, two albums of eighteen."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = Scores(
        np.random.default_rng(seed).normal(size=(40, 5)), ids=[f"p{i}" for i in range(40)]
    )
    write_scores(folder / "m.npz", scores)
    lines = [f"p{i},{i % 2},{'trip' if i < 36 else ''}" for i in range(40)]
    (folder / "truth.csv").write_text("photo,cell,album\n" + "\n".join(lines) + "\n", "utf-8")
    return ScoreFiles((folder / "m.npz",), folder / "truth.csv")


def test_another_source_or_scale_is_refused(tmp_path: Path) -> None:
    claim(tmp_path, Simulator(1), SMALL, silent)
    claim(tmp_path, Simulator(1), SMALL, silent)
    with pytest.raises(InputError, match="holds a run of simulator-1 at scale small"):
        claim(tmp_path, Simulator(2), SMALL, silent)
    with pytest.raises(InputError, match="holds a run of simulator-1 at scale small"):
        claim(tmp_path, Simulator(1), SCALES["medium"], silent)
    assert read_run(tmp_path).info["seed"] == 1


def test_the_same_path_with_new_contents_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    claim(out, made(tmp_path, 1), SMALL, silent)
    claim(out, made(tmp_path, 1), SMALL, silent)
    with pytest.raises(InputError, match="begun with another score file 1: choose another folder"):
        claim(out, made(tmp_path, 2), SMALL, silent)


def test_files_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    out = tmp_path / "out"
    claim(out, made(tmp_path / "a", 1), SMALL, silent)
    with pytest.raises(InputError, match="begun with another score file 1"):
        claim(out, made(tmp_path / "b", 2), SMALL, silent)
    (tmp_path / "a" / "truth.csv").write_text("photo,cell\np0,1\n", "utf-8")
    with pytest.raises(InputError, match="begun with another truth file"):
        claim(
            out,
            ScoreFiles((tmp_path / "a" / "m.npz",), tmp_path / "a" / "truth.csv"),
            SMALL,
            silent,
        )


def test_the_same_files_may_lie_anywhere(tmp_path: Path) -> None:
    claim(tmp_path / "out", made(tmp_path / "a", 1), SMALL, silent)
    shutil.copytree(tmp_path / "a", tmp_path / "elsewhere")
    moved = tmp_path / "elsewhere"
    claim(tmp_path / "out", ScoreFiles((moved / "m.npz",), moved / "truth.csv"), SMALL, silent)


def test_one_file_more_is_another_run(tmp_path: Path) -> None:
    one = made(tmp_path / "a", 1)
    claim(tmp_path / "out", one, SMALL, silent)
    with pytest.raises(InputError, match="begun with another score file 2"):
        claim(tmp_path / "out", ScoreFiles(one.files * 2, one.truth), SMALL, silent)


@pytest.mark.parametrize(
    ("where", "name", "what"),
    [
        (run_folder, "WORK", r"limit of work \(400000, now 7\)"),
        (sources, "PER_CELL", "simulator: choose"),
    ],
)
def test_another_simulator_or_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, what: str
) -> None:
    claim(tmp_path, Simulator(), SMALL, silent)
    monkeypatch.setattr(where, name, 7)
    with pytest.raises(InputError, match=f"begun with another {what}"):
        claim(tmp_path, Simulator(), SMALL, silent)


def test_another_world_is_another_run(tmp_path: Path) -> None:
    other = Simulator(3, 7)
    assert (other.name, other.given) == ("simulator-3-world-7", "--seed 3 --world 7")
    assert (Simulator(3).name, Simulator(3).given) == ("simulator-3", "--seed 3")
    assert Simulator(3).digests == Simulator(3, 2020).digests != other.digests
    same, apart = (source.photos(17)[0] for source in (Simulator(3, 2020), other))
    assert np.array_equal(Simulator(3).photos(17)[0], same) and not np.array_equal(same, apart)
    claim(tmp_path, other, SMALL, silent)
    assert read_run(tmp_path).info["world"] == 7
    rows: list[Row] = [{"kind": "Albums", "number": 4}]
    (row,) = with_album_cells(rows, read_run(tmp_path))
    assert row["cell"] == other.album(4).truth
    with pytest.raises(InputError, match="holds a run of simulator-3-world-7"):
        claim(tmp_path, Simulator(3), SMALL, silent)


def test_another_version_is_refused_and_stays_written_down(tmp_path: Path) -> None:
    claim(tmp_path, Simulator(), SMALL, silent)
    told = read_run(tmp_path).info
    told["made_of"]["version of elsewhere"] = "0.0.1"
    (tmp_path / "run.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(InputError, match=r"another version of elsewhere \(0\.0\.1, now "):
        claim(tmp_path, Simulator(), SMALL, silent)
    assert read_run(tmp_path).info == told


def test_a_folder_from_before_the_digests_is_accepted_once_and_said_so(tmp_path: Path) -> None:
    claim(tmp_path, Simulator(), SMALL, silent)
    told = read_run(tmp_path).info
    version = told["made_of"]["version of elsewhere"]
    took = {"fewest": {"seconds": 3.0, "busy": 4.0, "parts": 2}}
    old = {"source": "simulator-0", "scale": "small", "given": "", "version": version, "took": took}
    (tmp_path / "run.json").write_text(json.dumps(old), "utf-8")
    said: list[str] = []
    claim(tmp_path, Simulator(), SMALL, said.append)
    assert len(said) == 1
    assert "does not say what its rows were made of" in said[0]
    assert read_run(tmp_path).info == {**told, "took": took}
    claim(tmp_path, Simulator(), SMALL, silent)
    (tmp_path / "run.json").write_text(json.dumps({**old, "version": "0.0.1"}), "utf-8")
    with pytest.raises(InputError, match="another version"):
        claim(tmp_path, Simulator(), SMALL, said.append)


def test_other_recompressed_scores_are_refused_and_none_are_no_matter(tmp_path: Path) -> None:
    out = tmp_path / "out"
    claim(out, made(tmp_path, 1), SMALL, silent)
    moved = tmp_path / RECOMPRESSED
    moved.write_text("album,photo,way,rival 1\nx,p0,quality 60,0.5\n", "utf-8")
    claim(out, made(tmp_path, 1), SMALL, silent)  # no rows of it yet: nothing to mix
    kept = read_run(out).info["made_of"][RECOMPRESSED]
    moved.write_text("album,photo,way,rival 1\nx,p0,quality 60,0.9\n", "utf-8")
    with pytest.raises(InputError, match=r"begun with another recompress\.csv: choose"):
        claim(out, made(tmp_path, 1), SMALL, silent)
    moved.unlink()
    claim(out, made(tmp_path, 1), SMALL, silent)  # other experiments do not read it
    assert read_run(out).info["made_of"][RECOMPRESSED] == kept


def test_recompressed_rows_from_before_their_digest_are_accepted_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    claim(out, made(tmp_path, 1), SMALL, silent)
    (out / "recompress").mkdir()
    (tmp_path / RECOMPRESSED).write_text("album,photo,way,rival 1\nx,p0,quality 60,0.5\n", "utf-8")
    said: list[str] = []
    claim(out, made(tmp_path, 1), SMALL, said.append)
    assert len(said) == 1
    assert "does not say which recompress.csv its rows were made of" in said[0]
    claim(out, made(tmp_path, 1), SMALL, silent)


def test_albums_keep_their_cells_for_the_errors(tmp_path: Path) -> None:
    source = made(tmp_path / "a", 1)
    rows: list[Row] = [{"kind": "Albums", "number": i} for i in range(source.albums())]
    out = tmp_path / "out"
    claim(out, source, SMALL, silent)
    assert [row["cell"] for row in with_album_cells(rows, read_run(out))] == [0, 1]
    (out / ALBUM_CELLS).unlink()
    assert [row["cell"] for row in with_album_cells(rows, read_run(out))] == [None, None]
    claim(out, source, SMALL, silent)  # written again: older folders have none
    assert len(read_rows(out / ALBUM_CELLS)) == 2
    simulated = tmp_path / "simulated"
    claim(simulated, Simulator(3), SMALL, silent)
    assert with_album_cells(rows, read_run(simulated))[1]["cell"] == Simulator(3).album(1).truth


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert read_run(tmp_path).info == {}
    (tmp_path / "run.json").write_text("{", "utf-8")
    with pytest.raises(FileError, match=r"run\.json cannot be read"):
        read_run(tmp_path)
    with pytest.raises(FileError, match=r"none\.npz cannot be read"):
        _ = ScoreFiles((tmp_path / "none.npz",), tmp_path / "truth.csv").digests
