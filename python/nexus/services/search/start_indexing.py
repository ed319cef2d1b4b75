"""Starts the process of the search indexes: python -m nexus.services.search.start_indexing.

A module of its own, so that the imports of index_process.py, most of the cost of a start, run without garbage
collection.
"""

from importlib import import_module

from nexus.system.startup_gc import no_garbage_collection


def main() -> None:
    with no_garbage_collection():
        process = import_module("nexus.services.search.index_process")
    process.main()


if __name__ == "__main__":
    main()
