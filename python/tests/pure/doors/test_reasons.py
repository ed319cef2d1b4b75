import pytest

from nexus.services.reasons import explain

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
    assert "problem of its own" in explain("http_502")
    assert "refused" in explain("http_400")
    assert explain("http_999") == "The site has a problem of its own: it answered 999."


def test_code_from_another_version_is_still_a_sentence() -> None:
    assert explain("made_of_cheese") == "It did not work (made of cheese)."
