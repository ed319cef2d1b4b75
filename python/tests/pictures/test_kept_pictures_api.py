"""A kept picture is served from the store to those who can read a media that shows it, without its site."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from PIL import Image

from nexus.app import create_app
from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.users import CurrentUser
from tests.api.pictures import picture
from tests.api.saving import as_user
from tests.api.test_errors import problem
from tests.api.test_picture_proxy_api import photograph
from tests.conftest import serving
from tests.pictures.picture_steps import PNG, PictureSteps
from tests.processes import TRUSTS_NOBODY


@pytest.fixture
def client(settings: Settings, database: Database) -> Iterator[httpx2.Client]:
    with (
        serving(create_app(settings, database)) as url,
        httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as made,
    ):
        yield made


@pytest.fixture
def alice(picture_steps: PictureSteps) -> CurrentUser:
    return picture_steps.steps.user()


@pytest.fixture
def bob(picture_steps: PictureSteps) -> CurrentUser:
    return picture_steps.steps.user()


def get(client: httpx2.Client, user: CurrentUser, url: str, known: str = "", **parameters: str) -> httpx2.Response:
    headers = as_user(user.user_id) | ({"If-None-Match": known} if known else {})
    return client.get("/media/image", params={"url": url, **parameters}, headers=headers)


def test_site_that_is_taken_down_takes_no_picture_with_it(
    client: httpx2.Client, picture_steps: PictureSteps, alice: CurrentUser
) -> None:
    urls = [picture_steps.publish(f"/{kind}", picture(kind)) for kind in ("PNG", "JPEG", "GIF", "WEBP", "AVIF")]
    old = picture_steps.publish("/old.bmp", picture("BMP", (16, 16)))
    photo = photograph()
    large = picture_steps.publish("/large.jpg", photo)
    media_id = picture_steps.show(*urls, old, lead=large, user=alice)
    picture_steps.keep()
    picture_steps.site.shutdown()
    picture_steps.site.server_close()
    for url, kind in zip(urls, ("PNG", "JPEG", "GIF", "WEBP", "AVIF"), strict=True):
        response = get(client, alice, url)
        assert response.content == picture(kind)
        assert response.headers["content-type"] == f"image/{kind.lower()}"
        assert response.headers["content-length"] == str(len(picture(kind)))
        assert response.headers["cache-control"] == "private, max-age=2592000"
        assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert response.headers["x-content-type-options"] == "nosniff"
        same = get(client, alice, url, response.headers["etag"])
        assert (same.status_code, same.content) == (304, b"")
    assert Image.open(io.BytesIO(get(client, alice, old).content)).size == (16, 16)
    copy = get(client, alice, large, w="320")
    assert (copy.status_code, copy.headers["content-type"]) == (200, "image/webp")
    assert Image.open(io.BytesIO(copy.content)).size == (320, 200)
    assert get(client, alice, large, copy.headers["etag"], w="320").status_code == 304
    listed = client.get(f"/media/{media_id}/pictures", headers=as_user(alice.user_id)).json()["data"]
    assert {each["state"] for each in listed} == {"kept"}
    assert listed[0]["url"] == large, "the card's picture first"
    assert (listed[0]["width"], listed[0]["height"], listed[0]["size"]) == (1600, 1000, len(photo))
    for each in listed:
        assert client.get(each["path"], headers=as_user(alice.user_id)).status_code == 200


def test_pictures_are_readable_before_they_are_kept(
    client: httpx2.Client, picture_steps: PictureSteps, alice: CurrentUser
) -> None:
    url = picture_steps.publish("/a.png")
    picture_steps.show(url, user=alice)
    response = get(client, alice, url)
    assert (response.content, response.headers["cache-control"]) == (PNG, "private, max-age=86400")
    picture_steps.keep()
    kept = get(client, alice, url)
    assert (kept.content, kept.headers["etag"]) == (PNG, response.headers["etag"])
    assert picture_steps.site.paths == ["/a.png"], "the proxy and the worker together asked once"


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        (b"", 404, "picture_gone", "This picture is gone."),
        (b"<svg/>", 200, "picture_refused", "This picture was not kept: what its site sends is not a picture"),
    ],
)
def test_what_will_not_come_says_so_without_a_request(
    client: httpx2.Client,
    picture_steps: PictureSteps,
    alice: CurrentUser,
    body: bytes,
    status: int,
    code: str,
    message: str,
) -> None:
    url = picture_steps.publish("/a.png", body, status)
    picture_steps.show(url, user=alice)
    picture_steps.keep()
    for parameters in ({}, {"w": "160"}):
        assert problem(get(client, alice, url, **parameters), 404, code)["message"].startswith(message)
    assert picture_steps.site.paths == ["/a.png"]


def test_what_a_setting_refuses_is_shown_while_its_site_has_it(
    client: httpx2.Client, picture_steps: PictureSteps, alice: CurrentUser
) -> None:
    urls = [picture_steps.publish(f"/{number}.png") for number in range(2)]
    picture_steps.show(*urls, user=alice)
    picture_steps.keep(per_media=1)
    assert {get(client, alice, url).status_code for url in urls} == {200}


def test_kept_picture_of_another_user_opens_nothing(
    client: httpx2.Client, picture_steps: PictureSteps, alice: CurrentUser, bob: CurrentUser
) -> None:
    url = picture_steps.publish("/a.png")
    media_id = picture_steps.show(url, user=alice)
    picture_steps.keep()
    assert get(client, alice, url).status_code == 200
    problem(get(client, bob, url), 404, "not_found")
    problem(get(client, bob, url, w="160"), 404, "not_found")
    problem(get(client, bob, url, get(client, alice, url).headers["etag"]), 404, "not_found")
    problem(client.get(f"/media/{media_id}/pictures", headers=as_user(bob.user_id)), 404, "not_found")
    picture_steps.show(url, user=bob)
    assert get(client, bob, url).content == PNG
    picture_steps.keep()
    assert get(client, bob, url).headers["cache-control"] == "private, max-age=2592000"
    assert len(picture_steps.site.requests) == 2, "the proxy's, since Bob's was pending; not the worker's"


def test_store_that_cannot_be_read(
    client: httpx2.Client,
    picture_steps: PictureSteps,
    alice: CurrentUser,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    url = picture_steps.publish("/a.png")
    picture_steps.show(url, user=alice)
    picture_steps.keep()
    (blob,) = [path for path in (tmp_path / "blobs").glob("*/*") if path.parent.name != "tmp"]
    blob.write_bytes(b"x" * len(PNG))
    assert get(client, alice, url).content == PNG, "damaged bytes were served"
    assert "a blob cannot be read" in caplog.text
    caplog.clear()
    shutil.rmtree(tmp_path / "blobs")
    for _ in range(3):
        assert get(client, alice, url).content == PNG, "its site still has it"
    logged = [each for each in caplog.records if each.name.startswith(("nexus.store", "nexus.http.responses"))]
    assert len(logged) == 1, f"an absent store is a line every ten minutes, not one for each picture: {caplog.text}"
    shutil.rmtree(tmp_path / "images")
    picture_steps.publish("/a.png", b"", 404)
    problem(get(client, alice, url), 503, "store_unavailable")
    picture_steps.make_due()
    assert picture_steps.state(url) == ("kept", None)
