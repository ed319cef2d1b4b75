"""What the viewer takes for an export is one here, with the same links."""

import json
from pathlib import Path
from typing import Any

import pytest

from nexus.errors import ImportNotRecognisedError
from nexus.text.imports.records import ImportProblem
from tests.pure.imports.reading import read

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/export_files.json").read_text())
# The viewer reads these itself.
SAVED_AS_LINKS = "browser bookmarks, which are saved as links"


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_recognised_as_the_viewer_does(vector: dict[str, Any]) -> None:
    files = {"given": vector["content"]}
    if vector.get("recognised", True) or vector["name"] == SAVED_AS_LINKS:
        links = [record.url for record in read(files)[1] if not isinstance(record, ImportProblem) and record.url]
        assert list(dict.fromkeys(links)) == vector.get("urls", ["https://a.example/"])
    else:
        with pytest.raises(ImportNotRecognisedError):
            read(files)
