"""The value Proof: why no plan is better, written out so that anybody can check it.

A proof has a tree for each claim (`checker/optimality.py` says which claims a plan makes). Every
node of a tree stands for the plans that its ancestors leave; the claim is that none of them is
better. Nodes are listed parents first, each followed by all below its first child, then by all
below its second. docs/method.md, "The proof", says how to check them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProofNode:
    """Prices that bound the plans of a node, rivals that cannot hold there, and a division of it.

    >>> ProofNode((1, 0), (0, 3, 17, 2))
    ProofNode(prices=(1, 0), excluded=(0, 3, 17, 2), rivals=(), row=None)
    """

    prices: tuple[int, ...] = ()
    """The price of cost, the price of the budget, then four numbers for each row of the sum: an
    attacker, a rival, a cell of the truth, the price."""
    excluded: tuple[int, ...] = ()
    """Four numbers for each rival that cannot hold: the same, the price to add to those above."""
    rivals: tuple[int, ...] = ()
    """Pairs of an attacker and a rival. In child i the i-th of them holds and those before it are
    not counted; without all of them too few are left."""
    row: int | None = None
    """A row of the scores. In the first child it is shared, in the second it is not."""


@dataclass(frozen=True)
class PlaceRows:
    """For a promise about circles: what the rows of a tree are made of, for one attacker.

    Without groups and prices no rows are made: then only single photos and single plans count.
    """

    hidden: tuple[int, ...] = ()
    """Latitude and longitude of the centre of each hidden circle, in billionths of a degree."""
    groups: tuple[int, ...] = ()
    """Cells. Of those within two radii of one of them, at most one is a rival."""
    prices: tuple[int, ...] = ()
    """Four numbers each: a hidden circle, by number, and the prices of cost, of the budget and of
    how far a cell is ahead of that circle. Cells that some of these leave no plan for are no
    rivals; all others belong to a group."""


@dataclass(frozen=True)
class Proof:
    """A tree for each claim of a plan.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]])
    >>> proof = elsewhere.prove(elsewhere.protect(scores, truth=0, top=2), scores)
    >>> [len(tree) for tree in proof.trees]
    [1]
    """

    trees: tuple[tuple[ProofNode, ...], ...]
    places: tuple[tuple[PlaceRows, ...], ...] = ()
    """For each tree, and each attacker who looks for circles: what its rows are made of. The tree
    counts such attackers after those of cells. A hidden circle is a cell of the truth, by number; a
    group is a rival, numbered after them."""
