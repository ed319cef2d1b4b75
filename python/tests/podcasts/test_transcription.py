"""Transcription of synthesized speech: cut, sent, and joined on one time line."""

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
from tests.podcasts.host import Failure, Host
from tests.podcasts.podcast_run import PodcastRunner
from tests.podcasts.speech import Recording, Service, encoded, record, save_wav, spoken_intervals, transcription_service

ENCODINGS = {
    "mp3": ("mp3", "libmp3lame", 22_050), "m4a": ("ipod", "aac", 22_050), "opus": ("ogg", "libopus", 48_000),
    "flac": ("flac", "flac", 22_050), "wav": ("wav", "pcm_s16le", 22_050),
}  # fmt: skip
CLOSE_MS = 150  # encoders and the detection of speech shift times by some milliseconds


@pytest.fixture
def recording() -> Recording:
    return record(times=3)


@pytest.fixture
def service() -> Iterator[Service]:
    with transcription_service() as serving:
        yield serving


@pytest.fixture
def transcribing_runner(runner: PodcastRunner, service: Service) -> PodcastRunner:
    runner.endpoint = Endpoint(service.url, service.key)
    return runner


def feed_of(host: Host, audio: bytes, **facts: object) -> str:
    where = host.put("/a.mp3", audio, "audio/mpeg", ranges=True, **facts)
    return host.put("/feed.xml", rss([item(1, audio=where)]), "application/rss+xml")


def assert_intervals(segments: list[tuple[int, int]], recording: Recording) -> None:
    assert len(segments) == len(recording.spoken)
    for (start, end), (true_start, true_end) in zip(segments, recording.spoken, strict=True):
        assert abs(start - true_start * 1000) < CLOSE_MS
        assert abs(end - true_end * 1000) < CLOSE_MS


@pytest.mark.parametrize(
    "listing", ["ffconcat version 1.0\nfile other\n", "#EXTM3U\n#EXTINF:5,\nother.wav\n#EXT-X-ENDLIST\n"]
)
def test_list_of_files_is_no_audio(tmp_path: Path, recording: Recording, listing: str) -> None:
    """FFmpeg would open the files that it names, or fetch them."""
    for name in ("other", "other.wav"):
        (tmp_path / name).write_bytes(encoded(recording, *ENCODINGS["wav"]))
    source = tmp_path / "audio"
    source.write_text(listing)
    for read in (cut_audio, decode_for_speech):
        limits = {"max_bytes": 10**8} if read is cut_audio else {}
        with pytest.raises(UnreadableAudioError):
            read(source, tmp_path, max_seconds=600, **limits)


@pytest.mark.parametrize("kind", ENCODINGS)
def test_chunks_are_playable_and_contiguous(tmp_path: Path, recording: Recording, kind: str) -> None:
    source = tmp_path / "audio"
    source.write_bytes(encoded(recording, *ENCODINGS[kind]))
    chunks = cut_audio(source, tmp_path, max_bytes=10**8, max_seconds=16)
    assert len(chunks) > 2
    assert chunks[0].start_ms == 0
    assert all(a.end_ms == b.start_ms for a, b in pairwise(chunks))
    found = [
        (round(start * 1000) + chunk.start_ms, round(end * 1000) + chunk.start_ms)
        for chunk in chunks
        for start, end in spoken_intervals((tmp_path / chunk.name).read_bytes())
    ]
    assert_intervals(found, recording)  # as many as were recorded: no sentence was cut


def test_chunks_by_size(tmp_path: Path, recording: Recording) -> None:
    source = tmp_path / "audio"
    source.write_bytes(encoded(recording, *ENCODINGS["mp3"]))
    chunks = cut_audio(source, tmp_path, max_bytes=100_000, max_seconds=10_000)
    sizes = [(tmp_path / chunk.name).stat().st_size for chunk in chunks]
    assert max(sizes) <= 100_000
    assert len(chunks) >= source.stat().st_size / 100_000


def test_speech_model_gets_mono_at_16_khz(tmp_path: Path, recording: Recording) -> None:
    source = tmp_path / "audio"
    save_wav(recording, source)
    chunks = decode_for_speech(source, tmp_path, max_seconds=16)
    found = [
        (round(start * 1000) + chunk.start_ms, round(end * 1000) + chunk.start_ms)
        for chunk in chunks
        for start, end in spoken_intervals((tmp_path / chunk.name).read_bytes())
    ]
    assert len(chunks) > 2
    assert_intervals(found, recording)


@pytest.mark.parametrize("data", [b"", b"not audio at all" * 100, b"ID3\x04" + bytes(1000), b"<html>404</html>"])
def test_not_audio(tmp_path: Path, data: bytes) -> None:
    source = tmp_path / "audio"
    source.write_bytes(data)
    with pytest.raises(UnreadableAudioError):
        cut_audio(source, tmp_path, max_bytes=10**6, max_seconds=60)
    with pytest.raises(UnreadableAudioError):
        decode_for_speech(source, tmp_path, max_seconds=60)


def test_audio_becomes_a_transcript(
    host: Host, transcribing_runner: PodcastRunner, service: Service, recording: Recording
) -> None:
    audio = encoded(recording, *ENCODINGS["mp3"])
    url = feed_of(host, audio, failures=[Failure(cut_after=len(audio) // 2)])
    service.failures = [500]
    config = {"transcribe_missing": True, "transcription_max_seconds": 30, "keep_audio": "transcribed"}
    assert transcribing_runner.one(url, **config).counts["new"] == 1
    (document,) = transcribing_runner.metadata(url)
    assert (document["transcript"]["source"], document["transcript"]["model"]) == ("openai", "whisper-1")
    assert document["transcript"]["language"] == "en"
    vtt_text = (transcribing_runner.folder(url).transcripts / "0001 - Episode 1.vtt").read_text()
    assert "Speech of" in vtt_text
    assert_intervals([(each.start_ms or 0, each.end_ms or 0) for each in parse_captions(vtt_text)], recording)
    first = service.requests[0]
    assert (first["path"], first["model"], first["language"]) == ("/v1/audio/transcriptions", b"whisper-1", b"en")
    assert (first["response_format"], first["timestamp_granularities[]"]) == (b"verbose_json", b"segment")
    assert first["filename"] == ["piece-001.mp3"]
    assert sum(each.sent for each in host.requests_to("/a.mp3")) == len(audio)
    (kept,) = transcribing_runner.folder(url).audio.iterdir()
    assert (kept.name, kept.read_bytes()) == ("0001 - Episode 1.mp3", audio)
    asked = len(service.requests)
    assert transcribing_runner.one(url, **config).counts["unchanged"] == 1
    assert len(service.requests) == asked


def test_chunk_that_was_transcribed_is_not_sent_again(
    host: Host, transcribing_runner: PodcastRunner, service: Service, recording: Recording
) -> None:
    audio = encoded(recording, *ENCODINGS["mp3"])
    url = feed_of(host, audio)
    config = {
        "transcribe_missing": True,
        "transcription_max_seconds": 30,
        "http_retry_total": 0,
        "episode_retry_max": 0,
    }
    assert transcribing_runner.one(url, **config, max_audio_bytes=1000).failures[0]["code"] == "max_bytes_exceeded"
    service.break_after = 2
    assert transcribing_runner.one(url, **config).failures[0]["code"] == "http_503"
    service.break_after = None
    assert transcribing_runner.one(url, **config).counts["new"] == 1
    sent = [each["filename"][0] for each in service.requests]
    assert sent[:4] == ["piece-001.mp3", "piece-002.mp3", "piece-003.mp3", "piece-003.mp3"]
    assert len(sent) == len(set(sent)) + 1
    assert len(host.requests_to("/a.mp3")) == 2  # the one that was too large, and the one that was kept


def test_each_chunk_has_its_own_retries(
    host: Host, transcribing_runner: PodcastRunner, service: Service, recording: Recording
) -> None:
    """And an episode that is processed again does not get them again."""
    url = feed_of(host, encoded(recording, *ENCODINGS["mp3"]))
    service.failures = [503, 503]
    service.break_after = 3
    config = {"transcribe_missing": True, "transcription_max_seconds": 30, "http_retry_total": 2}
    assert transcribing_runner.one(url, **config, episode_retry_max=1).failures[0]["code"] == "http_503"
    sent = [each["filename"][0] for each in service.requests]
    assert sent == ["piece-001.mp3"] * 3 + ["piece-002.mp3"] * 4


@pytest.mark.parametrize(
    ("model", "speakers", "segments"),
    [("gpt-4o-transcribe-diarize", ["A"], 6), ("gpt-4o-transcribe", [], 1), ("whisper-large-v3", [], 6)],
)
def test_response_formats_of_models(
    host: Host, transcribing_runner: PodcastRunner, model: str, speakers: list[str], segments: int
) -> None:
    url = feed_of(host, encoded(record(), *ENCODINGS["mp3"]))
    assert transcribing_runner.one(url, transcribe_missing=True, transcription_model=model).counts["new"] == 1
    transcript = transcribing_runner.metadata(url)[0]["transcript"]
    assert (transcript["speakers"], transcript["segments"], transcript["timed"]) == (speakers, segments, True)


def test_transcription_only_if_the_publishers_transcript_fails(
    host: Host, transcribing_runner: PodcastRunner, service: Service
) -> None:
    audio = host.put("/a.mp3", encoded(record(), *ENCODINGS["mp3"]), "audio/mpeg")
    good = host.put("/t.vtt", vtt("Ada: Hello."), "text/vtt")
    items = [
        item(2, audio=audio, transcripts=((good, "text/vtt"),)),
        item(1, audio=audio, transcripts=((f"{host.url}/gone.vtt", "text/vtt"),)),
    ]
    url = host.put("/feed.xml", rss(items), "application/rss+xml")
    assert transcribing_runner.one(url, transcribe_missing=True).counts["new"] == 2
    assert [each["transcript"]["source"] for each in transcribing_runner.metadata(url)] == ["openai", "publisher"]
    assert len(service.requests) == 1
    assert [(each["code"], each["lost"]) for each in transcribing_runner.incidents()] == [("http_404", False)]


def test_errors_of_the_service_are_reported(host: Host, transcribing_runner: PodcastRunner, service: Service) -> None:
    service.key = "another"
    url = feed_of(host, encoded(record(), *ENCODINGS["mp3"]))
    (failure,) = transcribing_runner.one(url, transcribe_missing=True).failures
    assert failure["code"] == "http_401"
    assert "Incorrect API key" in failure["message"]
    assert "sk-test" not in str(transcribing_runner.incidents())


def test_without_a_key_or_a_model(host: Host, runner: PodcastRunner) -> None:
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
    assert host.requests_to("/a.mp3") == []  # nothing was fetched


def test_whisper_is_not_loaded_before_it_is_needed(host: Host, runner: PodcastRunner) -> None:
    where = host.put("/t.vtt", vtt("Ada: Hello."), "text/vtt")
    url = host.put("/feed.xml", rss([item(1, transcripts=((where, "text/vtt"),))]), "application/rss+xml")
    assert runner.one(url, transcribe_missing=True, transcription_provider="whisper").counts["new"] == 1
    assert "faster_whisper" not in sys.modules
    assert PodcastConfig().transcription_provider == "openai"
