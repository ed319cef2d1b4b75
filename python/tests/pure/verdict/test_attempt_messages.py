import pytest

from nexus.errors.attempts import explain

CODES = [
    "invalid_url", "blocked_address", "timeout", "connection_error", "tls_error", "too_many_redirects", "non_html",
    "max_bytes_exceeded", "empty_extraction", "too_short", "blocked_page", "render_failed", "render_timeout",
    "sanitization_failed", "internal_error", "worker_lost",
]  # fmt: skip


@pytest.mark.parametrize("code", [*CODES, "http_403", "http_418", "http_503", "http_999"])
def test_every_code_has_a_sentence_of_its_own(code: str) -> None:
    reason = explain(code)
    assert reason[0].isupper()
    assert reason.endswith(".")
    assert "_" not in reason
    assert "did not work" not in reason


def test_statuses_are_told_apart() -> None:
    assert "503 (Service Unavailable)" in explain("http_503")
    assert "internal problem" in explain("http_502")
    assert "refused" in explain("http_400")
    assert explain("http_999") == "The site has an internal problem: it responded with 999."


def test_code_from_another_version_is_still_a_sentence() -> None:
    assert explain("made_of_cheese") == "The attempt failed (made of cheese)."


def test_sentence_says_no_more_than_what_happened() -> None:
    """Each kind of wall and a plain refusal have a sentence of their own."""
    assert explain("http_403") == "The site refused the request (403)."
    for wall in ("bot_wall", "consent_wall", "paywall", "soft_404", "parked_domain", "refusal", "error_page"):
        told = explain("blocked_page", f"{wall} with status 403: some words of the page")
        assert told != explain("blocked_page")
        assert ("captcha" in told) == (wall == "bot_wall")
        assert "login" not in told
    assert explain("blocked_page", "some detail of an older version") == explain("blocked_page")
    assert explain("timeout", "slow_reading: 20 s") == "The page took too long to read."
    assert explain("http_404", "soft_404: x") == explain("http_404")
