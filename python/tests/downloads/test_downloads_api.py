"""Downloads over HTTP: one text, chosen texts, and all that a list or a search shows."""

import io
from base64 import b64encode
from urllib.parse import unquote
from uuid import UUID, uuid4

import httpx2
import pytest
from PIL import Image

from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.downloads.selection import MAX_ENTRIES
from nexus.text.sanitize import sanitize_html
from tests.api.pictures import picture
from tests.api.saving import ALICE, BOB, as_user, library_of, save
from tests.api.test_errors import problem
from tests.downloads.books import read_book
from tests.downloads.conftest import SaveText
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps
from tests.pictures.picture_steps import PictureSteps

pytestmark = pytest.mark.usefixtures("sent_when_built")
CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def get(http: httpx2.Client, path: str, **parameters: object) -> httpx2.Response:
    return http.get(path, params={"format": "html"} | parameters)  # type: ignore[arg-type]


def named(response: httpx2.Response) -> str:
    assert response.status_code == 200, response.text
    return unquote(response.headers["content-disposition"].partition("filename*=UTF-8''")[2])


def test_a_text_with_its_pictures_is_one_html_file(
    http: httpx2.Client, picture_steps: PictureSteps, save_text: SaveText
) -> None:
    url, gone = picture_steps.publish("/a.png"), picture_steps.publish("/gone.png", b"", 404)
    media_id = save_text(
        f'<h2>Part</h2><p>Words &amp; more</p><img src="{url}" alt="A"><img src="{gone}" alt="Lost">',
        title="Brücken: über / unter 水?",
        byline="Ann <b>",
        site_name="Example",
        lang="de",
    )
    picture_steps.site.routes.clear()  # the site is down from now on
    response = get(http, f"/media/{media_id}/download")
    assert named(response) == "Brücken über unter 水.html"
    assert 'filename="Br_cken _ber unter _.html"' in response.headers["content-disposition"]
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "private, no-store"
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    page = response.text
    assert f'<meta http-equiv="Content-Security-Policy" content="{CSP}">' in page
    assert f'src="data:image/png;base64,{b64encode(picture()).decode()}"' in page
    assert '<span class="no-picture">Lost</span>' in page
    assert "1 picture is not included" in page
    assert '<html lang="de">' in page
    assert "<title>Brücken: über / unter 水?</title>" in page
    assert "Ann &lt;b&gt;" in page
    assert "Source: <a href=" in page
    assert "/media/image" not in page
    assert "Saved on <time" in page


def test_a_download_has_the_title_that_its_user_gave_it(http: httpx2.Client, save_text: SaveText) -> None:
    media_id = save_text("<p>Words</p>", title="Home | The Daily")
    http.patch(f"/api/library/{media_id}", json={"title": "On wind"}).raise_for_status()
    response = get(http, f"/media/{media_id}/download")
    assert named(response) == "On wind.html"
    assert "<title>On wind</title>" in response.text


def test_a_text_is_a_book_with_a_cover(http: httpx2.Client, picture_steps: PictureSteps, save_text: SaveText) -> None:
    webp = picture_steps.publish("/a.webp", picture("WEBP"))
    lead = picture_steps.publish("/lead.png", picture(colour="blue"))
    html = f'<p>Words</p><img src="{webp}">'
    media_id = save_text(html, title="A book", lead_image_url=lead)
    response = get(http, f"/media/{media_id}/download", format="epub")
    assert named(response) == "A book.epub"
    assert response.headers["content-type"] == "application/epub+zip"
    assert int(response.headers["content-length"]) == len(response.content)
    book = read_book(response.content)
    types = {str(item.get("media-type")): item for item in book.package.iter("{*}item")}
    assert types["image/png"].get("properties") == "cover-image"
    assert Image.open(io.BytesIO(book.files[f"EPUB/{types['image/jpeg'].get('href')}"])).format == "JPEG"
    again = get(http, f"/media/{media_id}/download", format="epub")
    assert again.content == response.content, "the same text is the same file"


def test_a_selection_keeps_its_order_and_names_what_is_left_out(
    http: httpx2.Client, steps: LifecycleSteps, save_text: SaveText
) -> None:
    first, second = save_text("<p>one</p>", title="One"), save_text("<p>two</p>", title="Two")
    pending, failed = save(http, url="https://example.org/p"), save(http, url="https://example.org/f")
    steps.fail_item(failed)
    ids = [second, str(steps.media_of(pending)), first, str(steps.media_of(failed)), second]
    page = get(http, "/api/library/download", media_id=ids)
    assert named(page) == "Selection.html"
    assert page.text.index(">two<") < page.text.index(">one<")
    assert page.text.count("<article") == 2
    assert '<li><a href="#a1" dir="auto">Two</a></li>' in page.text
    assert "2 items could not be included:" in page.text
    assert "its text is not there yet" in page.text
    assert "its text could not be read" in page.text
    book = read_book(get(http, "/api/library/download", media_id=ids, format="epub").content)
    assert "2 items could not be included" in book.text("left-out.xhtml")
    assert len(book.documents) == 4


def test_what_a_list_or_a_search_shows(http: httpx2.Client, save_text: SaveText) -> None:
    save_text("<p>zebra</p>", title="Animals", words="zebra")
    save_text("<p>oak</p>", title="Trees", words="oak")
    save(http, pasted_text="A zebra that was pasted")
    found = get(http, "/api/library/download", q="zebra")
    assert named(found) == "Search zebra.html"
    assert found.text.count("<article") == 2
    assert "oak" not in found.text
    filtered = get(http, "/api/library/download", q="zebra", kind="web_article")
    assert named(filtered) == "Animals.html", "one text gives its name"
    everything = get(http, "/api/library/download")
    assert named(everything) == "Library.html"
    assert everything.text.count("<article") == 3
    assert get(http, "/api/library/download", kind="pasted_text").text.count("<article") == 1
    problem(get(http, "/api/library/download", q='"'), 400, "invalid_query")


def test_an_episode_has_its_speakers_times_and_chapters(http: httpx2.Client, database: Database) -> None:
    chapters = [
        {"start_ms": start, "end_ms": None, "title": title, "url": None, "image": None}
        for start, title in ((0, "Hello"), (2000, "Goodbye"))
    ]
    media_id = save_episode(database, ALICE, fragments_of("One", "Two", "Three"), chapters, title="Pilot")
    book = read_book(get(http, f"/media/{media_id}/download", format="epub").content)
    assert "Hello 0:00 One Two Goodbye 0:02 Three" in book.text("text-1.xhtml")
    assert book.text("contents.xhtml") == "Pilot Pilot Hello Goodbye"


def test_a_pasted_text_names_its_own_link(http: httpx2.Client, steps: LifecycleSteps) -> None:
    item = save(http, url="https://example.org/mine", pasted_text="Pasted words", prefer_pasted_text=True)
    page = get(http, f"/media/{steps.media_of(item)}/download").text
    assert 'Source: <a href="https://example.org/mine">' in page


def test_what_has_no_text_yet_cannot_be_downloaded(http: httpx2.Client, steps: LifecycleSteps) -> None:
    media_id = steps.media_of(save(http))
    problem(get(http, f"/media/{media_id}/download"), 409, "media_not_ready")
    problem(get(http, "/api/library/download", media_id=[str(media_id)]), 409, "nothing_to_download")
    problem(get(http, "/api/library/download"), 409, "nothing_to_download")
    problem(get(http, "/api/library/download", q="nowhere"), 409, "nothing_to_download")


def test_other_users_texts_are_not_there(http: httpx2.Client, save_text: SaveText) -> None:
    media_id = save_text("<p>mine</p>")
    never = problem(http.get(f"/media/{uuid4()}/download?format=html", headers=as_user(BOB)), 404, "not_found")
    theirs = problem(http.get(f"/media/{media_id}/download?format=html", headers=as_user(BOB)), 404, "not_found")
    assert never["message"] == theirs["message"]
    chosen = f"/api/library/download?format=epub&media_id={media_id}"
    problem(http.get(chosen, headers=as_user(BOB)), 404, "not_found")
    problem(http.get("/api/library/download?format=html", headers=as_user(BOB)), 409, "nothing_to_download")


def test_a_merged_id_still_downloads(http: httpx2.Client, steps: LifecycleSteps, save_text: SaveText) -> None:
    winner = save_text("<p>words</p>", title="Won")
    loser = steps.merge_item(save(http, url="https://example.com/again"), UUID(winner))
    assert named(get(http, f"/media/{loser}/download")) == "Won.html"
    both = get(http, "/api/library/download", media_id=[winner, str(loser)])
    assert named(both) == "Won.html"


@pytest.mark.parametrize(
    "query", ["", "format=pdf", "format=html&media_id=1", "format=html&kinds=x", "format=html&limit=3"]
)
def test_wrong_requests(http: httpx2.Client, query: str) -> None:
    problem(http.get(f"/api/library/download?{query}"), 422, "invalid_request")


def test_ids_and_filters_do_not_go_together(http: httpx2.Client) -> None:
    for more in ("q=x", "kind=web_article", "unread=true"):
        problem(http.get(f"/api/library/download?format=html&media_id={uuid4()}&{more}"), 422, "invalid_request")


def test_there_is_a_limit(http: httpx2.Client, database: Database) -> None:
    library = library_of(http, ALICE)
    with database.transaction() as session:
        session.connection().exec_driver_sql(
            "WITH made AS (INSERT INTO media (kind, owner_user_id) SELECT 'pasted_text', %(user)s"
            " FROM generate_series(1, %(count)s) RETURNING id)"
            " INSERT INTO library_media (library_id, media_id) SELECT %(library)s, id FROM made",
            {"user": ALICE, "count": MAX_ENTRIES + 1, "library": library},
        )
    refused = problem(get(http, "/api/library/download"), 422, "too_many_entries")
    assert "more than 100 texts; one file holds at most 100" in refused["message"]
    ids = [str(uuid4()) for _ in range(MAX_ENTRIES + 1)]
    assert "101 texts" in problem(get(http, "/api/library/download", media_id=ids), 422, "too_many_entries")["message"]


def test_nobody_without_a_token_and_anybody_with_a_session(token_client: httpx2.Client) -> None:
    problem(token_client.get(f"/media/{uuid4()}/download?format=html"), 401, "unauthenticated")
    problem(token_client.get("/api/library/download?format=html"), 401, "unauthenticated")


def test_an_older_version_can_be_downloaded(http: httpx2.Client, steps: LifecycleSteps, save_text: SaveText) -> None:
    media_id = save_text("<p>the first words</p>", title="One")
    problem(get(http, f"/media/{media_id}/download", version=2), 404, "not_found")
    assert "the first words" in get(http, f"/media/{media_id}/download", version=1).text


def test_a_picture_that_waits_for_the_store_comes_from_the_cache(
    http: httpx2.Client, picture_steps: PictureSteps, steps: LifecycleSteps
) -> None:
    url = picture_steps.publish("/seen.png")
    html = sanitize_html(f'<p>x</p><img src="{url}">', "")
    media_id = steps.succeed_item(save(http), html_sanitized=html)
    assert http.get("/media/image", params={"url": url}).status_code == 200
    picture_steps.site.routes.clear()
    page = get(http, f"/media/{media_id}/download").text
    assert b64encode(picture()).decode() in page
    assert len(picture_steps.site.requests) == 1, "a download fetches nothing"


def test_a_store_that_is_away_is_said_and_a_lost_picture_left_out(
    http: httpx2.Client, picture_steps: PictureSteps, save_text: SaveText, settings: Settings
) -> None:
    media_id = save_text(f'<p>x</p><img src="{picture_steps.publish("/a.png", picture(size=(9, 9)))}" alt="Lost">')
    folder = settings.data_dir / "blobs"
    away = folder.rename(folder.with_name("elsewhere"))
    problem(get(http, f"/media/{media_id}/download"), 503, "store_unavailable")
    away.rename(folder)
    assert "data:image/png" in get(http, f"/media/{media_id}/download").text
    for blob in folder.rglob("*"):
        if blob.is_file() and blob.read_bytes() == picture(size=(9, 9)):
            blob.unlink()
    assert '<span class="no-picture">Lost</span>' in get(http, f"/media/{media_id}/download").text
