"""`elsewhere demo`: the whole job on the example album, which must come out as the README says."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.cli.commands.demo import free
from elsewhere.service import NOTHING_POSTED, AlbumPlan, Beliefs, ProtectedAlbum, ScoredAlbum, jobs
from elsewhere.service.planning import plan_versions
from tests.cli.keyboard import typed
from tests.service.planning.test_versions import candidates_for, fine_album, plan as made_plan
from tests.test_docs import ROOT, assert_printed, blocks


@pytest.mark.usefixtures("bare_home")
def test_twice_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def without_search(scored: ScoredAlbum, plan: AlbumPlan, **_: object) -> AlbumPlan:
        asked.append(plan.wishes.edits)
        return plan

    monkeypatch.setattr(jobs, "plan_with_edits", without_search)  # it takes its time
    for folder in ("elsewhere-demo", "elsewhere-demo-2"):
        result = typed("demo")
        assert result.exit_code == 0, result.output
        assert len(list(Path(folder).iterdir())) == 8
        lines = [line.split() for line in result.stdout.splitlines() if line]
        withheld = {
            words[0]: int(words[1]) for words in lines if words[0] in ("elsewhere", "greedy")
        }
        assert withheld["greedy"] > withheld["elsewhere"] == 4
        assert "--exact-top" in result.stdout
    assert asked == ["cover", "cover"]


@pytest.mark.usefixtures("bare_home")
def test_it_says_what_it_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    album = fine_album()
    withheld = made_plan(album)
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    done = ProtectedAlbum(
        album, better, numbers=Beliefs(album, better.threats, NOTHING_POSTED).key_numbers(better)
    )
    monkeypatch.setattr("elsewhere.service.protect_album", lambda *_, **__: done)
    result = typed("demo")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "6 of 6 photos shared, 3 of them covered (" in said
    assert "Greedy covers or withholds the most telling photo first" in said


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("bare_home")
def test_the_readme_shows_what_it_prints() -> None:
    (shown,) = (block for block in blocks(ROOT / "README.md") if "elsewhere demo" in block.text)
    for example in shown.text.split("$ elsewhere ")[1:]:
        command, _, expected = example.partition("\n")
        result = typed(*command.split())
        assert result.exit_code == 0, result.output
        assert_printed(expected, result.stdout, command)
    assert len(list(Path("to-share").iterdir())) == 11


def test_a_name_that_is_not_taken(tmp_path: Path) -> None:
    target = tmp_path / "demo"
    for name in ("demo", "demo-2", "demo-3"):
        assert free(target) == tmp_path / name
        (tmp_path / name).mkdir()
