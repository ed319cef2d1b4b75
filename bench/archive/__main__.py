"""What archiving and restoring a library costs, as JSON: python -m bench.archive [--media N] [--pictures N]

A library of our own (each media with 800 words, a receipt, two tags, an original, pictures, and every tenth with a
highlight) in an embedded database and a store in a folder is written into a ZIP, and restored on an empty server by a
process of its own, of which the greatest memory is noted.
"""

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from PIL import Image

from bench.archive.filling import fill
from nexus.config import load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.restore import RestoreResources
from nexus.services.archives.writer import write_archive
from nexus.services.users import CurrentUser, ensure_user
from nexus.store import open_store
from nexus.text.process_pool import ProcessPool
from nexus.web.public_address import AllowList
from tests.archives.whole_restore import restore_archive

FIGURES = Path(__file__).parents[1] / "figures" / "archive.json"
USER = UUID(int=21)


@contextmanager
def server(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)
    settings = load_settings(data_dir=folder)
    with Database(settings) as database:
        upgrade(database.engine)
        with database.transaction() as session:
            user = CurrentUser(USER, ensure_user(session, USER), is_operator=True)
        yield database, open_store(settings, database), user


def pictures(count: int) -> list[bytes]:
    made = []
    for number in range(count):
        written = io.BytesIO()
        Image.effect_noise((160, 100), 40 + number % 50).save(written, "JPEG", quality=60)
        made.append(written.getvalue())
    return made


def restore(folder: Path, path: Path) -> dict[str, Any]:
    """Restores it in a process of its own."""
    workers = os.cpu_count() or 1
    with server(folder) as (database, store, user), ProcessPool(workers=workers) as pool, ArchiveFile(path) as archive:
        resources = RestoreResources(database, store, pool, AllowList(), 1 << 50, 1 << 50, workers)
        figures: dict[str, Any] = {}
        for name in ("restored", "restored_again"):
            began = time.monotonic()
            found = restore_archive(resources, user, archive)
            seconds = time.monotonic() - began
            count = found.added + found.merged + found.unchanged
            figures[name] = {**vars(found), "seconds": round(seconds, 1), "media_per_second": round(count / seconds)}
        figures["memory_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures["memory_of_largest_child_megabytes"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--media", type=int, default=20_000)
    parser.add_argument("--pictures", type=int, default=1, help="of each media")
    parser.add_argument("--restore", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help=f"write the figures into {FIGURES.name}")
    options = parser.parse_args()
    configure_logging("WARNING", "text")
    if options.restore:
        print(json.dumps(restore(*options.restore)))
        return
    with tempfile.TemporaryDirectory(prefix="bench-archive-") as name:
        Path(name).chmod(0o711)
        figures = run(Path(name), options.media, options.pictures)
    print(json.dumps(figures, indent=1))
    if options.write:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")


def run(folder: Path, media: int, pictures_each: int) -> dict[str, Any]:
    path = folder / "archive.zip"
    with server(folder / "here") as (database, store, user):
        fill(database, store, user, media, pictures(min(media, 2000)), pictures_each)
        began = time.monotonic()
        with path.open("wb") as sink:
            written = write_archive(database, store, user, sink)
        seconds = time.monotonic() - began
    figures: dict[str, Any] = {
        "media": media,
        "cores": os.cpu_count(),
        "load_average": [round(each, 1) for each in os.getloadavg()],  # what else the machine did
        "blobs": written.blobs,
        "archive_bytes": path.stat().st_size,
        "written": {"seconds": round(seconds, 1), "media_per_second": round(media / seconds)},
        "writer_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    command = [sys.executable, "-m", "bench.archive", "--restore", str(folder / "there"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures |= json.loads(done.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
