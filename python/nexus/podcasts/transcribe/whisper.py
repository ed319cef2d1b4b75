"""Transcription on this machine with faster-whisper, which is loaded when first needed."""

import threading
import wave
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nexus.errors import TranscriptionFailedError, TranscriptionUnavailableError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.transcribe.chunks import AudioChunk
from nexus.podcasts.transcripts.segments import Segment
from nexus.text.process_pool import ProcessPool

MISSING = "Making transcripts on this machine needs faster-whisper: pip install 'nexus[whisper]'."


class WhisperProvider:
    name = "whisper"

    def __init__(self, config: PodcastConfig, pool: ProcessPool) -> None:
        self.model = config.whisper_model
        self.cut_key = f"whisper-{config.transcription_max_seconds}"
        self._config = config
        self._pool = pool
        self._lock = threading.Lock()  # one model, one chunk at a time: two would compete for the same cores
        self._loaded: Any = None
        self._failure: str | None = None

    def check(self) -> None:
        """Loads the model, so that no audio is fetched for one that cannot be loaded."""
        folder = Path(self.model).expanduser()
        if self.model.startswith(("/", "./", "../", "~")) and not (folder / "model.bin").is_file():
            raise TranscriptionUnavailableError(f"There is no speech model in {folder}: it should hold a model.bin.")
        if find_spec("faster_whisper") is None:
            raise TranscriptionUnavailableError(MISSING)
        if self._loaded is None:  # else it may be busy with another episode, for minutes
            with self._lock:
                self._load()

    def cut(self, audio: Path, folder: Path) -> list[AudioChunk]:
        from nexus.podcasts.transcribe.audio import decode_for_speech  # noqa: PLC0415 - 0.3 s; most runs cut nothing

        return self._pool.run(decode_for_speech, audio, folder, max_seconds=self._config.transcription_max_seconds)

    def transcribe(self, chunk: Path, *, duration_ms: int, language: str | None) -> list[Segment]:
        with self._lock:
            model = self._load()
            try:
                transcribed, _ = model.transcribe(_samples(chunk), language=language, vad_filter=True)
                found = [Segment(each.text, round(each.start * 1000), round(each.end * 1000)) for each in transcribed]
            except (RuntimeError, ValueError) as error:
                raise TranscriptionFailedError(f"The speech model failed: {str(error)[:200]}.") from error
        return [each for each in found if (each.start_ms or 0) <= duration_ms]

    def _load(self) -> Any:
        if self._failure:  # do not let each episode wait for the same download to fail
            raise TranscriptionUnavailableError(self._failure)
        if self._loaded is None:
            from faster_whisper import WhisperModel  # noqa: PLC0415 - takes seconds and hundreds of megabytes

            try:
                self._loaded = WhisperModel(
                    str(Path(self.model).expanduser()) if self.model.startswith("~") else self.model,
                    device=self._config.whisper_device,
                    compute_type=self._config.whisper_compute_type,
                    local_files_only=self._config.whisper_local_files_only,
                )
            except Exception as error:  # the download may fail in any of several libraries
                self._failure = f"The speech model {self.model!r} cannot be loaded: {str(error)[:200]}."
                raise TranscriptionUnavailableError(self._failure) from error
        return self._loaded


def _samples(chunk: Path) -> Any:
    import numpy as np  # noqa: PLC0415 - as above

    with wave.open(str(chunk), "rb") as recorded:
        data = recorded.readframes(recorded.getnframes())
    return np.frombuffer(data, dtype="<i2").astype(np.float32) / 32768.0
