"""Two apps on one album: neither sees the other's wishes, and a copy holds one of the two plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from elsewhere.service.verify import verify_copy
from tests.app.server import Made, RunningServer, running_server


def put(server: RunningServer, **wishes: Any) -> dict[str, Any]:
    now = server.state()["wishes"]
    answer = server.client.put("/api/wishes", json={**now, **wishes})
    assert answer.status_code == 200, answer.text
    return server.final_state()


def export(server: RunningServer, target: Path, private: Path) -> dict[str, Any] | None:
    """Export the plan on the screen; None where it is refused with a sentence."""
    version = server.state()["plan"]["version"]
    asked = {"target": str(target), "version": version, "private": str(private)}
    answer = server.client.post("/api/export", json=asked)
    if answer.status_code != 200:
        assert "exists" in answer.json()["error"]
        return None
    events = server.events(answer.json()["job"])
    exported: dict[str, Any] | None = next(
        (event["exported"] for event in events if event.get("exported")), None
    )
    if exported is None:
        assert any("exists" in (event.get("error") or "") for event in events), events
    return exported


def test_two_apps_on_one_album(album: Made, tmp_path: Path) -> None:
    originals = {file.name: file.read_bytes() for file in album.folder.iterdir() if file.is_file()}
    private = tmp_path / "private"
    with running_server(album.scorer) as first, running_server(album.scorer) as second:
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda server: server.open(album.folder), (first, second)))
        wish = put(first, top=1, exact_top=True, margin="none")["wishes"]
        assert wish["top"] == 1 and second.state()["wishes"]["top"] != 1
        with ThreadPoolExecutor(2) as threads:
            own = [tmp_path / "one", tmp_path / "two"]
            done = list(threads.map(export, (first, second), own, [private] * 2))
        assert all(done) and all(verify_copy(target, private=private) for target in own)
        for turn in range(4):
            target = tmp_path / f"both-{turn}"
            with ThreadPoolExecutor(2) as threads:
                done = list(threads.map(export, (first, second), [target] * 2, [private] * 2))
            [exported] = [one for one in done if one is not None]
            assert sorted(exported["files"]) == sorted(file.name for file in target.iterdir())
            assert verify_copy(target, private=private)
    assert {f.name: f.read_bytes() for f in album.folder.iterdir() if f.is_file()} == originals
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
