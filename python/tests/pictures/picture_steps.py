"""Steps of the tests of pictures: publish a picture, save an article that shows it, let the worker keep it."""

from contextlib import ExitStack
from typing import Any, Self
from uuid import UUID, uuid4

from sqlalchemy import text

from nexus.config import Settings
from nexus.services.pictures.cache import PictureCache
from nexus.services.users import CurrentUser
from nexus.store import BlobStore, open_store
from nexus.text.process_pool import ProcessPool
from nexus.text.sanitize import sanitize_html
from nexus.web.egress.from_settings import egress_from
from nexus.worker.background import Background
from nexus.worker.pictures import HOST_SHARE, PictureFetcher, PictureLimits, PictureSource
from tests.api.pictures import picture
from tests.egress.sites import Site, SiteHandler
from tests.lifecycle_steps import LONG, LifecycleSteps

PNG = picture()


class PictureSteps:
    def __init__(self, settings: Settings, steps: LifecycleSteps, site: Site, checks: ProcessPool) -> None:
        self.settings = settings
        self.steps = steps
        self.site = site
        self._checks = checks
        self._stack = ExitStack()
        self._egress = self._stack.enter_context(egress_from(settings, waits_for_hosts=False, per_host=HOST_SHARE))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def publish(self, path: str, body: bytes = PNG, status: int = 200, **headers: str) -> str:
        def respond(handler: SiteHandler) -> None:
            handler.respond(status, body, **headers)

        self.site.routes[path] = respond
        return self.site.url(path)

    def show(self, *urls: str, user: CurrentUser | None = None, lead: str | None = None) -> UUID:
        """An article that is readable, with these pictures as the sanitizer writes them; the media."""
        html = sanitize_html(f"<p>{LONG}</p>" + "".join(f'<img src="{url}">' for url in urls), "")
        assert html.count("/media/image?url=") == len(urls)
        saved = self.steps.save(user or self.steps.user(), f"https://example.org/{uuid4()}")
        return self.steps.succeed_item(saved, LONG, html_sanitized=html, lead_image_url=lead)

    def fetcher(self, store: BlobStore | None = None, **limits: Any) -> tuple[Background, PictureFetcher]:
        background = Background(poll_seconds=0.1)
        cache = PictureCache(self.settings.data_dir / "images", self.settings.image_cache_bytes)
        fetcher = PictureFetcher(
            self.steps.database,
            store or open_store(self.settings, self.steps.database),
            PictureSource(self._egress, self._checks, cache),
            PictureLimits(**{"per_media": 200, "bytes_per_user": 0, "pause_seconds": 0.0} | limits),
            lease_seconds=120,
            wake=background.wake,
        )
        background.add(fetcher)
        return background, fetcher

    def keep(self, store: BlobStore | None = None, **limits: Any) -> None:
        """Keeps all pictures that are due."""
        background, _ = self.fetcher(store, **limits)
        background.drain(lambda: False)
        background.stop(60)

    def state(self, url: str, media_id: UUID | None = None) -> tuple[str, str | None]:
        query = "SELECT state, reason FROM media_images WHERE url = :p0 AND (media_id = :p1 OR :p1 IS NULL)"
        found: tuple[str, str | None] = self.steps.row(query, url, media_id)
        return found

    def make_due(self) -> None:
        with self.steps.database.transaction() as session:
            session.execute(text("UPDATE media_images SET due_at = now() WHERE due_at IS NOT NULL"))
