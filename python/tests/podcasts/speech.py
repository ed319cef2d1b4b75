"""Speech from espeak-ng with known pauses, and a transcription service that finds the spoken intervals."""

import io
import json
import subprocess
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np

from tests.loopback_server import LoopbackServer, QuietHandler, running

RATE = 22_050
SENTENCES = (
    "This is the first sentence of our show.", "Here comes another one, a little longer than that.",
    "Number three is short.", "The fourth sentence talks about the weather.", "Five.", "And with this we say goodbye.",
)  # fmt: skip
GAP_SECONDS = 1.2


@dataclass(frozen=True, eq=False)
class Recording:
    samples: Any
    spoken: list[tuple[float, float]]  # intervals of speech, in seconds


@cache
def record(times: int = 1) -> Recording:
    """All sentences, each followed by silence, ``times`` times."""
    silence = np.zeros(int(GAP_SECONDS * RATE), dtype="<i2")
    parts, spoken, now = [], [], 0.0
    voices = [_say(sentence) for sentence in SENTENCES]
    for voice in voices * times:
        loud = np.flatnonzero(np.abs(voice.astype(int)) > 300)
        spoken.append((now + loud[0] / RATE, now + loud[-1] / RATE))
        parts += [voice, silence]
        now += (voice.size + silence.size) / RATE
    return Recording(np.concatenate(parts), spoken)


def _say(sentence: str) -> Any:
    done = subprocess.run(["espeak-ng", "--stdout", "-s", "150", sentence], capture_output=True, check=True)
    data = done.stdout[44:]  # after the header, whose length field is a placeholder in a pipe
    return np.frombuffer(data[: len(data) // 2 * 2], dtype="<i2")


@cache
def encoded(recording: Recording, container: str, codec: str, rate: int = RATE) -> bytes:
    out = io.BytesIO()
    with av.open(out, "w", format=container) as file:
        stream: Any = file.add_stream(codec, rate=rate, layout="mono")
        resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=rate)
        frame = av.AudioFrame.from_ndarray(recording.samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = RATE
        for ready in [*resampler.resample(frame), *resampler.resample(None)]:
            for packet in stream.encode(ready):
                file.mux(packet)
        for packet in stream.encode(None):
            file.mux(packet)
    return out.getvalue()


def spoken_intervals(audio: bytes) -> list[tuple[float, float]]:
    """Intervals of sound with less than half a second of silence inside."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
    with av.open(io.BytesIO(audio), "r") as file:
        blocks = [ready.to_ndarray().ravel() for frame in file.decode(audio=0) for ready in resampler.resample(frame)]
    samples = np.abs(np.concatenate(blocks).astype(int))
    loud = np.flatnonzero(samples > 300)
    if not loud.size:
        return []
    breaks = np.flatnonzero(np.diff(loud) > 8000)
    starts = [loud[0], *(loud[index + 1] for index in breaks)]
    ends = [*(loud[index] for index in breaks), loud[-1]]
    return [(float(start) / 16_000, float(end) / 16_000) for start, end in zip(starts, ends, strict=True)]


@dataclass
class Service:
    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    key: str | None = "sk-test"
    break_after: int | None = None  # responds with 503 from then on


class _Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        form = message_from_bytes(b"Content-Type: " + self.headers["content-type"].encode() + b"\r\n\r\n" + body)
        fields: dict[str, Any] = {}
        parts: Any = form.get_payload()
        for part in parts:
            fields[part.get_param("name", header="content-disposition")] = part.get_payload(decode=True)
        names = [part.get_filename() for part in parts if part.get_filename()]
        self.service.requests.append({"path": self.path, "filename": names, **fields})
        if self.service.key and self.headers["authorization"] != f"Bearer {self.service.key}":
            return self._respond(401, {"error": {"message": "Incorrect API key provided"}})
        if self.service.break_after is not None and len(self.service.requests) > self.service.break_after:
            return self._respond(503, {"error": "out of order"})
        if self.service.failures:
            return self._respond(self.service.failures.pop(0), {"error": {"message": "the engine is overloaded"}})
        if self.path != "/v1/audio/transcriptions" or not {"file", "model"} <= set(fields):
            return self._respond(400, {"error": {"message": "file and model are needed"}})
        found = spoken_intervals(fields["file"])
        segments: list[dict[str, Any]] = [
            {"start": s, "end": e, "text": f" Speech of {e - s:.1f} seconds."} for s, e in found
        ]
        text = "".join(each["text"] for each in segments)
        response_format = fields.get("response_format", b"json").decode()
        if response_format == "diarized_json":
            segments = [each | {"speaker": "A"} for each in segments]
        return self._respond(200, {"text": text} | ({"segments": segments} if response_format != "json" else {}))

    def _respond(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def transcription_service() -> Iterator[Service]:
    handler = type("Handler", (_Handler,), {})
    server = LoopbackServer(("127.0.0.1", 0), handler)
    service = Service(f"http://127.0.0.1:{server.server_address[1]}/v1")
    handler.service = service  # type: ignore[attr-defined]
    with running(server):
        yield service


def save_wav(recording: Recording, path: Path) -> None:
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(recording.samples.tobytes())
