"""Errors of pictures. Messages contain neither the URL nor why our own rules refused it."""

from nexus.errors.base import NexusError


class PictureError(NexusError):
    pass


class PictureUnavailableError(PictureError):
    status = 502
    code = "image_unavailable"


class PictureTimeoutError(PictureError):
    status = 504
    code = "image_timeout"


class PictureTooLargeError(PictureError):
    status = 413
    code = "image_too_large"


class NotAPictureError(PictureError):
    status = 415
    code = "not_an_image"


class PictureGoneError(PictureError):
    """Its site does not have it any more, and it was not kept before."""

    status = 404
    code = "picture_gone"


class PictureRefusedError(PictureError):
    """It was fetched, or was to be, and is not kept."""

    status = 404
    code = "picture_refused"
