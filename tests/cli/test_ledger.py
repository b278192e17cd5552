"""`elsewhere ledger`, as it is typed."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from elsewhere.formats.ledger import Rows
from elsewhere.service.ledger import Ledger, NewEntry
from tests.cli.keyboard import typed

LISBON, PORTO, OSLO = (38.72, -9.14), (41.15, -8.61), (59.91, 10.75)


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Three exports: Lisbon, Porto, Oslo."""
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path))
    ledger = Ledger()
    for number, place in enumerate((LISBON, PORTO, OSLO)):
        values = np.full((number + 1, 8), number, dtype=np.float32)
        photos = tuple(sha256(b"%d %d" % (number, i)).hexdigest() for i in range(number + 1))
        given = NewEntry((place,), photos, (Rows("0123456789abcdef", "grid", values),))
        with ledger.recording([given], tmp_path / "out"):
            pass
    return ledger


def run(*arguments: str) -> Result:
    return typed("ledger", *arguments)


def listed(*names: str) -> list[tuple[int, str, int]]:
    told = json.loads(run("list", *names, "--json").stdout)
    return [(one["number"], one["place"], one["photos"]) for one in told]


def test_it_is_listed_for_people_and_for_programs(ledger: Ledger) -> None:
    told = run("list").stdout.splitlines()
    assert told[0].split() == ["shared", "on", "place", "photos", "scorers"]
    assert told[1].split("  ")[0] == "1"
    assert "Lisbon, Portugal" in told[1]
    assert "0123456789ab" in told[1]
    assert told[-1] == f"in {ledger.path}, which only you can read"
    assert listed() == [
        (1, "Lisbon, Portugal", 1),
        (2, "Porto, Portugal", 2),
        (3, "Oslo, Norway", 3),
    ]
    assert listed("Portugal") == [(1, "Lisbon, Portugal", 1), (2, "Porto, Portugal", 2)]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("Lisbon", [PORTO, OSLO]),
        ("Portugal", [OSLO]),
        ("59.9, 10.7", [LISBON, PORTO]),
        ("2", [LISBON, OSLO]),
        ("Oslo, Norway", [LISBON, PORTO]),
    ],
)
def test_a_place_is_forgotten(ledger: Ledger, name: str, left: list[tuple[float, float]]) -> None:
    told = run("forget", name)
    assert told.exit_code == 0
    assert "no byte of the rows is left in the file" in told.stdout
    assert [entry.places[0] for entry in ledger.entries()] == left


def test_several_at_once(ledger: Ledger) -> None:
    assert run("forget", "Lisbon", "3").stdout.startswith("2 entries forgotten")
    assert [entry.places for entry in ledger.entries()] == [(PORTO,)]


def test_all_of_it_is_forgotten_even_where_it_is_damaged(ledger: Ledger) -> None:
    ledger.path.write_bytes(b"rubbish")
    refused = run("list")
    assert refused.exit_code == 1
    assert "cannot be trusted" in refused.stderr
    assert run("forget", "--all").exit_code == 0
    assert run("list").stdout == "nothing is remembered\n"


def test_a_pending_entry_is_shown_and_confirmed(ledger: Ledger, tmp_path: Path) -> None:
    given = NewEntry((OSLO,), ("a" * 64,), (Rows("model", "", np.zeros((1, 8), np.float32)),))
    ledger.begin([given], tmp_path / "lost")
    assert "interrupted: confirm or forget it" in run("list").stdout.splitlines()[4]
    assert run("confirm", "4").stdout == "1 entry confirmed\n"
    assert "interrupted" not in run("list").stdout
    assert len(ledger.entries(refuse_pending=True)) == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("forget",), "name the entries"),
        (
            ("forget", "Kyoto"),
            "nothing of 'Kyoto' is remembered: what is remembered is of Lisbon, Portugal; Porto",
        ),
        (("forget", "Nowhereville"), "nothing of 'Nowhereville' is remembered"),
        (("forget", "9"), "there is no entry 9"),
        (("confirm", "1"), "not in doubt"),
        (("list", "--all"), "--all is only for forget"),
        (("forget", "1", "--all"), "--all is only for forget"),
        (("burn",), "burn"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    ledger: Ledger, arguments: tuple[str, ...], sentence: str
) -> None:
    told = run(*arguments)
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert told.stdout == ""
    assert len(ledger.entries()) == 3
