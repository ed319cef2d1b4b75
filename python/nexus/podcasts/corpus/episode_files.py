"""An episode on disk. Its metadata file is written last: if it exists, the other files are complete."""

import hashlib
from pathlib import Path
from typing import Any

from nexus.podcasts.corpus.files import read_json, write_json
from nexus.podcasts.corpus.layout import FeedFolder
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.episode_text import as_text, as_vtt
from nexus.podcasts.transcripts.segments import Segment
from nexus.system.atomic_files import PRIVATE, WORLD_READABLE, replace_file

SCHEMA_VERSION = 1
Document = dict[str, Any]


def load_document(folder: FeedFolder, episode: StoredEpisode) -> Document | None:
    """The metadata, if every file it names exists with the recorded size."""
    document = read_json(folder.metadata_of(episode.stem))
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        return None
    transcript = document["transcript"]
    for file in (transcript["files"] if transcript else {}).values():
        path = folder.path / file["path"]
        if not path.is_file() or path.stat().st_size != file["bytes"]:
            return None
    return document


def load_segments(folder: FeedFolder, document: Document) -> list[Segment]:
    path = folder.path / document["transcript"]["files"]["segments"]["path"]
    return [Segment(**each) for each in read_json(path)["segments"]]


def write_transcript(folder: FeedFolder, stem: str, segments: list[Segment], *, pause_ms: int) -> dict[str, Any]:
    """Writes the three files and returns their description for the metadata."""
    listed = [
        {"start_ms": each.start_ms, "end_ms": each.end_ms, "speaker": each.speaker, "text": each.text}
        for each in segments
    ]
    files = {"txt": _write(folder, f"{stem}.txt", as_text(segments, pause_ms=pause_ms).encode("utf-8", "replace"))}
    vtt = folder.transcripts / f"{stem}.vtt"
    text = as_vtt(segments)
    if text is None:
        vtt.unlink(missing_ok=True)
    else:
        files["vtt"] = _write(folder, vtt.name, text.encode("utf-8", "replace"))
    path = folder.transcripts / f"{stem}.segments.json"
    write_json(path, {"schema_version": SCHEMA_VERSION, "segments": listed})
    return files | {"segments": _file_entry(folder, path, path.read_bytes())}


def write_document(folder: FeedFolder, stem: str, document: Document) -> None:
    write_json(folder.metadata_of(stem), document, mode=PRIVATE)


def all_complete(folder: FeedFolder, stems: list[str]) -> bool:
    """Whether every episode has metadata that is not empty (as after a power loss). Reads no file."""
    return all(_has_content(folder.metadata_of(stem)) for stem in stems)


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _write(folder: FeedFolder, name: str, data: bytes) -> dict[str, Any]:
    path = folder.transcripts / name
    replace_file(path, data, mode=WORLD_READABLE)
    return _file_entry(folder, path, data)


def _file_entry(folder: FeedFolder, path: Path, data: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(data).hexdigest()
    return {"path": path.relative_to(folder.path).as_posix(), "bytes": len(data), "sha256": digest}
