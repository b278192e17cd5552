"""Figures that other pages repeat are those of the page that a command writes."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README, RESULTS, CARD, AUDIT = (
    (ROOT / name).read_text("utf-8")
    for name in ("README.md", "docs/results.md", "docs/model-card.md", "docs/your-photos.md")
)


def fields(page: str, line: str) -> list[str]:
    """The fields of the first line of a table that is called so."""
    found = re.search(rf"(?m)^\| {re.escape(line)} \|(.*)\|$", page)
    assert found, line
    return [field.strip().removesuffix("†") for field in found[1].split("|")]


def section(page: str, title: str) -> str:
    return page.split(f"### {title}", 1)[1].split("\n### ", 1)[0]


def test_the_readmes_table_2_is_that_of_the_results() -> None:
    table = section(RESULTS, "Table 2")
    for name, line in (
        ("16 random photos", "R-16"),
        ("32", "R-32"),
        ("64", "R-64"),
        ("128", "R-128"),
        ("albums", "Albums"),
    ):
        assert fields(README, name) == fields(table, line)[:4]
    plans = re.search(r"Plans found: ([\d,]+), all proved optimal", table)
    assert plans
    assert f"All {plans[1]} plans are proved optimal" in README


def test_the_readmes_word_on_the_model_is_the_cards() -> None:
    text = " ".join(README.split())
    said = re.search(r"it places (\d+) of 100 photos.*?25 km and (\d+) within 750 km", text)
    assert said
    circles = next(line for line in CARD.splitlines() if "the likeliest circle of 25 km" in line)
    shares = [float(field) for field in circles.strip("| ").split("|")[3:]]
    assert [round(100 * shares[1]), round(100 * shares[3])] == [int(said[1]), int(said[2])]


def test_the_audits_word_on_calibration_is_the_cards() -> None:
    table = CARD.split("<!-- albums -->", 1)[1].split("<!-- end -->", 1)[0]
    rows = {n: [float(x) for x in fields(table, str(n))] for n in (1, 2, 4, 8, 16, 32, 64)}
    seen = [row[3] for row in rows.values()]
    new = [row[6] for n, row in rows.items() if n <= 16]
    text = " ".join(AUDIT.split())
    for low, high in ((min(seen), max(seen)), (min(new), max(new))):
        assert f"{low:.3f} to {high:.3f}".replace("0.", ".") in text
    assert f"{rows[32][6]:.2f} and {rows[64][6]:.2f}".replace("0.", ".") in text


def test_the_audits_table_of_simulated_albums_is_that_of_the_results() -> None:
    table = section(RESULTS, "What an album's probabilities mean")
    for line in ("W1, calibrated", "W1, plain sum", "W2, calibrated", "W2, plain sum"):
        ours = [field.replace("0.", ".") for field in fields(table, line)[:8]]
        assert fields(AUDIT, line) == ours
