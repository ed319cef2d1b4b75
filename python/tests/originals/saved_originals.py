"""Texts that were read from pages, for the tests of originals."""

from uuid import UUID, uuid4

from nexus.services.lifecycle import Article
from nexus.services.users import CurrentUser
from nexus.store import BlobStore
from nexus.text.originals.original_file import Original, OriginalFacts, pack, unpack
from nexus.worker.original_mover import OriginalMover
from tests.lifecycle_steps import LONG, LifecycleSteps, article

PLENTY = 1_000_000_000


class SavedOriginals:
    def __init__(self, steps: LifecycleSteps, store: BlobStore) -> None:
        self.steps = steps
        self.store = store

    def page(self, html: bytes, *, url: str | None = None, words: str = LONG) -> Article:
        address = url or f"https://example.org/{uuid4()}"
        facts = OriginalFacts("fetched", address, content_type="text/html", status=200)
        return article(address, words, original=Original(pack(html, facts)))

    def save(self, html: bytes = b"<p>A page.</p>", *, user: CurrentUser | None = None, url: str | None = None) -> UUID:
        """Saves an article with this page as its original. Returns its media."""
        item_id = self.steps.save(user or self.steps.user(), url or f"https://example.org/{uuid4()}")
        claim = self.steps.claim_one()
        assert claim.item_id == item_id
        assert self.steps.succeed(claim, self.page(html, url=url)) in ("won", "merged")
        return self.steps.media_of(item_id)

    def mover(self, user_bytes: int = PLENTY) -> OriginalMover:
        return OriginalMover(self.steps.database, self.store, user_bytes=user_bytes)

    def move_all(self, user_bytes: int = PLENTY) -> None:
        mover = self.mover(user_bytes)
        while mover.step():
            pass

    def make_due(self) -> None:
        """Makes originals due that a lost worker was moving, as a minute later."""
        self.steps.connection.execute("UPDATE originals SET due_at = now()")
        self.steps.connection.commit()

    def state(self, media_id: UUID, version: int = 1) -> str:
        """kept, waiting, or why it is missing; "none": there is no row."""
        row = self.steps.row(
            "SELECT CASE WHEN content IS NOT NULL THEN 'waiting' WHEN sha256 IS NOT NULL THEN 'kept' ELSE missing END"
            " FROM originals WHERE media_id = :p0 AND version = :p1",
            media_id,
            version,
        )
        return str(row[0]) if row else "none"

    def content(self, media_id: UUID, version: int = 1) -> bytes:
        query = "SELECT sha256 FROM originals WHERE media_id = :p0 AND version = :p1"
        sha256: bytes = self.steps.row(query, media_id, version)[0]
        return b"".join(unpack(self.store.read(sha256))[1])

    def blobs(self) -> int:
        """The number of blobs in the store, named or not."""
        self.store.verify()
        return sum(1 for _ in self.store.backend.list())
