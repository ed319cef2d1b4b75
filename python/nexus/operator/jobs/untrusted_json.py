"""JSON from a file that others can write. Imports little: job runners use it too."""

import json
from typing import Any


def parse_untrusted_json(data: bytes) -> Any:
    """ValueError if it cannot be read or is nested too deeply. Its strings can always be encoded as UTF-8: JSON can
    escape half a surrogate pair, which no file and no response can hold; it is replaced."""
    text = data.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        if "\\ud" in text.lower():
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found
