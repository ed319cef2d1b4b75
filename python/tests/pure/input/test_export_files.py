import json
from pathlib import Path
from typing import Any

import pytest

from nexus.text.export_files import Export, recognise_export

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/export_files.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_known_by_content_as_the_viewer_knows_it(vector: dict[str, Any]) -> None:
    found = recognise_export(vector["content"])
    if vector.get("recognised", True):
        assert found == Export(vector["source"], vector["shape"], tuple(vector["urls"]))
    else:
        assert found is None


def test_what_is_broken_is_no_list() -> None:
    for content in ("", "[", "{" * 100_000, "<", "<opml", '"', "a,url\n\0"):
        found = recognise_export(content)
        assert found is None or found.urls == ()
