"""Every table, so that one import knows the whole schema."""

from nexus.db.models.base import Base
from nexus.db.models.exports import Export, ExportSchedule
from nexus.db.models.highlights import Highlight, HighlightFeed, HighlightReview, HighlightsWaiting, HighlightTag
from nexus.db.models.imports import Import, ImportRow
from nexus.db.models.items import ExtractionAttempt, Item, ItemPaste
from nexus.db.models.libraries import Library, LibraryCount, LibraryMedia
from nexus.db.models.media import Fragment, Media, MediaAlias, MediaAudio, MediaVersion
from nexus.db.models.originals import StoredOriginal
from nexus.db.models.pictures import MediaImage
from nexus.db.models.podcasts import Episode, EpisodeAlias, EpisodeRemoval, Podcast
from nexus.db.models.positions import Position
from nexus.db.models.saved_searches import SavedSearch
from nexus.db.models.search import SearchChange, SearchForgotten
from nexus.db.models.store import BlobRow, StoreCheck, StoreCollection, StoreIdentity
from nexus.db.models.tags import EntryTag, Tag, TagCount
from nexus.db.models.undo import BulkUndo, BulkUndoEntry, BulkUndoTag
from nexus.db.models.users import ApiToken, PairingCode, User, UserSession
from nexus.db.models.workers import Worker

__all__ = [
    "ApiToken",
    "Base",
    "BlobRow",
    "BulkUndo",
    "BulkUndoEntry",
    "BulkUndoTag",
    "EntryTag",
    "Episode",
    "EpisodeAlias",
    "EpisodeRemoval",
    "Export",
    "ExportSchedule",
    "ExtractionAttempt",
    "Fragment",
    "Highlight",
    "HighlightFeed",
    "HighlightReview",
    "HighlightTag",
    "HighlightsWaiting",
    "Import",
    "ImportRow",
    "Item",
    "ItemPaste",
    "Library",
    "LibraryCount",
    "LibraryMedia",
    "Media",
    "MediaAlias",
    "MediaAudio",
    "MediaImage",
    "MediaVersion",
    "PairingCode",
    "Podcast",
    "Position",
    "SavedSearch",
    "SearchChange",
    "SearchForgotten",
    "StoreCheck",
    "StoreCollection",
    "StoreIdentity",
    "StoredOriginal",
    "Tag",
    "TagCount",
    "User",
    "UserSession",
    "Worker",
]
