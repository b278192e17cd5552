"""`elsewhere plan` and `elsewhere check`, as they are typed."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.formats.plan_file import plan_from_json
from elsewhere.formats.score_files import write_scores
from elsewhere.values.scores import Scores
from elsewhere_lab.simulator import world
from tests.cli.keyboard import typed

NAMES = ["tower.jpg", "beach.jpg", "cat.jpg", "church.jpg", "tram.jpg", "2"]
TRUTH = 3


@pytest.fixture
def album(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scores:
    """Six photos × nine cells in album.npz, of which cell 3 is true; a second attacker in b.csv."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(5)
    scores = Scores(draw.normal(size=(6, 9)) + 0.7 * (np.arange(9) == TRUTH), NAMES)
    write_scores("album.npz", scores)
    write_scores("b.csv", Scores(draw.normal(size=(6, 4)), NAMES))
    return scores


def planned(*arguments: str, code: int = 0) -> elsewhere.Plan:
    result = typed("plan", *arguments, "--json")
    assert result.exit_code == code, result.output
    return plan_from_json(result.stdout)


def refused(*arguments: str, code: int = 1) -> str:
    result = typed(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("elsewhere: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


# --- wishes arrive at the engine as they were meant ----------------------------------------


def test_a_guarantee(album: Scores) -> None:
    assert planned("album.npz", "--truth", "3", "--top", "2") == elsewhere.protect(album, 3, top=2)


def test_a_budget(album: Scores) -> None:
    plan = planned("album.npz", "--truth", "3", "--budget", "2")
    assert plan == elsewhere.protect(album, 3, budget=2)


def test_every_wish(album: Scores, tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("photo,value\ntower.jpg,2.5\n4,1/3\n")
    (tmp_path / "prior.txt").write_text("0 -1 -2, 0.5\n-inf 0 0 0 -0.1\n")
    first = planned(
        *("album.npz", "--truth", "3,7-8", "--top", "1", "--strict"),
        *("--margin", "0.01", "--lead", "0.02", "--prior", "prior.txt", "--values", "values.csv"),
        *("--group", "tower.jpg,beach.jpg", "--rivals", "0-2,5", "--drop", "cat.jpg"),
        *("--work-limit", "100000", "--time-limit", "30", "-o", "plan.json"),
    )
    wishes: dict[str, Any] = {
        "top": 1,
        "strict": True,
        "margin": 0.01,
        "lead": 0.02,
        "prior": [0, -1, -2, 0.5, -np.inf, 0, 0, 0, -0.1],
        "values": {0: "2.5", 4: "1/3"},
        "groups": [[0, 1]],
        "rivals": [0, 1, 2, 5],
        "drop": [2],
    }
    assert first == elsewhere.protect(album, {3, 7, 8}, **wishes)
    again = planned("album.npz", "--truth", "3", "--top", "2", "--near", "plan.json")
    assert again == elsewhere.protect(album, 3, top=2, near=first)


def test_each_photo_alone(album: Scores) -> None:
    plan = planned("album.npz", "--truth", "3", "--budget", "5", "--each-photo", "1")
    assert plan == elsewhere.protect(album, 3, budget=5, each_photo=1)


def test_several_attackers(album: Scores) -> None:
    other = elsewhere.protect([album, elsewhere.read_scores("b.csv")], [{3}, {0, 1}], top=[2, 1])
    plan = planned(
        "album.npz", "b.csv", "--truth", "3", "--truth", "0,1", "--top", "2", "--top", "1"
    )
    assert plan == other
    assert plan.several


def test_a_photo_is_known_by_name_or_else_by_number(album: Scores) -> None:
    assert planned("album.npz", "--truth", "3", "--top", "1", "--keep", "cat.jpg").promise.keep == (
        2,
    )
    assert planned("album.npz", "--truth", "3", "--top", "1", "--keep", "2").promise.keep == (5,)
    assert planned("album.npz", "--truth", "3", "--top", "1", "--keep", "4").promise.keep == (4,)


def test_values_one_per_line(album: Scores, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("1\n2\n0.1\n1e2\n3/7\n1\n")
    plan = planned("album.npz", "--truth", "3", "--top", "1", "--values", "v.txt")
    assert plan == elsewhere.protect(album, 3, top=1, values=["1", "2", "0.1", "100", "3/7", "1"])


# --- what people see -----------------------------------------------------------------------


def test_the_verdict_comes_first_and_names_the_attacker(album: Scores) -> None:
    result = typed("plan", "album.npz", "--truth", "3", "--top", "2")
    plan = elsewhere.protect(album, 3, top=2)
    assert result.exit_code == 0
    assert result.stdout.startswith(plan.explanation)
    assert "\x1b" not in result.stdout
    for photo in plan.withheld:
        assert NAMES[photo] in result.stdout
    assert "album.npz" in result.stdout
    assert "optimal: proved" in result.stdout
    assert f"cost       {plan.cost}, and none below {plan.bound}" in result.stdout


def test_names_cannot_steer_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores = Scores([[0.0, -9.0], [-1.0, 0.0]], ["\x1b[2Jx", "[red]b[/red]"], scorer="\x1b]0;")
    write_scores("a.npz", scores)
    result = typed("plan", "a.npz", "--truth", "0", "--top", "1")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\\x1b[2Jx" in result.stdout


def test_markup_in_names_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_scores("a.npz", Scores([[0.0, -9.0], [-1.0, 0.0]], ["[red]a[/red]", "b"]))
    assert "[red]a[/red]" in typed("plan", "a.npz", "--truth", "0", "--top", "1").stdout


def test_no_plan(album: Scores) -> None:
    keep = [word for name in NAMES for word in ("--keep", name)]
    result = typed("plan", "album.npz", "--truth", "3", "--top", "8", *keep)
    assert result.exit_code == 3
    assert result.stdout.startswith("No plan can do this.")
    assert planned("album.npz", "--truth", "3", "--top", "8", *keep, code=3).status == "infeasible"


def test_stopped_without_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)
    numbers = draw.integers(10**6, 10**7, size=24).astype(float)
    rows = np.stack([np.zeros(24), numbers, -numbers], axis=1)
    rows[0] = [0.0, -float(numbers[1:13].sum()), float(numbers[1:13].sum())]
    write_scores("hard.npz", Scores(rows))
    result = typed(
        "plan", "hard.npz", "--truth", "0", "--top", "2", "--keep", "0", "--work-limit", "0"
    )
    plan = elsewhere.protect(Scores(rows), 0, top=2, keep=[0], work_limit=0)
    assert plan.status == "unknown"
    assert result.exit_code == 4
    assert "Stopped early" in result.stdout


def test_every_photo_that_goes_is_listed_and_no_line_ends_in_spaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(1).normal(size=(90, 40)) + 1.5 * (np.arange(40) == 0)
    names = [f"{'a long name ' * 12}{i}.jpg" for i in range(90)]
    write_scores("big.npz", Scores(rows, names))
    plan = elsewhere.protect(Scores(rows), 0, top=2)
    assert len(plan.withheld) > 25
    lines = typed("plan", "big.npz", "--truth", "0", "--top", "2").stdout.splitlines()
    for photo in plan.withheld:
        assert any(line.endswith(names[photo]) for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_every_condition_of_a_promise_is_told(album: Scores, tmp_path: Path) -> None:
    (tmp_path / "prior.txt").write_text("0 0 0 0 0 0 0 0 0\n")
    (tmp_path / "values.csv").write_text("tram.jpg,2.5\n")
    planned(
        *("album.npz", "--truth", "3", "--top", "1", "--rivals", "0-2,5", "--margin", "0.01"),
        *("--lead", "0.02", "--prior", "prior.txt", "--each-photo", "1", "--strict"),
        *("--keep", "cat.jpg", "--drop", "beach.jpg", "--group", "church.jpg,2"),
        *("--values", "values.csv", "-o", "plan.json"),
    )
    told = typed("check", "plan.json", "album.npz").stdout
    for condition in (
        "cell 3 not in the top 1", "only 4 cells counted as rivals: cells 0, 1, 2, 5",
        "0.01 nats more for the truth", "ahead by 0.02 nats", "a prior over its cells",
        "each kept photo alone keeps the truth out of the top 1", "A tie does not count as hidden",
        "Kept as asked: cat.jpg", "Withheld as asked: beach.jpg", "Together: church.jpg, 2",
        "costs (others 1): tram.jpg 2.5",
    ):  # fmt: skip
        assert condition in told


@pytest.mark.usefixtures("album")
def test_what_is_not_proved_again_is_said() -> None:
    keep = [word for name in NAMES for word in ("--keep", name)]
    planned("album.npz", "--truth", "3", "--top", "8", *keep, "-o", "none.json", code=3)
    result = typed("check", "none.json", "album.npz")
    assert result.exit_code == 0
    assert "the solver was asked again and found none" in result.stdout
    assert "holds" not in result.stdout


@pytest.mark.usefixtures("album")
def test_a_false_claim_that_there_is_no_plan() -> None:
    """Found by the solver, for the plan that withholds nothing does not contradict it."""
    keep = [word for name in NAMES for word in ("--keep", name)]
    planned("album.npz", "--truth", "3", "--top", "8", *keep, "-o", "none.json", code=3)
    solved = planned("album.npz", "--truth", "3", "--top", "2", "-o", "plan.json")
    assert len(solved.withheld) == 1
    lie, plan = (json.loads(Path(name).read_text("utf-8")) for name in ("none.json", "plan.json"))
    lie["promise"] = plan["promise"]
    Path("none.json").write_text(json.dumps(lie), "utf-8")
    result = typed("check", "none.json", "album.npz")
    assert result.exit_code == 1
    assert "withholding 1 photo is a plan" in result.stdout


# --- files ---------------------------------------------------------------------------------


def test_saved_plans_are_proved_again(album: Scores) -> None:
    made = typed(
        *("plan", "album.npz", "--truth", "3", "--top", "2"),
        *("-o", "plan.json", "--certificate", "certificate.json"),
    )
    assert made.exit_code == 0
    for saved in ("plan.json", "certificate.json"):
        result = typed("check", saved, "album.npz")
        assert result.exit_code == 0
        assert "cell 3 not in the top 2" in result.stdout
        assert "The plan holds" in result.stdout
    assert sorted(path.name for path in Path().iterdir()) == [
        "album.npz", "b.csv", "certificate.json", "plan.json",
    ]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="permissions differ there")
@pytest.mark.usefixtures("album")
def test_what_names_the_place_is_private() -> None:
    typed(*GOOD, "-o", "plan.json", "--certificate", "certificate.json")
    for saved in ("plan.json", "certificate.json"):
        assert Path(saved).stat().st_mode & 0o077 == 0


def test_a_plan_that_is_not_true(album: Scores) -> None:
    planned("album.npz", "--truth", "3", "--top", "2", "-o", "plan.json")
    document = json.loads(Path("plan.json").read_text())
    document["cost"] += 1
    Path("plan.json").write_text(json.dumps(document))
    result = typed("check", "plan.json", "album.npz")
    assert result.exit_code == 1
    assert "The plan does not hold" in result.stdout


def test_other_scores(album: Scores) -> None:
    planned("album.npz", "--truth", "3", "--top", "2", "-o", "plan.json")
    write_scores("album.npz", Scores(album.values + np.eye(6, 9), NAMES))
    result = typed("check", "plan.json", "album.npz")
    assert result.exit_code == 1
    assert "These are not the scores that the plan was made from (album.npz)" in result.stdout
    assert "does not hold" not in result.stdout


def test_several_attackers_are_checked_in_their_order(album: Scores) -> None:
    both = ("--truth", "3", "--truth", "0", "--top", "1")
    planned("album.npz", "b.csv", *both, "-o", "plan.json")
    assert typed("check", "plan.json", "album.npz", "b.csv").exit_code == 0
    swapped = typed("check", "plan.json", "b.csv", "album.npz")
    assert swapped.exit_code == 1
    assert "in another order" in swapped.stdout
    told = refused("check", "plan.json", "album.npz", code=2)
    assert "2 attackers, but 1 score file was given" in told


def test_a_changed_certificate(album: Scores) -> None:
    typed("plan", "album.npz", "--truth", "3", "--top", "2", "--certificate", "c.json")
    Path("c.json").write_text(
        Path("c.json").read_text().replace('"strict": false', '"strict": true')
    )
    assert "digest is not right" in refused("check", "c.json", "album.npz")


def test_no_plan_no_certificate(album: Scores) -> None:
    keep = [word for name in NAMES for word in ("--keep", name)]
    result = typed(
        "plan", "album.npz", "--truth", "3", "--top", "8", *keep, "--certificate", "c.json"
    )
    assert result.exit_code == 3
    assert "no certificate" in result.stderr
    assert not Path("c.json").exists()


# --- bad input: one sentence ---------------------------------------------------------------

GOOD = ("plan", "album.npz", "--truth", "3", "--top", "2")
MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("plan", "album.npz", "--truth", "99", "--top", "2"), "truth 99 is not a cell"),
    (("plan", "album.npz", "--truth", "Paris", "--top", "2"), "album.npz does not say what its"),
    (("plan", "album.npz", "--truth", "1.5,2", "--top", "2"), "album.npz does not say what its"),
    (("plan", "album.npz", "--truth", "5-3", "--top", "2"), "range 5-3"),
    (("plan", "album.npz", "--truth", "0-999999999", "--top", "2"), "range 0-999999999"),
    (("plan", "album.npz", "--truth", "0-8", "--top", "2"), "covers every cell"),
    (("plan", "album.npz", "--truth", "3"), "either --top K"),
    ((*GOOD, "--budget", "1"), "either --top K"),
    ((*GOOD, "--radius", "5"), "--radius is for a --truth that is a place"),
    (("plan", "album.npz", "--truth", "3", "--top", "0"), "top must be 1 or more"),
    (("plan", "album.npz", "--truth", "3", "--top", "9"), "only 8 rivals"),
    (("plan", "album.npz", "--truth", "3", "--budget", "-1"), "budget must be 0 or more"),
    ((*GOOD, "--each-photo", "0"), "--each-photo must be 1 or more"),
    ((*GOOD, "--time-limit", "-1"), "--time-limit must be a number of seconds"),
    ((*GOOD, "--work-limit", "-1"), "--work-limit must be 0 or more"),
    ((*GOOD, "--keep", "dog.jpg"), "no photo is called 'dog.jpg'"),
    ((*GOOD, "--keep", "17"), "there is no photo 17"),
    ((*GOOD, "--keep", "0", "--drop", "tower.jpg"), "both kept and dropped"),
    ((*GOOD, "--margin", "nan"), "margin must be finite"),
    ((*GOOD, "--top", "1"), "--top is given 2 times for 1 attacker:"),
    ((*GOOD, "-o", "-"), "needs a file name, not -"),
    ((*GOOD, "-o", "x.json", "--certificate", "./x.json"), "-o and --certificate are both"),
    (("plan", "album.npz", "b.csv", "--truth", "3", "--top", "1"), "4 and 9 cells"),
]
BAD: list[tuple[tuple[str, ...], str]] = [
    (("plan", "none.npz", "--truth", "3", "--top", "2"), "none.npz does not exist"),
    ((*GOOD, "--values", "none.txt"), "none.txt does not exist"),
    ((*GOOD, "--near", "album.npz"), "album.npz is not text"),
    ((*GOOD, "--near", "b.csv"), "b.csv is not a plan"),
    ((*GOOD, "-o", "none/plan.json"), "none/plan.json cannot be written"),
    ((*GOOD, "-o", "b.csv"), "b.csv exists and is not a plan"),
    (("check", "none.json", "album.npz"), "none.json does not exist"),
    (("check", "b.csv", "album.npz"), "b.csv is not a plan"),
]


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize(
    ("arguments", "sentence"), BAD, ids=lambda x: " ".join(x) if isinstance(x, tuple) else ""
)
def test_bad_files(arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*arguments)


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize(
    ("arguments", "sentence"), MISTAKES, ids=lambda x: " ".join(x) if isinstance(x, tuple) else ""
)
def test_mistakes_on_the_command_line(arguments: tuple[str, ...], sentence: str) -> None:
    told = refused(*arguments, code=2)
    assert sentence in told
    assert "=" not in told


@pytest.mark.usefixtures("album")
def test_one_value_is_one() -> None:
    Path("v.txt").write_text("1\n")
    assert "v.txt has 1 value for 6 photos" in refused(*GOOD, "--values", "v.txt")


def test_files_that_do_not_belong_together_are_named(album: Scores) -> None:
    write_scores("five.npz", Scores(album.values[:5], NAMES[:5]))
    told = refused("plan", "album.npz", "five.npz", "--truth", "3", "--top", "1")
    assert "album.npz scores 6 photos but five.npz 5" in told
    planned("five.npz", "--truth", "3", "--top", "1", "-o", "five.json")
    assert "five.json is a plan for 5 photos" in refused(*GOOD, "--near", "five.json")


# --- nothing is destroyed ------------------------------------------------------------------


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("option", ["-o", "--certificate"])
@pytest.mark.parametrize("target", ["album.npz", "./album.npz", "prior.txt", "v.txt", "old.json"])
def test_an_input_is_never_written_over(option: str, target: str) -> None:
    Path("prior.txt").write_text("0 0 0 0 0 0 0 0 0\n")
    Path("v.txt").write_text("1\n1\n1\n1\n1\n2\n")
    planned(*GOOD[1:], "-o", "old.json")
    before = Path(target).read_bytes()
    inputs = ("--prior", "prior.txt", "--values", "v.txt", "--near", "old.json")
    assert "is one of the inputs" in refused(*GOOD, *inputs, option, target, code=2)
    assert Path(target).read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="links and pipes differ there")
@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("option", ["-o", "--certificate"])
@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("link.json", "symbolic link"),
        ("pipe", "pipe"),
        ("folder", "folder"),
        ("/dev/null", "plain"),
    ],
)
def test_what_is_no_plain_file_stays(option: str, target: str, sentence: str) -> None:
    Path("real.json").write_text("")
    Path("link.json").symlink_to("real.json")
    Path("folder").mkdir()
    os.mkfifo("pipe")
    before = Path(target).lstat()
    assert sentence in refused(*GOOD, option, target)
    assert Path(target).lstat().st_ino == before.st_ino
    assert Path("real.json").read_text() == ""


@pytest.mark.usefixtures("album")
def test_an_earlier_plan_is_written_over() -> None:
    planned(*GOOD[1:], "-o", "plan.json", "--certificate", "c.json")
    first = Path("plan.json").read_text()
    planned("album.npz", "--truth", "3", "--top", "1", "-o", "plan.json", "--certificate", "c.json")
    assert Path("plan.json").read_text() != first


def test_a_folder_that_may_not_be_searched_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(file: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "locked/x.jpg")

    monkeypatch.setattr("elsewhere.cli.plan_options.read_plan", refuse)
    result = typed("check", "plan.json", "album.npz")
    assert result.exit_code == 1
    assert result.stderr == "elsewhere: locked/x.jpg cannot be used: Permission denied\n"


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize(
    "text", ["", "1\n2\n", "1\n2\n3\n4\n5\n0\n", "tower.jpg,-1\n", "tower.jpg,1/0\n", "x,y\n",
             "tower.jpg,1\n0,2\n", "1\n2\n3\n4\n5\n1e999999999\n"],
)  # fmt: skip
def test_bad_values(text: str) -> None:
    Path("v.txt").write_text(text)
    assert "v.txt" in refused(*GOOD, "--values", "v.txt")


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("text", ["", "1 2 3", "a b c d e f g h i", "nan 0 0 0 0 0 0 0 0"])
def test_bad_priors(text: str) -> None:
    Path("prior.txt").write_text(text)
    assert "prior.txt" in refused(*GOOD, "--prior", "prior.txt")


@pytest.mark.usefixtures("album")
@pytest.mark.parametrize(
    "arguments", [("plan", "album.npz"), ("plan", "album.npz", "--what"), ("fly",), ("check", "a")]
)
def test_a_command_line_that_cannot_be_understood(arguments: tuple[str, ...]) -> None:
    refused(*arguments, code=2)


# --- the whole program ---------------------------------------------------------------------


def elsewhere_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "elsewhere", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_help_teaches() -> None:
    for command in ("plan", "check", "demo"):
        told = elsewhere_program(command, "--help")
        assert told.returncode == 0
        assert f"elsewhere {command}" in told.stdout
        assert "Examples:" in told.stdout
    told = elsewhere_program("--help")
    for command in ("plan", "check", "demo"):
        assert command in told.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_output_that_is_full(form: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "elsewhere.cli", *GOOD, *form],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "elsewhere: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes differ there")
@pytest.mark.usefixtures("album")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_reader_who_has_had_enough(form: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "elsewhere.cli", *GOOD, *form],
        stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.usefixtures("album")
def test_a_terminal_that_knows_only_ascii() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "elsewhere.cli", *GOOD],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_version() -> None:
    assert elsewhere_program("--version").stdout.startswith("elsewhere ")


SIGNALLING = """
from pathlib import Path
from elsewhere.cli import main
from elsewhere.solver.exact.search import SearchLimits
real = SearchLimits.exhausted
def exhausted(self):
    Path("solving").touch()
    return real(self)
SearchLimits.exhausted = exhausted
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals differ there")
def test_ctrl_c_is_clean(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    write_scores(
        tmp_path / "hard.npz", Scores(draw.normal(0.6 * (np.arange(400) == 0), 1.0, (200, 400)))
    )
    started = subprocess.Popen(
        [sys.executable, "-c", SIGNALLING, "plan", "hard.npz", "--truth", "0", "--top", "60"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (tmp_path / "solving").exists():
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    printed, complained = started.communicate(timeout=100)
    assert started.returncode == 130
    assert (printed, complained) == ("", "elsewhere: stopped\n")


@pytest.mark.skipif(os.name == "nt", reason="no times of children there")
def test_a_plan_as_a_whole_command_is_quick(tmp_path: Path) -> None:
    """128 × 512, top 5: no more than importing NumPy eight times, in processor time."""
    scores, truth = world("w1", seed=2).collection(np.random.default_rng(2), 128)
    write_scores(tmp_path / "large.npz", scores)
    words = ("plan", str(tmp_path / "large.npz"), "--truth", str(truth), "--top", "5")
    commands = [[sys.executable, "-c", "import numpy"], [sys.executable, "-m", "elsewhere", *words]]
    times: list[list[float]] = [[], []]
    for _ in range(4):
        for command, taken in zip(commands, times, strict=True):
            before = os.times()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            after = os.times()
            taken.append(after.children_user + after.children_system)
            taken[-1] -= before.children_user + before.children_system
        assert "optimal: proved" in done.stdout
    assert min(times[1]) <= 8 * min(times[0]), times


def test_only_what_is_needed_is_imported() -> None:
    code = (
        "import sys; from elsewhere.cli.program import program; program(['plan']);"
        "slow = {'numpy', 'rich', 'pyarrow', 'elsewhere.cli.commands.demo'};"
        "print(*sorted(slow & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pyarrow" not in told.stdout
    assert "demo" not in told.stdout


def test_planning_from_scores_loads_nothing_of_photos() -> None:
    code = (
        "import sys, elsewhere.cli.plan_options; from elsewhere.service import plan_to_json;"
        "photos = ('album', 'audit', 'report', 'scorers', 'text');"
        "print(*{f'elsewhere.{name}' for name in photos} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.usefixtures("album")
def test_the_certificate_of_a_copy_is_sent_to_verify() -> None:
    Path("copy.json").write_text('{"format": "elsewhere-copy-certificate/1", "plan": {}}', "utf-8")
    result = typed("check", "copy.json", "album.npz")
    assert result.exit_code == 1
    assert "elsewhere verify COPY --certificate copy.json" in result.stderr


# --- proofs that no plan is better ------------------------------------------------------------


@pytest.mark.parametrize("wish", [("--top", "2"), ("--top", "8"), ("--budget", "2")], ids=" ".join)
@pytest.mark.parametrize("name", ["proof.json", "proof.json.gz"])
def test_a_proof_is_saved_and_checked(album: Scores, wish: tuple[str, str], name: str) -> None:
    planned(
        "album.npz", "--truth", "3", *wish, "-o", "plan.json", "--proof", name, code=_code(wish)
    )
    result = typed("check", "plan.json", "album.npz", "--proof", name)
    assert result.exit_code == 0, result.output
    assert "checked" in result.stdout.splitlines()[-1]


def _code(wish: tuple[str, str]) -> int:
    return 3 if wish == ("--top", "8") else 0


def test_a_proof_of_another_plan_is_refused(album: Scores) -> None:
    planned("album.npz", "--truth", "3", "--top", "2", "-o", "a.json", "--proof", "a.proof")
    planned("album.npz", "--truth", "3", "--budget", "2", "-o", "b.json", "--proof", "b.proof")
    result = typed("check", "a.json", "album.npz", "--proof", "b.proof")
    assert result.exit_code == 1
    assert "2 trees, but the plan makes 1 claims" in result.stdout


def test_a_proof_replaces_only_a_proof(album: Scores) -> None:
    Path("notes.gz").write_bytes(b"mine")
    told = refused("plan", "album.npz", "--truth", "3", "--top", "2", "--proof", "notes.gz")
    assert "is not a proof" in told
    assert Path("notes.gz").read_bytes() == b"mine"
    for _ in range(2):
        planned("album.npz", "--truth", "3", "--top", "2", "--proof", "proof.gz")


def test_what_is_no_proof_cannot_be_checked(album: Scores) -> None:
    planned("album.npz", "--truth", "3", "--top", "2", "-o", "plan.json")
    told = refused("check", "plan.json", "album.npz", "--proof", "plan.json")
    assert "plan.json is not a proof that can be read" in told
