"""The content type of an audio file, by its bytes. Runs in a child process: they are untrusted."""

from pathlib import Path

import av

from nexus.errors import UnreadableAudioError

HEAD_BYTES = 12
SYNC, LAYER = 0xFFE0, 0x0006  # of the first two bytes of a frame; the layer of AAC is 0
LEADING_ZEROS = 4096  # padding that some encoders put before the first frame
# By their first bytes: how FFmpeg reads them, and the content type. FFmpeg never chooses: one of its formats is a
# playlist, which would make it open other files.
MPEG = ("mp3", "audio/mpeg")
ADTS = ("aac", "audio/aac")
MP4 = ("mp4", "audio/mp4")
OGG = ("ogg", "audio/ogg")
FLAC = ("flac", "audio/flac")
WAVE = ("wav", "audio/wav")
WEBM = ("matroska", "audio/webm")


def audio_type(path: Path) -> str:
    """The content type of a file whose first sound can be decoded; others raise. A video is audio with pictures."""
    with path.open("rb") as file:
        begin = file.read(LEADING_ZEROS + HEAD_BYTES)
    for container, content_type in _candidates(begin) or _candidates(begin.lstrip(b"\0")):
        if _has_sound(path, container):
            return content_type
    raise UnreadableAudioError("The file is not audio in a supported format.")


def _candidates(head: bytes) -> tuple[tuple[str, str], ...]:
    if head.startswith(b"ID3"):  # a tag may precede any of them
        return MPEG, ADTS, FLAC
    if head[4:8] == b"ftyp":
        return (MP4,)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return (WAVE,)
    frame = int.from_bytes(head[:2])
    if frame & SYNC == SYNC:
        return (MPEG,) if frame & LAYER else (ADTS,)
    by_magic = {b"OggS": OGG, b"fLaC": FLAC, b"\x1a\x45\xdf\xa3": WEBM}
    return (by_magic[head[:4]],) if head[:4] in by_magic else ()


def _has_sound(path: Path, container: str) -> bool:
    try:
        with av.open(str(path), format=container) as file:
            return bool(file.streams.audio) and next(file.decode(file.streams.audio[0]), None) is not None
    except (av.FFmpegError, ValueError):
        return False
