"""Untrusted bytes in, a picture or an error out. The content type of the response is ignored."""

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from nexus.errors import NotAPictureError, PictureTooLargeError

# Formats that every browser shows are passed on; older ones are converted. SVG is markup, not a picture.
SHOWN = {"AVIF": "image/avif", "GIF": "image/gif", "JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
CONVERTED = ("BMP", "ICO", "TIFF")
MAX_SIDE = 4096
# A picture that is narrow enough and has no more bytes than this is passed on.
SMALL_BYTES = 30_000
SIDEWAYS = (5, 6, 7, 8)  # the orientations of EXIF that swap width and height
WEBP_QUALITY = 80
CHECK_SECONDS = 20.0  # of one call: 16 million pixels take 1 s; the first call also loads the decoders


@dataclass(frozen=True)
class Picture:
    content_type: str
    data: bytes


@dataclass(frozen=True)
class CheckedPicture(Picture):
    width: int
    height: int


def check_picture(data: bytes) -> CheckedPicture:
    """Run it in a ProcessPool: decoders have had security holes."""
    try:
        with warnings.catch_warnings():
            # It warns about what the next lines refuse.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=[*SHOWN, *CONVERTED])
        if max(image.size) > MAX_SIDE:
            raise PictureTooLargeError(f"The picture is larger than {MAX_SIDE} pixels per side.")
        image.load()
        if image.format in SHOWN:
            return CheckedPicture(SHOWN[image.format], data, *image.size)
        return CheckedPicture("image/png", _as_png(image), *image.size)
    except Image.DecompressionBombError:
        raise PictureTooLargeError(f"The picture is larger than {MAX_SIDE} pixels per side.") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        raise NotAPictureError("The site sent something that is not a picture, or a damaged one.") from None


def picture_sizes(pictures: Sequence[bytes]) -> list[tuple[str, int, int] | None]:
    """Content type, width and height of what was a checked picture once; None: it is none that may be kept.

    For many at once, so they are not decoded: one that is damaged further on is found when it is shown.
    """
    return [_size(data) for data in pictures]


def _size(data: bytes) -> tuple[str, int, int] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=list(SHOWN))
    except (Image.DecompressionBombError, UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        return None
    known = SHOWN.get(image.format or "")
    return (known, *image.size) if known and min(image.size) >= 1 and max(image.size) <= MAX_SIDE else None


def is_small(picture_width: int, size: int, width: int) -> bool:
    """Whether it needs no copy of this width."""
    return picture_width <= width and size <= SMALL_BYTES


def shrink_picture(data: bytes, width: int) -> Picture:
    """A copy at most ``width`` wide of a picture that ``check_picture`` let through; of a moving one, the first frame.

    Run it in a ProcessPool as well.
    """
    try:
        image: Image.Image = Image.open(io.BytesIO(data), formats=list(SHOWN))
        if image.format in SHOWN and is_small(image.width, len(data), width):
            return Picture(SHOWN[image.format], data)
        upright = image.getexif().get(ExifTags.Base.Orientation) not in SIDEWAYS
        image.thumbnail((width, MAX_SIDE) if upright else (MAX_SIDE, width))
        image = ImageOps.exif_transpose(image)
        profile = image.info.get("icc_profile")
        # Browsers read a profile in the colours it was made for.
        image = image.convert("RGBA" if image.has_transparency_data else "RGB") if image.mode != "RGB" else image
        written = io.BytesIO()
        image.save(written, "WEBP", quality=WEBP_QUALITY, icc_profile=profile if image.mode == "RGB" else None)
        return Picture("image/webp", written.getvalue())
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        raise NotAPictureError("The picture cannot be made smaller.") from None


def _as_png(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.convert("RGBA").save(written, "PNG")
    return written.getvalue()
