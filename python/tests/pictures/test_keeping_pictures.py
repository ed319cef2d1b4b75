"""The worker keeps pictures: one request each, from real sites into a real store."""

import threading
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from nexus.services.pictures import queue
from nexus.services.pictures.cache import PictureCache, with_etag
from nexus.services.pictures.picture import Picture
from nexus.store import BlobStore, open_store
from nexus.worker import pictures
from tests.api.pictures import noise, picture
from tests.api.test_picture_proxy_api import bomb
from tests.egress.sites import SiteHandler, redirect
from tests.pictures.picture_steps import PNG, PictureSteps
from tests.processes import eventually


def test_pictures_of_a_text_and_its_card_are_kept_with_one_request_each(
    picture_steps: PictureSteps, store: BlobStore
) -> None:
    urls = [picture_steps.publish(f"/{number}.png", picture(size=(9, number + 1))) for number in range(10)]
    lead = picture_steps.publish("/lead.webp", picture("WEBP", (20, 10)))
    picture_steps.show(*urls, lead=lead)
    picture_steps.keep()
    assert {picture_steps.state(url) for url in (*urls, lead)} == {("kept", None)}
    assert sorted(picture_steps.site.paths) == sorted({f"/{number}.png" for number in range(10)} | {"/lead.webp"})
    query = "SELECT sha256, size, content_type, width, height, due_at, claimed_by FROM media_images WHERE url = :p0"
    sha256, size, *facts = picture_steps.steps.row(query, lead)
    assert b"".join(store.read(sha256)) == picture("WEBP", (20, 10))
    assert (size, facts) == (len(picture("WEBP", (20, 10))), ["image/webp", 20, 10, None, None])
    picture_steps.keep()
    assert len(picture_steps.site.requests) == 11, "what is kept was asked for again"
    (sent,) = [request.headers for request in picture_steps.site.requests if request.path == "/lead.webp"]
    assert picture_steps.site.url().startswith(sent["referer"])
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
    picture_steps: PictureSteps, path: str, body: bytes, status: int, outcome: tuple[str, str]
) -> None:
    url = picture_steps.publish(path, body, status)
    picture_steps.show(url)
    for _ in range(2):
        picture_steps.keep()
        picture_steps.make_due()
    assert picture_steps.state(url) == outcome
    assert picture_steps.site.paths == [path]


def test_address_inside_the_network_is_refused_without_a_request(picture_steps: PictureSteps) -> None:
    inside = "http://10.1.2.3/a.png"
    picture_steps.site.routes["/hop.png"] = redirect("http://169.254.169.254/latest")
    picture_steps.show(inside, picture_steps.site.url("/hop.png"))
    picture_steps.keep()
    assert picture_steps.state(inside) == ("refused", "blocked_address")
    assert picture_steps.state(picture_steps.site.url("/hop.png")) == ("refused", "blocked_address")


def test_site_that_is_down_is_asked_after_growing_pauses_and_then_no_more(picture_steps: PictureSteps) -> None:
    url = picture_steps.publish("/a.png", b"", 500)
    picture_steps.show(url)
    for seconds in queue.PAUSES:
        (began,) = picture_steps.steps.row("SELECT now()")
        picture_steps.keep()
        due_at, ended = picture_steps.steps.row("SELECT due_at, now() FROM media_images")
        assert due_at - ended <= timedelta(seconds=seconds) <= due_at - began
        picture_steps.make_due()
    picture_steps.keep()
    assert picture_steps.steps.row("SELECT due_at FROM media_images") == (None,)
    assert picture_steps.state(url) == ("gone", "unreachable")
    assert len(picture_steps.site.requests) == queue.MAX_ATTEMPTS
    picture_steps.keep()
    assert len(picture_steps.site.requests) == queue.MAX_ATTEMPTS


def test_picture_that_took_its_worker_down_each_time_is_given_up(picture_steps: PictureSteps) -> None:
    url = picture_steps.publish("/a.png")
    picture_steps.show(url)
    with picture_steps.steps.database.transaction() as session:
        session.execute(text("UPDATE media_images SET attempts = :claims"), {"claims": queue.MAX_CLAIMS})
    picture_steps.keep()
    assert picture_steps.state(url) == ("gone", "unreachable")
    assert picture_steps.site.paths == []


def test_site_that_comes_back_has_lost_nothing(picture_steps: PictureSteps) -> None:
    url = picture_steps.publish("/a.png", b"", 503)
    picture_steps.show(url)
    picture_steps.keep()
    assert picture_steps.state(url) == ("pending", None)
    picture_steps.publish("/a.png")
    picture_steps.make_due()
    picture_steps.keep()
    assert picture_steps.state(url) == ("kept", None)


def test_pause_that_a_site_asks_for_holds_for_all_its_pictures(picture_steps: PictureSteps) -> None:
    urls = [picture_steps.publish(f"/{number}.png", b"", 429, Retry_After="1800") for number in range(8)]
    picture_steps.show(*urls)
    picture_steps.keep()
    asked = len(picture_steps.site.requests)
    assert asked <= 2, "those that were under way at once"
    wait = "SELECT min(extract(epoch FROM due_at - now()))::float, max(attempts) FROM media_images"
    shortest, attempts = picture_steps.steps.row(wait)
    assert shortest > 1700
    assert attempts == 1, "waiting is no attempt"
    picture_steps.keep()
    picture_steps.make_due()
    picture_steps.keep()
    assert len(picture_steps.site.requests) == asked, "the site asked for half an hour"


def test_same_picture_of_many_articles_and_users_is_fetched_once(picture_steps: PictureSteps) -> None:
    url = picture_steps.publish("/logo.png")
    picture_steps.show(url)
    picture_steps.show(url)
    picture_steps.keep()
    later = picture_steps.show(url)
    assert picture_steps.state(url, later) == ("pending", None)
    picture_steps.keep()
    states = picture_steps.steps.row(
        "SELECT array_agg(DISTINCT state), count(*), count(DISTINCT sha256) FROM media_images"
    )
    assert states == (["kept"], 3, 1)
    assert picture_steps.site.paths == ["/logo.png"]
    with picture_steps.steps.database.transaction() as session:
        assert queue.count_pictures(session) == {"pending": 0, "kept": 3, "gone": 0, "refused": 0}


def test_older_copy_is_kept_where_the_site_has_it_no_more(picture_steps: PictureSteps) -> None:
    url = picture_steps.publish("/a.png")
    picture_steps.show(url)
    picture_steps.keep()
    with picture_steps.steps.database.transaction() as session:
        session.execute(text("UPDATE media_images SET settled_at = now() - interval '1 year'"))
    picture_steps.publish("/a.png", b"", 404)
    later = picture_steps.show(url)
    picture_steps.keep()
    assert picture_steps.site.paths == ["/a.png", "/a.png"]
    assert picture_steps.state(url, later) == ("kept", None)


def test_what_the_proxy_showed_meanwhile_is_not_asked_for_again(picture_steps: PictureSteps) -> None:
    """The same after an upgrade, when the site of an old article has ended by now."""
    url = picture_steps.publish("/a.png", b"", 404)
    picture_steps.show(url)
    cache = PictureCache(picture_steps.settings.data_dir / "images", 1_000_000)
    cache.write(url, with_etag(Picture("image/png", PNG)))
    picture_steps.keep()
    assert picture_steps.state(url) == ("kept", None)
    assert picture_steps.site.paths == []
    assert cache.read(url) is None, "the store has it now"


def test_too_many_of_one_media(picture_steps: PictureSteps) -> None:
    urls = [picture_steps.publish(f"/{number}.png", picture(size=(9, number + 1))) for number in range(5)]
    picture_steps.show(*urls)
    picture_steps.keep(per_media=3)
    states = [picture_steps.state(url) for url in urls]
    assert states.count(("kept", None)) == 3
    assert states.count(("refused", "too_many")) == 2
    assert len(picture_steps.site.requests) == 3, "what is not kept is not fetched"
    picture_steps.make_due()  # a day later, with another setting
    picture_steps.keep(per_media=200)
    assert {picture_steps.state(url) for url in urls} == {("kept", None)}


def test_user_without_room_costs_others_nothing(picture_steps: PictureSteps) -> None:
    alice, bob = picture_steps.steps.user(), picture_steps.steps.user()
    mine = [picture_steps.publish(f"/a{number}.png", noise()) for number in range(4)]
    theirs = picture_steps.publish("/b.png", noise())
    for url in mine:  # one after the other: of those fetched at the same time, each may be the last that fits
        picture_steps.show(url, user=alice)
        picture_steps.keep(bytes_per_user=25_000)
    picture_steps.show(theirs, user=bob)
    picture_steps.keep(bytes_per_user=25_000)
    assert [picture_steps.state(url)[0] for url in mine] == ["kept", "kept", "refused", "refused"]
    assert picture_steps.state(mine[3]) == ("refused", "no_room")
    assert picture_steps.state(theirs) == ("kept", None)
    with picture_steps.steps.database.transaction() as session:
        assert queue.bytes_of_user(session, alice.user_id) <= 25_000
    picture_steps.make_due()
    picture_steps.keep()
    assert {picture_steps.state(url) for url in mine} == {("kept", None)}


def test_quotas_of_a_bounded_number_of_users_are_remembered(
    picture_steps: PictureSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_KNOWN_USERS", 3)
    quota, unlimited = pictures.PictureQuota(100), pictures.PictureQuota(0)
    users = [uuid4() for _ in range(5)]
    with picture_steps.steps.session() as session:
        for user in users:
            for each in (quota, unlimited):
                assert each.has_room(user, 60, session)
                each.add(user, 60)
    assert list(quota._known) == users[-3:]
    assert not quota.has_room(users[-1], 60)
    assert unlimited.has_room(users[-1], 60)
    assert not unlimited._known


def test_store_that_is_absent_delays_pictures_and_nothing_else(
    picture_steps: PictureSteps, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    blobs = tmp_path / "blobs"
    picture_steps.show(picture_steps.publish("/first.png"))
    picture_steps.keep()
    blobs.rename(tmp_path / "elsewhere")
    url = picture_steps.publish("/second.png", picture(size=(10, 10)))
    picture_steps.show(url)
    store = open_store(picture_steps.settings, picture_steps.steps.database)
    for _ in range(3):
        picture_steps.keep(store)
    assert picture_steps.state(url) == ("pending", None)
    assert picture_steps.steps.row("SELECT max(attempts) FROM media_images WHERE state = 'pending'") == (0,)
    assert "background task paused after an error" in caplog.text
    (tmp_path / "elsewhere").rename(blobs)
    picture_steps.keep(store)
    assert picture_steps.state(url) == ("kept", None)
    assert picture_steps.site.paths.count("/second.png") == 1, "its site was asked again because our store was absent"


def test_no_host_and_no_user_takes_all_slots(picture_steps: PictureSteps) -> None:
    alice, bob = picture_steps.steps.user(), picture_steps.steps.user()
    go_on = threading.Event()

    def slowly(handler: SiteHandler) -> None:
        go_on.wait(300)
        handler.respond(200, PNG)

    slow = [f"/slow{number}.png" for number in range(6)]
    picture_steps.site.routes |= dict.fromkeys(slow, slowly)
    picture_steps.show(*(picture_steps.site.url(path) for path in slow), user=alice)
    background, fetcher = picture_steps.fetcher()
    background.start()
    eventually(lambda: len(picture_steps.site.requests) == 2, "a host has its share")
    quick = picture_steps.publish("/quick.png").replace("127.0.0.1", "localhost")
    picture_steps.show(quick, user=bob)
    background.wake()
    eventually(lambda: picture_steps.state(quick) == ("kept", None), "a slow site stopped the pictures of others")
    assert len([path for path in picture_steps.site.paths if path in slow]) == 2
    go_on.set()
    eventually(lambda: not pending(picture_steps), "they were not kept")
    background.stop(60)
    assert not fetcher.is_busy()


def test_worker_that_stops_releases_what_it_cannot_finish(picture_steps: PictureSteps) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slowly(handler: SiteHandler) -> None:
        inside.set()
        go_on.wait(300)
        handler.respond(200, PNG)

    picture_steps.site.routes["/slow.png"] = slowly
    url = picture_steps.site.url("/slow.png")
    picture_steps.show(url)
    background, fetcher = picture_steps.fetcher()
    background.start()
    assert inside.wait(300)
    lease = picture_steps.steps.row("SELECT lease_until FROM media_images")[0]
    with picture_steps.steps.database.transaction() as session:
        background.renew_leases(session)
    assert picture_steps.steps.row("SELECT lease_until > :p0 FROM media_images", lease) == (True,)
    background.stop(0)
    assert picture_steps.steps.row("SELECT attempts, claimed_by, due_at <= now() FROM media_images") == (0, None, True)
    go_on.set()
    eventually(lambda: not fetcher.is_busy(), "the thread did not end")


def pending(picture_steps: PictureSteps) -> int:
    found: int = picture_steps.steps.row("SELECT count(*) FROM media_images WHERE state = 'pending'")[0]
    return found
