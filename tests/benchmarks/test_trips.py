"""The benchmark of first guesses on trips: distances are those of the photos it names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.trips import __main__ as trips_benchmark

from elsewhere.globe import Cells


class Known:
    """Two photos of one person on two leaves, and one of somebody else."""

    folder = Path()
    leaves = (100, 20_000, 5)

    def entries(self) -> list[tuple[str, list[int]]]:
        return [("trips of a", [0, 1]), ("stock", [2])]

    def positions(self, rows: list[int]) -> np.ndarray:
        points = np.array(Cells.leaves().points).T
        return np.asarray(points[[self.leaves[row] for row in rows]])

    def scores(self, attacker: str, rows: list[int]) -> np.ndarray:
        """The built-in model knows both, the other one takes each for the same place."""
        likely = [self.leaves[row] if attacker == "embedded" else 100 for row in rows]
        table = np.full((len(rows), Cells.leaves().count), -50.0)
        table[range(len(rows)), likely] = 0.0
        return table


def test_shares_are_of_the_persons_photos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trips_benchmark, "nearest_known_km", lambda trips: np.array([0, 99, 0]))
    lines = trips_benchmark.table(Known()).splitlines()  # type: ignore[arg-type]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    assert [row[:3] for row in cells[:4]] == [
        ["trips of a", "2", "embedded"],
        ["trips of a", "2", "DINOv2"],
        ["trips of a, far", "1", "embedded"],
        ["trips of a, far", "1", "DINOv2"],
    ]
    within_25 = [row[4] for row in cells[:4]]
    assert within_25 == ["1.000", "0.500", "1.000", "0.000"]
    assert not any("stock" in row[0] for row in cells)
