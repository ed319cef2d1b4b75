"""Pictures as a download has them: in a format that every reader of books shows, and no larger than a page is wide."""

import io
from dataclasses import dataclass

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from nexus.errors import NotAPictureError
from nexus.services.pictures.picture import SHOWN, SIDEWAYS

# The formats that EPUB 3.2 requires of every reader; WebP and AVIF are not among them.
PASSED_ON = ("GIF", "JPEG", "PNG")
SUFFIXES = {"image/gif": "gif", "image/jpeg": "jpg", "image/png": "png"}
MAX_WIDTH = 1200
MAX_SIDE = 4096
# A photograph of that width has half as much; moving pictures have one size only.
MAX_BYTES = 600_000
MAX_MOVING_BYTES = 3_000_000
JPEG_QUALITY = 85


@dataclass(frozen=True)
class Rendition:
    content_type: str
    data: bytes


def needs_no_copy(content_type: str, width: int | None, size: int) -> bool:
    return content_type in SUFFIXES and width is not None and width <= MAX_WIDTH and size <= MAX_BYTES


def fit_picture(data: bytes) -> Rendition:
    """A copy of a picture that was checked when fetched. Run it in a ProcessPool: decoders have had security holes."""
    try:
        image: Image.Image = Image.open(io.BytesIO(data), formats=list(SHOWN))
        limit = MAX_MOVING_BYTES if getattr(image, "is_animated", False) else MAX_BYTES
        if image.format in PASSED_ON and image.width <= MAX_WIDTH and len(data) <= limit:
            image.load()  # a damaged one is refused
            return Rendition(SHOWN[image.format], data)
        is_upright = image.getexif().get(ExifTags.Base.Orientation) not in SIDEWAYS
        image.thumbnail((MAX_WIDTH, MAX_SIDE) if is_upright else (MAX_SIDE, MAX_WIDTH))
        return _written(ImageOps.exif_transpose(image))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError):
        raise NotAPictureError("The picture cannot be written into a file.") from None


def _written(image: Image.Image) -> Rendition:
    written = io.BytesIO()
    if image.has_transparency_data:
        # A drawing: few colours, which a palette keeps at a quarter of the size.
        image.convert("RGBA").quantize(256, Image.Quantize.FASTOCTREE).save(written, "PNG", optimize=True)
        return Rendition("image/png", written.getvalue())
    profile = image.info.get("icc_profile") if image.mode == "RGB" else None
    image.convert("RGB").save(written, "JPEG", quality=JPEG_QUALITY, icc_profile=profile)
    return Rendition("image/jpeg", written.getvalue())
