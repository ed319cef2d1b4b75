"""Starts the process of the search indexes: python -m nexus.services.search.start_indexing.

Apart from it, so that its imports, which are most of what a start costs, are made without garbage collection.
"""

from importlib import import_module

from nexus.system.startup_gc import no_garbage_collection


def main() -> None:
    with no_garbage_collection():
        process = import_module("nexus.services.search.index_process")
    process.main()


if __name__ == "__main__":
    main()
