import json
import unicodedata
from pathlib import Path

import pytest

from nexus.text.canonical_text import NON_SPACE_CONTROLS, WHITE_SPACE, canonicalize

VECTORS = json.loads((Path(__file__).parent / "vectors" / "canonical_text.json").read_text())["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vector(vector: dict[str, str]) -> None:
    assert canonicalize(vector["html"]) == vector["text"]


def test_vectors_have_names_of_their_own() -> None:
    names = [vector["name"] for vector in VECTORS]
    assert len(names) == len(set(names))
    assert len(names) >= 80


def members(ranges: str) -> set[int]:
    points = [ord(character) for character in ranges.replace("-", "")]
    found = set(points)
    for index, character in enumerate(ranges):
        if character == "-":
            found.update(range(ord(ranges[index - 1]), ord(ranges[index + 1]) + 1))
    return found


def test_every_control_character_is_either_white_space_or_dropped() -> None:
    controls = {point for point in range(0x110000) if unicodedata.category(chr(point)) == "Cc"}
    assert members(NON_SPACE_CONTROLS) == controls - members(WHITE_SPACE)


def test_white_space_is_the_unicode_property() -> None:
    spaces = {point for point in range(0x110000) if chr(point).isspace()} - set(range(0x1C, 0x20))
    assert members(WHITE_SPACE) == spaces


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert canonicalize("<p>a\ud800b</p>") == "a\ufffdb"


def test_depth_costs_no_text() -> None:
    html = "<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>after</p>"
    assert canonicalize(html) == "deep\nafter"
