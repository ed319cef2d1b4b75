"""Archives that nobody would write."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

PART = "media/000001.jsonl"
Record = dict[str, Any]


def edit_records(path: Path, edit: Callable[[list[Record]], list[Record] | None]) -> Path:
    """The hashes are computed again, as somebody who edits an archive can do."""

    def change(content: bytes) -> bytes:
        records = [json.loads(line) for line in content.splitlines()]
        changed = edit(records)
        return b"".join(json.dumps(each).encode() + b"\n" for each in (records if changed is None else changed))

    return edit_members(path, {PART: change})


def edit_members(
    path: Path,
    changes: dict[str, Callable[[bytes], bytes | None]],
    *,
    with_hashes: bool = True,
    manifest: Callable[[dict[str, Any]], None] | None = None,
) -> Path:
    """A member whose new content is None is removed."""
    edited = path.with_name(f"edited-{path.name}")
    with ZipFile(path) as source, ZipFile(edited, "w", ZIP_DEFLATED) as target:
        said = json.loads(source.read("manifest.json"))
        for name in source.namelist():
            content: bytes | None = source.read(name)
            if name in changes and content is not None:
                content = changes[name](content)
            if content is None or name == "manifest.json":
                continue
            target.writestr(name, content)
            for member in said["members"] if with_hashes else ():
                if member["name"] == name:
                    member["size"], member["sha256"] = len(content), hashlib.sha256(content).hexdigest()
                    member["lines"] = member["lines"] and len(content.splitlines())
        if manifest:
            manifest(said)
        target.writestr("manifest.json", json.dumps(said))
    return edited


def the_article(records: list[Record]) -> Record:
    """A media that was fetched, with its text."""
    return next(each for each in records if each["media"]["canonical_url"])


def split_part(path: Path, lines_each: int) -> Path:
    """Splits its one part into several, as a large library has."""
    split = path.with_name(f"split-{path.name}")
    with ZipFile(path) as source, ZipFile(split, "w", ZIP_DEFLATED) as target:
        said = json.loads(source.read("manifest.json"))
        said["members"] = [member for member in said["members"] if member["name"] != PART]
        lines = source.read(PART).splitlines(keepends=True)
        for number, start in enumerate(range(0, len(lines), lines_each), start=1):
            some = lines[start : start + lines_each]
            name, content = f"media/{number:06}.jsonl", b"".join(some)
            target.writestr(name, content)
            digest = hashlib.sha256(content).hexdigest()
            said["members"].append({"name": name, "size": len(content), "sha256": digest, "lines": len(some)})
        for name in source.namelist():
            if name not in (PART, "manifest.json"):
                target.writestr(name, source.read(name))
        target.writestr("manifest.json", json.dumps(said))
    return split
