"""Proof files: written and read without loss, and refused where they are none."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from elsewhere.errors import InputError
from elsewhere.formats.proof_file import FORMAT, proof_from_bytes, proof_to_bytes
from elsewhere.values.proof import Proof, ProofNode

SCHEMA = json.loads((files("elsewhere.formats") / "schemas" / "proof.json").read_text("utf-8"))

numbers = st.lists(st.integers(0, 2**70), max_size=8).map(tuple)
pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=3)
nodes = st.builds(
    ProofNode, prices=numbers, excluded=numbers, rivals=pairs.map(lambda p: sum(p, ()))
) | st.builds(ProofNode, prices=numbers, excluded=numbers, row=st.integers(0, 99))
proofs = st.builds(Proof, st.lists(st.lists(nodes, max_size=4).map(tuple), max_size=3).map(tuple))


@given(proofs, st.booleans())
def test_a_proof_is_read_as_it_was_written(proof: Proof, packed: bool) -> None:
    content = proof_to_bytes(proof, packed=packed)
    assert proof_from_bytes(content) == proof
    text = gzip.decompress(content) if packed else content
    Draft202012Validator(SCHEMA).validate(json.loads(text))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[]", "a proof must be an object"),
        (b"{", "it is not JSON"),
        (b'{"format": "elsewhere-plan/1"}', f"must be of the format {FORMAT}"),
        (b'{"format": "elsewhere-proof/1"}', "lacks 'trees'"),
        (b'{"format": "elsewhere-proof/1", "trees": 1}', "trees must be a list"),
        (b'{"format": "elsewhere-proof/1", "trees": [1]}', r"trees\[0\] must be a list"),
        (b'{"format": "elsewhere-proof/1", "trees": [[[[], []]]]}', "a list of three lists"),
        (b'{"format": "elsewhere-proof/1", "trees": [[[[1.5], [], []]]]}', "a whole number"),
        (b'{"format": "elsewhere-proof/1", "trees": [], "x": 1}', "unknown to this version"),
        (b"\x1f\x8bnonsense", "not packed"),
        (gzip.compress(b"{" * 100, mtime=0)[:-9], "incomplete"),
    ],
)
def test_what_is_no_proof_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        proof_from_bytes(content)
