from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import elsewhere
from elsewhere.errors import CheckError, InputError
from elsewhere.formats.plan_certificate import read_certificate
from elsewhere.formats.validation import digest_of
from elsewhere.service.scores import certify
from elsewhere.values.scores import Scores


def schema(name: str) -> Any:
    path = files("elsewhere.formats") / "schemas" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))


REGISTRY: Registry[Any] = Registry().with_resource(
    "urn:elsewhere:schema:plan:1", Resource.from_contents(schema("plan"))
)
VALIDATOR = Draft202012Validator(schema("certificate"), registry=REGISTRY)
SCORES = Scores(
    np.random.default_rng(5).normal(size=(6, 9)) + 2 * (np.arange(9) == 3), scorer="s", grid="g"
)
PLAN = elsewhere.protect(SCORES, 3, top=2)
TEXT = certify(PLAN, SCORES)


def test_it_fits_its_schema_and_carries_what_is_promised() -> None:
    Draft202012Validator.check_schema(schema("certificate"))
    document = json.loads(TEXT)
    VALIDATOR.validate(document)
    assert document["attackers"] == [
        {"scores": SCORES.digest, "scorer": "s", "grid": "g", "photos": 6, "cells": 9}
    ]
    assert document["versions"]["elsewhere"]
    assert any("not against forgery" in note for note in document["notes"])


def test_it_reads_back() -> None:
    certificate = read_certificate(TEXT)
    assert certificate.plan == PLAN
    assert [attacker.grid for attacker in certificate.attackers] == ["g"]
    assert dict(certificate.versions)["numpy"] == np.__version__


def test_the_digest_is_what_the_docs_say() -> None:
    """Worked out anew, from the words of the documentation."""
    document = json.loads(TEXT)
    digest = document.pop("digest")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_the_same_plan_gives_the_same_certificate() -> None:
    assert certify(PLAN, [SCORES]) == TEXT


def test_several_attackers() -> None:
    other = Scores(np.random.default_rng(6).normal(size=(6, 4)))
    plan = elsewhere.protect([SCORES, other], [3, {0, 1}], top=[2, 1])
    text = certify(plan, [SCORES, other])
    VALIDATOR.validate(json.loads(text))
    assert read_certificate(text).plan == plan


@given(st.data())
def test_any_change_is_noticed(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(TEXT) - 1))
    other = data.draw(st.characters(codec="ascii", exclude_characters=" \n\t\r"))
    changed = TEXT[:place] + other + TEXT[place + 1 :]
    try:
        same = json.loads(changed) == json.loads(TEXT)
    except ValueError:
        same = False
    if same:
        return
    with pytest.raises(InputError):
        read_certificate(changed)


def test_one_that_was_sealed_again_is_still_read_with_care() -> None:
    changes: list[dict[str, Any]] = [
        {"plan": 5},
        {"plan": {}},
        {"versions": []},
        {"versions": {"numpy": 2}},
        {"bound": 99},
        {"attackers": []},
        {"attackers": 7},
        {"promise": None},
        {"note": "new"},
    ]
    for change in changes:
        document = {**json.loads(TEXT), **change}
        document["digest"] = digest_of(document)
        with pytest.raises(InputError):
            read_certificate(json.dumps(document))
    for text in ("", "[]", '{"format": "elsewhere-certificate/2"}'):
        with pytest.raises(InputError):
            read_certificate(text)


def test_a_plan_that_does_not_hold_gets_none() -> None:
    with pytest.raises(CheckError, match="no certificate"):
        certify(replace(PLAN, cost=PLAN.cost + 1), SCORES)
    with pytest.raises(CheckError, match="no certificate"):
        certify(PLAN, Scores(SCORES.values + np.eye(6, 9)))


def test_no_plan_no_certificate() -> None:
    plan = elsewhere.protect(SCORES, 3, top=8, keep=range(6))
    assert not plan.found
    with pytest.raises(InputError, match="no plan to certify"):
        certify(plan, SCORES)
