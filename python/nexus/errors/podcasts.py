"""What can go wrong with feeds, their specs, their episodes and transcripts."""

from nexus.errors.base import ConfigError, NexusError
from nexus.errors.egress import EgressError


class YamlDocumentError(ConfigError):
    """A YAML file cannot be read as one; says the line."""

    status = 422
    code = "invalid_yaml"


class FeedsSpecError(ConfigError):
    """A list of feeds is wrong; says the file, the entry and the key."""

    status = 400
    code = "invalid_feeds_spec"


class PodcastConfigError(ConfigError):
    """The podcast configuration is wrong; says the file and the key."""

    status = 422
    code = "invalid_podcast_config"


class CircuitOpenError(EgressError):
    """The feed or host kept failing and is left alone for a while."""

    code = "circuit_open"
    retryable = True


class RunStoppedError(NexusError):
    """The run was told to stop; what it has not finished waits for the next one."""

    code = "stopped"


class NotAFeedError(NexusError):
    """The bytes behind a feed's address are no feed."""

    code = "not_a_feed"


class UnreadableTranscriptError(NexusError):
    code = "unreadable_transcript"


class NoTranscriptError(NexusError):
    """The publisher has no transcript, and making one was not asked for or not possible."""

    code = "no_transcript"


class UnreadableAudioError(NexusError):
    code = "unreadable_audio"


class TranscriptionUnavailableError(NexusError):
    """Transcripts are to be made, and what makes them is missing here."""

    code = "transcription_unavailable"


class TranscriptionFailedError(NexusError):
    code = "transcription_failed"


class CorpusBusyError(NexusError):
    status = 409
    code = "corpus_busy"
