"""JSON files of a corpus, and file names that cannot leave their folder."""

import json
import os
import re
import threading
from pathlib import Path
from typing import Any

from nexus.system.atomic_files import PRIVATE, WORLD_READABLE, replace_file
from nexus.text.unicode_form import normalize

MAX_TITLE_CHARS = 60
MAX_TITLE_BYTES = 150
# All but letters, digits and marks of any script, and what is harmless in a path and on a command line.
UNSAFE = re.compile(r"[^\w.,()+' -]|_", re.UNICODE)
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.I)


def write_json(path: Path, document: Any, *, durable: bool = False, mode: int = WORLD_READABLE) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    replace_file(path, text.encode("utf-8", "replace") + b"\n", durable=durable, mode=mode)


def read_json(path: Path) -> Any:
    """None if there is no file or a power loss damaged it: its content is then fetched again."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


_append_lock = threading.Lock()


def append_line(path: Path, document: Any) -> None:
    """Writes the line at once. An incomplete last line (power loss) is ended first, so that only it is lost."""
    line = json.dumps(document, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace") + b"\n"
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with _append_lock, open(os.open(path, flags, PRIVATE), "ab+") as out:  # noqa: PTH123 - a descriptor
        os.fchmod(out.fileno(), PRIVATE)
        size = out.seek(0, os.SEEK_END)
        if size:
            out.seek(size - 1)
            if out.read(1) != b"\n":
                line = b"\n" + line
        out.write(line)


def file_stem(number: int, title: str | None) -> str:
    """``0007 - What was said``: never a path, an option, a hidden or a reserved name."""
    plain = normalize("NFC", title or "")
    plain = " ".join(UNSAFE.sub(" ", plain).split())[:MAX_TITLE_CHARS]
    while len(plain.encode()) > MAX_TITLE_BYTES:
        plain = plain[:-1]
    plain = plain.strip(" .-'")
    return f"{number:04d} - {plain or 'untitled'}"


def slug_of(text: str) -> str:
    plain = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:60]
    return plain if plain and not RESERVED.fullmatch(plain) else "feed"
