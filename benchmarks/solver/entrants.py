"""Who runs where, and how often.

Every cell has our solver and the three strongest peers, with our presolve. The paper's model and
plain big-M take so long that they run only where they are compared: on top-5 (and plain big-M on
budgets of half the photos).
"""

from __future__ import annotations

from benchmarks.solver.cells import Cell

STRONG = ("highs/presolved", "cplex/presolved", "gurobi/presolved")
PLAIN = ("highs/mccormick", "highs/big-m", "cplex/big-m", "gurobi/big-m")
OTHERS = ("scip/presolved", "cp-sat/presolved")
SMALL_ONLY = ("scip/big-m", "cp-sat/big-m")
BOTH_MODELS = ("versions", "joint", "unlike")
"""Families in which HiGHS and CPLEX run with and without our presolve."""
ALL = ("ours", *STRONG, *PLAIN, *OTHERS, *SMALL_ONLY)


def entrants(cell: Cell) -> tuple[str, ...]:
    """The solvers of a cell, ours first."""
    names: tuple[str, ...] = ("ours", *STRONG)
    if cell.family == "paper" and cell.top == 5:
        names += PLAIN + OTHERS + (SMALL_ONLY if cell.photos <= 32 else ())
    elif (cell.family == "paper" and cell.share == 50) or cell.family in BOTH_MODELS:
        names += ("highs/big-m", "cplex/big-m")
    return names
