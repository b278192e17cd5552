"""Files that earlier versions wrote are still read, and what they say is still true."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere.formats.copy_certificate import read_copy_certificate
from elsewhere.formats.ledger import DamagedError, Rows, decode, encode
from elsewhere.formats.plan_certificate import read_certificate
from elsewhere.formats.plan_file import plan_from_json, plan_to_json

DATA = Path(__file__).parent / "data"


def text(name: str) -> str:
    return (DATA / name).read_text("utf-8")


def test_a_plan_of_version_1() -> None:
    plan = plan_from_json(text("plan.json"))
    assert (plan.status, plan.promise.photos) == ("optimal", 5)
    assert plan.promise.values == (Fraction(3, 2), *[Fraction(1)] * 4)
    assert plan_to_json(plan, [f"{name}.jpg" for name in "abcde"]) == text("plan.json")


def test_a_certificate_of_version_1() -> None:
    certificate = read_certificate(text("certificate.json"))
    assert certificate.plan == plan_from_json(text("plan.json"))


def test_a_copy_certificate_of_version_1() -> None:
    certificate = read_copy_certificate(text("copy-certificate.json"))
    assert sorted(file.name for file in certificate.files) == ["001.jpg", "002.jpg", "003.jpg"]
    assert certificate.hidden[0].label == "Tarascon, France"


def test_a_ledger_of_version_1() -> None:
    content, key = (DATA / "ledger.jsonl").read_bytes(), (DATA / "ledger.key").read_bytes()
    (entry,) = decode(content, key)
    assert entry.rows[0].values.shape == (len(entry.photos), 512)
    lines, again = content.splitlines(), encode([entry], key).splitlines()
    assert list(map(json.loads, again[:-1])) == list(map(json.loads, lines[:-1]))


def test_a_ledger_with_features_is_of_version_2_beside_rows_of_version_1() -> None:
    content, key = (DATA / "ledger.jsonl").read_bytes(), (DATA / "ledger.key").read_bytes()
    (old,) = decode(content, key)
    seen = np.arange(4 * len(old.photos), dtype=np.float32).reshape(-1, 4)
    new = replace(old, rows=(Rows("eyes", "", seen, features=True),))
    written = encode([old, new], key)
    assert json.loads(written.splitlines()[0]) == {"elsewhere": "ledger", "version": 2}
    first, second = decode(written, key)
    assert not first.rows[0].features and second.rows[0].features
    assert np.array_equal(first.rows[0].values, old.rows[0].values)
    assert np.array_equal(second.rows[0].values, seen)


def test_a_ledger_with_sources_is_of_version_3() -> None:
    content, key = (DATA / "ledger.jsonl").read_bytes(), (DATA / "ledger.key").read_bytes()
    (old,) = decode(content, key)
    assert old.sources == ()
    known = tuple((photo[::-1],) for photo in old.photos)
    written = encode([old, replace(old, sources=known)], key)
    assert json.loads(written.splitlines()[0]) == {"elsewhere": "ledger", "version": 3}
    assert b"sources" not in written.splitlines()[1]
    first, second = decode(written, key)
    assert (first.sources, second.sources) == ((), known)
    with pytest.raises(DamagedError, match="a line is damaged"):
        decode(encode([replace(old, sources=known[1:])], key), key)


@pytest.mark.parametrize("name", ["plan", "certificate", "copy-certificate"])
def test_another_version_is_refused_in_one_sentence(name: str) -> None:
    read = {"plan": plan_from_json, "certificate": read_certificate}
    newer = text(f"{name}.json").replace(f"elsewhere-{name}/1", f"elsewhere-{name}/9")
    with pytest.raises(InputError, match=f"must be of the format elsewhere-{name}/1"):
        read.get(name, read_copy_certificate)(newer)


def test_a_newer_ledger_is_refused_in_one_sentence() -> None:
    newer = (DATA / "ledger.jsonl").read_bytes().replace(b'"version":1', b'"version":4')
    with pytest.raises(DamagedError, match="another version"):
        decode(newer, b"")
