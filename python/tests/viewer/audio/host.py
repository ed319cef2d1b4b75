"""The host of a podcast's audio."""

import io
import re
import wave

from playwright.sync_api import Page, Route


def silent_wave(seconds: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 8000 * seconds)
    return out.getvalue()


def serve_audio(page: Page, audio: str, *, seconds: int) -> list[str]:
    """Silence, served in ranges as hosts of podcasts do: without them a browser cannot seek to what it has not loaded.
    Returns the requested addresses, in a list that grows."""
    sound = silent_wave(seconds)
    requested: list[str] = []

    def serve(route: Route) -> None:
        requested.append(route.request.url)
        wanted = re.match(r"bytes=(\d+)-", route.request.headers.get("range", ""))
        first = int(wanted[1]) if wanted else 0
        headers = {"Accept-Ranges": "bytes", "Content-Type": "audio/wav"}
        if wanted:
            headers["Content-Range"] = f"bytes {first}-{len(sound) - 1}/{len(sound)}"
        route.fulfill(status=206 if wanted else 200, headers=headers, body=sound[first:])

    page.route(audio, serve)
    return requested
