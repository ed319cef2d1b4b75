"""Transcription by any service with OpenAI's ``/audio/transcriptions``, in the cloud or on a local machine."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ada_url

from nexus.errors import HttpStatusError, TranscriptionFailedError, TranscriptionUnavailableError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.client import FIRST_FAILURE, FeedClient, FetchPolicy
from nexus.podcasts.transcribe.chunks import AudioChunk
from nexus.podcasts.transcripts.segments import Segment
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress, Limits
from nexus.web.egress.politeness import retry_after

OFFICIAL = "https://api.openai.com/v1"
MAX_RESPONSE_BYTES = 32_000_000
MEDIA_TYPES = {
    ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".flac": "audio/flac", ".wav": "audio/wav",
}  # fmt: skip


@dataclass(frozen=True)
class Endpoint:
    base_url: str
    api_key: str | None

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + "/audio/transcriptions"

    def allowed_address(self) -> str:
        """The operator configured this host and port, so it is allowed even if it is private."""
        parsed = ada_url.URL(self.base_url)
        return f"{parsed.hostname}:{parsed.port or (443 if parsed.protocol == 'https:' else 80)}"


class OpenAiProvider:
    name = "openai"

    def __init__(self, endpoint: Endpoint, config: PodcastConfig, policy: FetchPolicy, pool: ProcessPool) -> None:
        self.model = config.transcription_model
        self.cut_key = f"openai-{config.transcription_max_bytes}-{config.transcription_max_seconds}"
        self._endpoint = endpoint
        self._config = config
        self._egress: Egress = policy.egress
        self._client = FeedClient(policy, config, endpoint.url)
        self._pool = pool

    def check(self) -> None:
        if self._endpoint.base_url == OFFICIAL and not self._endpoint.api_key:
            raise TranscriptionUnavailableError(
                "Making transcripts needs OPENAI_API_KEY in the environment, or OPENAI_BASE_URL of your own service."
            )

    def cut(self, audio: Path, folder: Path) -> list[AudioChunk]:
        from nexus.podcasts.transcribe.audio import cut_audio  # noqa: PLC0415 - takes 0.3 s, and most runs cut nothing

        limits = {
            "max_bytes": self._config.transcription_max_bytes,
            "max_seconds": self._config.transcription_max_seconds,
        }
        return self._pool.run(cut_audio, audio, folder, **limits)

    def transcribe(self, chunk: Path, *, duration_ms: int, language: str | None) -> list[Segment]:
        policy = self._client.file_retries
        document = self._client.with_retries(
            self._endpoint.url, policy, lambda: self._request(chunk, language), key=str(chunk)
        )
        return segments_of(document, duration_ms)

    def _request(self, chunk: Path, language: str | None) -> Any:
        fields = {"model": self.model, **response_format(self.model)}
        if language:
            fields["language"] = language.partition("-")[0]
        content_type, content = multipart(fields, chunk)
        headers = {"content-type": content_type, "accept": "application/json", "user-agent": self._config.user_agent}
        if self._endpoint.api_key:
            headers["authorization"] = f"Bearer {self._endpoint.api_key}"
        seconds = float(self._config.transcription_timeout)
        limits = Limits(MAX_RESPONSE_BYTES, float(self._config.timeout), seconds, seconds, max_redirects=0)
        response = self._egress.fetch(
            self._endpoint.url, method="POST", headers=headers, content=content, limits=limits
        )
        if response.status >= FIRST_FAILURE:
            raise HttpStatusError(
                f"The transcription service responded with status {response.status}: {_reason(response.body)}",
                http_status=response.status,
                retry_after=retry_after(response.headers),
            )
        try:
            return json.loads(response.body)
        except ValueError:
            raise TranscriptionFailedError("The transcription service did not respond with JSON.") from None


def response_format(model: str) -> dict[str, str]:
    """Only Whisper models return segments with times; the newer ones return text alone, or text by speaker."""
    if "diarize" in model:
        return {"response_format": "diarized_json", "chunking_strategy": "auto"}
    if model.startswith("gpt-"):
        return {"response_format": "json"}
    return {"response_format": "verbose_json", "timestamp_granularities[]": "segment"}


def multipart(fields: dict[str, str], file: Path) -> tuple[str, bytes]:
    boundary = f"nexus-{secrets.token_hex(16)}"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    kind = MEDIA_TYPES.get(file.suffix, "application/octet-stream")
    head = f'Content-Disposition: form-data; name="file"; filename="{file.name}"\r\nContent-Type: {kind}\r\n\r\n'
    parts += [f"--{boundary}\r\n{head}".encode(), file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()]
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


def segments_of(document: Any, duration_ms: int) -> list[Segment]:
    """The service's segments; without any, one segment with the text of the whole chunk."""
    if not isinstance(document, dict):
        raise TranscriptionFailedError("The transcription service responded in an unknown format.")
    listed = document.get("segments")
    try:
        if isinstance(listed, list) and listed:
            return [
                Segment(
                    str(each["text"]), round(float(each["start"]) * 1000), round(float(each["end"]) * 1000),
                    each.get("speaker") or None,
                )
                for each in listed
            ]  # fmt: skip
        text = str(document["text"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise TranscriptionFailedError("The transcription service responded in an unknown format.") from None
    return [Segment(text, 0, duration_ms)] if text.strip() else []


def _reason(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:200]
    except (ValueError, KeyError, TypeError):
        return "it gave no reason."
