"""`elsewhere protect`, as it is typed."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from elsewhere.cli.program import CODES
from elsewhere.cli.render.progress import Stages
from elsewhere.example import ALBUM
from elsewhere.service import Step
from elsewhere.values.plan import Status
from tests.album.makers import exif, jpeg
from tests.cli.keyboard import SCORER, typed

PHOTOS = 10
WHERE = "--at=-15.7797,-47.9297"
"""The model's second guess for these photos: some must go, and not all."""


@pytest.fixture
def home(bare_home: Path) -> Path:
    """Ten photos that say nothing of the place, and something beside them."""
    for number in range(PHOTOS):
        (bare_home / "album" / f"IMG_{number}.jpg").write_bytes(jpeg(number + 1))
    (bare_home / "album" / "notes.txt").write_text("not a photo")
    return bare_home


def run(*arguments: str, **more: Any) -> Result:
    return typed("protect", *arguments, *SCORER, **more)


def told(*arguments: str, code: int = 0, **more: Any) -> dict[str, Any]:
    result = run(*arguments, "--json", **more)
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_clean_copy_and_all_that_is_said_of_it(home: Path) -> None:
    result = run("album", WHERE, "--top", "3", "-o", "out", "-v")
    assert result.exit_code == 0, result.output
    copies = sorted(path.name for path in (home / "out").iterdir())
    lines = result.stdout.splitlines()
    assert f"of {PHOTOS} photos withheld" in lines[0] and "among its first 3 guesses" in lines[0]
    assert copies == [f"{number:03}.jpg" for number in range(1, len(copies) + 1)]
    assert 0 < len(copies) < PHOTOS
    words = dict(line.split(maxsplit=1) for line in lines if line and not line.startswith(" "))
    assert words["hidden"].endswith(f"{PHOTOS} photos")
    assert words["withheld"].count("IMG_") == PHOTOS - len(copies)
    assert words["left"] == (
        "out  notes.txt  its type is not supported (JPEG, PNG, WebP, TIFF, AVIF and HEIC are)"
    )
    assert words["clean"].startswith("copy   out ")
    assert "reverse image search" in words["not"]
    assert words["prove"].endswith("elsewhere verify out")
    assert "\x1b" not in result.stdout
    certificate = Path(words["certificate"].rpartition("  (")[0])
    assert stat.S_IMODE(certificate.parent.stat().st_mode) == 0o700
    assert home / "data" in certificate.parents


def test_what_is_said_by_default_is_short(home: Path) -> None:
    short = run("album", WHERE, "--top", "3", "-o", "out").stdout
    long = run("album", WHERE, "--top", "3", "-o", "other", "-v").stdout
    assert f"of {PHOTOS} photos withheld" in short and "\nclean copy" in short
    for word in ("withheld", "kept", "left out", "not covered", "prove again"):
        assert f"\n{word}" in short and f"\n{word}" in long
    for word in ("hidden", "certificate"):
        assert f"\n{word}" in long and f"\n{word}" not in short
    assert len(short.splitlines()) < 20


def test_the_json_has_everything_and_keeps_the_secret(home: Path) -> None:
    found = told("album", WHERE, "--top", "2", "-o", "out.zip")
    assert found["status"] == "optimal"
    assert found["asked"] == {"top": 2, "budget": None}
    assert sorted(found["withheld"] + found["kept"]) == sorted(
        f"IMG_{number}.jpg" for number in range(PHOTOS)
    )
    assert {file["photo"] for file in found["files"]} == set(found["kept"])
    assert [(one["file"], one["kind"]) for one in found["left"]] == [("notes.txt", "foreign")]
    assert found["places"][0]["hidden"] and len(found["places"][0]["photos"]) == PHOTOS
    assert (home / "out.zip").is_file() and Path(found["certificate"]).is_file()
    assert "for 2 guesses or more (how many, up to 4, stays secret)" in found["verdict"]
    for word in ("protected_k", "rivals", "slack", "bound"):  # they would give it away
        assert word not in json.dumps(found)


def test_a_folder_that_may_not_be_read_says_so_in_a_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read anything, so the refusal is put in."""
    true_access, true_scan = os.access, os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(path).name == "album":
            raise PermissionError(13, "Permission denied")
        return true_scan(path)

    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path).name != "album" and true_access(path, mode)
    )
    monkeypatch.setattr(os, "scandir", scandir)
    result = run("album", "-n")
    assert result.exit_code == 1
    assert "cannot be read (Permission denied): check it and its permissions" in result.stderr


def test_a_dry_run_writes_nothing(home: Path) -> None:
    before = sorted(home.rglob("*"))
    result = run("album", WHERE, "--no-cache", "-n")
    assert result.exit_code == 0, result.output
    assert "Nothing was written" in result.stdout
    assert [path.name for path in home.rglob("*") if path.is_file() and path not in before] == [
        "draw.key"  # which makes the export draw the same secret top
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["album"], "name the clean copy with -o"),
        (["album", "-n", "--top", "3", "--budget", "2"], "either --top K"),
        (["album", "-n", "--max-side", "900", "--full"], "either --max-side"),
        (["album", "-o", "album"], "exists already"),
        (["album", "-o", "album/copy"], "among the originals"),
        (["album", "-o", "nowhere/copy"], "does not exist"),
        (["album", "-n", "--at=Atlantis-sur-Mer"], "Atlantis-sur-Mer"),
        (["album", "-n", "--at=38.72,-9.14", "--keep", "IMG_99*"], "IMG_99*"),
        (["album", "-n", "--at=38.72,-9.14", "--margin", "brave"], "none, careful, paranoid"),
        (["album", "-n", "--at=38.72,-9.14", "--hide", "Tokyo"], "Tokyo"),
        (["album", "-o", "x", "--at=38.72,-9.14", "--order", "odd"], "odd"),
        (["album", "-o", "x", "--at=38.72,-9.14", "--names", "odd"], "odd"),
        (["album", "-o", "x", "--at=38.72,-9.14", "--private", "x/private"], "private"),
    ],
)
def test_what_cannot_be_gets_one_sentence(home: Path, arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert not (home / "x").exists() and not (home / "data").exists()


def test_what_is_no_album_is_an_error(home: Path) -> None:
    (home / "empty").mkdir()
    empty, missing = run("empty", "-n"), run("missing", "-n")
    assert (empty.exit_code, missing.exit_code) == (1, 2)
    assert "no photo" in empty.stderr and "missing does not exist" in missing.stderr


def test_a_place_that_nobody_told_is_asked_for(home: Path) -> None:
    result = run("album", "-o", "out")
    assert result.exit_code == 2
    assert "What the models guess" in result.stdout and result.stdout.count("%") == 5
    assert "--at" in result.stderr
    guessed = told("album", "-n", code=2)
    assert guessed["status"] == "nowhere" and len(guessed["guesses"]) == 5
    assert not (home / "out").exists()


def test_a_place_that_stays_out_of_the_history(home: Path) -> None:
    by_option = told("album", WHERE, "-n", "--exact-top")
    asked = told("album", "--at", "-", "-n", "--exact-top", input=WHERE[5:])
    assert asked == by_option
    assert run("album", "--at", "-", "-n", input="\n").exit_code == 2


def test_nothing_is_written_where_there_is_no_plan(home: Path) -> None:
    result = run("album", WHERE, "--keep", "IMG_*", "--top", "3", "-o", "out")
    assert result.exit_code == 3, result.output
    assert "in the way" in result.stdout
    assert not (home / "out").exists()
    assert [path.name for path in (home / "data").rglob("*") if path.is_file()] == ["draw.key"]
    found = told("album", WHERE, "--keep", "IMG_*", "--top", "3", "-n", code=3)
    assert found["status"] == "infeasible" and found["explanation"] and not found["kept"]


def test_every_status_has_its_exit_code() -> None:
    assert {*CODES} == {*Status}
    assert [CODES[status] for status in ("optimal", "feasible")] == [0, 0]
    assert [CODES[status] for status in ("infeasible", "unknown")] == [3, 4]


def test_pins_values_and_budgets_reach_the_plan(home: Path) -> None:
    wishes = ("-n", "--exact-top", "--top", "3", "--no-each-photo")
    plain = told("album", WHERE, *wishes)
    kept, gone = plain["withheld"][0], plain["kept"][0]
    pinned = told("album", WHERE, *wishes, "--drop", gone)
    assert gone in pinned["withheld"] and pinned["dropped"] == [gone] and not plain["dropped"]
    chosen = len(pinned["withheld"]) - 1
    assert f"{chosen} of 10 photos withheld beyond the 1 that you drop" in pinned["verdict"]
    shown = run("album", WHERE, *wishes, "--drop", gone).stdout.splitlines()
    assert f"dropped   {gone}  as you asked" in shown
    (home / "worth.csv").write_text(f"photo,value\n{kept},50\n")
    worth = told("album", WHERE, *wishes, "--value", "worth.csv")
    assert kept not in worth["withheld"]
    budget = told("album", WHERE, "-n", "--budget", "20%")
    assert len(budget["withheld"]) <= 2 and budget["asked"] == {"top": None, "budget": "20%"}
    assert told("album", WHERE, "-n", "--value", "stars")["status"] == "optimal"
    (home / "worth.csv").write_text("IMG_1.jpg;2\n")
    assert run("album", WHERE, "-n", "--value", "worth.csv").exit_code == 1


def test_a_budget_that_buys_nothing_is_no_success(home: Path) -> None:
    guessed = told("album", "-n", code=2)["guesses"][0]["place"]
    where = f"--at={guessed}"
    for more in (("-n",), ("-o", "out")):
        found = told("album", where, "--budget", "0", *more, code=3)
        assert not found["protects"] and found["kept"] == found["withheld"] == []
        assert "cannot hide" in found["verdict"] and "target" not in found
    shown = run("album", where, "--budget", "0", "-o", "out")
    assert shown.exit_code == 3 and "clean copy" not in shown.stdout
    assert not (home / "out").exists() and not (home / "data").exists()
    (price,) = told("album", where, "--budget", "0", "--margin", "none", "-n", code=3)["prices"]
    assert re.fullmatch(r"a larger budget \(--budget \d+\): \d+ photos? shared", price["words"])
    enough = told("album", where, "--budget", "90%", "--margin", "none", "-o", "out")
    assert enough["protects"] and enough["kept"]


def test_folders_that_all_photos_lie_in_are_not_repeated(home: Path) -> None:
    nested = home / "nested" / "2024" / "05 in the south"
    nested.mkdir(parents=True)
    for path in (home / "album").glob("*.jpg"):
        path.rename(nested / path.name)
    wishes = ("nested", WHERE, "-n", "--exact-top", "--top", "3")
    assert all("in the south/" in name for name in told(*wishes)["withheld"])
    line = next(one for one in run(*wishes).stdout.splitlines() if one.startswith("withheld"))
    assert "IMG_" in line and "south" not in line


def test_a_hidden_country_is_named_once(home: Path) -> None:
    shown = run("album", WHERE, "-n", "-v", "--hide-level", "country").stdout.splitlines()
    line = next(one for one in shown if one.startswith("hidden"))
    assert "Brazil around " in line and line.count("Brazil") == 1


def test_what_the_files_say_is_believed_and_counted(home: Path) -> None:
    for number in range(PHOTOS):
        content = jpeg(number + 1, exif=exif().tobytes())
        (home / "album" / f"IMG_{number}.jpg").write_bytes(content)
    found = told("album", "-n")
    assert [place["place"] for place in found["places"]] == ["Lisbon, Portugal"]
    leaks = {leak["kind"]: len(leak["photos"]) for leak in found["leaks"]}
    assert leaks["position"] == leaks["serial number"] == PHOTOS
    assert "position, " in run("album", "-n", "-v").stdout


def test_names_that_are_kept_come_with_a_warning(home: Path) -> None:
    result = run("album", WHERE, "--names", "keep", "--order", "album", "-o", "out")
    assert result.exit_code == 0, result.output
    assert all(path.name.startswith("IMG_") for path in (home / "out").iterdir())
    assert "names" in result.stdout.partition("note")[2]


def test_what_was_remembered_counts_the_next_time(home: Path) -> None:
    first = told("album", WHERE, "-o", "out", "--exact-top", "--no-each-photo", "--remember")
    again = told("album", WHERE, "-n", "--exact-top", "--no-each-photo", code=3)
    assert again["kept"] == [] and again["withheld"] == first["withheld"]
    posted = told("album", WHERE, "-n", "--exact-top", "--no-each-photo", "--posted", "out", code=3)
    assert posted["withheld"] == first["withheld"]


def test_sharing_again_does_not_wear_the_promise_down(home: Path) -> None:
    """What is asked of each photo by default is not given up because more could then be shared."""
    first = told("album", WHERE, "-o", "out", "--exact-top", "--remember")
    again = told("album", WHERE, "-n", "--exact-top", code=3)
    assert again["kept"] == [] and again["withheld"] == first["withheld"]
    assert any("--no-each-photo" in note for note in again["notes"])


def test_where_all_that_may_be_kept_is_out_nothing_is_written(home: Path) -> None:
    assert run("album", WHERE, "-o", "out", "--exact-top", "--no-each-photo").exit_code == 0
    for more in ("-o", "again"), ("-n",):
        result = run("album", WHERE, "--exact-top", "--no-each-photo", "--posted", "out", *more)
        assert result.exit_code == 3, result.output
        assert result.stdout.startswith("Nothing more can be shared: every photo that may be kept")
        assert "dry-run" not in result.stdout and not result.stderr
    assert not (home / "again").exists()


def test_a_k_by_which_nothing_new_could_be_shared_is_drawn_again(home: Path) -> None:
    """Whatever is drawn from 1 to 3, the photos that a top of 1 allows can still be shared."""
    kept = told("album", WHERE, "-n", "--exact-top", "--no-each-photo", "--top", "1")["kept"]
    fewer = told("album", WHERE, "-n", "--exact-top", "--no-each-photo", "--top", "3")["kept"]
    assert len(fewer) < len(kept)
    (home / "online").mkdir()
    for name in fewer:
        (home / "online" / name).write_bytes((home / "album" / name).read_bytes())
    posted = ("--posted", "online")
    assert (
        told("album", WHERE, "-n", "--exact-top", "--no-each-photo", "--top", "3", *posted, code=3)[
            "kept"
        ]
        == []
    )
    for _ in range(8):
        assert told("album", WHERE, "-n", "--no-each-photo", "--top", "1", *posted)["kept"]


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_report_that_cannot_be_written_does_not_cost_the_copy(
    home: Path, problem: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    from elsewhere.service import private_files, report

    def full(*told: object) -> None:
        raise problem

    def write(file: Path, document: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", full)
            private_files.write_private(file, document)

    monkeypatch.setattr(report, "write_private", write)
    result = run("album", WHERE, "-o", "out")
    assert result.exit_code == 0, result.output
    why = "No space left" if isinstance(problem, OSError) else "stopped"
    assert "the copy is written and proved, but it has no report: " in result.stderr
    assert why in result.stderr and result.stderr.count("\n") == 1
    assert "nothing" not in result.stderr and "report " not in result.stdout
    assert typed("verify", "out", *SCORER).exit_code == 0


class Interrupting:
    """A module in whose loading Ctrl-C comes."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


@pytest.mark.parametrize("when", ["the bar is begun", "the report is loaded"])
def test_ctrl_c_as_soon_as_the_copy_has_its_name_costs_the_report_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    if when == "the report is loaded":
        module = "elsewhere.service.report"
        monkeypatch.setitem(sys.modules, module, Interrupting())
    else:
        real = Stages.__call__

        def call(self: Stages, step: Step) -> None:
            if step.stage == "telling":
                raise KeyboardInterrupt
            real(self, step)

        monkeypatch.setattr(Stages, "__call__", call)
    result = run("album", WHERE, "-o", "out")
    assert result.exit_code == 0, result.output
    assert "it has no report: stopped" in result.stderr
    assert "clean copy" in result.stdout and list((home / "out").iterdir())


SECONDS = 120.0
"""How long a watched program may take in all, also on a busy machine."""


class Watched:
    """The program with a terminal for its stderr, where the bars are; killed where a test fails."""

    def __init__(self, *arguments: str, command: str = "protect") -> None:
        import pty

        self._ours, theirs = pty.openpty()
        self.job = subprocess.Popen(
            [sys.executable, "-m", "elsewhere", command, *arguments],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._deadline = time.monotonic() + SECONDS
        self.seen = b""

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.job.poll() is None:
            os.killpg(self.job.pid, signal.SIGKILL)
            self.job.wait()
        os.close(self._ours)

    def until(self, word: bytes = b"") -> bytes:
        """What it shows until it shows this, or ends."""
        while not word or word not in self.seen:
            left = max(0.0, self._deadline - time.monotonic())
            ready, _, _ = select.select([self._ours], [], [], left)
            assert ready, f"it still runs after {SECONDS} s: {self.seen!r}"
            try:
                part = os.read(self._ours, 65536)
            except OSError:  # Linux says so where the other end is closed
                break
            if not part:
                break
            self.seen += part
        return self.seen

    def until_it_waits(self) -> None:
        """Until it sleeps in its read: a signal just before would be heard after the read only."""
        since = time.monotonic()
        while time.monotonic() < since + 0.2:
            state = Path(f"/proc/{self.job.pid}/stat").read_text().rpartition(") ")[2][0]
            if state != "S":
                since = time.monotonic()
            assert since < self._deadline, "it never waits"
            time.sleep(0.01)

    def interrupt(self) -> None:
        """Ctrl-C, which a terminal sends to the whole group of processes."""
        os.killpg(self.job.pid, signal.SIGINT)

    def end(self) -> int:
        """Its exit code."""
        self.until()
        return self.job.wait(timeout=SECONDS)


linux = pytest.mark.skipif(sys.platform != "linux", reason="a terminal as Linux has it")


@linux
@pytest.mark.parametrize("after", [0.0, 0.4, 0.8])
def test_ctrl_c_leaves_nothing(home: Path, after: float) -> None:
    """On the real model and the example album, so that there is something to interrupt."""
    (home / "target").mkdir()
    with Watched(str(ALBUM), "-o", "target/out", "--no-cache") as watched:
        watched.until(b"Reading")
        time.sleep(after)
        watched.interrupt()
        assert watched.end() == 130, watched.seen
    assert b"elsewhere: stopped" in watched.seen and b"Traceback" not in watched.seen
    assert not list((home / "target").iterdir())
    assert not [path for path in (home / "data").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "interrupted",
    [
        "ref = weakref.ref(type('Thing', (), {}), interrupt); gc.collect()",  # ignored by Python
        "exec('interrupt(None)')",  # remembered by Python until its end
    ],
)
def test_ctrl_c_is_never_lost_nor_kept(tmp_path: Path, interrupted: str) -> None:
    """Imports run callbacks of weakrefs, and dataclasses are made by exec()."""
    (tmp_path / "wrapper.py").write_text(
        "import gc, time, weakref\n"
        "from elsewhere.cli import main, program\n"
        "def interrupt(ref): raise KeyboardInterrupt\n"
        "def run():\n"
        f"    {interrupted}\n"
        "    time.sleep(60)\n"
        "program.program = lambda arguments: run\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "wrapper"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "elsewhere: stopped\n")


@linux
def test_ctrl_c_where_the_place_is_asked_for(home: Path) -> None:
    with Watched("album", "-o", "out", "--at", "-", *SCORER) as watched:
        watched.until(b"Where were the photos taken")
        watched.until_it_waits()
        watched.interrupt()
        assert watched.end() == 130, watched.seen
    assert b"elsewhere: stopped" in watched.seen and b"Traceback" not in watched.seen
    assert not (home / "out").exists()


@linux
@pytest.mark.parametrize("command", ["protect", "audit"])
def test_no_bar_overwrites_the_question_for_the_place(home: Path, command: str) -> None:
    target = ("-o", "out") if command == "protect" else ()
    with Watched("album", *target, "--at", "-", *SCORER, command=command) as watched:
        watched.until(b"Where were the photos taken")
        watched.until_it_waits()
        watched.interrupt()
        watched.end()
    assert b"\x1b" not in watched.seen


@linux
def test_a_terminal_gets_bars_and_a_pipe_does_not(home: Path) -> None:
    command = [sys.executable, "-m", "elsewhere", "protect", "album", "-n", WHERE, *SCORER]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert piped.stderr == b"" and b"\x1b" not in piped.stdout
    with Watched("album", "-n", WHERE, *SCORER) as watched:
        assert watched.end() == 0
    assert b"Reading" in watched.seen and b"photos/s" in watched.seen


def test_rows_are_remembered_unless_told(home: Path) -> None:
    assert run("album", WHERE, "-n", "--no-cache").exit_code == 0
    assert not (home / "cache").exists()
    assert run("album", WHERE, "-n").exit_code == 0
    assert list((home / "cache").rglob("*"))


def test_the_copies_are_as_large_as_asked(home: Path) -> None:
    from PIL import Image

    assert run("album", WHERE, "--max-side", "64", "-o", "out").exit_code == 0
    for path in (home / "out").iterdir():
        with Image.open(path) as image:
            assert max(image.size) == 64


def test_a_place_that_the_photos_contradict_is_asked_back(home: Path) -> None:
    for number, position in enumerate([(38.72, -9.14), (38.70, -9.16)]):
        (home / "album" / f"IMG_{number}.jpg").write_bytes(jpeg(number + 1, exif=exif(position)))
    for command in ("protect", "audit"):
        more = ["-n"] if command == "protect" else []
        result = typed(command, "album", "--at", "Paris", *more, *SCORER)
        assert result.exit_code == 2
        assert (
            "2 of 2 photos with a position say Lisbon, Portugal, 1,4"
        ) in result.stderr and result.stderr.endswith(
            "km from Paris, France: leave out --at to go by the photos, or add --at-anyway if they "
            "are wrong\n"
        )
        obeyed = typed(command, "album", "--at", "Paris", "--at-anyway", *more, *SCORER)
        assert obeyed.exit_code in {0, 3}, obeyed.output
        assert "say they were taken more than 50 km from Paris" in " ".join(obeyed.stdout.split())
    near = typed("protect", "album", "--at", "Portugal", "-n", *SCORER)
    assert near.exit_code in {0, 3}, near.output
    wide = typed("protect", "album", "--at", "Porto", "--radius", "200", "-n", *SCORER)
    assert wide.exit_code in {0, 3}, wide.output
