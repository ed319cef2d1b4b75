"""Pictures in formats that every reader shows, no larger than a page."""

import io

import pytest
from PIL import Image

from nexus.errors import NotAPictureError
from nexus.services.downloads.renditions import MAX_WIDTH, Rendition, fit_picture
from tests.api.pictures import picture


def opened(rendition: Rendition) -> Image.Image:
    return Image.open(io.BytesIO(rendition.data))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_what_every_reader_shows_is_passed_on(kind: str) -> None:
    data = picture(kind)
    assert fit_picture(data) == Rendition(f"image/{kind.lower()}", data)


@pytest.mark.parametrize("kind", ["WEBP", "AVIF"])
def test_newer_formats_become_jpeg(kind: str) -> None:
    made = fit_picture(picture(kind, (300, 200)))
    assert (made.content_type, opened(made).format, opened(made).size) == ("image/jpeg", "JPEG", (300, 200))


def test_transparent_pictures_stay_transparent() -> None:
    drawing = Image.new("RGBA", (400, 300), (0, 0, 0, 0))
    drawing.paste((200, 30, 30, 255), (0, 0, 200, 300))
    written = io.BytesIO()
    drawing.save(written, "WEBP", lossless=True)
    made = fit_picture(written.getvalue())
    assert made.content_type == "image/png"
    assert opened(made).convert("RGBA").getpixel((300, 100))[3] == 0  # type: ignore[index]
    assert opened(made).convert("RGBA").getpixel((100, 100))[3] == 255  # type: ignore[index]


def test_large_pictures_become_as_wide_as_a_page() -> None:
    made = fit_picture(picture("PNG", (3000, 1500)))
    assert opened(made).size == (MAX_WIDTH, MAX_WIDTH // 2)
    lying = Image.Exif()
    lying[0x0112] = 6
    written = io.BytesIO()
    Image.new("RGB", (3000, 1500)).save(written, "JPEG", exif=lying)
    assert opened(fit_picture(written.getvalue())).size == (MAX_WIDTH, 2 * MAX_WIDTH)


def test_grey_and_palette_pictures_can_be_converted() -> None:
    for mode in ("L", "P", "LA", "CMYK", "I;16"):
        written = io.BytesIO()
        Image.new(mode, (1500, 20)).save(written, "JPEG" if mode == "CMYK" else "PNG")
        assert opened(fit_picture(written.getvalue())).size[0] == MAX_WIDTH


def test_moving_pictures_move() -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    written = io.BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:])
    assert getattr(opened(fit_picture(written.getvalue())), "n_frames", 1) == 3


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture("PNG", (400, 400))[:-40]])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(NotAPictureError):
        fit_picture(data)
