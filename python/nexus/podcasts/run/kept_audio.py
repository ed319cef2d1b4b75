"""Stores the audio of episodes. While the store is unavailable, files wait in the corpus for the next run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from nexus.errors import NexusError, StoreFullError, StoreUnavailableError, UnreadableAudioError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus.episode_files import Document
from nexus.podcasts.corpus.layout import FeedFolder
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.net.client import FeedClient
from nexus.podcasts.net.download import download, part_files
from nexus.store import Blob, BlobStore
from nexus.system.atomic_files import WORLD_READABLE, replacing
from nexus.text.process_pool import ProcessPool

AUDIO_SUFFIXES = frozenset({".mp3", ".m4a", ".m4b", ".aac", ".ogg", ".oga", ".opus", ".wav", ".flac"})
CHUNK_BYTES = 1 << 20


def waiting_file(folder: FeedFolder, stem: str, audio_url: str) -> Path:
    """Where audio is before it is in the store, and where it stays in a run without a library."""
    suffix = Path(audio_url.partition("?")[0]).suffix.lower()
    return folder.audio / f"{stem}{suffix if suffix in AUDIO_SUFFIXES else '.audio'}"


class RunStore:
    """The store during one run. Once it failed, no audio is fetched for it: that would fill the corpus instead."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._failure: NexusError | None = None

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def put(self, path: Path) -> Blob:
        try:
            return self._store.put(_chunks(path))
        except (StoreFullError, StoreUnavailableError) as error:
            self._failure = error
            raise

    def copy(self, sha256: bytes, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, mode=WORLD_READABLE) as out:  # as a download is
            for data in self._store.read(sha256):
                out.write(data)


@dataclass(frozen=True)
class AudioStorer:
    """The audio of one feed's episodes, as its ``keep_audio`` says."""

    config: PodcastConfig
    folder: FeedFolder
    pool: ProcessPool
    library: PodcastLibrary | None
    store: RunStore | None

    def keep(
        self,
        podcast_id: UUID | None,
        stored: StoredEpisode,
        document: Document,
        audio_url: str | None,
        client: Callable[[], FeedClient],
    ) -> bool:
        """Whether it was not kept before and is now. The episode's text is in the library already."""
        if not audio_url or not self._is_wanted(document):
            return False
        path = waiting_file(self.folder, stored.stem, audio_url)
        if self.library is None or self.store is None or podcast_id is None:
            return self._fetch(audio_url, path, client)
        episode = self.library.episode_audio(podcast_id, stored.aliases)
        if episode is None:
            return False  # removed from the library
        if episode.sha256 is None:
            if not path.is_file():
                self.store.check()
                self._fetch(audio_url, path, client)
            content_type = self._type_of(path)
            self.library.keep_audio(episode.media_id, self.store.put(path), content_type)
        for file in (*part_files(path), path):
            file.unlink(missing_ok=True)
        return episode.sha256 is None

    def restore(self, podcast_id: UUID | None, stored: StoredEpisode, path: Path) -> bool:
        """Copies what the store has to ``path``, so that it is not fetched again."""
        if self.library is None or self.store is None or podcast_id is None:
            return False
        episode = self.library.episode_audio(podcast_id, stored.aliases)
        if episode is None or episode.sha256 is None:
            return False
        self.store.copy(episode.sha256, path)
        return True

    def _is_wanted(self, document: Document) -> bool:
        transcript = document["transcript"]
        if transcript is None or self.config.keep_audio == "none":
            return False
        return self.config.keep_audio == "all" or transcript["source"] != "publisher"

    def _fetch(self, audio_url: str, path: Path, client: Callable[[], FeedClient]) -> bool:
        if path.is_file():
            return False
        path.parent.mkdir(exist_ok=True)
        download(client(), audio_url, path, max_bytes=self.config.max_audio_bytes)
        return True

    def _type_of(self, path: Path) -> str:
        from nexus.podcasts.audio_type import audio_type  # noqa: PLC0415 - takes 0.3 s, and most runs keep nothing new

        try:
            return self.pool.run(audio_type, path)
        except UnreadableAudioError:
            path.unlink(missing_ok=True)  # the publisher may correct it: fetch it again next time
            raise


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(CHUNK_BYTES):
            yield data
