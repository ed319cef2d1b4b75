"""The rows of pictures: triggers write them with every text, and claims are fair."""

import json
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import text

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.db.text_key import text_key
from nexus.services.pictures import queue
from nexus.services.pictures.queue import PictureClaim, PictureWorker
from nexus.services.users import CurrentUser
from tests import factories as make
from tests.conftest import settings_for
from tests.lifecycle_steps import LONG, LifecycleSteps
from tests.pictures.illegal_writes import GONE, KEPT, picture

SHARES = {"user_share": 3, "host_share": 2}


def image(url: str) -> str:
    return f'<p><img src="/media/image?url={quote(url, safe="")}" alt=""></p>'


def urls_of(db: psycopg.Connection) -> list[str]:
    return [url for (url,) in db.execute("SELECT url FROM media_images ORDER BY position, url")]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a.png",
        "https://example.org/a b.png?x=1&y=%C3%BC#z",
        "https://example.org/100%25/ä/日本/🙂.png",
        "https://example.org/" + "x" * 3000,
    ],
)
def test_text_that_shows_a_picture_has_its_row(connection: psycopg.Connection, url: str) -> None:
    owner = make.user(connection)
    media_id = make.media(connection, created_by_user_id=owner)
    make.version(connection, media_id)
    make.fragment(connection, media_id, html_sanitized=image(url) * 2)
    found = connection.execute("SELECT url, url_key, user_id, state, attempts FROM media_images").fetchall()
    assert found == [(url, text_key(url), owner, "pending", 0)]


@pytest.mark.parametrize("encoded", ["%FF%FE", "%00", "%C3", "%"])
def test_address_that_is_no_text_costs_no_text(connection: psycopg.Connection, encoded: str) -> None:
    media_id = make.media(connection)
    make.version(connection, media_id)
    make.fragment(connection, media_id, html_sanitized=f'<img src="/media/image?url={encoded}">' + image("https://a/b"))
    assert "https://a/b" in urls_of(connection)


def test_of_a_text_the_first_thousand_pictures_count(connection: psycopg.Connection) -> None:
    """A hostile page shows tens of thousands of pictures, and one thread writes the results of all pages."""
    media_id = make.media(connection)
    make.version(connection, media_id)
    addresses = [f"https://example.org/{number}.png" for number in range(1005)]
    make.fragment(connection, media_id, html_sanitized="".join(image(url) * 2 for url in addresses))
    assert urls_of(connection) == addresses[:1000]


def test_card_and_chapters(connection: psycopg.Connection) -> None:
    lead, other, chapter = (f"https://example.org/{name}.png" for name in ("lead", "other", "chapter"))
    media_id = make.media(connection, kind="podcast_episode", lead_image_url=lead)
    connection.execute("UPDATE media SET lead_image_url = %s", [other])
    connection.execute("UPDATE media SET lead_image_url = NULL")
    chapters = [{"image": None}, {"image": chapter}, {"title": "no picture"}]
    make.episode(connection, make.podcast(connection), media_id=media_id, chapters=json.dumps(chapters))
    assert urls_of(connection) == [lead, other, chapter]
    connection.execute("DELETE FROM episodes")
    connection.execute("DELETE FROM media")
    assert urls_of(connection) == []


def test_of_chapters_the_first_thousand_pictures_count(connection: psycopg.Connection) -> None:
    media_id = make.media(connection, kind="podcast_episode")
    addresses = [f"https://example.org/{number}.png" for number in range(1005)]
    chapters = [{"image": url} for url in addresses for _ in range(2)]
    make.episode(connection, make.podcast(connection), media_id=media_id, chapters=json.dumps(chapters))
    assert urls_of(connection) == addresses[:1000]


def test_pictures_of_what_cannot_be_read_are_settled_until_it_is_read(steps: LifecycleSteps) -> None:
    """Nobody claims such rows, and each claim would read them again."""
    lead, shown = "https://example.org/lead.png", "https://example.org/shown.png"
    user = steps.user()
    item_id = steps.save(user)
    db = steps.connection
    db.execute("UPDATE media SET lead_image_url = %s", [lead])
    db.commit()
    steps.fail_item(item_id)
    settled = db.execute("SELECT url, state, reason, due_at FROM media_images").fetchall()
    assert settled == [(lead, "gone", "unreachable", None)]
    db.commit()
    steps.retry(user, steps.media_of(item_id))
    steps.succeed_item(item_id, LONG, lead_image_url=lead, html_sanitized=image(shown))
    waiting = db.execute("SELECT url FROM media_images WHERE state = 'pending' AND due_at <= now() ORDER BY url")
    assert waiting.fetchall() == [(lead,), (shown,)]


def test_new_version_looks_for_what_was_gone_and_leaves_what_is_kept(connection: psycopg.Connection) -> None:
    gone, kept = "https://example.org/gone.png", "https://example.org/kept.png"
    media_id = make.media(connection)
    picture(connection, media_id=media_id, url=gone, url_key=text_key(gone), **GONE)
    picture(connection, media_id=media_id, url=kept, url_key=text_key(kept), **KEPT)
    make.version(connection, media_id)
    make.fragment(connection, media_id, html_sanitized=image(gone) + image(kept))
    states = connection.execute("SELECT url, state FROM media_images ORDER BY url").fetchall()
    assert states == [(gone, "pending"), (kept, "kept")]


def test_user_who_is_deleted_leaves_the_pictures_of_shared_media(connection: psycopg.Connection) -> None:
    owner = make.user(connection)
    make.media(connection, created_by_user_id=owner, lead_image_url="https://example.org/a.png")
    connection.execute("DELETE FROM users")
    assert connection.execute("SELECT user_id, queue_user_id FROM media_images").fetchall() == [(None, UUID(int=0))]


def test_library_of_an_older_version_gets_its_pictures_into_the_queue(
    postgres: EmbeddedServer, empty_database: str
) -> None:
    lead, shown, chapter = (f"https://example.org/{name} ü.png" for name in ("lead", "shown", "chapter"))
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine, to="0020")
        with postgres.connect(dbname=empty_database) as db:
            owner = make.user(db)
            article = make.media(
                db, created_by_user_id=owner, lead_image_url=lead, processing_status="ready_for_reading",
                processing_completed_at="now", current_version=1,
            )  # fmt: skip
            make.version(db, article)
            make.fragment(db, article, html_sanitized=image(shown) + image(lead))
            episode = make.media(db, kind="podcast_episode")
            make.episode(db, make.podcast(db), media_id=episode, chapters=json.dumps([{"image": chapter}]))
            db.commit()
            upgrade(database.engine)
            rows = db.execute(
                "SELECT media_id, url, user_id, position, state, due_at <= now() FROM media_images ORDER BY url DESC"
            ).fetchall()
    assert rows == [
        (article, shown, owner, 1, "pending", True),
        (article, lead, owner, 0, "pending", True),
        (episode, chapter, None, 1, "pending", True),
    ]


class Queue:
    """Articles with pictures, whose hosts receive no requests."""

    def __init__(self, steps: LifecycleSteps) -> None:
        self.steps = steps
        self.worker = PictureWorker(uuid4())

    def show(self, user: CurrentUser, *urls: str) -> UUID:
        saved = self.steps.save(user, f"https://example.org/{uuid4()}")
        return self.steps.succeed_item(saved, LONG, html_sanitized="".join(map(image, urls)))

    def claim(self, limit: int = 4, worker: PictureWorker | None = None, **values: Any) -> list[PictureClaim]:
        with self.steps.database.transaction() as session:
            return queue.claim_pictures(
                session, worker or self.worker, limit=limit, lease_seconds=60, **SHARES | values
            )

    def do(self, change: Any, *arguments: Any, **values: Any) -> None:
        with self.steps.database.transaction() as session:
            change(session, *arguments, **values)

    def expire_leases(self) -> None:
        self.do(lambda session: session.execute(text("UPDATE media_images SET lease_until = now() - interval '1 s'")))


def another() -> PictureWorker:
    return PictureWorker(uuid4())


@pytest.fixture
def pictures(steps: LifecycleSteps) -> Queue:
    return Queue(steps)


def test_picture_waits_until_its_text_can_be_read(steps: LifecycleSteps, pictures: Queue) -> None:
    make.media(steps.connection, lead_image_url="https://a.example/lead.png")
    steps.connection.commit()
    assert pictures.claim() == []


def test_users_take_turns_and_the_newest_come_first(steps: LifecycleSteps, pictures: Queue) -> None:
    alice, bob = steps.user(), steps.user()
    for number in range(5):
        pictures.show(alice, *(f"https://{number}{each}.example/" for each in range(4)))
    pictures.show(bob, "https://b.example/")
    claims = pictures.claim(limit=4)
    assert [claim.user_id for claim in claims].count(bob.user_id) == 1
    assert {claim.host for claim in claims if claim.user_id == alice.user_id} < {
        f"4{each}.example" for each in range(4)
    }
    assert pictures.claim(limit=4) == [], "a user's share is three"
    assert len(pictures.claim(limit=4, worker=another())) == 3, "of each worker"


def test_users_are_served_around_and_around(
    steps: LifecycleSteps, pictures: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same when a claim reads few users, and first those who have nothing to fetch."""
    monkeypatch.setattr(queue, "USERS_PER_QUERY", 2)
    monkeypatch.setattr(queue, "MAX_USERS", 4)
    users = sorted((steps.user() for _ in range(7)), key=lambda user: user.user_id)
    for number, user in enumerate(users):
        for _ in range(3):
            pictures.show(user, "https://busy.example/" if number < 4 else f"https://{uuid4()}.example/")
    served = [claim.user_id for _ in range(12) for claim in pictures.claim(limit=1, hosts=["busy.example"] * 2)]
    assert served == [user.user_id for user in users[4:]] * 3
    assert pictures.claim(hosts=["busy.example"] * 2) == []


def test_shares_of_hosts(steps: LifecycleSteps, pictures: Queue) -> None:
    pictures.show(steps.user(), *(f"https://one.example/{number}" for number in range(9)))
    assert pictures.claim(hosts=["one.example", "one.example"]) == []
    assert len(pictures.claim(hosts=["one.example", "two.example"])) == 1
    assert len(pictures.claim()) == 2


def test_picture_of_several_media_is_claimed_once(steps: LifecycleSteps, pictures: Queue) -> None:
    url = "https://one.example/logo.png"
    for _ in range(3):
        pictures.show(steps.user(), url)
    (claim,) = pictures.claim()
    assert pictures.claim(worker=another()) == []
    pictures.do(queue.give_up_picture, claim, "gone", "http_404")
    assert steps.row("SELECT array_agg(DISTINCT state), count(*) FROM media_images") == (["gone"], 3)


def test_lease_that_ran_out_is_claimed_by_another_and_the_first_writes_nothing(
    steps: LifecycleSteps, pictures: Queue
) -> None:
    pictures.show(steps.user(), "https://one.example/a.png")
    (lost,) = pictures.claim()
    assert pictures.claim(worker=another()) == []
    pictures.expire_leases()
    (taken,) = pictures.claim(worker=another())
    assert taken.attempts == 2
    before = steps.row("SELECT * FROM media_images")
    pictures.do(queue.give_up_picture, lost, "gone", "http_404")
    pictures.do(queue.try_picture_later, lost)
    pictures.do(queue.release_picture, lost)
    pictures.do(queue.refuse_picture_for_now, lost, "no_room")
    pictures.do(queue.renew_pictures, [lost], worker_id=lost.claimed_by, lease_seconds=999)
    assert steps.row("SELECT * FROM media_images") == before
    pictures.do(queue.give_up_picture, taken, "gone", "http_410")
    assert steps.row("SELECT state, reason, claimed_by FROM media_images") == ("gone", "http_410", None)


@pytest.mark.parametrize(("reason", "refused"), [("too_many", 3), ("no_room", 5)])
def test_all_that_a_setting_refuses_is_refused_at_once(
    steps: LifecycleSteps, pictures: Queue, reason: Any, refused: int
) -> None:
    """Pictures of the media or of the user are removed; another user's are left."""
    user = steps.user()
    for other in (user, steps.user()):
        pictures.show(other, *(f"https://{uuid4()}.example/" for _ in range(2)))
    newest = pictures.show(user, *(f"https://{uuid4()}.example/" for _ in range(3)))
    claim, other_claim = sorted(pictures.claim(limit=2), key=lambda claimed: claimed.media_id != newest)
    assert (claim.media_id == newest, other_claim.media_id == newest) == (True, False)
    pictures.do(queue.release_picture, other_claim)
    pictures.do(queue.refuse_picture_for_now, claim, reason, with_others=True)
    assert steps.row("SELECT count(*), min(reason) FROM media_images WHERE state = 'refused'") == (refused, reason)
    assert steps.row("SELECT count(*) FROM media_images WHERE state = 'pending'") == (7 - refused,)


def test_claims_are_counted_also_when_their_worker_is_lost(steps: LifecycleSteps, pictures: Queue) -> None:
    pictures.show(steps.user(), "https://one.example/a.png")
    for number in range(3):
        assert [claim.attempts for claim in pictures.claim(worker=another())] == [number + 1]
        pictures.expire_leases()
