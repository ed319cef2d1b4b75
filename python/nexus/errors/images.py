"""Errors of the image proxy. Messages contain neither the URL nor why our own rules refused it."""

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
