"""Errors of pictures. Messages contain neither the URL nor why our own rules refused it."""

from nexus.errors.base import NexusError


class ImageError(NexusError):
    pass


class ImageUnavailableError(ImageError):
    status = 502
    code = "image_unavailable"


class ImageTimeoutError(ImageError):
    status = 504
    code = "image_timeout"


class ImageTooLargeError(ImageError):
    status = 413
    code = "image_too_large"


class NotAnImageError(ImageError):
    status = 415
    code = "not_an_image"


class PictureGoneError(ImageError):
    """Its site does not have it any more, and it was not kept before."""

    status = 404
    code = "picture_gone"


class PictureRefusedError(ImageError):
    """It was fetched, or was to be, and is not kept."""

    status = 404
    code = "picture_refused"
