"""The worker keeps pictures: one request each, from real sites into a real store."""

import io
import os
import threading
from pathlib import Path
from uuid import uuid4

import pytest
from PIL import Image
from sqlalchemy import text

from nexus.services.images import queue
from nexus.services.images.cache import PictureCache, with_etag
from nexus.services.images.picture import Picture
from nexus.store import BlobStore, open_store
from nexus.worker import pictures
from tests.api.pictures import picture
from tests.api.test_images_api import bomb
from tests.egress.sites import SiteHandler, redirect
from tests.pictures.picture_steps import PNG, Gallery
from tests.processes import eventually


def test_pictures_of_a_text_and_its_card_are_kept_with_one_request_each(gallery: Gallery, store: BlobStore) -> None:
    urls = [gallery.publish(f"/{number}.png", picture(size=(9, number + 1))) for number in range(10)]
    lead = gallery.publish("/lead.webp", picture("WEBP", (20, 10)))
    gallery.show(*urls, lead=lead)
    gallery.keep()
    assert {gallery.state(url) for url in (*urls, lead)} == {("kept", None)}
    assert sorted(gallery.site.paths) == sorted({f"/{number}.png" for number in range(10)} | {"/lead.webp"})
    query = "SELECT sha256, size, content_type, width, height, due_at, claimed_by FROM media_images WHERE url = :p0"
    sha256, size, *facts = gallery.steps.row(query, lead)
    assert b"".join(store.read(sha256)) == picture("WEBP", (20, 10))
    assert (size, facts) == (len(picture("WEBP", (20, 10))), ["image/webp", 20, 10, None, None])
    gallery.keep()
    assert len(gallery.site.requests) == 11, "what is kept was asked for again"
    (sent,) = [request.headers for request in gallery.site.requests if request.path == "/lead.webp"]
    assert gallery.site.url().startswith(sent["referer"])
    assert "image/" in sent["accept"]


@pytest.mark.parametrize(
    ("path", "body", "status", "outcome"),
    [
        ("/missing.png", b"", 404, ("gone", "http_404")),
        ("/removed.png", b"", 410, ("gone", "http_410")),
        ("/page.png", b"<!doctype html><h1>Not here</h1>", 200, ("refused", "not_an_image")),
        ("/drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", 200, ("refused", "not_an_image")),
        ("/wide.png", bomb(4097, 1), 200, ("refused", "image_too_large")),
        ("/heavy.png", PNG + bytes(10_000_001), 200, ("refused", "image_too_large")),
    ],
)
def test_what_cannot_be_kept_is_asked_for_once(
    gallery: Gallery, path: str, body: bytes, status: int, outcome: tuple[str, str]
) -> None:
    url = gallery.publish(path, body, status)
    gallery.show(url)
    for _ in range(2):
        gallery.keep()
        gallery.make_due()
    assert gallery.state(url) == outcome
    assert gallery.site.paths == [path]


def test_address_inside_the_network_is_refused_without_a_request(gallery: Gallery) -> None:
    inside = "http://10.1.2.3/a.png"
    gallery.site.routes["/hop.png"] = redirect("http://169.254.169.254/latest")
    gallery.show(inside, gallery.site.url("/hop.png"))
    gallery.keep()
    assert gallery.state(inside) == ("refused", "blocked_address")
    assert gallery.state(gallery.site.url("/hop.png")) == ("refused", "blocked_address")


def test_site_that_is_down_is_asked_after_growing_pauses_and_then_no_more(gallery: Gallery) -> None:
    url = gallery.publish("/a.png", b"", 500)
    gallery.show(url)
    pauses = []
    for _ in range(queue.MAX_ATTEMPTS):
        gallery.keep()
        due = gallery.steps.row("SELECT extract(epoch FROM due_at - now())::float FROM media_images")[0]
        pauses.append(due)
        gallery.make_due()
    assert pauses.pop() is None
    assert [round(pause / 10) for pause in pauses] == [round(seconds / 10) for seconds in queue.PAUSES]
    assert gallery.state(url) == ("gone", "unreachable")
    assert len(gallery.site.requests) == queue.MAX_ATTEMPTS
    gallery.keep()
    assert len(gallery.site.requests) == queue.MAX_ATTEMPTS


def test_picture_that_took_its_worker_down_each_time_is_given_up(gallery: Gallery) -> None:
    url = gallery.publish("/a.png")
    gallery.show(url)
    with gallery.steps.database.transaction() as session:
        session.execute(text("UPDATE media_images SET attempts = :claims"), {"claims": queue.MAX_CLAIMS})
    gallery.keep()
    assert gallery.state(url) == ("gone", "unreachable")
    assert gallery.site.paths == []


def test_site_that_comes_back_has_lost_nothing(gallery: Gallery) -> None:
    url = gallery.publish("/a.png", b"", 503)
    gallery.show(url)
    gallery.keep()
    assert gallery.state(url) == ("pending", None)
    gallery.publish("/a.png")
    gallery.make_due()
    gallery.keep()
    assert gallery.state(url) == ("kept", None)


def test_pause_that_a_site_asks_for_holds_for_all_its_pictures(gallery: Gallery) -> None:
    urls = [gallery.publish(f"/{number}.png", b"", 429, Retry_After="1800") for number in range(8)]
    gallery.show(*urls)
    gallery.keep()
    asked = len(gallery.site.requests)
    assert asked <= 2, "those that were under way at once"
    wait = "SELECT min(extract(epoch FROM due_at - now()))::float, max(attempts) FROM media_images"
    shortest, attempts = gallery.steps.row(wait)
    assert shortest > 1700
    assert attempts == 1, "waiting is no attempt"
    gallery.keep()
    gallery.make_due()
    gallery.keep()
    assert len(gallery.site.requests) == asked, "the site asked for half an hour"


def test_same_picture_of_many_articles_and_users_is_fetched_once(gallery: Gallery) -> None:
    url = gallery.publish("/logo.png")
    gallery.show(url)
    gallery.show(url)
    gallery.keep()
    later = gallery.show(url)
    assert gallery.state(url, later) == ("pending", None)
    gallery.keep()
    states = gallery.steps.row("SELECT array_agg(DISTINCT state), count(*), count(DISTINCT sha256) FROM media_images")
    assert states == (["kept"], 3, 1)
    assert gallery.site.paths == ["/logo.png"]
    with gallery.steps.database.transaction() as session:
        assert queue.count_pictures(session) == {"pending": 0, "kept": 3, "gone": 0, "refused": 0}


def test_older_copy_is_kept_where_the_site_has_it_no_more(gallery: Gallery) -> None:
    url = gallery.publish("/a.png")
    gallery.show(url)
    gallery.keep()
    with gallery.steps.database.transaction() as session:
        session.execute(text("UPDATE media_images SET settled_at = now() - interval '1 year'"))
    gallery.publish("/a.png", b"", 404)
    later = gallery.show(url)
    gallery.keep()
    assert gallery.site.paths == ["/a.png", "/a.png"]
    assert gallery.state(url, later) == ("kept", None)


def test_what_the_proxy_showed_meanwhile_is_not_asked_for_again(gallery: Gallery) -> None:
    """Also after an upgrade, when the site of an old article is gone by now."""
    url = gallery.publish("/a.png", b"", 404)
    gallery.show(url)
    cache = PictureCache(gallery.settings.data_dir / "images", 1_000_000)
    cache.write(url, with_etag(Picture("image/png", PNG)))
    gallery.keep()
    assert gallery.state(url) == ("kept", None)
    assert gallery.site.paths == []
    assert cache.read(url) is None, "the store has it now"


def test_too_many_of_one_media(gallery: Gallery) -> None:
    urls = [gallery.publish(f"/{number}.png", picture(size=(9, number + 1))) for number in range(5)]
    gallery.show(*urls)
    gallery.keep(per_media=3)
    states = [gallery.state(url) for url in urls]
    assert states.count(("kept", None)) == 3
    assert states.count(("refused", "too_many")) == 2
    assert len(gallery.site.requests) == 3, "what is not kept is not fetched"
    gallery.make_due()  # a day later, with another setting
    gallery.keep(per_media=200)
    assert {gallery.state(url) for url in urls} == {("kept", None)}


def test_user_without_room_costs_others_nothing(gallery: Gallery) -> None:
    alice, bob = gallery.steps.user(), gallery.steps.user()
    mine = [gallery.publish(f"/a{number}.png", noise()) for number in range(4)]
    theirs = gallery.publish("/b.png", noise())
    for url in mine:  # one after the other: of those fetched at the same time, each may be the last that fits
        gallery.show(url, user=alice)
        gallery.keep(bytes_per_user=25_000)
    gallery.show(theirs, user=bob)
    gallery.keep(bytes_per_user=25_000)
    assert [gallery.state(url)[0] for url in mine] == ["kept", "kept", "refused", "refused"]
    assert gallery.state(mine[3]) == ("refused", "no_room")
    assert gallery.state(theirs) == ("kept", None)
    with gallery.steps.database.transaction() as session:
        assert queue.bytes_of_user(session, alice.user_id) <= 25_000
    gallery.make_due()
    gallery.keep()
    assert {gallery.state(url) for url in mine} == {("kept", None)}


def test_quotas_of_a_bounded_number_of_users_are_remembered(gallery: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_KNOWN_USERS", 3)
    quota, unlimited = pictures.PictureQuota(100), pictures.PictureQuota(0)
    users = [uuid4() for _ in range(5)]
    with gallery.steps.session() as session:
        for user in users:
            for each in (quota, unlimited):
                assert each.has_room(user, 60, session)
                each.add(user, 60)
    assert list(quota._known) == users[-3:]
    assert not quota.has_room(users[-1], 60)
    assert unlimited.has_room(users[-1], 60)
    assert not unlimited._known


def test_store_that_is_absent_delays_pictures_and_nothing_else(
    gallery: Gallery, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    blobs = tmp_path / "blobs"
    gallery.show(gallery.publish("/first.png"))
    gallery.keep()
    blobs.rename(tmp_path / "elsewhere")
    url = gallery.publish("/second.png", picture(size=(10, 10)))
    gallery.show(url)
    store = open_store(gallery.settings, gallery.steps.database)
    for _ in range(3):
        gallery.keep(store)
    assert gallery.state(url) == ("pending", None)
    assert gallery.steps.row("SELECT max(attempts) FROM media_images WHERE state = 'pending'") == (0,)
    assert "background task paused after an error" in caplog.text
    (tmp_path / "elsewhere").rename(blobs)
    gallery.keep(store)
    assert gallery.state(url) == ("kept", None)
    assert gallery.site.paths.count("/second.png") == 1, "its site was asked again because our store was absent"


def test_no_host_and_no_user_takes_all_slots(gallery: Gallery) -> None:
    alice, bob = gallery.steps.user(), gallery.steps.user()
    go_on = threading.Event()

    def slowly(handler: SiteHandler) -> None:
        go_on.wait(60)
        handler.respond(200, PNG)

    slow = [f"/slow{number}.png" for number in range(6)]
    gallery.site.routes |= dict.fromkeys(slow, slowly)
    gallery.show(*(gallery.site.url(path) for path in slow), user=alice)
    background, keeper = gallery.keeper()
    background.start()
    eventually(lambda: len(gallery.site.requests) == 2, "a host has its share")
    quick = gallery.publish("/quick.png").replace("127.0.0.1", "localhost")
    gallery.show(quick, user=bob)
    background.wake()
    eventually(lambda: gallery.state(quick) == ("kept", None), "a slow site stopped the pictures of others")
    assert len([path for path in gallery.site.paths if path in slow]) == 2
    go_on.set()
    eventually(lambda: not pending(gallery), "they were not kept")
    background.stop(60)
    assert not keeper.is_busy()


def test_worker_that_stops_releases_what_it_cannot_finish(gallery: Gallery) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slowly(handler: SiteHandler) -> None:
        inside.set()
        go_on.wait(60)
        handler.respond(200, PNG)

    gallery.site.routes["/slow.png"] = slowly
    url = gallery.site.url("/slow.png")
    gallery.show(url)
    background, keeper = gallery.keeper()
    background.start()
    assert inside.wait(60)
    lease = gallery.steps.row("SELECT lease_until FROM media_images")[0]
    with gallery.steps.database.transaction() as session:
        background.renew_leases(session)
    assert gallery.steps.row("SELECT lease_until > :p0 FROM media_images", lease) == (True,)
    background.stop(0)
    assert gallery.steps.row("SELECT attempts, claimed_by, due_at <= now() FROM media_images") == (0, None, True)
    go_on.set()
    eventually(lambda: not keeper.is_busy(), "the thread did not end")


def pending(gallery: Gallery) -> int:
    found: int = gallery.steps.row("SELECT count(*) FROM media_images WHERE state = 'pending'")[0]
    return found


def noise() -> bytes:
    """About 11 KB."""
    written = io.BytesIO()
    Image.frombytes("RGB", (60, 60), os.urandom(60 * 60 * 3)).save(written, "PNG")
    return written.getvalue()
