"""`elsewhere score`, `guess` and `cache`, as they are typed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elsewhere.album import decode, read_album
from elsewhere.album.renditions import Spool
from elsewhere.formats.score_files import read_scores
from elsewhere.globe import Cells
from elsewhere.globe.places import cell_names
from elsewhere.scorers import Photo, find
from tests.album.nasty_formats import CRASHING
from tests.cli.keyboard import SCORER, typed
from tests.scorers.models import described, save_picture

HEIC = Path(__file__).parents[1] / "album" / "data" / "phone.heic"


@pytest.fixture
def home(bare_home: Path) -> Path:
    """Four photos, one of them in a subfolder."""
    for number in (1, 2, 10):
        save_picture(bare_home / "album" / f"IMG_{number}.jpg", number)
    save_picture(bare_home / "album" / "day 2" / "a.png", 3)
    return bare_home


def refused(*arguments: str, code: int = 1) -> str:
    result = typed(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


def guessed(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = typed("guess", *arguments, *SCORER, "--json")
    assert result.exit_code == code, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("file", ["s.npz", "s.csv", "s.parquet"])
def test_score_writes_every_photo_in_natural_order(file: str) -> None:
    result = typed("score", "album", "-o", file, *SCORER)
    assert result.exit_code == 0, result.output
    assert f"{file}: 4 photos × 512 cells" in result.stdout
    scores = read_scores(file)
    assert scores.ids == ("day 2/a.png", "IMG_1.jpg", "IMG_2.jpg", "IMG_10.jpg")
    assert scores.grid == Cells.paper().fingerprint
    assert scores.scorer
    assert np.abs(np.exp(scores.values.astype(float)).sum(axis=1) - 1).max() < 1e-4


def test_scoring_again_is_the_same_with_and_without_the_cache(home: Path) -> None:
    for number, options in enumerate([(), (), ("--no-cache",)]):
        result = typed("score", "album", "-o", f"{number}.npz", *SCORER, *options)
        assert ("4 of them from the cache" in result.stdout) == (number == 1)
        assert ("photos/s" in result.stdout) == (number != 1)  # looking up is no scoring
    assert read_scores("0.npz") == read_scores("1.npz") == read_scores("2.npz")
    assert (home / "cache" / "elsewhere" / "key").exists()


def test_no_cache_leaves_no_trace(home: Path) -> None:
    assert typed("score", "album", "-o", "s.npz", "--no-cache", *SCORER).exit_code == 0
    assert typed("guess", "album", "--no-cache", *SCORER).exit_code == 0
    assert not (home / "cache").exists()


@pytest.mark.parametrize("command", [("score", "album", "-o", "s.npz"), ("guess", "album")])
def test_no_rendition_is_held_once_it_is_scored(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    spools: list[Spool] = []

    class Watched(Spool):
        def __init__(self) -> None:
            super().__init__()
            spools.append(self)

    with monkeypatch.context() as patch:
        patch.setattr("elsewhere.album.album.Spool", Watched)
        patch.setattr("elsewhere.service.scored_album._AHEAD", 0)
        assert typed(*command, *SCORER).exit_code == 0
    sizes = [photo.rendition.size for photo in read_album([home / "album"]).photos]
    assert [spool.size for spool in spools] == [max(sizes)]


def test_a_bad_photo_is_told_and_the_others_are_scored(home: Path) -> None:
    (home / "album" / "IMG_2.jpg").write_bytes(b"torn")
    result = typed("score", "album", "-o", "s.npz", *SCORER)
    assert result.exit_code == 1
    first, last = result.stderr.splitlines()
    assert first.startswith("elsewhere: IMG_2.jpg: its type is not supported")
    assert last == "elsewhere: 1 photo could not be scored and is not in s.npz"
    assert read_scores("s.npz").photos == 3


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("score", "none", "-o", "s.npz"), "none does not exist"),
        (("score", "model", "-o", "s.npz"), "there is no photo to look at"),
        (("score", "album", "-o", "s.txt"), "must end in .npz, .csv or .parquet"),
        (("score", "album", "-o", "none/s.npz"), "there is no folder none"),
        (("score", "album", "-o", "s.npz", "--scorer", "gps"), 'there is no scorer "gps"'),
        (("guess", "album/IMG_1.jpg", "album/none.jpg"), "album/none.jpg does not exist"),
        (("guess", "album", "--scorer", "table:none.npz"), "none.npz does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    home: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    before = sorted(path for path in home.rglob("*") if "cache" not in path.parts)
    chosen = () if "--scorer" in arguments else SCORER
    # a photo that is not there is the command line's fault, whatever else goes wrong a file's
    code = 2 if sentence in {"none does not exist", "album/none.jpg does not exist"} else 1
    told = refused(*arguments, *chosen, code=code)
    assert sentence in told
    assert told.startswith("elsewhere: ")
    assert told.count("\n") == 1
    assert sorted(path for path in home.rglob("*") if "cache" not in path.parts) == before


def test_the_table_of_one_run_is_the_scorer_of_another(home: Path) -> None:
    typed("score", "album", "-o", "s.npz", *SCORER)
    result = typed("score", "album", "-o", "again.npz", "--scorer", "table:s.npz")
    assert result.exit_code == 0, result.output
    assert read_scores("again.npz") == read_scores("s.npz")
    assert not list((home / "cache" / "elsewhere" / "rows").glob("*/*"))[4:]


@pytest.mark.usefixtures("home")
def test_guess_gives_places_by_name_for_each_and_for_all() -> None:
    typed("score", "album", "-o", "s.npz", *SCORER)
    rows = read_scores("s.npz")
    told = guessed("album/IMG_10.jpg", "album/IMG_1.jpg", "--top", "4")
    assert [photo["photo"] for photo in told["photos"]] == ["IMG_10.jpg", "IMG_1.jpg"]
    row = rows.values[rows.index("IMG_10.jpg")]
    best = np.argsort(-row)[:4]
    first = told["photos"][0]["places"]
    assert [place["cell"] for place in first] == best.tolist()
    assert [place["place"] for place in first] == [cell_names(Cells.paper())[c] for c in best]
    assert [place["probability"] for place in first] == pytest.approx(np.exp(row[best]), abs=1e-5)
    product = row.astype(float) + rows.values[rows.index("IMG_1.jpg")]
    likely = np.exp(product) / np.exp(product).sum()
    both = told["together"]
    assert both["photos"] == 2
    assert [place["cell"] for place in both["places"]] == np.argsort(-likely)[:4].tolist()
    assert both["places"][0]["probability"] == pytest.approx(likely.max(), abs=1e-5)
    assert "together" not in guessed("album/IMG_1.jpg")


def test_guess_goes_on_past_a_bad_photo(home: Path) -> None:
    (home / "album" / "IMG_1.jpg").write_bytes(b"torn")
    told = guessed("album", code=1)
    assert len(told["photos"]) == 3
    assert [photo["photo"] for photo in told["failed"]] == ["IMG_1.jpg"]


def test_photos_that_cannot_be_read_are_told_once_each(home: Path) -> None:
    for name in ("x.jpg", "y.jpg", "z.txt"):
        (home / name).write_bytes(b"torn")
    result = typed("guess", "x.jpg", "y.jpg", "z.txt", *SCORER)
    assert (result.exit_code, result.stdout) == (1, "")
    names = [line.split(": ")[1] for line in result.stderr.splitlines()]
    assert names == ["x.jpg", "y.jpg", "z.txt"], "what was named is told, photo or not"
    for given in (["x.jpg"], ["x.jpg", "y.jpg"]):
        told = guessed(*given, code=1)
        assert told["photos"] == []
        assert [photo["photo"] for photo in told["failed"]] == given
        assert all(
            photo["problem"].startswith("its type is not supported") for photo in told["failed"]
        )


def test_what_is_no_photo_is_passed_over_in_silence(home: Path) -> None:
    """A folder holds all sorts of things; only a photo that is missing is worth a word."""
    (home / "album" / "notes.txt").write_text("bread, milk")
    (home / "album" / ".hidden").write_text("x")
    (home / "album" / "IMG_1.jpg.xmp").write_text("<x/>")
    result = typed("score", "album", "-o", "s.npz", *SCORER)
    assert (result.exit_code, result.stderr) == (0, "")
    assert read_scores("s.npz").photos == 4


def test_a_file_that_kills_its_decoder_costs_itself(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing from a stranger is decoded in the program itself, whichever command it is."""
    monkeypatch.setattr(
        decode,
        "render_pixels",
        lambda *given: pytest.fail("a photo was decoded in the main process"),
    )
    (home / "album" / "bad.heic").write_bytes(CRASHING)
    (home / "album" / "IMG_3.heic").write_bytes(HEIC.read_bytes())
    result = typed("score", "album", "-o", "s.npz", *SCORER)
    # a later decoder may know how to read it, and then it must be in the file
    assert (result.exit_code == 1) == ("bad.heic" not in read_scores("s.npz").ids)
    assert result.exit_code == 0 or result.stderr.startswith("elsewhere: bad.heic: ")
    assert "IMG_3.heic" in read_scores("s.npz").ids
    told = guessed("album", code=result.exit_code)
    assert "IMG_3.heic" in {photo["photo"] for photo in told["photos"]}


def test_what_is_scored_is_the_rendition(home: Path) -> None:
    """The row of a file is the row of what the album makes of it, to the last bit."""
    save_picture(home / "large" / "a.jpg", 7, 3000, 2000)
    typed("score", "large", "-o", "s.npz", "--no-cache", *SCORER)
    (photo,) = read_album(["large"]).photos
    row = find(SCORER[1])
    row.load()
    alone = row.score(Photo("a", photo.path, photo.rendition.content))
    assert read_scores("s.npz").values[0].tobytes() == alone.tobytes()


def test_the_scorers_own_file_is_not_written_over(home: Path) -> None:
    typed("score", "album", "-o", "s.npz", *SCORER)
    before = (home / "s.npz").read_bytes()
    told = refused("score", "album", "-o", "./s.npz", "--scorer", "table:s.npz", code=2)
    assert "is one of the inputs" in told
    assert (home / "s.npz").read_bytes() == before


@pytest.mark.usefixtures("home")
def test_guess_for_people_has_names_a_map_and_no_colours_in_a_pipe() -> None:
    result = typed("guess", "album/IMG_1.jpg", "album/IMG_2.jpg", *SCORER)
    assert result.exit_code == 0, result.output
    best = guessed("album/IMG_1.jpg", "album/IMG_2.jpg")["together"]["places"][0]
    assert best["place"].split(",")[0] in result.stdout
    assert "all 2 together" in result.stdout
    assert f"{best['place']}  cell {best['cell']}\n" in result.stdout
    assert "⣿⣿⣿" not in result.stdout
    assert all(line == line.rstrip() for line in result.stdout.splitlines())
    drawn = typed("guess", "album/IMG_1.jpg", "--map", *SCORER)
    assert "⣿⣿⣿" in drawn.stdout
    assert "a better one may exist" in " ".join(result.stdout.split())
    assert "\x1b" not in result.stdout


def test_a_name_cannot_steer_the_terminal(home: Path) -> None:
    save_picture(home / "album" / "a\x1b[2J.jpg", 1)
    result = typed("guess", "album", *SCORER)
    assert "\x1b" not in result.stdout + result.stderr


def test_a_model_with_other_cells_is_named_by_them_or_by_number(home: Path) -> None:
    (home / "other").mkdir()
    described(home / "other")
    result = typed("guess", "album/IMG_1.jpg", "--scorer", "onnx:other/tiny.onnx", "--json")
    assert all("place" in place for place in json.loads(result.stdout)["photos"][0]["places"])
    (home / "t.csv").write_text("photo,0,1,2\nIMG_1.jpg,-1,-2,-3\n")
    result = typed("guess", "album/IMG_1.jpg", "--scorer", "table:t.csv")
    assert result.exit_code == 0, result.output
    assert "cell 0" in result.stdout


def test_the_cache_can_be_shown_and_cleared(home: Path) -> None:
    typed("guess", "album", *SCORER)
    assert "4 rows" in typed("cache", "show").stdout
    assert "4 rows deleted" in typed("cache", "clear").stdout
    assert not list((home / "cache").iterdir())
    assert "0 rows" in typed("cache", "show").stdout


PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
from elsewhere.cli import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_leaves_nothing_half_written(home: Path) -> None:
    for number in range(400):
        save_picture(home / "many" / f"{number}.jpg", number, 640, 480)
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "score", "many", "-o", "s.npz", *SCORER],
        stderr=subprocess.PIPE,
        text=True,
    )
    while started.poll() is None and not list((home / "cache" / "elsewhere").glob("rows/*/*")):
        time.sleep(0.01)  # until the first rows are there
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=60)
    assert started.returncode == 130, told
    assert told.splitlines()[-1] == "elsewhere: stopped"
    assert sorted(path.name for path in home.iterdir()) == ["album", "cache", "many", "model"]
    assert 0 < len(list((home / "cache" / "elsewhere").glob("rows/*/*"))) < 400
    assert not list((home / "cache" / "elsewhere").glob("rows/*/.*"))
