"""The members of an archive, and the manifest that names them with their hashes."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from nexus.errors import ArchiveError, ArchiveTooNewError, DamagedManifestError

FORMAT = "nexus-archive"
VERSION = 1

MANIFEST = "manifest.json"
README = "README.txt"
MEDIA_FOLDER, BLOB_FOLDER = "media/", "blobs/"
TAGS, SEARCHES, ALIASES = "tags.jsonl", "saved_searches.jsonl", "aliases.jsonl"
PODCASTS, REMOVALS, REVIEWS, BLOBS = "podcasts.jsonl", "removed_episodes.jsonl", "reviews.jsonl", "blobs.jsonl"

# A part of the media is held in memory when it is written and when it is read.
PART_BYTES = 8 << 20
MAX_PART_BYTES = 96 << 20
# For the texts of one media. What exceeds it are versions of long ago: the current text is always there.
MAX_TEXT_BYTES = 32 << 20
# All of it is in memory as objects. A member takes 150 bytes: enough for 200 GB of texts.
MAX_MANIFEST_BYTES = 4 << 20
MAX_LINES = 50_000_000  # of media, in all parts
MAX_COUNT, MAX_SIZE = 2**31 - 1, 2**53
MAX_NAMED = 1000  # of what is missing, in the manifest; blobs.jsonl names all

_PART = re.compile(r"media/[0-9]{6,}\.jsonl")
_HASH = re.compile(r"[0-9a-f]{64}")

ABOUT = """This is a library of Nexus: what one person saved, with their tags, notes, highlights and receipts.

Restore it with "nexus import FILE.zip", or read it yourself:

manifest.json         what is in here, with the SHA-256 of each file
media/*.jsonl         one line for each thing that was saved, with its texts and all that belongs to it
blobs/xx/…            pictures, audio and originals (zstd), each under its SHA-256
tags.jsonl, saved_searches.jsonl, podcasts.jsonl, reviews.jsonl, aliases.jsonl, removed_episodes.jsonl, blobs.jsonl

All fields are described in docs/reference/archive.md of Nexus.
"""


@dataclass(frozen=True)
class Member:
    """A member that is no blob: those have their hash for a name."""

    name: str
    size: int
    sha256: str
    lines: int | None = None


@dataclass
class Manifest:
    created_at: str
    made_by: str
    counts: dict[str, int] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    missing_blobs: list[dict[str, str]] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    format: str = FORMAT
    version: int = VERSION

    @property
    def parts(self) -> list[Member]:
        """Those with media, in the order in which they were written."""
        return sorted((each for each in self.members if _PART.fullmatch(each.name)), key=lambda each: each.name)

    def member(self, name: str) -> Member | None:
        return next((each for each in self.members if each.name == name), None)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)


def part_name(number: int) -> str:
    return f"{MEDIA_FOLDER}{number:06}.jsonl"


def blob_name(sha256: str) -> str:
    return f"{BLOB_FOLDER}{sha256[:2]}/{sha256}"


def read_manifest(content: bytes) -> Manifest:
    try:
        manifest_json = json.loads(content)
        if manifest_json["format"] != FORMAT:
            raise ArchiveError("This ZIP is not a Nexus archive.")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ArchiveError("This ZIP is not a Nexus archive: its manifest cannot be read.") from None
    try:
        return _manifest(manifest_json)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedManifestError("The manifest of the archive cannot be read: the file is damaged.") from None


def _manifest(manifest_json: Mapping[str, Any]) -> Manifest:
    version = _number(manifest_json["version"], MAX_COUNT)
    if version > VERSION:
        raise ArchiveTooNewError(
            f"This archive was written by a newer Nexus (format {version}; this one reads up to {VERSION})."
            " Update Nexus and import it again."
        )
    manifest = Manifest(
        created_at=str(manifest_json["created_at"])[:100],
        made_by=str(manifest_json.get("made_by"))[:100],
        counts={str(name): _number(count, MAX_COUNT) for name, count in manifest_json["counts"].items()},
        members=[_member(each) for each in manifest_json["members"]],
        version=version,
    )
    if sum(part.lines or 0 for part in manifest.parts) > MAX_LINES:
        raise ValueError("lines")
    return manifest


def _number(value: Any, maximum: int) -> int:
    """A whole number that a column can hold: JSON knows others, and those of any length."""
    if type(value) is not int or not 0 <= value <= maximum:
        raise ValueError("number")
    return value


def _member(member: Mapping[str, Any]) -> Member:
    name, sha256 = member["name"], member["sha256"]
    size, lines = _number(member["size"], MAX_SIZE), member.get("lines")
    if not (isinstance(name, str) and _HASH.fullmatch(sha256)):
        raise ValueError("member")
    if lines is not None or _PART.fullmatch(name):
        lines = _number(lines, size)
    return Member(name, size, sha256, lines)
