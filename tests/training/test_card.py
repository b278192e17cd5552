"""The model card says what the saved results say."""

from __future__ import annotations

import hashlib
import json

from training.card import PAGE, TABLES, WEIGHTS, filled


def test_every_table_of_the_card_is_what_the_saved_results_say() -> None:
    page = PAGE.read_text("utf-8")
    assert filled(page) == page, "run python -m training.card"
    assert len(TABLES) == page.count("<!-- end -->")


def test_the_record_is_of_the_files_beside_it() -> None:
    record = json.loads((WEIGHTS / "model.json").read_text("utf-8"))
    for part in ("tower", "head", "half_a", "half_b"):
        content = (WEIGHTS / record[part]["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == record[part]["sha256"]
