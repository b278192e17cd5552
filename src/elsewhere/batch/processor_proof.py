"""An album planned from a GPU's scores: its plan proved again on the processor's.

The processor scores only what is to be shared. Where the plan does not hold there, it scores the
rest too, and the album is planned as if no GPU had been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.input_rows import VIEWS, AlbumRows, attackers_metadata
from elsewhere.service import (
    AlbumPlan,
    AttackerInfo,
    ProcessorRows,
    holds_on,
    processor_form,
)
from elsewhere.values.scores import FloatMatrix, Scores

PROVED, FAILED, NONE = "proved", "failed", "none"
"""What became of the plan from the GPU's scores; `NONE`: they gave none."""


class ProcessorProof:
    """One album's rows of a block, and what the processor makes of them."""

    def __init__(self, table: Any, attackers: Sequence[AttackerInfo], *, threads: int) -> None:
        self._table = table
        forms = [processor_form(attacker) for attacker in attackers]
        self.attackers = tuple(
            form or attacker for form, attacker in zip(forms, attackers, strict=True)
        )
        """The attackers on the processor."""
        views = [view or b"" for view in table.column(VIEWS).to_pylist()]
        self._rows = {
            number: ProcessorRows(form, views, threads)
            for number, form in enumerate(forms)
            if form is not None
        }

    def judge(self, rows: AlbumRows, planned: AlbumPlan, *, shares: bool) -> str:
        """What becomes of a plan; without one that `shares` photos there is nothing to prove."""
        if not shares:
            return NONE
        plan = planned.plan
        shared = [rows.table_rows[row] for row in plan.shared]
        ids = [rows.ids[photo] for photo in plan.kept]
        scores = []
        for number, attacker in enumerate(self.attackers):
            own = self._rows.get(number)
            values = self._same_rows(rows, plan.shared, number) if own is None else own.rows(shared)
            about = attacker.about
            scores.append(
                Scores(values, ids, scorer=about.fingerprint, grid=about.grid, points=about.points)
            )
        return PROVED if holds_on(planned, scores, self.attackers) else FAILED

    def processor_table(self) -> Any:
        """The album's rows with the processor's features, as a run without a GPU has them."""
        pa, table = arrow(), self._table.drop_columns([VIEWS])
        usable = [n for n, kind in enumerate(table.column("kind").to_pylist()) if not kind]
        for number, own in self._rows.items():
            name = f"features_{number}"
            width = table.schema.field(name).type.list_size
            features = np.zeros((table.num_rows, width), np.float32)
            features[usable] = own.features(usable)
            column = pa.FixedSizeListArray.from_arrays(pa.array(features.reshape(-1)), width)
            table = table.set_column(table.column_names.index(name), name, column)
        metadata = {**(table.schema.metadata or {}), **attackers_metadata(self.attackers)}
        return table.replace_schema_metadata(metadata)

    @staticmethod
    def _same_rows(rows: AlbumRows, shared: Sequence[int], model: int) -> FloatMatrix:
        """The rows of what is shared, by a model that no GPU runs."""
        every: list[Any] = []
        for photo, row in enumerate(rows.scores[model]):
            versions = rows.versions.get(photo)
            every += [row] if versions is None else [version.rows[model] for version in versions]
        found: FloatMatrix = np.stack([every[row] for row in shared])
        return found
