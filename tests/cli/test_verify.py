"""`elsewhere verify`, as it is typed: accepts what protect wrote, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from elsewhere.formats.proof_file import proof_to_bytes
from elsewhere.formats.score_files import read_scores, write_scores
from elsewhere.formats.validation import digest_of
from elsewhere.values.proof import Proof
from elsewhere.values.scores import Scores
from tests.album.makers import jpeg
from tests.cli.keyboard import SCORER, typed


@pytest.fixture
def copy(home: Path) -> Path:
    """A copy that protect wrote, and where its certificate is."""
    scorer = ("--scorer", "onnx:model/tiny.onnx")
    wanted = ("-o", "out", "--top", "1", "--proof", "right.json")
    done = typed("protect", "album", "--at=Lisbon", *wanted, *scorer)
    assert done.exit_code == 0, done.output
    return home / "out"


def test_what_protect_wrote_is_accepted(copy: Path) -> None:
    result = typed("verify", "out")
    assert result.exit_code == 0, result.output
    many = len(list(copy.iterdir()))
    assert result.stdout.startswith(f"out keeps its promise: {many} files are as they were")


def test_it_says_which_of_the_two_was_checked(copy: Path) -> None:
    alone = typed("verify", "out")
    assert "Not checked: that no plan is better" in " ".join(alone.stdout.split())
    saved = typed("score", "album", "-o", "album.npz", *SCORER)
    assert saved.exit_code == 0, saved.output
    both = typed("verify", "out", "--scores", "album.npz")
    assert both.exit_code == 0, both.output
    claim = "no plan that the promise allows loses less, by a proof over the scores"
    assert claim in " ".join(both.stdout.split())
    (report,) = (copy.parent / "data").rglob("report.html")
    assert "no plan that the promise allows loses less, by a proof" in report.read_text("utf-8")
    found = typed("verify", "out", "--scores", "album.npz", "--json")
    assert json.loads(found.stdout)["none_better"] is True
    assert json.loads(typed("verify", "out", "--json").stdout)["none_better"] is False


def test_a_proof_is_checked_and_other_scores_are_refused(copy: Path) -> None:
    typed("score", "album", "-o", "album.npz", *SCORER)
    table = read_scores(Path("album.npz"))
    arguments = ("verify", "out", "--scores", "album.npz", "--proof")
    right = typed(*arguments, "right.json", "--json")
    assert right.exit_code == 0 and json.loads(right.stdout)["none_better"] is True
    Path("wrong.json").write_bytes(proof_to_bytes(Proof(((),)), packed=False))
    wrong = typed(*arguments, "wrong.json")
    assert wrong.exit_code == 1 and "the proof that none is better" in wrong.stdout
    write_scores(Path("other.npz"), Scores(table.values[1:]))
    other = typed("verify", "out", "--scores", "other.npz")
    assert other.exit_code == 2 and "give one for each model" in " ".join(other.stderr.split())


def test_the_certificate_may_lie_elsewhere(copy: Path) -> None:
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    moved = copy.parent / "moved.json"
    certificate.rename(moved)
    assert typed("verify", "out").exit_code == 1
    assert typed("verify", "out", "--certificate", "moved.json", *SCORER).exit_code == 0


def test_what_a_strangers_certificate_names_is_not_opened(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its model is a path on this machine, or something to fetch."""
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    stranger = copy.parent / "theirs.json"
    stranger.write_bytes(certificate.read_bytes())
    opened = Mock(side_effect=AssertionError("nobody asked for it"))
    with monkeypatch.context() as patch:
        patch.setattr("elsewhere.service.verify.find", opened)
        result = typed("verify", "out", "--certificate", "theirs.json")
    assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert "name it with --scorer (the certificate says onnx:" in " ".join(result.stderr.split())
    assert typed("verify", "out", "--certificate", "theirs.json", *SCORER).exit_code == 0
    assert typed("verify", "out", "--certificate", "theirs.json", "--private", ".").exit_code == 0
    assert typed("verify", "out", "--certificate", str(certificate)).exit_code == 0


@pytest.mark.parametrize("what", ["added", "missing", "edited", "swapped"])
def test_another_copy_is_refused(copy: Path, what: str) -> None:
    first, second, *_ = sorted(copy.iterdir())
    if what == "added":
        (copy / "more.jpg").write_bytes(jpeg(99))
    elif what == "missing":
        first.unlink()
    elif what == "edited":
        first.write_bytes(jpeg(99))
    else:
        one, other = first.read_bytes(), second.read_bytes()
        first.write_bytes(other)
        second.write_bytes(one)
    result = typed("verify", "out")
    assert result.exit_code == 1
    assert result.stdout.startswith("out does not keep its promise:\n- ")
    told = json.loads(typed("verify", "out", "--json").stdout)
    assert told["kept"] is False and told["problems"]


def test_an_edited_certificate_is_refused(copy: Path) -> None:
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    text = certificate.read_text("utf-8")
    certificate.write_text(text.replace("Lisbon", "London"), "utf-8")
    result = typed("verify", "out")
    assert result.exit_code == 1
    assert "certificate" in result.stderr and result.stderr.count("\n") == 1


def test_what_is_not_there(copy: Path) -> None:
    result = typed("verify", "nothing")
    assert result.exit_code == 2
    assert "nothing does not exist" in result.stderr


def restated(copy: Path, change: Callable[[dict[str, Any]], None]) -> str:
    """The certificate after a change, sealed anew, as nothing but a mistake of ours would be."""
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    document = json.loads(certificate.read_text("utf-8"))
    change(document)
    document["digest"] = digest_of(document)
    (copy.parent / "other.json").write_text(json.dumps(document), "utf-8")
    return "other.json"


def test_the_promise_is_told_from_what_was_proved(copy: Path) -> None:
    cells = "3 cells: Agadir, Morocco; Huelva, Spain and Lisbon, Portugal"
    guesses = "not the first guess of the model onnx:tiny.onnx"
    clause = f"Lisbon, Portugal ({cells}) is {guesses}"
    told = typed("verify", "out").stdout.splitlines()
    assert told[1] == f"- {clause}"
    assert told[2].startswith("from these files alone the model onnx:tiny.onnx guesses ")
    assert told[2].endswith("first; Lisbon, Portugal is not the first guess")
    assert told[3].startswith("checked: the promise holds, by the files. Not checked: that no plan")
    assert told[4].startswith("conditions: ")
    assert told[5].startswith("not covered: better models, text that was not read,")
    assert told[6].startswith("note: beside the promise, text on the files was looked for")
    assert len(told) == 7
    plain = json.loads(typed("verify", "out", "--json").stdout)
    assert plain["promised"] == [clause]
    assert plain["guesses"] == [told[2]]
    assert told[4] == f"conditions: {'; '.join(plain['conditions'])}"

    def other(document: dict[str, Any]) -> None:
        document["verdict"] = "Nobody will ever find Lisbon."  # what is told does not rest on it

    result = typed("verify", "out", "--certificate", restated(copy, other), *SCORER)
    assert result.exit_code == 0 and "Nobody" not in result.stdout


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["hidden"][0].update(label="Paris, France", lat=48.85, lon=2.35),
        lambda d: d["hidden"][0].update(lat=-38.72),
        lambda d: [watch.update(radius_km=2000.0) for watch in d["watches"]],
    ],
    ids=["another place", "its other side", "a wider zone"],
)
def test_what_a_certificate_says_must_be_what_it_proves(
    copy: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    result = typed("verify", "out", "--certificate", restated(copy, change), *SCORER)
    assert result.exit_code == 1, result.output
    assert "what it promises is about other cells" in " ".join(result.stdout.split())
    assert "- Lisbon" not in result.stdout and result.stdout.count("- ") == 1


@pytest.mark.parametrize("top", [50, None])
def test_a_top_that_is_not_promised_is_not_believed(copy: Path, top: int | None) -> None:
    result = typed(
        "verify", "out", "--certificate", restated(copy, lambda d: d.update(top=top)), *SCORER
    )
    assert result.exit_code == 1
    assert "does not agree with itself: its top is" in result.stderr


def invent_posted(document: dict[str, Any]) -> None:
    """A photo that nobody here has seen, and that speaks against the place."""
    plan, promise = document["plan"], document["plan"]["promise"]
    number = promise["photos"]
    promise["photos"] += 1
    promise["keep"].append(number)
    plan["plan"]["kept"].append(number)
    for attacker in plan["attackers"]:
        attacker["photos"] += 1
    document["photos"].append("posted/1.jpg")
    truth = promise["against"][0]["truth"]
    rows = [
        [-5.0 if cell in truth else 0.0 for cell in range(model["cells"])]
        for model in document["models"]
    ]
    document["posted"].append({"number": number, "rows": rows})
    for model in document["models"]:
        model["rows"] = "0" * 64
    plan["digest"] = digest_of(plan)


def see_nothing(document: dict[str, Any]) -> None:
    for against in document["plan"]["promise"]["against"]:
        against["sees"] = []
    document["plan"]["digest"] = digest_of(document["plan"])


def test_what_nobody_here_can_see_stands_in_the_first_line(copy: Path) -> None:
    other = restated(copy, invent_posted)
    result = typed("verify", "out", "--certificate", other, *SCORER)
    first = result.stdout.splitlines()[0]
    assert result.exit_code == 0, result.output
    assert first.startswith("out keeps its promise only together with 1 photo not in the copy")
    told = json.loads(typed("verify", "out", "--certificate", other, *SCORER, "--json").stdout)
    assert told["conditions"][0].startswith("only together with 1 photo not in the copy")


def test_an_attacker_that_sees_less_than_is_said_is_refused(copy: Path) -> None:
    other = restated(copy, see_nothing)
    result = typed("verify", "out", "--certificate", other, *SCORER)
    assert result.exit_code == 1
    assert "sees a part of it" in " ".join(result.stderr.split())


@pytest.mark.parametrize("label", ["\ud800", "\x1b[2J", "\u202eoslO", "\x9b2J"])
def test_no_name_of_a_place_steers_the_terminal(copy: Path, label: str) -> None:
    other = restated(copy, lambda d: d["hidden"][0].update(label=label))
    result = typed("verify", "out", "--certificate", other, *SCORER)
    assert "keeps its promise only for what the certificate calls" in result.stdout
    assert label not in result.stdout
    told = typed("verify", "out", "--certificate", other, *SCORER, "--json")
    assert told.exit_code == result.exit_code == 0, told.output
    assert json.loads(told.stdout)["kept"] is True and label not in told.stdout


@pytest.mark.parametrize(("field", "value"), [("top", -1), ("top", 0), ("label", "x" * 5000)])
def test_a_certificate_that_makes_no_sense(copy: Path, field: str, value: object) -> None:
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    document = json.loads(certificate.read_text("utf-8"))
    (document if field in document else document["hidden"][0])[field] = value
    document["digest"] = digest_of(document)
    Path("theirs.json").write_text(json.dumps(document), "utf-8")
    result = typed("verify", "out", "--certificate", "theirs.json", *SCORER)
    assert result.exit_code == 1 and "does not agree with itself" in " ".join(result.stderr.split())
    assert len(result.output) < 600


def test_a_proof_names_the_place_and_is_not_shared(home: Path) -> None:
    inside = ("protect", "album", "--at=Lisbon", "-o", "out", "--proof", "out/proof.json")
    refused = typed(*inside, *SCORER)
    assert refused.exit_code == 2 and "names the place" in " ".join(refused.stderr.split())
    assert not (home / "out").exists()
