"""Transcripts made from real speech: cut, sent, and joined on one clock."""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from nexus.errors import UnreadableAudioError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.transcribe.audio import cut_audio, decode_for_speech
from nexus.podcasts.transcribe.openai import Endpoint
from nexus.podcasts.transcripts.captions import parse_captions
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host, Trouble
from tests.podcasts.podcast_run import PodcastRunner
from tests.podcasts.speech import Recording, Service, encoded, heard, record, save_wav, transcription_service

ENCODINGS = {
    "mp3": ("mp3", "libmp3lame", 22_050), "m4a": ("ipod", "aac", 22_050), "opus": ("ogg", "libopus", 48_000),
    "flac": ("flac", "flac", 22_050), "wav": ("wav", "pcm_s16le", 22_050),
}  # fmt: skip
CLOSE_MS = 150  # encoders add some milliseconds, an ear takes some


@pytest.fixture
def recording() -> Recording:
    return record(times=3)


@pytest.fixture
def service() -> Iterator[Service]:
    with transcription_service() as serving:
        yield serving


@pytest.fixture
def talking(runner: PodcastRunner, service: Service) -> PodcastRunner:
    runner.endpoint = Endpoint(service.url, service.key)
    return runner


def feed_of(host: Host, audio: bytes, **facts: object) -> str:
    where = host.put("/a.mp3", audio, "audio/mpeg", ranges=True, **facts)
    return host.put("/feed.xml", rss([item(1, audio=where)]), "application/rss+xml")


def assert_heard(segments: list[tuple[int, int]], recording: Recording) -> None:
    assert len(segments) == len(recording.spoken)
    for (start, end), (true_start, true_end) in zip(segments, recording.spoken, strict=True):
        assert abs(start - true_start * 1000) < CLOSE_MS
        assert abs(end - true_end * 1000) < CLOSE_MS


@pytest.mark.parametrize("kind", ENCODINGS)
def test_pieces_are_playable_and_lie_on_one_clock(tmp_path: Path, recording: Recording, kind: str) -> None:
    source = tmp_path / "audio"
    source.write_bytes(encoded(recording, *ENCODINGS[kind]))
    pieces = cut_audio(source, tmp_path, max_bytes=10**8, max_seconds=16)
    assert len(pieces) > 2
    assert pieces[0].start_ms == 0
    assert all(a.end_ms == b.start_ms for a, b in pairwise(pieces))
    found = [
        (round(start * 1000) + piece.start_ms, round(end * 1000) + piece.start_ms)
        for piece in pieces
        for start, end in heard((tmp_path / piece.name).read_bytes())
    ]
    assert_heard(found, recording)  # as many as were spoken: no cut went through a sentence


def test_pieces_by_size(tmp_path: Path, recording: Recording) -> None:
    source = tmp_path / "audio"
    source.write_bytes(encoded(recording, *ENCODINGS["mp3"]))
    pieces = cut_audio(source, tmp_path, max_bytes=100_000, max_seconds=10_000)
    sizes = [(tmp_path / piece.name).stat().st_size for piece in pieces]
    assert max(sizes) <= 100_000
    assert len(pieces) >= source.stat().st_size / 100_000


def test_speech_model_gets_mono_at_16_khz(tmp_path: Path, recording: Recording) -> None:
    source = tmp_path / "audio"
    save_wav(recording, source)
    pieces = decode_for_speech(source, tmp_path, max_seconds=16)
    found = [
        (round(start * 1000) + piece.start_ms, round(end * 1000) + piece.start_ms)
        for piece in pieces
        for start, end in heard((tmp_path / piece.name).read_bytes())
    ]
    assert len(pieces) > 2
    assert_heard(found, recording)


@pytest.mark.parametrize("data", [b"", b"not audio at all" * 100, b"ID3\x04" + bytes(1000), b"<html>404</html>"])
def test_what_is_no_audio(tmp_path: Path, data: bytes) -> None:
    source = tmp_path / "audio"
    source.write_bytes(data)
    with pytest.raises(UnreadableAudioError):
        cut_audio(source, tmp_path, max_bytes=10**6, max_seconds=60)
    with pytest.raises(UnreadableAudioError):
        decode_for_speech(source, tmp_path, max_seconds=60)


def test_audio_becomes_a_transcript(host: Host, talking: PodcastRunner, service: Service, recording: Recording) -> None:
    audio = encoded(recording, *ENCODINGS["mp3"])
    url = feed_of(host, audio, troubles=[Trouble(cut_after=len(audio) // 2)])
    service.troubles = [500]
    config = {"transcribe_missing": True, "transcription_max_seconds": 30, "keep_audio": True}
    assert talking.one(url, **config).counts["new"] == 1
    (document,) = talking.metadata(url)
    assert (document["transcript"]["source"], document["transcript"]["model"]) == ("openai", "whisper-1")
    assert document["transcript"]["language"] == "en"
    vtt_text = (talking.folder(url).transcripts / "0001 - Episode 1.vtt").read_text()
    assert "Speech of" in vtt_text
    assert_heard([(each.start_ms or 0, each.end_ms or 0) for each in parse_captions(vtt_text)], recording)
    first = service.asked[0]
    assert (first["path"], first["model"], first["language"]) == ("/v1/audio/transcriptions", b"whisper-1", b"en")
    assert (first["response_format"], first["timestamp_granularities[]"]) == (b"verbose_json", b"segment")
    assert first["filename"] == ["piece-001.mp3"]
    assert sum(each.sent for each in host.of("/a.mp3")) == len(audio)
    (kept,) = talking.folder(url).audio.iterdir()
    assert (kept.name, kept.read_bytes()) == ("0001 - Episode 1.mp3", audio)
    asked = len(service.asked)
    assert talking.one(url, **config).counts["unchanged"] == 1
    assert len(service.asked) == asked


def test_piece_that_was_transcribed_is_not_sent_again(
    host: Host, talking: PodcastRunner, service: Service, recording: Recording
) -> None:
    audio = encoded(recording, *ENCODINGS["mp3"])
    url = feed_of(host, audio)
    config = {
        "transcribe_missing": True,
        "transcription_max_seconds": 30,
        "http_retry_total": 0,
        "episode_retry_max": 0,
    }
    assert talking.one(url, **config, max_audio_bytes=1000).failures[0]["code"] == "max_bytes_exceeded"
    service.break_after = 2
    assert talking.one(url, **config).failures[0]["code"] == "http_503"
    service.break_after = None
    assert talking.one(url, **config).counts["new"] == 1
    sent = [each["filename"][0] for each in service.asked]
    assert sent[:4] == ["piece-001.mp3", "piece-002.mp3", "piece-003.mp3", "piece-003.mp3"]
    assert len(sent) == len(set(sent)) + 1
    assert len(host.of("/a.mp3")) == 2  # the one that was too large, and the one that was kept


def test_each_chunk_has_its_own_retries(
    host: Host, talking: PodcastRunner, service: Service, recording: Recording
) -> None:
    """And an episode that is processed again does not get them again."""
    url = feed_of(host, encoded(recording, *ENCODINGS["mp3"]))
    service.troubles = [503, 503]
    service.break_after = 3
    config = {"transcribe_missing": True, "transcription_max_seconds": 30, "http_retry_total": 2}
    assert talking.one(url, **config, episode_retry_max=1).failures[0]["code"] == "http_503"
    sent = [each["filename"][0] for each in service.asked]
    assert sent == ["piece-001.mp3"] * 3 + ["piece-002.mp3"] * 4


@pytest.mark.parametrize(
    ("model", "speakers", "segments"),
    [("gpt-4o-transcribe-diarize", ["A"], 6), ("gpt-4o-transcribe", [], 1), ("whisper-large-v3", [], 6)],
)
def test_models_answer_in_different_shapes(
    host: Host, talking: PodcastRunner, model: str, speakers: list[str], segments: int
) -> None:
    url = feed_of(host, encoded(record(), *ENCODINGS["mp3"]))
    assert talking.one(url, transcribe_missing=True, transcription_model=model).counts["new"] == 1
    transcript = talking.metadata(url)[0]["transcript"]
    assert (transcript["speakers"], transcript["segments"], transcript["timed"]) == (speakers, segments, True)


def test_publishers_transcript_wins_unless_it_fails(host: Host, talking: PodcastRunner, service: Service) -> None:
    audio = host.put("/a.mp3", encoded(record(), *ENCODINGS["mp3"]), "audio/mpeg")
    good = host.put("/t.vtt", vtt("Ada: Hello."), "text/vtt")
    items = [
        item(2, audio=audio, transcripts=((good, "text/vtt"),)),
        item(1, audio=audio, transcripts=((f"{host.url}/gone.vtt", "text/vtt"),)),
    ]
    url = host.put("/feed.xml", rss(items), "application/rss+xml")
    assert talking.one(url, transcribe_missing=True).counts["new"] == 2
    assert [each["transcript"]["source"] for each in talking.metadata(url)] == ["openai", "publisher"]
    assert len(service.asked) == 1
    assert [(each["code"], each["lost"]) for each in talking.incidents()] == [("http_404", False)]


def test_refusals_of_the_service_are_told(host: Host, talking: PodcastRunner, service: Service) -> None:
    service.key = "another"
    url = feed_of(host, encoded(record(), *ENCODINGS["mp3"]))
    (failure,) = talking.one(url, transcribe_missing=True).failures
    assert failure["code"] == "http_401"
    assert "Incorrect API key" in failure["message"]
    assert "sk-test" not in str(talking.incidents())


def test_without_a_key_or_a_model_each_episode_says_so(host: Host, runner: PodcastRunner) -> None:
    url = feed_of(host, b"audio")
    (failure,) = runner.one(url, transcribe_missing=True).failures
    assert failure["code"] == "transcription_unavailable"
    assert "OPENAI_API_KEY" in failure["message"]
    (failure,) = runner.one(url, transcribe_missing=True, transcription_provider="whisper").failures
    assert failure["code"] == "transcription_unavailable"
    assert "nexus[whisper]" in failure["message"]
    local = {"transcribe_missing": True, "transcription_provider": "whisper", "whisper_model": "/no/such/model"}
    (failure,) = runner.one(url, **local).failures
    assert failure["code"] == "transcription_unavailable"
    assert "There is no speech model in /no/such/model" in failure["message"]
    assert host.of("/a.mp3") == []  # nothing was fetched in vain


def test_whisper_is_not_loaded_before_it_is_needed(host: Host, runner: PodcastRunner) -> None:
    where = host.put("/t.vtt", vtt("Ada: Hello."), "text/vtt")
    url = host.put("/feed.xml", rss([item(1, transcripts=((where, "text/vtt"),))]), "application/rss+xml")
    assert runner.one(url, transcribe_missing=True, transcription_provider="whisper").counts["new"] == 1
    assert "faster_whisper" not in sys.modules
    assert PodcastConfig().transcription_provider == "openai"
