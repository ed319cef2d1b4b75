"""The image proxy fetches only pictures, only those of the user's own texts, and each of them once."""

import io
import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import httpx2
import pytest
from PIL import Image
from psycopg import Connection

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.text.sanitize import sanitize_html
from tests.api.pictures import Site, noise, picture, site
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.conftest import serving, settings_for
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import TRUSTS_NOBODY, eventually


@pytest.fixture
def images() -> Iterator[Site]:
    with site() as here:
        yield here


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "images"


@pytest.fixture(scope="module")
def image_server(postgres: EmbeddedServer, database_name: str, shared_database: Database, cache: Path) -> Iterator[str]:
    settings = settings_for(postgres, database_name, env="test", data_dir=cache.parent, image_cache_bytes=50_000)
    with serving(create_app(settings, shared_database)) as url:
        yield url


@pytest.fixture
def proxy(image_server: str, database: Database, cache: Path) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=image_server, timeout=60, verify=TRUSTS_NOBODY) as client:
        yield client
    shutil.rmtree(cache, ignore_errors=True)


def show(client: httpx2.Client, steps: LifecycleSteps, *urls: str, user: UUID = ALICE) -> None:
    """An article with these pictures, as the sanitizer writes them."""
    html = sanitize_html("<p>Look</p>" + "".join(f'<img src="{url}">' for url in urls), "")
    assert html.count("/media/image?url=") == len(urls)
    steps.succeed_item(save(client, user), html_sanitized=html)


def get(client: httpx2.Client, url: str, user: UUID = ALICE, known: str | None = None) -> httpx2.Response:
    headers = as_user(user) | ({"If-None-Match": known} if known else {})
    return client.get("/media/image", params={"url": url}, headers=headers)


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [(kind, f"image/{kind.lower()}") for kind in ("PNG", "JPEG", "GIF", "WEBP", "AVIF")],
)
def test_pictures_come_as_they_are(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site, kind: str, content_type: str
) -> None:
    url = images.put("/a?x=1&y=ü", picture(kind), "text/html")
    url = url.replace("ü", "%C3%BC")
    images.pages["/a?x=1&y=%C3%BC"] = images.pages.pop("/a?x=1&y=ü")
    show(proxy, steps, url)
    html = proxy.get("/api/library", headers=as_user(ALICE)).json()["entries"][0]["media_id"]
    stored = proxy.get(f"/media/{html}/fragments", headers=as_user(ALICE)).json()["data"][0]["html_sanitized"]
    path = stored.partition('src="')[2].partition('"')[0]
    response = proxy.get(path, headers=as_user(ALICE))
    assert response.status_code == 200, response.text
    assert response.content == picture(kind)
    assert response.headers["content-type"] == content_type, "sniffed, whatever the site calls it"
    assert response.headers["cache-control"] == "private, max-age=86400"
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO"])
def test_old_formats_are_converted(proxy: httpx2.Client, steps: LifecycleSteps, images: Site, kind: str) -> None:
    url = images.put("/old", picture(kind, (16, 16)))
    show(proxy, steps, url)
    response = get(proxy, url)
    assert response.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(response.content)).size == (16, 16)


def test_lead_image_of_a_card(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/lead.png", picture())
    steps.succeed_item(save(proxy), lead_image_url=url)
    path = proxy.get("/api/library", headers=as_user(ALICE)).json()["entries"][0]["lead_image"]
    assert proxy.get(path, headers=as_user(ALICE)).content == picture()
    problem(proxy.get(path, headers=as_user(BOB)), 404, "not_found")


def test_only_what_one_can_read(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url, unknown = images.put("/mine.png", picture()), images.put("/other.png", picture())
    show(proxy, steps, url)
    assert get(proxy, url).status_code == 200
    never = problem(get(proxy, unknown), 404, "not_found")
    theirs = problem(get(proxy, url, BOB), 404, "not_found")
    assert never["message"] == theirs["message"]
    assert images.asked == {"/mine.png": 1}, "what is refused is not even asked for"
    show(proxy, steps, url, user=BOB)
    assert get(proxy, url, BOB).status_code == 200


@pytest.mark.parametrize("url", ["\0", "x", "file:///etc/passwd", "http://127.0.0.1/", "a" * 4096])
def test_guesses(proxy: httpx2.Client, url: str) -> None:
    problem(get(proxy, url), 404, "not_found")


def test_address_is_needed(proxy: httpx2.Client) -> None:
    problem(proxy.get("/media/image"), 422, "invalid_request")
    problem(get(proxy, ""), 422, "invalid_request")
    problem(get(proxy, "a" * 8193), 422, "invalid_request")


def test_second_look_costs_the_site_nothing(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/a.png", picture())
    show(proxy, steps, url)
    first = get(proxy, url)
    etag = first.headers["etag"]
    assert get(proxy, url).content == first.content
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        response = get(proxy, url, known=known)
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["etag"] == etag
    assert get(proxy, url, known='"other"').status_code == 200
    assert images.asked["/a.png"] == 1


def test_many_looks_at_once_are_one_request(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/a.png", picture())
    show(proxy, steps, url)
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda _: get(proxy, url), range(8)))
    assert {response.status_code for response in responses} == {200}
    assert images.asked["/a.png"] == 1


def open_transactions(connection: Connection) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
    ).fetchone()
    connection.commit()
    assert row is not None
    return int(row[0])


def test_slow_site_delays_no_other_request(
    proxy: httpx2.Client, connection: Connection, steps: LifecycleSteps, images: Site
) -> None:
    urls = [images.put(f"/{n}.png", picture()) for n in range(12)]
    show(proxy, steps, *urls)
    images.hold.clear()
    with ThreadPoolExecutor(12) as pool:
        waiting = [pool.submit(get, proxy, url) for url in urls]
        assert proxy.get("/items", headers=as_user(ALICE)).status_code == 200
        eventually(lambda: not open_transactions(connection), "a transaction waits for another site")
        assert not any(done.done() for done in waiting)
        images.hold.set()
        assert {done.result().status_code for done in waiting} == {200}


def test_slow_pictures_of_one_user_delay_nobody_else(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    slow = [images.put(f"/slow-{number}.png", picture()) for number in range(40)]
    show(proxy, steps, *slow)
    with site() as other:
        quick = other.put("/quick.png", picture())
        show(proxy, steps, quick, user=BOB)
        images.hold.clear()
        with ThreadPoolExecutor(40) as threads:
            waiting = [threads.submit(get, proxy, url) for url in slow]
            try:
                eventually(lambda: len(images.asked) == 4, "a host has its share")
                assert get(proxy, quick, user=BOB).status_code == 200
                assert not any(asked.done() for asked in waiting)
                assert len(images.asked) == 4
            finally:
                images.hold.set()
            assert {asked.result().status_code for asked in waiting} <= {200, 504}


def test_polite_headers(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/a.png", picture())
    show(proxy, steps, url)
    private = as_user(ALICE) | {"Cookie": "secret=1", "Referer": "http://my-library.example/"}
    assert proxy.get("/media/image", params={"url": url}, headers=private).status_code == 200
    (sent,) = images.headers
    assert images.url.startswith(sent["referer"]), "its own page, not ours"
    assert "image/" in sent["accept"]
    assert "cookie" not in sent


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><script>alert(1)</script>",
        SVG,
        b"<?xml version='1.0'?>" + SVG,
        b'{"a": 1}',
        b"%PDF-1.7",
        picture()[:40],
        picture("JPEG", (64, 64))[:300],
        b"GIF89a" + SVG,
        b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
        os.urandom(2000),
    ],
    ids=["empty", "html", "svg", "xml", "json", "pdf", "png-cut", "jpeg-cut", "gif-svg", "png-zeros", "noise"],
)
def test_what_is_not_a_picture(proxy: httpx2.Client, steps: LifecycleSteps, images: Site, body: bytes) -> None:
    url = images.put("/a.png", body)
    show(proxy, steps, url)
    response = get(proxy, url)
    problem(response, 415, "not_an_image")
    assert images.url not in response.text
    get(proxy, url)
    assert images.asked["/a.png"] == 1, "a broken picture is not fetched at every look"


def bomb(width: int, height: int) -> bytes:
    """A PNG that claims this size and takes few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * 9))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(4097, 1), (1, 4097), (10_000, 10_000), (60_000, 60_000)])
def test_too_many_pixels(proxy: httpx2.Client, steps: LifecycleSteps, images: Site, size: tuple[int, int]) -> None:
    url = images.put("/a.png", bomb(*size))
    show(proxy, steps, url)
    problem(get(proxy, url), 413, "image_too_large")


def test_too_many_bytes(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/a.png", picture() + b"\0" * 10_000_001)
    show(proxy, steps, url)
    problem(get(proxy, url), 413, "image_too_large")


def test_site_that_does_not_give_it(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    gone, broken = images.url + "/gone.png", images.put("/broken.png", picture(), status=500)
    refused = "http://127.0.0.1:1/a.png"
    show(proxy, steps, gone, broken, refused)
    for url in (gone, broken, refused):
        problem(get(proxy, url), 502, "image_unavailable")


def test_redirect_to_a_private_address_is_refused_without_a_hint(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site
) -> None:
    url = images.put("/a.png", b"http://169.254.169.254/latest/meta-data", status=302)
    show(proxy, steps, url)
    response = get(proxy, url)
    problem(response, 502, "image_unavailable")
    assert "169.254" not in response.text


def test_cache_is_private_bounded_and_survives_damage(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site, cache: Path
) -> None:
    urls = [images.put(f"/{n}.png", noise()) for n in range(10)]
    show(proxy, steps, *urls)
    for url in urls:
        assert get(proxy, url).status_code == 200
    kept = [path for path in cache.glob("*/*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in kept) <= 50_000
    assert len(kept) < len(urls)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (*kept, *cache.glob("*")))
    before = sum(images.asked.values())
    assert get(proxy, urls[-1]).status_code == 200
    assert sum(images.asked.values()) == before, "the newest was thrown out"
    for path in kept:
        path.write_bytes(path.read_bytes()[:-1])
    assert get(proxy, urls[-1]).status_code == 200
    assert sum(images.asked.values()) == before + 1, "a damaged file was believed"


def test_cache_that_cannot_be_written_is_done_without(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site, cache: Path
) -> None:
    cache.write_text("a file where the folder should be")
    url = images.put("/a.png", picture())
    show(proxy, steps, url)
    for _ in range(2):
        assert get(proxy, url).content == picture()
    cache.unlink()
    assert images.asked["/a.png"] == 2


def test_nobody_in_particular_gets_no_picture(token_client: httpx2.Client) -> None:
    problem(token_client.get(f"/media/image?url={quote('https://example.com/a.png')}"), 401, "unauthenticated")


def photograph(kind: str = "JPEG", size: tuple[int, int] = (1600, 1000), **options: object) -> bytes:
    """A JPEG of about 25 KB, which fits into the cache."""
    written = io.BytesIO()
    small = Image.frombytes("RGB", (8, 5), os.urandom(8 * 5 * 3))
    small.resize(size).save(written, kind, quality=20, **options)
    return written.getvalue()


def smaller(client: httpx2.Client, url: str, width: object, user: UUID = ALICE) -> httpx2.Response:
    return client.get("/media/image", params={"url": url, "w": str(width)}, headers=as_user(user))


@pytest.mark.parametrize("width", [160, 320, 640])
def test_a_card_gets_a_small_copy(proxy: httpx2.Client, steps: LifecycleSteps, images: Site, width: int) -> None:
    whole = photograph()
    url = images.put("/large.jpg", whole)
    show(proxy, steps, url)
    response = smaller(proxy, url, width)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "image/webp"
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert Image.open(io.BytesIO(response.content)).size == (width, width * 10 // 16)
    assert len(response.content) < len(whole)
    again = smaller(proxy, url, width)
    assert (again.content, again.headers["etag"]) == (response.content, response.headers["etag"])
    assert get(proxy, url).content == whole
    known = {"If-None-Match": response.headers["etag"]}
    same = proxy.get("/media/image", params={"url": url, "w": str(width)}, headers=as_user(ALICE) | known)
    assert same.status_code == 304
    assert images.asked["/large.jpg"] == 1, "fetched once for all of them"


def test_copies_stand_upright_and_keep_what_is_transparent(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site
) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was held upright
    lying = images.put("/lying.jpg", photograph(exif=turned))
    clear = io.BytesIO()
    Image.new("RGBA", (900, 900), (200, 0, 0, 0)).save(clear, "PNG")
    logo = images.put("/logo.png", clear.getvalue())
    few = images.put("/few.gif", photograph("GIF"))
    tiny = images.put("/tiny.png", picture())
    show(proxy, steps, lying, logo, few, tiny)
    assert Image.open(io.BytesIO(smaller(proxy, lying, 320).content)).size == (320, 512)
    copy = Image.open(io.BytesIO(smaller(proxy, logo, 160).content))
    assert (copy.size, copy.convert("RGBA").getpixel((80, 80))[3]) == ((160, 160), 0)  # type: ignore[index]
    assert Image.open(io.BytesIO(smaller(proxy, few, 160).content)).size == (160, 100)
    assert smaller(proxy, tiny, 160).content == picture(), "nothing is made larger"


def test_copies_are_of_a_few_widths_and_for_those_who_may_see_them(
    proxy: httpx2.Client, steps: LifecycleSteps, images: Site
) -> None:
    url, text = images.put("/mine.jpg", photograph()), images.put("/text.png", b"<svg/>")
    show(proxy, steps, url, text)
    for width in (0, 1, 161, 4096, -320, "320x", ""):
        problem(smaller(proxy, url, width), 422, "invalid_request")
    problem(smaller(proxy, url, 160, BOB), 404, "not_found")
    problem(smaller(proxy, text, 160), 415, "not_an_image")
    assert images.asked["/mine.jpg"] == 0


def test_many_ask_for_copies_at_once(proxy: httpx2.Client, steps: LifecycleSteps, images: Site) -> None:
    url = images.put("/wanted.jpg", photograph())
    show(proxy, steps, url)
    with ThreadPoolExecutor(6) as pool:
        responses = list(pool.map(lambda width: smaller(proxy, url, width), [160, 320, 160, 640, 320, 160]))
    assert [response.status_code for response in responses] == [200] * 6
    assert images.asked["/wanted.jpg"] == 1
