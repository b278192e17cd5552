"""`elsewhere demo`: the whole job on the example album, which must come out as the README says."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.cli.commands.demo import free
from elsewhere.service import jobs
from tests.cli.keyboard import typed
from tests.test_docs import ROOT, assert_printed, blocks


@pytest.mark.usefixtures("bare_home")
def test_twice_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    # the search takes its time
    monkeypatch.setattr(jobs, "plan_with_edits", lambda scored, plan, **asked: plan)
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
