"""Errors of feeds, their specs, episodes and transcripts."""

from nexus.errors.base import ConfigError, NexusError
from nexus.errors.egress import EgressError


class YamlDocumentError(ConfigError):
    """A YAML file is not valid YAML; the message has the line."""

    status = 422
    code = "invalid_yaml"


class FeedsSpecError(ConfigError):
    """A list of feeds is wrong; the message has the file, the entry and the key."""

    status = 400
    code = "invalid_feeds_spec"


class PodcastConfigError(ConfigError):
    """The podcast configuration is wrong; the message has the file and the key."""

    status = 422
    code = "invalid_podcast_config"


class CircuitOpenError(EgressError):
    """The feed or host kept failing; no requests are sent for a while."""

    code = "circuit_open"
    retryable = True


class RunStoppedError(NexusError):
    """The run was stopped; unfinished episodes wait for the next run."""

    code = "stopped"


class NotAFeedError(NexusError):
    """The response of a feed's URL is not a feed."""

    code = "not_a_feed"


class UnreadableTranscriptError(NexusError):
    code = "unreadable_transcript"


class NoTranscriptError(NexusError):
    """The publisher has no transcript, and making one was not requested or not possible."""

    code = "no_transcript"


class UnreadableAudioError(NexusError):
    code = "unreadable_audio"


class TranscriptionUnavailableError(NexusError):
    """Transcripts are to be made, and the program for it is not installed."""

    code = "transcription_unavailable"


class TranscriptionFailedError(NexusError):
    code = "transcription_failed"


class CorpusBusyError(NexusError):
    status = 409
    code = "corpus_busy"
