"""A proof that no plan is better, as compact JSON and back: format "elsewhere-proof/1".

Its schema is schemas/proof.json. A node is a list of three lists: prices, rivals excluded, and its
division: nothing, a row of the scores, or pairs of an attacker and a rival. About hidden places
the file also says what the rows of each tree are made of. It may be compressed with gzip. A proof
that was read is well formed; `elsewhere check` checks it.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.validation import expect, kind_of, parse, wrong
from elsewhere.values.proof import PlaceRows, Proof, ProofNode

FORMAT = "elsewhere-proof/1"
MAX_BYTES = 256 << 20
"""What a proof may take, unpacked."""
_GZIP = b"\x1f\x8b"
_NUMBERS = kind_of(tuple[int, ...])
_PLACES = kind_of(tuple[tuple[PlaceRows, ...], ...])


def proof_to_bytes(proof: Proof, *, packed: bool) -> bytes:
    """The proof as a file; the same proof always gives the same bytes.

    >>> proof = Proof(((ProofNode((1, 0), row=3), ProofNode((1, 0)), ProofNode((2, 0))),))
    >>> proof_from_bytes(proof_to_bytes(proof, packed=True)) == proof
    True
    """
    trees = [[_write_node(node) for node in tree] for tree in proof.trees]
    document: dict[str, Any] = {"format": FORMAT, "trees": trees}
    if proof.places:
        document["places"] = _PLACES.write(proof.places)
    text = json.dumps(document, separators=(",", ":")) + "\n"
    return gzip.compress(text.encode("ascii"), mtime=0) if packed else text.encode("ascii")


def proof_from_bytes(content: bytes) -> Proof:
    """The proof in a file's bytes; InputError when it is none.

    >>> proof_from_bytes(b'{"format": "elsewhere-proof/9"}')
    Traceback (most recent call last):
    elsewhere.errors.InputError: the proof must be of the format elsewhere-proof/1
    """
    if content.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            content = unpacker.decompress(content, MAX_BYTES)
        except zlib.error:
            raise InputError("it is not packed as gzip files are") from None
        if not unpacker.eof:
            raise InputError(f"it is incomplete, or larger than {MAX_BYTES:,} bytes unpacked")
    values = parse(content)
    if not isinstance(values, dict):
        raise wrong("a proof", "an object")
    if values.get("format") != FORMAT:
        raise InputError(f"the proof must be of the format {FORMAT}")
    expect(values, "the proof", ["format", "trees", "places"], ["places"])
    if not isinstance(values["trees"], list):
        raise wrong("trees", "a list")
    trees = tuple(_read_tree(tree, f"trees[{i}]") for i, tree in enumerate(values["trees"]))
    return Proof(trees, _PLACES.read(values.get("places", []), "places"))


def _write_node(node: ProofNode) -> list[list[int]]:
    division = [*node.rivals] if node.row is None else [node.row]
    return [[*node.prices], [*node.excluded], division]


def _read_tree(tree: Any, where: str) -> tuple[ProofNode, ...]:
    if not isinstance(tree, list):
        raise wrong(where, "a list")
    nodes = []
    for i, node in enumerate(tree):
        place = f"{where}[{i}]"
        if not isinstance(node, list) or len(node) != 3:
            raise wrong(place, "a list of three lists")
        prices, excluded, division = (_NUMBERS.read(part, place) for part in node)
        row = division[0] if len(division) == 1 else None
        nodes.append(ProofNode(prices, excluded, () if row is not None else division, row))
    return tuple(nodes)
