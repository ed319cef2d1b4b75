"""Speech recognition on this machine, tested without the weights of a real model.

    pip install 'nexus[whisper]'; python -m bench.whisper

A tiny model with random weights runs in the real provider on speech from espeak-ng: loaded once, audio cut, chunks
transcribed and joined; and a missing model is reported before any audio is read.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from bench.whisper.tiny_model import make_model
from nexus.errors import TranscriptionUnavailableError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.pacing import StopFlag
from nexus.podcasts.transcribe.provider import transcribe
from nexus.podcasts.transcribe.whisper import WhisperProvider
from nexus.text.process_pool import ProcessPool
from tests.podcasts.speech import record, save_wav

CHUNK_SECONDS = 30


def provider(pool: ProcessPool, model: str) -> WhisperProvider:
    config = PodcastConfig(
        whisper_model=model, whisper_device="cpu", whisper_compute_type="default",
        whisper_local_files_only=True, transcription_max_seconds=CHUNK_SECONDS,
    )  # fmt: skip
    return WhisperProvider(config, pool)


def refusal(whisper: WhisperProvider) -> str:
    try:
        whisper.check()
    except TranscriptionUnavailableError as error:
        return error.message
    raise RuntimeError("a missing model was accepted")


def measure(folder: Path, pool: ProcessPool) -> dict[str, Any]:
    save_wav(record(times=3), folder / "audio")
    whisper = provider(pool, str(make_model(folder / "model")))
    whisper.check()
    heard = transcribe(whisper, folder / "audio", folder / "pieces", language="en", stop=StopFlag()).segments
    times = [moment for segment in heard for moment in (segment.start_ms, segment.end_ms)]
    (listing,) = (folder / "pieces").rglob("pieces.json")
    pieces = json.loads(listing.read_text())
    end_ms = pieces[-1]["end_ms"]
    return {
        "seconds_of_speech": round(end_ms / 1000),
        "pieces": len(pieces),
        "segments": len(heard),
        "all_within_the_audio": all(moment is not None and 0 <= moment <= end_ms for moment in times),
        "in_order": times == sorted(times, key=lambda moment: moment or 0),
        "missing_folder": refusal(provider(pool, str(folder / "nothing"))).replace(str(folder), "…"),
        "missing_download": refusal(provider(pool, "no-such/model")),
    }


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        ProcessPool(workers=1, deadline_seconds=300, memory_bytes=2 << 30) as pool,
    ):
        print(json.dumps(measure(Path(name), pool), indent=1))


if __name__ == "__main__":
    main()
