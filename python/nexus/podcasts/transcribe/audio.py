"""Cuts audio into chunks a transcription service accepts. Runs in a child process: the bytes are untrusted."""

import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.resampler import AudioResampler

from nexus.errors import UnreadableAudioError
from nexus.podcasts.transcribe.chunks import AudioChunk

# Codec → container that holds it, as transcription services know them.
CONTAINERS = {
    "mp3": "mp3", "mp3float": "mp3", "aac": "ipod", "opus": "ogg", "vorbis": "ogg", "flac": "flac",
    "pcm_s16le": "wav", "pcm_s24le": "wav", "pcm_s32le": "wav", "pcm_f32le": "wav", "pcm_u8": "wav",
}  # fmt: skip
SUFFIXES = {"mp3": ".mp3", "ipod": ".m4a", "ogg": ".ogg", "flac": ".flac", "wav": ".wav"}
# The formats that are kept and played too (podcasts/audio_type.py). FFmpeg would guess among hundreds by what the bytes
# look like, playlists and lists of files among them, which make it open other files and addresses.
DEMUXERS = "aac,flac,matroska,mov,mp3,ogg,wav"
ONLY_THIS_FILE = {"format_whitelist": DEMUXERS, "protocol_whitelist": "file"}
QUIET_WINDOW = 12.0  # seconds before the latest possible cut in which to cut at the quietest moment
QUIET_PACKETS = 20  # of some 25 ms
QUIET_BLOCKS = 7  # of 100 ms
SPEECH_RATE = 16_000


def cut_audio(source: Path, folder: Path, *, max_bytes: int, max_seconds: int) -> list[AudioChunk]:
    """Decodes only the seconds around each cut; a file that fits is one chunk."""
    try:
        return _Cutter(source, folder, max_bytes, max_seconds).cut()
    except (av.FFmpegError, ValueError) as error:
        raise UnreadableAudioError(f"The audio cannot be read: {str(error)[:200]}.") from None


def decode_for_speech(source: Path, folder: Path, *, max_seconds: int) -> list[AudioChunk]:
    """16 kHz mono WAV chunks, the input of speech models."""
    try:
        return _decoded_chunks(source, folder, max_seconds)
    except (av.FFmpegError, ValueError) as error:
        raise UnreadableAudioError(f"The audio cannot be read: {str(error)[:200]}.") from None


def _opened(source: Path) -> Any:
    return av.open(f"file:{source}", options=ONLY_THIS_FILE)


class _Cutter:
    def __init__(self, source: Path, folder: Path, max_bytes: int, max_seconds: int) -> None:
        self._source = source
        self._folder = folder
        self._max_bytes = max_bytes * 95 // 100  # a container adds to what it holds
        self._max_seconds = float(max_seconds)
        self._chunks: list[AudioChunk] = []

    def cut(self) -> list[AudioChunk]:
        with _opened(self._source) as container:
            if not container.streams.audio:
                raise UnreadableAudioError("The file holds no audio.")
            stream = container.streams.audio[0]
            name = stream.codec_context.name
            if name not in CONTAINERS:
                raise UnreadableAudioError(f"Audio of the kind {name} cannot be cut.")
            self._format = CONTAINERS[name]
            pending: list[tuple[Any, float]] = []
            size = 0
            for packet in container.demux(stream):
                if packet.size == 0 or packet.pts is None:
                    continue
                pending.append((packet, max(0.0, float(packet.pts * packet.time_base))))
                size += packet.size
                if size > self._max_bytes or pending[-1][1] - pending[0][1] >= self._max_seconds:
                    pending = self._write(stream, pending, self._quietest(pending))
                    size = sum(packet.size for packet, _ in pending)
            if pending:
                self._write(stream, pending, len(pending))
        if not self._chunks:
            raise UnreadableAudioError("The audio is empty.")
        return self._chunks

    def _quietest(self, pending: list[tuple[Any, float]]) -> int:
        """The packet before which to cut: the quietest of the last seconds, so as not to cut a word."""
        latest = pending[-1][1]
        loudness: list[tuple[float, int]] = []
        for index, (packet, seconds) in enumerate(pending):
            if seconds >= max(latest - QUIET_WINDOW, pending[0][1] + 1):
                loudness.append((_loudness(packet), index))
        if not loudness:
            return len(pending)
        return loudness[_middle_of_quiet([value for value, _ in loudness], QUIET_PACKETS)][1] or len(pending)

    def _write(self, stream: Any, pending: list[tuple[Any, float]], end: int) -> list[tuple[Any, float]]:
        """Writes the packets before ``end`` to a file and returns the others."""
        number = len(self._chunks) + 1
        name = f"piece-{number:03d}{SUFFIXES[self._format]}"
        start = pending[0][1]
        last, last_seconds = pending[end - 1]
        stop = pending[end][1] if end < len(pending) else last_seconds + float((last.duration or 0) * last.time_base)
        with av.open(str(self._folder / name), "w", format=self._format) as out:
            target = out.add_stream_from_template(stream)
            first = pending[0][0].pts
            for packet, _ in pending[:end]:
                packet.pts = packet.dts = packet.pts - first
                packet.stream = target
                out.mux(packet)
        self._chunks.append(AudioChunk(name, round(start * 1000), round(stop * 1000)))
        return pending[end:]


def _middle_of_quiet(loudness: Any, width: int) -> int:
    """The middle of the quietest stretch, which is long enough to prefer the end of a sentence to a comma."""
    width = min(width, len(loudness))
    level = np.convolve(loudness, np.ones(width) / width, mode="valid")
    return int(np.argmin(level)) + width // 2


def _loudness(packet: Any) -> float:
    try:
        frames = packet.decode()
    except av.FFmpegError:
        return float("inf")  # the first packets after a seek may not decode; do not cut there
    samples = [frame.to_ndarray().astype(np.float64).ravel() for frame in frames]
    joined = np.concatenate(samples) if samples else np.zeros(0)
    return float(np.sqrt(np.mean(joined**2))) if joined.size else float("inf")


def _decoded_chunks(source: Path, folder: Path, max_seconds: int) -> list[AudioChunk]:
    resampler = AudioResampler(format="s16", layout="mono", rate=SPEECH_RATE)
    writer = _WavWriter(folder, max_seconds)
    with _opened(source) as container:
        if not container.streams.audio:
            raise UnreadableAudioError("The file holds no audio.")
        for frame in container.decode(container.streams.audio[0]):
            frame.pts = None
            for resampled in resampler.resample(frame):
                writer.add(resampled.to_ndarray().ravel().astype("<i2"))
        for resampled in resampler.resample(None):
            writer.add(resampled.to_ndarray().ravel().astype("<i2"))
    return writer.finish()


class _WavWriter:
    """Chunks end at the quietest moment of their last seconds."""

    def __init__(self, folder: Path, max_seconds: int) -> None:
        self._folder = folder
        self._full = max_seconds * SPEECH_RATE
        self._pending: list[Any] = []
        self._size = 0
        self._done = 0
        self._chunks: list[AudioChunk] = []

    def add(self, samples: Any) -> None:
        self._pending.append(samples)
        self._size += samples.size
        if self._size >= self._full:
            joined = np.concatenate(self._pending)
            end = _quiet_sample(joined)
            self._write(joined[:end])
            self._pending, self._size = [joined[end:]], joined.size - end

    def finish(self) -> list[AudioChunk]:
        if self._size:
            self._write(np.concatenate(self._pending))
        if not self._chunks:
            raise UnreadableAudioError("The audio is empty.")
        return self._chunks

    def _write(self, samples: Any) -> None:
        name = f"piece-{len(self._chunks) + 1:03d}.wav"
        with wave.open(str(self._folder / name), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(SPEECH_RATE)
            out.writeframes(samples.tobytes())
        start, self._done = self._done, self._done + samples.size
        self._chunks.append(AudioChunk(name, start * 1000 // SPEECH_RATE, self._done * 1000 // SPEECH_RATE))


def _quiet_sample(samples: Any) -> int:
    window = SPEECH_RATE // 10
    begin = max(0, samples.size - int(QUIET_WINDOW * SPEECH_RATE))
    blocks = (samples.size - begin) // window
    tail = samples[begin : begin + blocks * window].astype(np.float64).reshape(blocks, window)
    quietest = _middle_of_quiet(np.mean(tail**2, axis=1), QUIET_BLOCKS)
    return int(begin + quietest * window + window // 2)
