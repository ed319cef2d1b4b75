"""JSON from a file that somebody else may have written. Imports little: job runners use it too."""

import json
from typing import Any


def parse_untrusted_json(data: bytes) -> Any:
    """ValueError where it cannot be read, nested too deeply included. Its texts can always be written as UTF-8:
    JSON can escape half a surrogate pair, which no file and no answer can hold; it is replaced."""
    text = data.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        if "\\ud" in text.lower():
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found
