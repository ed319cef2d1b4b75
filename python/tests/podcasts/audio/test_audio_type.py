"""Audio is told by its bytes; what is no audio is refused, whatever it is called."""

from pathlib import Path

import pytest

from nexus.errors import UnreadableAudioError
from nexus.podcasts.audio_type import audio_type
from nexus.services.audio import AUDIO_TYPES
from tests.podcasts.speech import encoded, record

ENCODINGS = {
    "audio/mpeg": ("mp3", "libmp3lame", 22_050),
    "audio/mp4": ("ipod", "aac", 22_050),
    "audio/aac": ("adts", "aac", 22_050),
    "audio/ogg": ("ogg", "libopus", 48_000),
    "audio/flac": ("flac", "flac", 22_050),
    "audio/wav": ("wav", "pcm_s16le", 22_050),
    "audio/webm": ("webm", "libopus", 48_000),
}


def test_every_type_is_tested_here() -> None:
    assert set(ENCODINGS) == AUDIO_TYPES


@pytest.mark.parametrize("kind", ENCODINGS)
def test_type_of_the_bytes(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(encoded(record(), *ENCODINGS[kind]))
    assert audio_type(path) == kind


@pytest.mark.parametrize(
    ("before", "kind"), [(bytes(700), "audio/mpeg"), (b"", "audio/mpeg"), (b"ID3\x04\0\0\0\0\0\0", "audio/aac")]
)
def test_what_may_stand_before_the_first_frame(tmp_path: Path, before: bytes, kind: str) -> None:
    """Padding, nothing at all, or a tag."""
    audio = encoded(record(), *ENCODINGS[kind])
    frames = audio[audio.index(b"\xff") :]
    (tmp_path / "audio").write_bytes(before + frames)
    assert audio_type(tmp_path / "audio") == kind


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(5000),
        b"<!doctype html><title>Sign in</title>",
        b"ID3\x04" + bytes(1000),
        b"\xff\xfb" + b"not a frame" * 200,
        b"OggS" + bytes(100),
        b"RIFF\0\0\0\0WAVE",
        b"\x89PNG\r\n\x1a\n" + bytes(100),
    ],
)
def test_what_is_no_audio(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "audio.mp3").write_bytes(data)
    with pytest.raises(UnreadableAudioError):
        audio_type(tmp_path / "audio.mp3")


def test_a_playlist_opens_no_other_file(tmp_path: Path) -> None:
    """FFmpeg would read what it names."""
    (tmp_path / "sound.wav").write_bytes(encoded(record(), *ENCODINGS["audio/wav"]))
    lists = {
        "a.m3u8": f"#EXTM3U\n#EXTINF:1,\n{tmp_path}/sound.wav\n#EXT-X-ENDLIST\n",
        "a.ffconcat": f"ffconcat version 1.0\nfile '{tmp_path}/sound.wav'\n",
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(UnreadableAudioError):
            audio_type(tmp_path / name)
