"""``python -m app.worker [--once]``: the same as ``nexus worker``."""

import sys

from nexus.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "worker")
    main()
