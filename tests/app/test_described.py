"""The description of the server, and whether the server can be made to fail by whatever fits it.

Schemathesis makes up requests from the OpenAPI description, and requests that are near it and
wrong. Whatever comes, the answer is no 5xx, and an answer that went well has the described form.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from schemathesis import GenerationMode
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig

from elsewhere.app.api.server import application
from elsewhere.app.security.guard import SECRET_HEADER
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import album_jobs
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError
from tests.app.server import Made, RunningServer

pytestmark = pytest.mark.slow

CASES = 200
MANY = 2000
FEW = 5


def described() -> dict[str, Any]:
    return application(Workspace(Keys(), use_ledger=False)).openapi()


def test_every_route_is_described_and_documented() -> None:
    docs = Path(__file__).parents[2] / "docs" / "app.md"
    text = docs.read_text("utf-8")
    for path, methods in described()["paths"].items():
        for method, told in methods.items():
            assert told["description"], path
            assert "4XX" in told["responses"], path
            assert f"`{method.upper()} {path}`" in text, f"docs/app.md lacks {method} {path}"


def _many(server: RunningServer, album: Made, cases: int) -> tuple[int, dict[int, int]]:
    """So many requests, drawn over all routes; how many of which status."""
    config = SchemathesisConfig(
        projects=ProjectsConfig(
            default=ProjectConfig(generation=GenerationConfig(modes=list(GenerationMode)))
        )
    )
    schema = schemathesis.openapi.from_dict(described(), config=config)
    operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    # a route without any parameter can be asked in a few ways only
    few = [one for one in operations if not one.body and not [*one.iter_parameters()]]
    each = -(-cases // (len(operations) - len(few)))
    seen: dict[int, int] = {}
    for operation in operations:
        if server.state()["stage"] != "ready":  # whatever the last route did, this one has an album
            server.open(album.folder)
        _some(server, operation, FEW if operation in few else each, seen)
    return sum(seen.values()), seen


def _some(server: RunningServer, operation: Any, cases: int, seen: dict[int, int]) -> None:
    """Cases for one route, right and wrong ones in turn, a few of them without the secret."""
    right, wrong = (operation.as_strategy(mode) for mode in GenerationMode)
    signed = operation.path.startswith(("/thumbs", "/reports"))

    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=right | wrong, outsider=st.integers(0, 9))
    def one(case: Any, outsider: int) -> None:
        if signed and outsider:
            link = server.workspace.keys.sign(unquote(case.formatted_path))
            case.query = dict(parse_qsl(link.partition("?")[2]))
        headers = {SECRET_HEADER: server.secret} if outsider else {}
        answer = case.call(base_url=server.home, headers=headers, timeout=60)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (operation.path, answer.text)
        if answer.status_code >= 400 and case.method != "HEAD":
            told = answer.json()
            assert told["error"], (operation.path, answer.text)
            assert told.keys() <= {"error", "field", "choices"}, (operation.path, answer.text)

    one()


@pytest.fixture
def confined(album: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """No made-up path may reach this machine's disk: nobody knows what is there."""

    def path(text: str) -> Path:
        if Path(text) == album.folder:
            return album.folder
        raise InputError("only for the test: no other path leads anywhere")

    monkeypatch.setattr(album_jobs, "parse_path", path)


@pytest.mark.usefixtures("confined")
def test_nothing_that_fits_the_description_breaks_the_server(
    server: RunningServer, album: Made
) -> None:
    sent, seen = _many(server, album, CASES)
    print(f"{sent} cases: {seen}")
    assert sent >= CASES and 200 in seen


@pytest.mark.long
@pytest.mark.usefixtures("confined")
def test_nothing_breaks_the_server_in_many_cases(
    server: RunningServer, album: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    sent, seen = _many(server, album, MANY)
    with capsys.disabled():
        print(f"\nschemathesis: {sent} cases, no 5xx: {dict(sorted(seen.items()))}")
    assert sent >= MANY


def test_answers_are_what_the_description_says(server: RunningServer) -> None:
    schema = described()
    whole = {"components": schema["components"]}
    for name, path in (
        ("Workspace", "/api/table"),
        ("Belief", "/api/guesses"),
        ("PhotoDetails", "/api/photos/0"),
        ("Folders", "/api/folders"),
    ):
        told = server.client.get(path).json()
        wanted = {"$ref": f"#/components/schemas/{name}", **whole}
        jsonschema.validate(json.loads(json.dumps(told)), wanted)
