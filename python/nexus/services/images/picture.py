"""A stranger's bytes in, a picture out or a reason why not. What a header claims is never asked."""

import io
import warnings
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

from nexus.errors import ImageTooLargeError, NotAnImageError

# Formats every browser shows go out as they came; older ones are written anew. SVG is markup, not a picture.
SHOWN = {"AVIF": "image/avif", "GIF": "image/gif", "JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
CONVERTED = ("BMP", "ICO", "TIFF")
LONGEST_SIDE = 4096


@dataclass(frozen=True)
class Picture:
    content_type: str
    data: bytes


def check_picture(data: bytes) -> Picture:
    """Run it in a TextPool: decoders have had their holes."""
    try:
        with warnings.catch_warnings():
            # It warns about what the next lines refuse.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=[*SHOWN, *CONVERTED])
        if max(image.size) > LONGEST_SIDE:
            raise ImageTooLargeError(f"The picture is larger than {LONGEST_SIDE} pixels a side.")
        image.load()
        if image.format in SHOWN:
            return Picture(SHOWN[image.format], data)
        return Picture("image/png", _as_png(image))
    except Image.DecompressionBombError:
        raise ImageTooLargeError(f"The picture is larger than {LONGEST_SIDE} pixels a side.") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        raise NotAnImageError("The site sent something that is not a picture, or a damaged one.") from None


def _as_png(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.convert("RGBA").save(written, "PNG")
    return written.getvalue()
