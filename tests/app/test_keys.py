from __future__ import annotations

import hmac
import threading

import pytest
from hypothesis import given, strategies as st

from elsewhere.app.security.keys import LINK_SECONDS, TOKEN_SECONDS, Keys


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def parts(link: str) -> tuple[str, str, str]:
    path, _, query = link.partition("?")
    expires, signature = (part.partition("=")[2] for part in query.split("&"))
    return path, expires, signature


def test_a_token_opens_one_session() -> None:
    keys = Keys()
    token = keys.token()
    secret = keys.exchange(token)
    assert secret is not None
    assert keys.admits(secret)
    assert keys.exchange(token) is None


def test_a_token_is_late_after_a_minute() -> None:
    clock = Clock()
    keys = Keys(clock)
    early, late = keys.token(), keys.token()
    clock.now += TOKEN_SECONDS - 1
    assert keys.exchange(early)
    clock.now += 1
    assert keys.exchange(late) is None


def test_of_many_at_once_one_gets_in() -> None:
    keys = Keys()
    token = keys.token()
    got: list[str | None] = []
    threads = [threading.Thread(target=lambda: got.append(keys.exchange(token))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one is not None for one in got) == 1


@given(st.text())
def test_no_guess_is_admitted(guess: str) -> None:
    keys = Keys()
    token = keys.token()
    assert not keys.admits(guess)
    assert keys.exchange(guess) is None
    assert keys.exchange(token)


def test_a_token_is_no_secret_and_servers_differ() -> None:
    keys, other = Keys(), Keys()
    token = keys.token()
    assert not keys.admits(token)
    secret = keys.exchange(token)
    assert secret and not other.admits(secret)


def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of one length, by the function that is made for it, whatever was guessed."""
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def counting(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counting)
    keys = Keys()
    secret = keys.exchange(keys.token()) or ""
    path, expires, signature = parts(keys.sign("/thumbs/1"))
    for guess in (secret, secret[:-1] + "x", "", "x" * 1000):
        assert keys.admits(guess) == (guess == secret)
    for guess in (signature, signature[:-1] + "x", "", "x" * 1000):
        assert keys.signed(path, expires, guess) == (guess == signature)
    assert len(compared) == 8
    assert {len(one) for pair in compared for one in pair} == {32}


def test_links_expire() -> None:
    clock = Clock()
    keys = Keys(clock)
    path, expires, signature = parts(keys.sign("/thumbs/1"))
    clock.now += LINK_SECONDS - 1
    assert keys.signed(path, expires, signature)
    clock.now += 2
    assert not keys.signed(path, expires, signature)


@given(st.text(), st.text(), st.text())
def test_no_other_link_is_signed(path: str, expires: str, signature: str) -> None:
    keys = Keys()
    own, until, signed = parts(keys.sign("/thumbs/1"))
    assert not keys.signed(path, expires, signature)
    assert not keys.signed(own, str(int(until) + 1), signed)
    assert keys.signed(path, until, signed) == (path == own)


def test_a_proof_is_what_the_page_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number is in web/src/lib/proof.test.ts."""
    keys = Keys()
    monkeypatch.setattr(keys, "_secret", "secret")
    assert keys.prove("ab" * 32) == (
        "f7bd9bf642808876694a158a6058877e3742c0ccb55224cf99dcb81d7cbc92ef"
    )


def test_a_proof_is_neither_the_secret_nor_a_signature() -> None:
    """Whoever asks for proofs gets nothing that the guard takes."""
    keys = Keys()
    path, expires = "/thumbs/1/2/3", "9999999999"
    for nonce in ("", path, f"{path}\n{expires}", keys._secret):
        assert not keys.admits(keys.prove(nonce))
        assert not keys.signed(path, expires, keys.prove(nonce))
