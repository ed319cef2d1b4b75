"""Errors of pages that are saved from a browser, and of pairing that browser."""

from nexus.errors.base import ConflictError, NexusError


class EmptyCaptureError(NexusError):
    status = 422
    code = "empty_capture"


class UnreadableCaptureError(NexusError):
    status = 422
    code = "unreadable_capture"


class UnsupportedBodyError(NexusError):
    status = 415
    code = "unsupported_body"


class PairedTokenError(NexusError):
    status = 403
    code = "paired_token"


class UnknownPairingCodeError(NexusError):
    status = 404
    code = "unknown_pairing_code"


class TooManyPairingsError(ConflictError):
    code = "too_many_pairings"
