"""GET /media/{id}/original: a download for those who have the media, and for nobody else."""

from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from nexus.config import load_settings
from nexus.services.originals.reread_candidates import RereadCandidate, note_result
from nexus.store import BlobStore, open_store
from nexus.text.originals.original_file import Original, OriginalFacts, pack
from tests.api.saving import ALICE, BOB, LINK, as_user, save
from tests.lifecycle_steps import LONG, LifecycleSteps, article
from tests.originals.saved_originals import SavedOriginals

PAGE = "<title>Ünsafe</title><script>alert(1)</script><p>Read as it came.</p>".encode("latin-1")
FACTS = OriginalFacts("fetched", "https://example.org/a", content_type="text/html; charset=latin-1", status=200)


@pytest.fixture
def store(data_of_process: Path, steps: LifecycleSteps) -> BlobStore:
    """The store of the server."""
    return open_store(load_settings(data_dir=data_of_process), steps.database)


def readable(
    client: httpx2.Client,
    steps: LifecycleSteps,
    data: bytes = PAGE,
    facts: OriginalFacts = FACTS,
    *,
    link: str = LINK,
    **about: str,
) -> UUID:
    return steps.succeed_item(save(client, url=link), original=Original(pack(data, facts)), **about)


def download(client: httpx2.Client, media: UUID, user: UUID = ALICE, **query: int) -> httpx2.Response:
    return client.get(f"/media/{media}/original", headers=as_user(user), params=query)


def test_it_is_the_page_as_it_came_also_while_it_waits(client: httpx2.Client, saved: SavedOriginals) -> None:
    media = readable(client, saved.steps)
    waiting = download(client, media)
    assert client.get(f"/media/{media}/versions", headers=as_user(ALICE)).json()["data"][0]["original"] == "kept"
    saved.move_all()
    assert saved.state(media) == "kept"
    kept = download(client, media, version=1)
    assert waiting.content == kept.content == PAGE


def test_it_is_saved_and_never_shown(client: httpx2.Client, steps: LifecycleSteps) -> None:
    title = 'Über "alles"/..\\\r\nSet-Cookie: a=b\u202egpj' + "x" * 300
    response = download(client, readable(client, steps, title=title))
    disposition = response.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="')
    assert disposition.isascii()
    assert "Cookie: a" not in disposition
    assert "%E2%80%AE" not in disposition
    assert len(disposition) < 1000
    assert response.headers["content-type"] == "text/html"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in response.headers


def test_what_a_browser_made_of_a_page_says_that_it_is_utf_8(client: httpx2.Client, steps: LifecycleSteps) -> None:
    page = "<meta charset=latin-1><p>Größe</p>"
    facts = OriginalFacts("rendered", "https://example.org/a", "https://example.org/", "text/html; charset=utf-8", 200)
    response = download(client, readable(client, steps, page.encode(), facts))
    assert response.content.decode("utf-8-sig") == page
    assert response.content[:3] == b"\xef\xbb\xbf"


def test_a_transcript_has_the_name_of_its_format(client: httpx2.Client, steps: LifecycleSteps) -> None:
    facts = OriginalFacts("transcript", content_type="text/vtt", format="vtt", declared="vtt", pause_ms=1500)
    response = download(client, readable(client, steps, b"WEBVTT\n", facts))
    assert response.content == b"WEBVTT\n"
    assert response.headers["content-type"].startswith("text/vtt")
    assert '.vtt"' in response.headers["content-disposition"]


def test_another_user_gets_it_only_with_the_media(client: httpx2.Client, steps: LifecycleSteps) -> None:
    link = "https://example.org/shared"
    media = readable(client, steps, link=link, canonical_url=link)
    refused = download(client, media, BOB)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (404, "not_found")
    steps.merge_item(save(client, BOB, url="https://example.org/shared"), media)
    assert download(client, media, BOB).content == PAGE
    client.delete(f"/media/{media}", headers=as_user(BOB))
    assert download(client, media, BOB).status_code == 404
    assert download(client, media).content == PAGE


@pytest.mark.parametrize("original", [None, Original(None, "too_large")])
def test_without_one_it_says_so(client: httpx2.Client, steps: LifecycleSteps, original: Original | None) -> None:
    media = steps.succeed_item(save(client), original=original)
    response = download(client, media)
    assert (response.status_code, response.json()["detail"]["error"]) == (404, "no_original")
    (version,) = client.get(f"/media/{media}/versions", headers=as_user(ALICE)).json()["data"]
    assert version["original"] == (original and original.missing)
    assert ("larger" in response.json()["detail"]["message"]) == (original is not None)
    assert download(client, media, version=7).json()["detail"]["error"] == "not_found"
    assert download(client, media, version=0).status_code == 422
    pasted = steps.media_of(save(client, pasted_text="Mine"))
    assert download(client, pasted).json()["detail"]["error"] == "no_original"
    waiting = steps.media_of(save(client))
    assert download(client, waiting).json()["detail"]["error"] == "no_original"


def test_a_missing_or_damaged_blob_is_an_error_and_not_an_empty_file(
    client: httpx2.Client, saved: SavedOriginals, data_of_process: Path
) -> None:
    media = readable(client, saved.steps)
    saved.move_all()
    (sha256,) = saved.steps.row("SELECT sha256 FROM originals WHERE media_id = :p0", media)
    path = data_of_process / "blobs" / sha256.hex()[:2] / sha256.hex()
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    assert download(client, media).json()["detail"]["error"] == "blob_damaged"
    path.unlink()
    assert download(client, media).json()["detail"]["error"] == "blob_missing"
    path.write_bytes(content)
    assert download(client, media).content == PAGE


def test_a_large_page_that_compresses_well_comes_in_pieces(client: httpx2.Client, steps: LifecycleSteps) -> None:
    page = b"<p>again and </p>" * 500_000
    media = readable(client, steps, page)
    with client.stream("GET", f"/media/{media}/original", headers=as_user(ALICE)) as response:
        assert sum(len(piece) for piece in response.iter_bytes()) == len(page)
        assert "content-length" not in response.headers


def test_a_merged_id_leads_to_the_original_of_the_winner(client: httpx2.Client, steps: LifecycleSteps) -> None:
    winner = readable(client, steps, canonical_url="https://example.org/winner")
    loser = steps.merge_item(save(client, url="https://example.org/loser"), winner)
    assert download(client, loser).content == PAGE


def original_in_versions(client: httpx2.Client, media: UUID, user: UUID) -> list[str | None]:
    listed = client.get(f"/media/{media}/versions", headers=as_user(user)).json()["data"]
    return [version["original"] for version in listed]


def test_what_a_personal_link_gave_is_for_its_user(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Alice's newsletter link leads to the public page that Bob has saved too; a reread version stays hers as well."""
    page = "https://example.org/public"
    media = readable(client, steps, link="https://example.org/r?token=alice", canonical_url=page)
    bobs = save(client, BOB, url=page)
    steps.merge_item(bobs, media)
    assert client.get(f"/media/{media}/fragments", headers=as_user(BOB)).status_code == 200
    refused = download(client, media, BOB)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (404, "no_original")
    assert download(client, media, BOB, version=1).status_code == 404
    assert download(client, media).content == PAGE
    assert original_in_versions(client, media, BOB) == [None]
    assert original_in_versions(client, media, ALICE) == ["kept"]
    with steps.session() as session:
        note_result(session, RereadCandidate(media, 1), "same")
    newer = article(page, "Hello there, and more", origin="reread")
    assert steps.reread(media, newer, 1, min_chars=0) == "different"
    with steps.session() as session:
        note_result(session, RereadCandidate(media, 1), "different", new_version=2)
    assert download(client, media, BOB, version=2).status_code == 404
    assert download(client, media, version=2).content == PAGE


def test_page_that_is_read_at_its_own_url_is_for_all(client: httpx2.Client, saved: SavedOriginals) -> None:
    """The same text came through Alice's link first; her original is replaced, and its blob is collected later."""
    steps, page = saved.steps, "https://example.org/both"
    media = readable(client, steps, link="http://example.org/both", canonical_url=page)
    readings = [(page, b"too soon"), ("https://example.org/r?token=bob", b"bob"), (page, b"public"), (page, b"later")]
    for link, content in readings:
        save(client, BOB, url=link)
        same = article(page, "Hello there", original=Original(pack(content, FACTS)))
        assert steps.succeed(steps.claim_one(), same, min_chars=0) == "merged"
        saved.move_all()  # what waits is being moved, perhaps, and is left as it is
        seen = [download(client, media, user) for user in (ALICE, BOB)]
        expected = [PAGE, None] if content in (b"too soon", b"bob") else [b"public"] * 2
        assert [each.content if each.is_success else None for each in seen] == expected
    assert (saved.state(media), saved.content(media)) == ("kept", b"public")


def test_each_version_is_for_whoever_it_was_fetched_for(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """The first was read at the page's own URL, the second through Bob's link."""
    page = "https://example.org/news"
    media = readable(client, steps, link=page, canonical_url=page)
    bobs = save(client, BOB, url="https://example.org/r?token=bob")
    newer = article(page, "Hello there, and much more than that. " * 50, original=Original(pack(b"bob", FACTS)))
    assert steps.succeed(steps.claim_one(), newer, min_chars=0) == "new_version"
    assert steps.media_of(bobs) == media
    assert download(client, media, version=1).content == download(client, media, BOB, version=1).content == PAGE
    assert download(client, media, BOB).content == b"bob"
    assert download(client, media).json()["detail"]["error"] == "no_original"
    assert original_in_versions(client, media, ALICE) == [None, "kept"]


@pytest.mark.parametrize(("words", "result"), [(LONG, "unchanged"), (LONG * 2, "new_version")])
def test_personal_link_that_no_longer_redirects(
    client: httpx2.Client, saved: SavedOriginals, words: str, result: str
) -> None:
    """Alice fetches again what both have; nobody has the URL at which the page is now read, which is her link."""
    steps, page, link = saved.steps, "https://example.org/moved", "https://example.org/moved?token=alice"
    media = readable(client, steps, link=link, canonical_url=page, words=LONG)
    steps.merge_item(save(client, BOB, url=page), media)
    saved.move_all()
    assert client.post(f"/media/{media}/fetch-again", headers=as_user(ALICE)).status_code == 202
    again = article(link, words, original=Original(pack(b"alice", FACTS)))
    assert steps.succeed(steps.claim_one(), again) == result
    assert download(client, media, BOB).status_code == 404
    assert download(client, media).content == (b"alice" if result == "new_version" else PAGE)


def test_short_text_that_is_kept_shows_nobody_more(client: httpx2.Client, steps: LifecycleSteps) -> None:
    """Bob's private copy has the original of the text, which came through Alice's link."""
    page = "https://example.org/short"
    original = Original(pack(PAGE, FACTS))
    save(client, url="https://example.org/r?token=alice")
    assert steps.succeed(steps.claim_one(), article(page, "Too short.", original=original)) == "won"
    bobs = save(client, BOB, url=page)
    assert steps.succeed(steps.claim_one(), article(page, "Too short.")) == "merged"
    assert client.post(f"/items/{bobs}/keep", headers=as_user(BOB)).is_success
    assert download(client, steps.media_of(bobs), BOB).json()["detail"]["error"] == "no_original"
