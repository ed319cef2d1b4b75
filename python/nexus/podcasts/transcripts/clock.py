"""Times as people write them."""

from typing import Any

CLOCK_PARTS = 3
MAX_SECONDS = 1_000_000


def clock_ms(value: Any) -> int | None:
    """Seconds, MM:SS or HH:MM:SS, with or without a fraction."""
    parts = str(value or "").strip().replace(",", ".").split(":")
    if len(parts) > CLOCK_PARTS:
        return None
    try:
        seconds = 0.0
        for part in parts:
            seconds = seconds * 60 + float(part)
    except ValueError:
        return None
    return round(seconds * 1000) if 0 <= seconds < MAX_SECONDS else None
